/** Handlers' results, which go into the status, and leave it again. Source: Kopf, docs/results. */

import { getField } from "../model/fields.ts";
import { isObject, setKey, toJson } from "../model/json.ts";
import type { JsonObject, KubeObject } from "../model/object.ts";
import { applyMergePatch, type Patch } from "../model/patch.ts";
import type { Logger } from "../runtime/logging.ts";

/** The place of a handler's result. */
export interface ResultTarget {
  readonly patch: Patch;
  readonly logger: Logger;
  /** The object as it is. */
  readonly body: KubeObject;
}

/**
 * Puts a handler's result under its id into the status: an object is merged into the object that is there, any other result
 * replaces the value that is there. Members that are null are taken away; in an object that is new they are left out.
 *
 * A result that JSON cannot express is logged and dropped: it must not undo the success.
 */
export function storeResult(
  { patch, logger, body }: ResultTarget,
  id: string,
  result: unknown,
): void {
  if (result === undefined || result === null) return;
  try {
    const value = toJson(result, `result of "${id}"`);
    const isMerged = isObject(getField(body, ["status", id]));
    patch.merge({
      status: { [id]: isObject(value) ? isMerged ? { ...value } : applyMergePatch({}, value) : value },
    });
  } catch (error) {
    logger.error("Cannot store the handler's result in the status: it is dropped", { handler: id, error });
  }
}

/** Takes the results of a handler and of its sub-handlers out of the status, but for the ones that are kept. */
export function dropResults(
  { patch, body: { status } }: Pick<ResultTarget, "patch" | "body">,
  id: string,
  isKept: (id: string) => boolean,
): void {
  if (!isObject(status)) return;
  for (const key of Object.keys(status)) {
    // Sections of a patch take any key.
    if ((key === id || key.startsWith(`${id}/`)) && !isKept(key)) {
      setKey(patch.status as JsonObject, key, null);
    }
  }
}
