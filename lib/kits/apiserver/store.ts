/**
 * Where the API server keeps everything: collections by kind, and one counter of versions for all of them, as in etcd.
 *
 * Of Kubernetes' rules the store knows only `resourceVersion`; the others are in `writes/`.
 */

import type { KubeObject } from "../../model/object.ts";
import type { Clock } from "../../runtime/host.ts";
import { type Change, Collection, DEFINITIONS } from "./storage/collection.ts";
import { storageFault } from "./refusal.ts";
import { Stored } from "./storage/stored.ts";

/** Called after each change of any collection. */
export type StoreListener = (change: Change, collection: Collection) => void;

/** Where counting begins: a cluster that has lived for a little while. */
const FIRST_VERSION = 1000;

export class Store {
  readonly #clock: Clock;
  readonly #collections = new Map<string, Collection>();
  readonly #listeners: StoreListener[] = [];
  #keeper: StoreListener | undefined;
  #version = FIRST_VERSION;
  #horizon = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The version of the last write. */
  get version(): number {
    return this.#version;
  }

  /** Versions before this one have been compacted away. */
  get horizon(): number {
    return this.#horizon;
  }

  /** Returns the collection of that name; makes it on first use. */
  collection(name: string): Collection {
    let collection = this.#collections.get(name);
    if (collection === undefined) {
      collection = new Collection(name);
      this.#collections.set(name, collection);
    }
    return collection;
  }

  /** All collections that were ever used. */
  collections(): Iterable<Collection> {
    return this.#collections.values();
  }

  /** Calls back before watches hear of a change. One may ask for that. */
  beforeChange(keeper: StoreListener): void {
    this.#keeper = keeper;
  }

  /** Calls back after each change, in the order of registration. */
  onChange(listener: StoreListener): void {
    this.#listeners.push(listener);
  }

  /**
   * Writes an object, which from then on belongs to the store; sets its `resourceVersion`. The owners of the fields of one that is
   * too large with them may be dropped, if the writer does not mind.
   *
   * @throws {Refusal} 500 if it is larger than etcd takes.
   */
  put(
    collection: Collection,
    key: string,
    object: KubeObject,
    { mayDropOwners = false }: { readonly mayDropOwners?: boolean } = {},
  ): Stored {
    const version = this.#version + 1;
    object.metadata.resourceVersion = String(version);
    let current = new Stored(object, version);
    // Source: k8s.io/apiserver, pkg/endpoints/handlers/create.go, isTooLargeError().
    if (mayDropOwners && object.metadata.managedFields !== undefined && isTooLarge(current)) {
      delete object.metadata.managedFields;
      current = new Stored(object, version);
    }
    if (isTooLarge(current)) throw storageFault("etcdserver: request is too large");
    this.#version = version;
    this.#commit(collection, {
      version,
      key,
      time: this.#clock.now(),
      previous: collection.get(key),
      current,
    });
    return current;
  }

  /**
   * Takes objects over that were stored before, with their versions; listeners are told of each. Changes before that
   * are not known.
   */
  restore(
    entries: readonly { readonly collection: string; readonly key: string; readonly object: KubeObject }[],
    version: number,
  ): void {
    this.#version = Math.max(this.#version, version);
    const time = this.#clock.now();
    for (const { collection: name, key, object } of entries) {
      const written = Number(object.metadata.resourceVersion);
      const current = new Stored(object, written);
      const collection = this.collection(name);
      this.#commit(collection, { version: written, key, time, previous: collection.get(key), current });
    }
    this.compact();
  }

  /**
   * Takes over the objects of another store, with its past; listeners are told of each object. Costs a reference per object
   * and per change of the last minutes.
   */
  take(other: Store): void {
    this.#version = other.#version;
    this.#horizon = other.#horizon;
    const time = this.#clock.now();
    // Definitions make the kinds of other objects.
    const all = [...other.collections()].sort((a, b) =>
      Number(b.name === DEFINITIONS) - Number(a.name === DEFINITIONS)
    );
    for (const from of all) this.collection(from.name).take(from);
    for (const { name } of all) {
      const collection = this.collection(name);
      const { keys, get } = collection.present();
      for (const key of [...keys]) {
        const current = get(key);
        if (current === undefined) continue;
        const change = { version: current.version, key, time, previous: undefined, current };
        for (const listener of this.#listeners) listener(change, collection);
      }
    }
  }

  /** Removes an object, if it is there. */
  remove(collection: Collection, key: string): void {
    const previous = collection.get(key);
    if (previous === undefined) return;
    const version = ++this.#version;
    this.#commit(collection, { version, key, time: this.#clock.now(), previous, current: undefined });
  }

  /** Forgets the past: requests for older versions are answered with 410. */
  compact(): void {
    this.#horizon = this.#version;
    for (const collection of this.#collections.values()) collection.compact(this.#horizon);
  }

  #commit(collection: Collection, change: Change): void {
    this.#keeper?.(change, collection);
    collection.apply(change);
    for (const listener of this.#listeners) listener(change, collection);
  }
}

/** Source: etcd, "System limits": the maximum size of any request. */
const LARGEST = 1.5 * 1024 * 1024;

/** NB: as JSON. The real server keeps built-in kinds in protocol buffers, which are somewhat shorter. */
function isTooLarge({ text }: Stored): boolean {
  return text.length > LARGEST / 3 && new TextEncoder().encode(text).length > LARGEST;
}
