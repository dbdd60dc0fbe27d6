/**
 * What cannot work for kinds of which the metadata alone is fetched: it would not fail, but see nothing, for ever.
 */

import { formatField } from "../model/fields.ts";
import { keyOf, type Resource } from "../model/resource.ts";
import type { ObjectHandler } from "../registry/handlers.ts";
import type { Persistence } from "../settings/persistence/storage.ts";
import { keptPartsFor } from "../settings/server_selectors.ts";
import type { WatchingSettings } from "../settings/settings.ts";

/** Under which rules kinds are watched. */
export interface VisibilityOptions {
  readonly settings: Pick<WatchingSettings, "metadataOnly" | "transform">;
  readonly persistence: Persistence;
  /** Whether the handler keeps notes on objects. */
  readonly isStateful: boolean;
}

/** What there is of an object where its metadata is all that is fetched. */
const VISIBLE: readonly (string | undefined)[] = ["metadata", "apiVersion", "kind"];

/** Says why a handler cannot be served for a kind of which it sees too little, and what to do; undefined if it can. */
export function blindnessOf(
  handler: ObjectHandler,
  resource: Resource,
  { settings, persistence, isStateful }: VisibilityOptions,
): string | undefined {
  if (!keptPartsFor(settings, resource).metadataOnly) return undefined;
  const title = `Cannot serve handler "${handler.id}" for "${keyOf(resource)}"`;
  const { field } = handler;
  if (field !== undefined && field.length > 0 && !VISIBLE.includes(field[0])) {
    const path = formatField(field);
    return `${title}: it looks at "${path}", of which watching.metadataOnly leaves nothing (take the kind out of that)`;
  }
  if (isStateful && isInStatus(persistence)) {
    return `${title}: notes are kept in the status, of which watching.metadataOnly leaves nothing ` +
      `(use persistence: annotations(), or take the kind out of watching.metadataOnly)`;
  }
  return undefined;
}

/** Whether one of both kinds of notes is written to the status alone. Names of annotations do not look like that. */
function isInStatus({ progress, diffBase }: Persistence): boolean {
  const places = [progress.keys("any"), diffBase.reserved?.() ?? []];
  return places.some((names) => names.length > 0 && names.every((name) => name.startsWith("status.")));
}
