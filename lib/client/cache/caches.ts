/**
 * The stores of all informers of one run, in one passive place: informers put theirs in, everybody else looks objects up.
 *
 * A kind has one store, or one for each namespace that is served. No caller is given a store to keep: stores come and go with
 * their watches.
 */

import type { KubeObject, ObjectMeta } from "../../model/object.ts";
import { keyOf, type Resource } from "../../model/resource.ts";
import type { InformerPhase } from "./informer.ts";
import type { CachedObject, ObjectStore, PackedObjects, StoredObject } from "./object_store.ts";
import { BY_NAME, type IndexBy, nameKey } from "./store_index.ts";

/** Where an informer looks: one namespace, all of them (""), or the served ones, out of all ("*"). */
export type CacheScope = string;

/** A kind, as far as it tells one from another. */
export type KindKey = Pick<Resource, "group" | "version" | "plural">;

/** An answer of the server to a write. */
export interface Answer {
  /** The content of the request, if it is the wanted state; undefined for lists of operations. */
  readonly sent: unknown;
  /** The uid of the object whose handler has written; undefined: none has. */
  readonly author: string | undefined;
}

/** A write of an object by a handler, which is about to be sent. */
export interface Write {
  /** The uid of the object whose handler writes. */
  readonly author: string;
  /** The object that is written; one without a name gets it from the server. */
  readonly target: Pick<ObjectMeta, "name" | "namespace" | "generateName">;
}

/** An informer, as far as others look into its store. */
export interface KnownInformer {
  readonly store: ObjectStore;
  readonly phase: InformerPhase;
  /** Whether its watch would show an object that it has not shown yet. */
  readonly accepts: (object: KubeObject) => boolean;
}

interface Kind {
  readonly resource: Resource;
  readonly informers: Map<CacheScope, KnownInformer>;
}

/** The objects of all kinds that are watched. */
export class Caches {
  readonly #kinds = new Map<string, Kind>();
  #resources: readonly Resource[] | undefined;
  /** Told of answers to writes, whatever is new in them. Default: no listener. */
  onAnswered: ((resource: Resource, stored: StoredObject, answer: Answer) => void) | undefined;
  /** Told of writes before they are sent; disposing tells that one has ended. Default: no listener. */
  onWriting: ((resource: Resource, write: Write) => Disposable | undefined) | undefined;
  /** Told of newer states that objects' own writes and reads have brought. Default: no listener. */
  onAdopted: ((resource: Resource, told: Pick<StoredObject, "cached" | "before">) => void) | undefined;

  /** Puts the store of an informer in. */
  add(resource: Resource, scope: CacheScope, informer: KnownInformer): void {
    const key = keyOf(resource);
    const informers = this.#kinds.get(key)?.informers ?? new Map<CacheScope, KnownInformer>();
    informers.set(scope, informer);
    informer.store.onAdopted = (cached, { before }) => this.onAdopted?.(resource, { cached, before });
    this.#kinds.set(key, { resource, informers });
    this.#resources = undefined;
  }

  /** Takes it out again, if it is still there. */
  remove(resource: Resource, scope: CacheScope, store: ObjectStore): void {
    const kind = this.#kinds.get(keyOf(resource));
    if (kind?.informers.get(scope)?.store !== store) return;
    kind.informers.delete(scope);
    if (kind.informers.size === 0) this.#kinds.delete(keyOf(resource));
    this.#resources = undefined;
  }

  /** The kinds that are watched. */
  get resources(): readonly Resource[] {
    return this.#resources ??= [...this.#kinds.values()].map(({ resource }) => resource);
  }

  /** Returns a kind as it is watched; undefined if it is not. */
  resourceOf(kind: KindKey): Resource | undefined {
    return this.#kinds.get(keyOf(kind))?.resource;
  }

