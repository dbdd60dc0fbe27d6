/**
 * Strategic merge patches: merge patches that know by which key the lists of the built-in kinds merge.
 *
 * Source: k8s.io/apimachinery, pkg/util/strategicpatch, with which it agrees on order, too. Custom kinds have no
 * strategic merge patch: the caller answers 415 for them.
 */

import type { JsonObject } from "../../../model/object.ts";
import { formatJson } from "../../../runtime/json.ts";
import { clearMissing, itemsInOrder, type ListRules, mergeLists } from "./strategic_lists.ts";
import { type Field, fieldOf, type Shape, typeOfKind } from "../types/mod.ts";
import { clone, getOwn, isObject, setOwn } from "../values.ts";

const ORDER = "$setElementOrder/";
const DELETE = "$deleteFromPrimitiveList/";

/**
 * Returns a new object: `live` with the patch applied. The kind comes from `live`.
 *
 * @throws {SyntaxError} If the patch does not fit (an unknown directive, an item without its merge key).
 */
export function applyStrategicMerge(live: JsonObject, patch: JsonObject): JsonObject {
  const name = typeOfKind(getOwn(live, "apiVersion"), getOwn(live, "kind"));
  const shape: Shape | undefined = name === undefined ? undefined : { kind: "type", name };
  return mergeMaps(clone(live), clone(patch), shape);
}

/** Works in place on copies, as the directives are taken out on the way. */
function mergeMaps(target: JsonObject, patch: JsonObject, shape: Shape | undefined): JsonObject {
  if (Object.hasOwn(patch, "$patch")) return applyMapDirective(patch);
  if (Object.hasOwn(patch, "$retainKeys")) retainKeys(target, patch);
  for (const key of Object.keys(patch)) {
    if (key.startsWith(ORDER)) mergeOrdered(target, { patch, key, shape });
  }
  for (const [key, value] of Object.entries(patch)) {
    if (key.startsWith(DELETE)) deleteFromList(target, key.slice(DELETE.length), value);
    else if (value === null) delete target[key];
    else setOwn(target, key, mergeValue(getOwn(target, key), { value, field: childOf(shape, key) }));
    if (getOwn(target, key) === undefined) delete target[key];
  }
  return target;
}

/** Returns undefined if no value is left. */
function mergeValue(before: unknown, { value, field }: { value: unknown; field: Child }): unknown {
  if (isObject(before) && isObject(value)) {
    return field.rules?.replaces ? value : mergeMaps(before, value, field.shape);
  }
  if (Array.isArray(before) && Array.isArray(value)) {
    return field.rules?.merges ? mergeLists(before, value, listRules(field)) : value;
  }
  return withoutDirectives(withoutNulls(value));
}

interface Child {
  /** The shape of the value, or of each item or entry of it. */
  readonly shape: Shape | undefined;
  readonly rules: Field | undefined;
}

function childOf(shape: Shape | undefined, key: string): Child {
  if (shape?.kind === "map") return { shape: shape.of, rules: undefined };
  const rules = shape?.kind === "type" ? fieldOf(shape.name, key) : undefined;
  return { shape: rules?.shape.kind === "list" ? rules.shape.of : rules?.shape, rules };
}

function listRules({ shape, rules }: Child): ListRules {
  return { mergeKey: rules?.mergeKey, mergeItems: (item, patch) => mergeMaps(item, patch, shape) };
}

function applyMapDirective(patch: JsonObject): JsonObject {
  const { $patch: directive, ...rest } = patch;
  if (directive === "replace") return rest;
  if (directive === "delete") return {};
  throw new SyntaxError(`unknown patch type ${formatJson(directive)} in ${formatJson(patch)}`);
}

function retainKeys(target: JsonObject, patch: JsonObject): void {
  const wanted = patch.$retainKeys;
  delete patch.$retainKeys;
  const message = "invalid patch format of retainKeys";
  if (!Array.isArray(wanted)) throw new SyntaxError(message);
  for (const [key, value] of Object.entries(patch)) {
    if (value === null || key.startsWith(DELETE) || key.startsWith(ORDER)) continue;
    if (!wanted.includes(key)) throw new SyntaxError(message);
  }
  clearMissing(target, wanted);
}

/** Merges a list for which the patch also gives the order, and takes both out of the patch. */
function mergeOrdered(
  target: JsonObject,
  of: { patch: JsonObject; key: string; shape: Shape | undefined },
): void {
  const { patch, key, shape } = of;
  const name = key.slice(ORDER.length);
  const order = patch[key];
  delete patch[key];
  if (!Array.isArray(order)) throw new SyntaxError("invalid patch format of setElementOrder list");
  const [before, change] = [getOwn(target, name), getOwn(patch, name)];
  delete patch[name];
  if (before === undefined && change === undefined) return;
  const child = childOf(shape, name);
  const rules = listRules(child);
  const merged = change === undefined ? before : mergeValue(before, { value: change, field: child });
  if (!Array.isArray(merged)) throw new SyntaxError(`expected a list at "${name}"`);
  const serverOrder = Array.isArray(before) ? before : [];
  setOwn(target, name, itemsInOrder(merged, { order, serverOrder, mergeKey: rules.mergeKey }));
}

function deleteFromList(target: JsonObject, name: string, values: unknown): void {
  const before = getOwn(target, name);
  if (!Array.isArray(values)) throw new SyntaxError("invalid patch format of primitive list");
  if (Array.isArray(before)) setOwn(target, name, before.filter((item) => !values.includes(item)));
}

/** Returns a new part of the object, which must not carry directives; undefined for a map that is one. */
function withoutDirectives(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDirectives).filter((item) => item !== undefined);
  if (!isObject(value)) return value;
  if (Object.hasOwn(value, "$patch")) return undefined;
  for (const [key, child] of Object.entries(value)) {
    const kept = key === "$retainKeys" || key.startsWith(ORDER) || key.startsWith(DELETE)
      ? undefined
      : withoutDirectives(child);
    if (kept === undefined) delete value[key];
    else setOwn(value, key, kept);
  }
  return value;
}

/** A null in a new map has no member to delete. Lists are left as they are. */
function withoutNulls(value: unknown): unknown {
  if (!isObject(value)) return value;
  for (const [key, child] of Object.entries(value)) {
    if (child === null) delete value[key];
    else withoutNulls(child);
  }
  return value;
}
