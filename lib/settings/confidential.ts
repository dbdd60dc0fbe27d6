/** Which fields of a kind are confidential: the data of Secrets, and what the settings name. */

import { type FieldPath, parseField } from "../model/fields.ts";
import type { Resource } from "../model/resource.ts";
import type { PersistenceSettings } from "./sections.ts";
import { textsFor } from "./server_selectors.ts";

/** Source: Kubernetes API reference, Secret. */
const SECRET_FIELDS: readonly FieldPath[] = [["data"], ["stringData"]];

/** Returns the fields of a kind whose values must not be in notes, log lines and events; mostly none. */
export function confidentialFieldsOf(
  { confidential }: Pick<PersistenceSettings, "confidential">,
  resource: Resource,
): readonly FieldPath[] {
  const named = textsFor(confidential, resource).flat().map(parseField);
  const isSecret = resource.group === "" && resource.plural === "secrets";
  return isSecret ? [...SECRET_FIELDS, ...named] : named;
}
