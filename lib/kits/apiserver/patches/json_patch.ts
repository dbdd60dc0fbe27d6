/**
 * JSON patches (RFC 6902): the only file here that knows fast-json-patch.
 */

import jsonPatch, { type Operation } from "fast-json-patch";
import type { JsonObject } from "../../../model/object.ts";
import { clone, isObject } from "../values.ts";

/**
 * Returns `live` with the operations applied, in place.
 *
 * @throws {Error} If an operation is malformed, does not fit, or is a test that fails.
 */
export function applyJsonPatch(live: JsonObject, operations: readonly unknown[]): unknown {
  let document: unknown = live;
  for (const operation of operations) {
    checkOperation(operation);
    document = applyOne(document, operation);
  }
  return document;
}

/**
 * NB: presence is judged as Kubernetes' library does: "replace" may add, "test" for null finds an absent member, but
 * "remove" must find one. The library's own validation differs.
 */
function applyOne(document: unknown, operation: Operation): unknown {
  const source = operation.op === "remove"
    ? operation.path
    : "from" in operation
    ? operation.from
    : undefined;
  if (source !== undefined && jsonPatch.getValueByPointer(document, source) === undefined) {
    throw new RangeError(`Cannot apply the patch: there is no "${source}"`);
  }
  if (operation.op === "test" && operation.value === null) {
    const found = jsonPatch.getValueByPointer(document, operation.path) ?? null;
    if (found === null) return document;
  }
  // NB: the library copies by way of JSON's text, which cannot hold bigints.
  if (operation.op === "move" || operation.op === "copy") {
    const { op, from, path } = operation;
    const value = jsonPatch.getValueByPointer(document, from);
    const rest = op === "copy" ? document : apply(document, { op: "remove", path: from });
    return apply(rest, { op: "add", path, value: op === "copy" ? clone(value) : value });
  }
  return apply(document, operation);
}

function apply(document: unknown, operation: Operation): unknown {
  return jsonPatch.applyOperation(document, operation, false, true).newDocument;
}

const KINDS = ["add", "remove", "replace", "move", "copy", "test"];

function checkOperation(operation: unknown): asserts operation is Operation {
  if (!isObject(operation)) throw new SyntaxError("Cannot apply the patch: an operation is not an object");
  const { op, path, from } = operation;
  const isPointer = (value: unknown) => typeof value === "string" && (value === "" || value.startsWith("/"));
  if (typeof op !== "string" || !KINDS.includes(op)) {
    throw new SyntaxError(`Cannot apply the patch: what is "${op}"?`);
  }
  if (!isPointer(path)) throw new SyntaxError(`Cannot apply the patch: "${path}" is not a path`);
  if ((op === "move" || op === "copy") && !isPointer(from)) {
    throw new SyntaxError(`Cannot apply the patch: "${from}" is not a path`);
  }
}
