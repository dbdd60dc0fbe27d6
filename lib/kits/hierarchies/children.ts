/**
 * Objects that are being made, in all forms in which authors have them: plain objects, instances of a client library's
 * model classes, lists of them, and lists of lists. All are changed in place.
 */

import { isObject } from "../../model/json.ts";
import type { ObjectMeta } from "../../model/object.ts";
import { currentArguments } from "../../execution/invoke.ts";
import type { Referable } from "../../model/references.ts";
import type { Logger } from "../../runtime/logging.ts";

/** Metadata of an object that is being made. */
export type ChildMeta = Pick<
  ObjectMeta,
  "name" | "generateName" | "namespace" | "labels" | "ownerReferences"
>;

/** An object that is being made: plain, or an instance of a model class. Its other members do not matter. */
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
 * Returns the objects one by one.
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

/** Returns the object's metadata, which is made where there is none. */
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

// The owner of the objects that are made: the one that is named, else the object that the running handler is about.

/** Any object, also a view of one: a handler's `body`, or an object of the API. */
export interface Owner extends Referable {
  /** Where its name and its labels are. */
  readonly metadata?: Referable["metadata"] & { readonly labels?: Readonly<Record<string, string>> };
}

/** Names the owner. */
export interface OwnerOption {
  /** Default: the object that the running handler is about. */
  readonly owner?: Owner;
}

/**
 * Returns the owner.
 *
 * @throws {TypeError} If none is named, and no handler of an object is running.
 */
export function resolveOwner({ owner }: OwnerOption): Owner {
  const found = owner ?? handled()?.body;
  if (found !== undefined) return found;
  throw new TypeError("Cannot tell the owner: no handler of an object is running here; pass it as `owner`");
}

/** Writes a line into the log of the object that the running handler is about, if there is one. */
export function warnHandled(message: string, fields: Record<string, string>): void {
  handled()?.logger.warn(message, fields);
}

function handled(): { readonly body: Owner; readonly logger: Logger } | undefined {
  const args = currentArguments();
  // Handlers of activities have arguments too, but no object. Arguments with a body are ours, and have a logger.
  return typeof args === "object" && args !== null && "body" in args
    ? args as { readonly body: Owner; readonly logger: Logger }
    : undefined;
}
