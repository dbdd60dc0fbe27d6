/**
 * Whether a watch stream goes forward, as it must: each event newer than the one before.
 *
 * An event that comes twice is dropped. One that comes too late is a sign that a proxy between us and the server (or the
 * server, set back to an older state) has mixed up the events: then only a new listing tells the truth. Versions that
 * cannot be compared are in order by definition; and a kind whose streams are out of order again and again has versions of
 * another making, which are then left alone. Source: Kubernetes, KEP-5504 "Comparable resource version".
 */

import type { KubeObject } from "../../model/object.ts";
import type { Clock, Seconds } from "../../runtime/host.ts";
import type { ObjectStore } from "../cache/object_store.ts";

/** How many disorders in a short time say that the versions of this kind have no order. */
const MOST_DISORDERS = 5;

/** How long a disorder is remembered. */
const MEMORY: Seconds = 600;

/** An old event came after a new one. */
export class DisorderError extends Error {
  constructor() {
    super("The stream is out of order: something old came after something new");
  }
}

/** An event of a stream. */
interface ObjectEvent {
  readonly type: string | null;
  readonly object: KubeObject;
}

/** The objects that the watch has shown so far; it is filled by the readers of the events. */
export type ShownObjects = Pick<ObjectStore, "get" | "order">;

/** The order of the streams of one watch. */
export class StreamOrder {
  readonly #store: ShownObjects;
  readonly #clock: Clock;
  #disorders: Seconds[] = [];
  /** The newest version that the server has shown, over all streams and lists. */
  #newest: string | undefined;

  constructor(store: ShownObjects, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /**
   * Returns the meaning of an event for a stream that has come to a version; undefined: its set is not complete yet. `before` are
   * the events of the same chunk that were not taken in yet.
   */
  placeOf(
    event: ObjectEvent,
    version: string | undefined,
    before: readonly ObjectEvent[] = [],
  ): "new" | "repeated" | "misplaced" {
    const { type, object } = event;
    const { resourceVersion } = object.metadata;
    if (version === undefined) return "new";
    const { order } = this.#store;
    const place = order.compare(resourceVersion, version);
    if (place === "unknown" || place === "newer") return "new";
    const last = before.findLast((each) => isSameObject(each.object, object));
    const shown = last === undefined ? this.#store.get(object)?.shown : versionAfter(last);
    if (shown === undefined) return type === "DELETED" ? "repeated" : place === "same" ? "new" : "misplaced";
    return order.compare(resourceVersion, shown) === "newer" ? "misplaced" : "repeated";
  }

  /** Whether a bookmark shows that the server knows less than it did. */
  isBackwards(bookmark: string | undefined, version: string): boolean {
    return this.#store.order.compare(bookmark, version) === "older";
  }

  /** The streams have come to this version: to be told before it is given up. Empty: the server tells none. */
  reached(version: string): void {
    this.#newest = version || this.#newest;
  }

  /** A set is complete, in this version. Returns whether it is older than an earlier state of the server. */
  restart(version: string | undefined): boolean {
    const isSetBack = this.#store.order.compare(version, this.#newest) === "older";
    this.#newest = version ?? this.#newest;
    return isSetBack;
  }

  /** A stream was out of order. */
  complain(): void {
    const now = this.#clock.monotonic();
    this.#disorders = [...this.#disorders.filter((at) => now - at < MEMORY), now];
    if (this.#disorders.length >= MOST_DISORDERS) this.#store.order.distrust();
  }
}

function versionAfter({ type, object }: ObjectEvent): string | undefined {
  return type === "DELETED" ? undefined : object.metadata.resourceVersion;
}

function isSameObject({ metadata: a }: KubeObject, { metadata: b }: KubeObject): boolean {
  if (a.uid !== undefined || b.uid !== undefined) return a.uid === b.uid;
  return a.name === b.name && a.namespace === b.namespace;
}
