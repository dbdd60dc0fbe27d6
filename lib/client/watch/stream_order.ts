/**
 * Whether a watch stream goes forward, as it must: each event newer than the one before.
 *
 * What comes twice is dropped. What comes too late is a sign that something between us and the server (or the server, set
 * back to an older state) has mixed up what happened: then only a new listing tells the truth. Versions that cannot be
 * compared are in order by definition; and a kind whose streams are out of order again and again has versions of another
 * making, which are then let alone.
 * Source: Kubernetes, KEP-5504 "Comparable resource version"; deviation D1.
 */

import type { KubeObject } from "../../model/object.ts";
import type { Clock, Seconds } from "../../runtime/host.ts";
import type { ObjectStore } from "../cache/object_store.ts";

/** How many disorders in a short time say that the versions of this kind have no order. */
const DISORDERS = 5;

/** How long a disorder is remembered. */
const MEMORY: Seconds = 600;

/** A stream in which something old came after something new. */
export class DisorderError extends Error {
  constructor() {
    super("The stream is out of order: something old came after something new");
  }
}

/** The order of the streams of one watch. */
export class StreamOrder {
  readonly #store: ObjectStore;
  readonly #clock: Clock;
  #disorders: Seconds[] = [];
  /** The newest version that the server has shown, over all streams and lists. */
  #newest: string | undefined;

  constructor(store: ObjectStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Says what an event is to a stream that has come to a version; undefined: its set is not complete yet. */
  placeOf(
    event: { readonly type: string; readonly object: KubeObject },
    version: string | undefined,
  ): "new" | "repeated" | "misplaced" {
    const { type, object } = event;
    const { resourceVersion } = object.metadata;
    if (version === undefined) return "new";
    const { order } = this.#store;
    const place = order.compare(resourceVersion, version);
    if (place === "unknown" || place === "newer") return "new";
    const known = this.#store.get(object);
    if (known === undefined) return type === "DELETED" ? "repeated" : place === "same" ? "new" : "misplaced";
    // What has gone is known no more: a deletion of what is known was not told yet.
    if (type === "DELETED" && place === "same") return "new";
    return order.compare(resourceVersion, known.shown) === "newer" ? "misplaced" : "repeated";
  }

  /** Whether a bookmark shows that the server knows less than it did. */
  isBackwards(bookmark: string | undefined, version: string): boolean {
    return this.#store.order.compare(bookmark, version) === "older";
  }

  advance(version: string): void {
    this.#newest = version;
  }

  /** A set is complete, in this version. Tells whether it is older than what the server has shown before. */
  restart(version: string | undefined): boolean {
    const isSetBack = this.#store.order.compare(version, this.#newest) === "older";
    this.#newest = version ?? this.#newest;
    return isSetBack;
  }

  /** A stream was out of order. */
  complain(): void {
    const now = this.#clock.monotonic();
    this.#disorders = [...this.#disorders.filter((at) => now - at < MEMORY), now];
    if (this.#disorders.length >= DISORDERS) this.#store.order.distrust();
  }
}
