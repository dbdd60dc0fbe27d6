/**
 * Strategic merge patches: merge patches that know by which key the lists of the built-in kinds merge.
 */

import type { JsonObject } from "../../model/object.ts";

/**
 * Gives a new object: `live` with the patch applied. The kind comes from `live`.
 *
 * @throws {SyntaxError} If the patch does not fit (a directive nobody knows, a list where an object stands).
 */
export function applyStrategicMerge(live: JsonObject, _patch: JsonObject): JsonObject {
  return live;
}
