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
import { compareVersions } from "../../model/versions.ts";
import type { Clock, Seconds } from "../../runtime/host.ts";
import type { KnownObjects } from "../cache/object_store.ts";

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
  readonly #known: KnownObjects;
  readonly #clock: Clock;
  #disorders: Seconds[] = [];
  #isOrdered = true;
  /** The newest version that the server has shown, over all streams and lists. */
  #newest: string | undefined;

  constructor(known: KnownObjects, clock: Clock) {
    this.#known = known;
    this.#clock = clock;
  }

  /** Says what an event is to a stream that has come to a version; undefined: its set is not complete yet. */
  placeOf(
    event: { readonly type: string; readonly object: KubeObject },
    version: string | undefined,
  ): "new" | "repeated" | "misplaced" {
    const { type, object } = event;
    const { resourceVersion } = object.metadata;
    if (!this.#isOrdered || version === undefined) return "new";
    const order = compareVersions(resourceVersion, version);
    if (order === undefined || order > 0) return "new";
    const known = this.#known.get(object);
    if (known === undefined) return type === "DELETED" ? "repeated" : order === 0 ? "new" : "misplaced";
    return compareVersions(resourceVersion, known.metadata.resourceVersion) === 1 ? "misplaced" : "repeated";
  }

  /** Whether a bookmark shows that the server knows less than it did. */
  isBackwards(bookmark: string | undefined, version: string): boolean {
    return this.#isOrdered && compareVersions(bookmark, version) === -1;
  }

  advance(version: string): void {
    this.#newest = version;
  }

  /** A set is complete, in this version. Tells whether it is older than what the server has shown before. */
  restart(version: string | undefined): boolean {
    const isSetBack = this.#isOrdered && compareVersions(version, this.#newest) === -1;
    this.#newest = version ?? this.#newest;
    return isSetBack;
  }

  /** A stream was out of order. */
  complain(): void {
    const now = this.#clock.monotonic();
    this.#disorders = [...this.#disorders.filter((at) => now - at < MEMORY), now];
    if (this.#disorders.length >= DISORDERS) this.#isOrdered = false;
  }
}