  /** Whether all objects of a kind are known: it is watched, and each of its informers has listed. */
  isSynced(resource: Resource): boolean {
    const informers = [...this.#kinds.get(keyOf(resource))?.informers.values() ?? []];
    return informers.length > 0 && informers.every(({ phase }) => phase !== "starting");
  }

  /** Returns the known state of this object: of this uid, if it has one. */
  get(resource: Resource, object: KubeObject): CachedObject | undefined {
    return this.#first(resource, object.metadata?.namespace, ({ store }) => store.get(object));
  }

  /** Returns the scope of the informer that knows this object; undefined if none does. */
  scopeOf(resource: Resource, object: KubeObject): CacheScope | undefined {
    const informers = this.#kinds.get(keyOf(resource))?.informers;
    return scopesOf(object.metadata?.namespace).find((scope) =>
      informers?.get(scope)?.store.get(object) !== undefined
    );
  }

  /** Whether an object of this uid is known, in whatever namespace. */
  has(resource: Resource, uid: string): boolean {
    for (const store of this.#storesOf(resource)) if (store.get({ metadata: { uid } })) return true;
    return false;
  }

  /** Returns the object with this name. */
  find(
    resource: Resource,
    address: { readonly namespace?: string; readonly name: string },
  ): CachedObject | undefined {
    const key = nameKey(address);
    return this.#first(resource, address.namespace, ({ store }) => {
      const [found] = store.by(BY_NAME, key);
      return found;
    });
  }

  /** Whether there is no such object: its watch would have shown it. */
  isMissing(resource: Resource, object: KubeObject): boolean {
    const { namespace, name = "" } = object.metadata;
    const isShown = this.#first(
      resource,
      namespace,
      ({ phase, accepts }) => phase !== "starting" && accepts(object) ? true : undefined,
    );
    return isShown === true && this.find(resource, { namespace, name }) === undefined;
  }

  /** Returns the objects under a key of an index. */
  *by(resource: Resource, index: IndexBy, key: string): Generator<CachedObject, void, void> {
    for (const store of this.#storesOf(resource)) yield* store.by(index, key);
  }

  /** How many objects of each watched kind are kept as bytes. */
  *packed(): Generator<readonly [resource: Resource, packed: PackedObjects], void, void> {
    for (const { resource, informers } of this.#kinds.values()) {
      let sum: PackedObjects = { objects: 0, bytes: 0, parses: 0 };
      for (const { store } of informers.values()) {
        const { objects, bytes, parses } = store.packed();
        sum = { objects: sum.objects + objects, bytes: sum.bytes + bytes, parses: sum.parses + parses };
      }
      yield [resource, sum];
    }
  }

  /** Returns all objects of a kind. */
  *values(resource: Resource): Generator<CachedObject, void, void> {
    for (const store of this.#storesOf(resource)) yield* store.values();
  }

  /** Takes the answer of the server to a write, where such objects are watched. */
  answer(resource: Resource, object: KubeObject, answer: Answer): void {
    const stored = this.#first(resource, object.metadata?.namespace, ({ store, accepts }) => {
      // NB: an object that the watch does not show, or shows no more, would stay for ever: no event tells when it goes.
      const isShown = store.get(object) !== undefined || (accepts(object) && !store.hasPassed(object));
      return isShown ? store.adopt(object) : undefined;
    });
    if (stored !== undefined) this.onAnswered?.(resource, stored, answer);
  }

  *#storesOf(resource: Resource): Generator<ObjectStore, void, void> {
    for (const { store } of this.#kinds.get(keyOf(resource))?.informers.values() ?? []) yield store;
  }

  #first<Found>(
    resource: Resource,
    namespace: string | undefined,
    ask: (informer: KnownInformer) => Found | undefined,
  ): Found | undefined {
    const informers = this.#kinds.get(keyOf(resource))?.informers;
    if (informers === undefined) return undefined;
    for (const scope of scopesOf(namespace)) {
      const informer = informers.get(scope);
      const found = informer && ask(informer);
      if (found !== undefined) return found;
    }
  }
}

/** The scopes in which an object of that namespace may be, the first that knows it counts. */
function scopesOf(namespace: string | undefined): readonly CacheScope[] {
  return namespace === undefined || namespace === "" ? ["*", ""] : ["*", namespace, ""];
}
