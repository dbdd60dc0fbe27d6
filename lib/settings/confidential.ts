/** Which fields of a kind are confidential: the data of Secrets, and what the settings name. */

import { type FieldPath, parseField } from "../model/fields.ts";
import type { Resource } from "../model/resource.ts";
import type { PersistenceSettings } from "./sections.ts";
import { textsFor } from "./server_selectors.ts";

/** Source: Kubernetes API reference, Secret. */
const SECRET_FIELDS: readonly FieldPath[] = [["data"], ["stringData"]];

const NONE: readonly FieldPath[] = [];

/** Returns the fields of a kind whose values must not be in notes, log lines and events; mostly none. */
export function confidentialFieldsOf(
  { confidential }: Pick<PersistenceSettings, "confidential">,
  resource: Resource,
): readonly FieldPath[] {
  const known = resource.group === "" && resource.plural === "secrets" ? SECRET_FIELDS : NONE;
  // NB: asked for each turn of each object, and nearly nobody names any.
  const isEmpty = confidential instanceof Map
    ? confidential.size === 0
    : Object.keys(confidential).length === 0;
  return isEmpty ? known : [...known, ...textsFor(confidential, resource).flat().map(parseField)];
}
