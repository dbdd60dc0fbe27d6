/**
 * JSON patches (RFC 6902): the only file here that knows fast-json-patch.
 */

import jsonPatch from "fast-json-patch";
import type { JsonObject } from "../../model/object.ts";

/**
 * Gives `live` with the operations applied, in place.
 *
 * @throws {Error} If an operation is malformed, does not fit, or is a test that fails.
 */
export function applyJsonPatch(live: JsonObject, operations: readonly unknown[]): unknown {
  // The library checks each operation itself (third argument).
  const checked = operations as Parameters<typeof jsonPatch.applyPatch>[1];
  return jsonPatch.applyPatch(live, checked, true, true).newDocument;
}
