/** What the operator writes down, one line of JSON each. */

/** Something that the operator was called for, and has done. */
export interface Call {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly what: "made" | "changed" | "removed" | "gone" | "tick" | "daemon" | "daemon-end";
  readonly uid: string;
  readonly name: string;
  readonly n: number;
  /** Of "gone": whether the object was never marked for deletion, so that no finalizer could hold it. */
  readonly isSudden?: boolean;
}

/** What the process looks like, every ten seconds. */
export interface Sample {
  readonly at: number;
  readonly what: "sample";
  /** In bytes. */
  readonly rss: number;
  /** In bytes, after a full collection. */
  readonly heap: number;
  /** What is in the index: "shard/name=n", sorted. */
  readonly index: readonly string[];
}

export type Line = Call | Sample;
