/**
 * Objects that are being made, in all forms in which authors have them: plain objects, instances of a client library's
 * model classes, lists of them, and lists of lists. All are changed in place.
 */

import { isObject } from "../../model/json.ts";
import type { ObjectMeta } from "../../model/object.ts";

/** Metadata of an object that is being made. */
export type ChildMeta = Pick<
  ObjectMeta,
  "name" | "generateName" | "namespace" | "labels" | "ownerReferences"
>;

/** An object that is being made: plain, or an instance of a model class. What it is besides does not matter. */
export interface Child {
  /** "group/version", or "version" in the core group. */
  apiVersion?: string;
  /** Such as "Pod". */
  kind?: string;
  /** Made where there is none. */
  metadata?: ChildMeta;
}

/** One object, or any nesting of lists of them. Null and undefined are passed over. */
export type Children =
  | Child
  | Record<string, unknown>
  | null
  | undefined
  | Iterable<Child | Record<string, unknown> | null | undefined>
  | readonly Children[];

/**
 * Gives the objects one by one.
 *
 * @throws {TypeError} At the first that is none.
 */
export function* eachChild(children: unknown): Generator<Child, void, void> {
  if (children === null || children === undefined) return;
  if (typeof children !== "object" || children instanceof Map) throw new TypeError(describeWrong(children));
  if (Symbol.iterator in children) {
    // An object with an iterator is an iterable of whatever.
    for (const child of children as Iterable<unknown>) yield* eachChild(child);
    return;
  }
  checkMetadata(children);
  yield children;
}

/** Gives the object's metadata, which is made where there is none. */
export function metadataOf(child: Child): ChildMeta {
  return child.metadata ??= {};
}

function checkMetadata(child: object): asserts child is Child {
  const metadata: unknown = "metadata" in child ? child.metadata : undefined;
  if (metadata === undefined || metadata === null) return;
  if (typeof metadata !== "object" || Array.isArray(metadata)) {
    throw new TypeError(`Cannot use an object whose metadata is ${nameOf(metadata)}: make it an object`);
  }
}

function describeWrong(value: unknown): string {
  return `Cannot use ${nameOf(value)} as a Kubernetes object: pass an object, or a list of objects`;
}

function nameOf(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (value instanceof Map) return "a Map";
  return isObject(value) ? "an object" : `a ${typeof value} (${String(value)})`;
}
