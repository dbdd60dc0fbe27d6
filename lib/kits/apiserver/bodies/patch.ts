/**
 * Patches: merge (RFC 7386), JSON (RFC 6902) and strategic merge.
 */

import type { JsonObject } from "../../../model/object.ts";
import { APPLY_PATCH } from "../media_types.ts";
import { applyJsonPatch } from "../patches/json_patch.ts";
import type { Kind } from "../kinds.ts";
import {
  badRequest,
  tooManyOperations,
  unknownPatchType,
  unprocessable,
  unsupportedMediaType,
} from "../refusal.ts";
import { applyStrategicMerge } from "../patches/strategic.ts";
import { isObject, setOwn } from "../values.ts";
import { contentTypeOf, parseText, readText } from "./body.ts";
import type { Source } from "./strict_faults.ts";

/** Applies a patch to an object; gives a new one. */
export type Patcher = (live: JsonObject) => JsonObject;

/** A patch, and the text that it came from. */
export interface Patch {
  readonly change: Patcher;
  readonly source: Source;
}

export const JSON_PATCH = "application/json-patch+json";
const MERGE_PATCH = "application/merge-patch+json";
export const STRATEGIC_PATCH = "application/strategic-merge-patch+json";

/** Source: k8s.io/apiserver, pkg/endpoints/handlers/patch.go, maxJSONPatchOperations. */
const MOST_OPERATIONS = 10_000;

/**
 * Reads a patch from a request.
 *
 * @throws {Refusal} 415 for patches of a type that the kind does not take; 400 if it cannot be parsed.
 */
export async function readPatch(request: Request, kind: Kind): Promise<Patch> {
  const type = contentTypeOf(request);
  const accepted = kind.custom ? [JSON_PATCH, MERGE_PATCH] : [JSON_PATCH, MERGE_PATCH, STRATEGIC_PATCH];
  if (!type.endsWith("+json") && !type.endsWith("+yaml")) throw unknownPatchType();
  if (!accepted.includes(type)) throw unsupportedMediaType([...accepted, APPLY_PATCH]);
  const text = await readText(request);
  const patch = parseText(text, { prefix: "error decoding patch: " });
  if (type === JSON_PATCH) return { change: jsonPatcher(patch), source: { text, form: "json patch" } };
  if (!isObject(patch)) {
    throw badRequest(
      "error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}",
    );
  }
  if (type === STRATEGIC_PATCH) {
    return { change: strategicPatcher(patch), source: { text, form: "strategic patch" } };
  }
  return { change: (live) => mergePatch(live, patch), source: { text, form: "merge patch" } };
}

/** Its operations are read when the object has been found, as on the real server. */
function jsonPatcher(patch: unknown): Patcher {
  return (live) => {
    const operations = operationsOf(patch);
    let patched: unknown;
    try {
      patched = applyJsonPatch(live, operations);
    } catch {
      throw unprocessable();
    }
    if (isObject(patched)) return patched;
    throw unprocessable();
  };
}

/** @throws {Refusal} 400 or 413 */
function operationsOf(patch: unknown): readonly JsonObject[] {
  if (!Array.isArray(patch)) {
    throw badRequest(
      "error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp",
    );
  }
  const [wrong] = patch.filter((operation) => !isObject(operation));
  if (wrong !== undefined) {
    throw badRequest(
      `error decoding patch: json: cannot unmarshal ${typeof wrong} into Go value of type jsonpatch.Operation`,
    );
  }
  if (patch.length > MOST_OPERATIONS) throw tooManyOperations(patch.length, MOST_OPERATIONS);
  return patch;
}

function strategicPatcher(patch: JsonObject): Patcher {
  return (live) => {
    try {
      return applyStrategicMerge(live, patch);
    } catch (error) {
      if (error instanceof SyntaxError) throw badRequest(error.message);
      throw error;
    }
  };
}

/** Returns a new object: `live` with the merge patch applied. Parts that are not patched are shared with `live`. */
export function mergePatch(live: JsonObject, patch: JsonObject): JsonObject {
  const merged: JsonObject = { ...live };
  for (const key of Object.keys(patch)) {
    const value = patch[key];
    if (value === null) {
      delete merged[key];
    } else if (isObject(value)) {
      const old = Object.hasOwn(live, key) ? live[key] : undefined;
      setOwn(merged, key, mergePatch(isObject(old) ? old : {}, value));
    } else {
      setOwn(merged, key, value);
    }
  }
  return merged;
}
