/**
 * What an operator remembers about each object while the object exists: nothing of it survives the process.
 *
 * Keyed by kind and uid; objects without a uid by kind, namespace and name. Source: Kopf, A §4.2, §8.4; deviation G10.
 */

import type { JsonObject, KubeObject, WatchEvent } from "../model/object.ts";
import { Patch } from "../model/patch.ts";
import { keyOf, type Resource } from "../model/resource.ts";
import { isNewer } from "../model/versions.ts";
import type { ProgressRecord } from "../settings/persistence/storage.ts";

/** What is waited for after a write. */
export interface Expectation {
  readonly version: string;
  /** Then, it is waited for no longer. In seconds, as the monotonic clock has it. */
  readonly until: number;
  /** The newest state that was passed over meanwhile. */
  skipped?: KubeObject;
}

/** What is remembered about one object. */
export interface ObjectMemory {
  readonly key: string;
  /** The kind, as it is served now. */
  resource: Resource;
  /** Shared by all handlers of the object. */
  readonly memo: Record<string, unknown>;
  /** Whether the object was there before the operator looked. */
  readonly noticedByListing: boolean;
  /** The newest state known: from the watch, or from the response to an own write. */
  body: KubeObject;
  /** Whether a cause was handled to its end, so that resuming is over. */
  handledOnce: boolean;
  /** Whether optional deletion handlers had their one call. */
  saidGoodbye: boolean;
  /** Records of finished attempts whose write failed. */
  unsaved: ReadonlyMap<string, ProgressRecord>;
  /** What handlers wanted to change, and whose write failed. */
  unsent: Patch;
  /** What was handled last, where the server did not keep the note of it. */
  handled: JsonObject | undefined;
  /** The event that is waited for after a write, where versions have no order. */
  expected: Expectation | undefined;
  /** Whether the body must be read from the server before it is used. */
  stale: boolean;
  /** Whether the server was set back, so that a body with an older version may be newer. */
  restored: boolean;
  /** Whether the server has said that the object is not there any more; the watch says so later. */
  vanished: boolean;
  /** Whether its kind is served in another version from now on, in which it is seen as well: it has not gone. */
  moved: boolean;
  /** Cycles in a row that failed. */
  failures: number;
  /** Filters that threw, by handler: reported once. */
  readonly complaints: Set<string>;
}

/** One for all: most objects have none, and there may be very many objects. */
export const NO_RECORDS: ReadonlyMap<string, ProgressRecord> = new Map();

/** How many memos are kept of objects that were only seen in requests: no watch will tell when they go. */
const EARLY_MEMOS = 1000;

/** The memories of one operator. */
export class Memories {
  readonly #memories = new Map<string, ObjectMemory>();
  readonly #memo: Readonly<Record<string, unknown>>;
  /** Memos of objects that have no memory, the latest last. */
  readonly #early = new Map<string, Record<string, unknown>>();

  /** @param memo The operator's own memo: each object starts with a shallow copy of it. */
  constructor(memo: Readonly<Record<string, unknown>>) {
    this.#memo = memo;
  }

  get size(): number {
    return this.#memories.size;
  }

  /** How many objects of each kind are remembered. */
  counts(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const { resource } of this.#memories.values()) {
      const { group, plural } = resource;
      const kind = group === "" ? plural : `${plural}.${group}`;
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
    }
    return counts;
  }

  get(key: string): ObjectMemory | undefined {
    return this.#memories.get(key);
  }

  /** Gives the object's memory, a new one if it was not seen before. */
  recall(resource: Resource, event: WatchEvent): ObjectMemory {
    const key = memoryKey(resource, event.object);
    const known = this.#memories.get(key);
    if (known !== undefined) return known;
    const memory: ObjectMemory = {
      key,
      resource,
      memo: this.#takeEarly(key) ?? { ...this.#memo },
      noticedByListing: event.type === null,
      body: event.object,
      handledOnce: false,
      saidGoodbye: false,
      unsaved: NO_RECORDS,
      unsent: new Patch(),
      handled: undefined,
      expected: undefined,
      stale: false,
      restored: false,
      vanished: false,
      moved: false,
      failures: 0,
      complaints: new Set(),
    };
    this.#memories.set(key, memory);
    return memory;
  }

  /** Gives an object's memo, also of one that is not watched (yet); without an object, a new one that nobody keeps. */
  memoOf(resource: Resource, object: KubeObject | undefined): Record<string, unknown> {
    if (object === undefined) return { ...this.#memo };
    const key = memoryKey(resource, object);
    const known = this.#memories.get(key);
    if (known !== undefined) return known.memo;
    const memo = this.#takeEarly(key) ?? { ...this.#memo };
    this.#early.set(key, memo);
    const [oldest] = this.#early.keys();
    if (this.#early.size > EARLY_MEMOS && oldest !== undefined) this.#early.delete(oldest);
    return memo;
  }

  #takeEarly(key: string): Record<string, unknown> | undefined {
    const memo = this.#early.get(key);
    if (memo !== undefined) this.#early.delete(key);
    return memo;
  }

  forget(memory: ObjectMemory): void {
    // NB: an object of the same name may have come already, with a memory of its own.
    if (this.#memories.get(memory.key) === memory) this.#memories.delete(memory.key);
  }
}

/**
 * Whether a state of the object is older than what is known, or the same: our own write, which the watch now shows.
 *
 * Of two equal states the later one is kept, so that the watch and the memory share one object.
 */
export function isKnown(memory: ObjectMemory, body: KubeObject): boolean {
  const before = memory.body.metadata?.resourceVersion;
  const after = body.metadata?.resourceVersion;
  const isSame = before !== undefined && before === after;
  if (isSame) memory.body = body;
  return isSame || isNewer(after, before) === false;
}

/** Whether something from an earlier pass is still to be done, so that each event is a reason to try again. */
export function isUnfinished(memory: ObjectMemory): boolean {
  return memory.failures > 0 || !memory.unsent.isEmpty || memory.unsaved.size > 0;
}

/** Gives what tells one object from all others. */
export function memoryKey(resource: Resource, object: KubeObject): string {
  const { uid, namespace = "", name = "" } = object.metadata ?? {};
  return uid ? `${keyOf(resource)}/${uid}` : `${keyOf(resource)}/${namespace}/${name}`;
}
