/**
 * `children`, as handlers see it: all objects that an owner wants to be there, in one declaration.
 *
 * The engine that brings them about is `engines/children/`.
 */

import type { Waiting } from "../execution/waiting.ts";
import type { JsonObject, KubeObject, ObjectMeta } from "../model/object.ts";
import type { Patch } from "../model/patch.ts";
import type { Seconds } from "../runtime/host.ts";
import type { AppliedFields } from "./api.ts";
import type { Conditions } from "./object_conditions.ts";
import type { ResourceType } from "./resource.ts";
import type { ObjectOf } from "./stanzas.ts";

/** Metadata of a child. A name or namespace that is left out is made from the owner's. */
export type ChildMeta = Pick<
  ObjectMeta,
  "name" | "namespace" | "labels" | "annotations" | "finalizers" | "ownerReferences"
>;

/** An object that is to be there: the fields that are wanted, and no others, as in a file for `kubectl apply`. */
export interface Manifest {
  /** "group/version", or "version" in the core group. Needed unless the kind is told otherwise. */
  readonly apiVersion?: string;
  /** Such as "Service". */
  readonly kind?: string;
  /** Default: name and namespace are made from the owner's. */
  readonly metadata?: ChildMeta;
  /** Whatever the kind has. */
  readonly [stanza: string]: unknown;
}

/** A manifest whose kind is known, so that a misspelt field does not compile. */
export type TypedManifest<Spec, Status> =
  & AppliedFields<Spec, Status>
  & { readonly metadata?: ChildMeta };

/**
 * Tells whether a child is ready: true, or false, or a few words that name the thing that it waits for.
 */
export type Readiness<Spec = JsonObject, Status = JsonObject> = (
  object: ObjectOf<Spec, Status>,
) => boolean | string;

/** How a child is treated. */
export interface ChildOptions<Spec = JsonObject, Status = JsonObject> {
  /** Names of other children that must be ready before this one is applied. Default: none. */
  readonly dependsOn?: readonly string[];
  /** When the child is ready. Default: as soon as it was applied. */
  readonly ready?: Readiness<Spec, Status>;
  /**
   * Fields that cannot be changed, as dotted paths such as "spec.template": where they are to be others, the object is deleted
   * and made anew. Default: none; a refusal of the server is an error.
   */
  readonly recreateOn?: readonly string[];
  /** Whether fields that others have written are taken over. Default: true; false makes that an error. */
  readonly force?: boolean;
  /**
   * Whether an object of this name that is there already, and was not made as this child, becomes the owner's: it is then
   * deleted with it. Default: false, an error.
   */
  readonly adopt?: boolean;
}

/** A child, or several of one kind of purpose: a map from names of your choice to manifests. */
export interface Child<Spec = JsonObject, Status = JsonObject> extends ChildOptions<Spec, Status> {
  /** Which kind the manifest is of. Default: the manifest's `apiVersion` and `kind`. */
  readonly kind?: ResourceType<Spec, Status>;
  /** The manifest, or several of the same kind: a map of manifests, not of results of `child()`. */
  readonly apply: Manifest | ReadonlyMap<string, Manifest>;
}

/** The children of an object by names of your choice. Undefined and null stand for a child that is not to be there. */
export type DesiredChildren = Readonly<
  Record<string, Manifest | ReadonlyMap<string, Manifest> | AnyChild | undefined | null>
>;

/** A child of any kind. */
export interface AnyChild extends Omit<ChildOptions, "ready"> {
  /** When the child is ready. Default: as soon as it was applied. */
  readonly ready?: (object: never) => boolean | string;
  /** Which kind the manifest is of. Default: the manifest's `apiVersion` and `kind`. */
  readonly kind?: ResourceType<unknown, unknown>;
  /** The manifest, or several. */
  readonly apply: Manifest | ReadonlyMap<string, Manifest>;
}

/** A child as it is on the server; for a map of manifests, a map. */
export type LiveChild<Wanted> = Wanted extends ReadonlyMap<string, Manifest> ? ReadonlyMap<string, KubeObject>
  : Wanted extends { readonly apply: ReadonlyMap<string, Manifest> } ? ReadonlyMap<string, KubeObject>
  : Wanted extends { readonly kind: ResourceType<infer Spec, infer Status> } ? ObjectOf<Spec, Status>
  : Wanted extends undefined | null ? undefined
  : KubeObject;

/** The children as they are on the server, by the same names. */
export type LiveChildren<Desired> = { readonly [Name in keyof Desired]: LiveChild<Desired[Name]> };

/** How children are brought about. */
export interface ChildrenOptions {
  /**
   * Which children of the object these are, where several handlers have children of their own: a word. Children that are not
   * named any more are looked for in the same set. Default: the field manager ("lotse").
   */
  readonly set?: string;
  /** The type of a condition that says how far it is, such as "ChildrenReady". Default: none. */
  readonly condition?: string;
  /** When to look again while a child is not ready, or not gone. In seconds. Default: 5. */
  readonly delay?: Seconds;
}

/** A child that is not ready, or not gone. */
export interface WaitedFor {
  /** The author's name of it; of a map, "name.key". Undefined: the children wait for a note on their owner. */
  readonly child: string | undefined;
  /** In a few words. */
  readonly reason: string;
}

/** How far the children of an object are. */
export type ChildrenState<Desired> =
  | { readonly ready: true; readonly waiting: readonly []; readonly live: LiveChildren<Desired> }
  | {
    readonly ready: false;
    /** The children that are waited for. */
    readonly waiting: readonly WaitedFor[];
    /** The children that are on the server, ready or not. */
    readonly live: Partial<LiveChildren<Desired>>;
  };

/** Brings the children of the object in line. */
export interface Children {
  /**
   * Brings the children of the object in line, and resolves to their state on the server.
   *
   * Each gets an owner reference, labels, and if it has none a name; it is applied with the operator's field manager, where it
   * differs; edits and deletions of other clients are put back. Children that were there once and are not named any more are
   * deleted, in reverse order. While a child is not ready (or not gone), this attempt of the handler ends here, without an error,
   * and the handler is called again: no line after the call runs, nor does a `catch` or `finally` around it.
   *
   * @throws {ChildrenError} If a child cannot be brought in line, when the others are. It says which, and why.
   * @throws {TypeError} If the declaration makes no sense: a circle of dependencies, a namespace out of the owner's reach.
   */
  <const Desired extends DesiredChildren>(
    desired: Desired,
    options?: ChildrenOptions,
  ): Promise<LiveChildren<Desired>>;

  /**
   * The same, but the function goes on while a child is not ready, and learns which children are waited for. If it then returns, the
   * attempt counts as one that waits, and the handler is called again.
   *
   * @throws {ChildrenError | TypeError} As above.
   */
  state<const Desired extends DesiredChildren>(
    desired: Desired,
    options?: ChildrenOptions,
  ): Promise<ChildrenState<Desired>>;
}

/** Whose children, and in which attempt. */
export interface ChildrenOf {
  /** Returns the newest state of the owner that is known. */
  readonly owner: () => KubeObject;
  /** The changes of the attempt to the owner. */
  readonly patch: Patch;
  readonly conditions: Conditions;
  readonly signal: AbortSignal;
  /** Ends the attempt where it waits. Default: a wait is thrown. */
  readonly waiting?: Waiting;
}

/** Makes the `children` of an attempt. */
export type MakeChildren = (attempt: ChildrenOf) => Children;

/**
 * Describes a child whose kind is declared, so that its manifest is checked by the compiler, and needs no `apiVersion`.
 *
 * @example
 * ```ts
 * import { kinds } from "@lotse/lotse";
 * import { child, isDeploymentReady } from "@lotse/lotse/children";
 *
 * const labels = { app: "web" };
 * const spec = {
 *   selector: { matchLabels: labels },
 *   template: { metadata: { labels }, spec: { containers: [{ name: "web", image: "nginx" }] } },
 * };
 * const web = child(kinds.Deployment, { spec }, { ready: isDeploymentReady });
 * console.log(web.dependsOn); // undefined
 * ```
 */
export function child<Spec, Status>(
  kind: ResourceType<Spec, Status>,
  manifest: TypedManifest<Spec, Status>,
  options: ChildOptions<Spec, Status> = {},
): Child<Spec, Status> & { readonly kind: ResourceType<Spec, Status>; readonly apply: Manifest } {
  return { ...options, kind, apply: manifest };
}
