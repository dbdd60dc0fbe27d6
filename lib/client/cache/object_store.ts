/**
 * The objects of one kind and scope as they were last known: an informer fills the store, everybody else reads it.
 *
 * `CachedObject.adopt()` is the only place that answers "is this newer than what I have?". Versions are compared as decimal
 * numbers. Where they are not numbers, or streams of the kind were found to be out of order, an own write is followed by a
 * wait for the event with exactly its version: an earlier event shows an older state.
 * Listings are mark and sweep: each listing is a generation, and an object with an older number when it is complete has gone.
 * Source: Kubernetes, KEP-5504 "Comparable resource version"; Kopf, docs/continuity.
 */

import type { KubeObject, WatchEvent } from "../../model/object.ts";
import { isSameJson } from "../../model/json.ts";
import { TextPacker } from "../../runtime/compression.ts";
import type { Seconds } from "../../runtime/host.ts";
import { type IndexBy, type IndexedEntry, StoreIndex } from "./store_index.ts";
import { type StateHolder, StoredState } from "./stored_state.ts";

/**
 * How a state relates to the known one. "early": it may be from before an own write; it is kept aside until the event of that
 * write comes, or its time is over.
 */
export type Adoption = "newer" | "same" | "older" | "early";

/**
 * Where a state comes from. `until`: how long the event of an own write is waited for, if versions have no order (monotonic).
 * `isRedefined`: its kind has another schema by now, so that a version that is known may look different.
 */
export type Source = { readonly from: "watch" | "read" | "answer"; readonly isRedefined?: boolean } | {
  readonly from: "write";
  readonly until: Seconds;
};

/** The news of one object, as subscribers of an informer get it. */
export interface ObjectEvent {
  readonly cached: CachedObject;
  readonly event: WatchEvent;
  readonly adoption: Adoption;
  /** The newest state known before; undefined: there was none. */
  readonly before?: StoredState;
  /** "missing": a later listing lacked it. "restored": the server was set back. "moved": it is served in another version now. */
  readonly origin: "server" | "missing" | "restored" | "moved";
}

const WATCH: Source = { from: "watch" };
const REDEFINED: Source = { from: "watch", isRedefined: true };

/** Told of a newer state of an object, whoever brought it. */
export type OnAdopted = (
  cached: CachedObject,
  told: { readonly before: StoredState; readonly from: Source["from"] },
) => void;

/** How the versions of one kind compare, and which of its objects are kept parsed. Its store and the order check of its streams share it. */
export class VersionOrder {
  /** Told of each newer state of an object of the store. Set by the store alone. */
  onAdopted: OnAdopted | undefined;
  /** The objects of the store that are kept parsed; undefined: all of them. Set by the store alone. */
  window: ParsedWindow | undefined;
  #isOrdered = true;

  /** The streams were out of order again and again: from now on, only equality counts. */
  distrust(): void {
    this.#isOrdered = false;
  }

  /** Returns how `a` compares with `b`; "unknown" if one is missing, or if they have no order. */
  compare(a: string | undefined, b: string | undefined): "newer" | "same" | "older" | "unknown" {
    if (a === b && a !== undefined) return "same";
    if (!this.#isOrdered || typeof a !== "string" || typeof b !== "string") return "unknown";
    if (!isDecimal(a) || !isDecimal(b)) return "unknown";
    // NB: they may outgrow 2^53, so they are compared as texts.
    const left = a.startsWith("0") ? a.replace(/^0+/, "") : a;
    const right = b.startsWith("0") ? b.replace(/^0+/, "") : b;
    if (left === right) return "same";
    const isNewer = left.length === right.length ? left > right : left.length > right.length;
    return isNewer ? "newer" : "older";
  }
}

/** Each event asks this several times, and a regular expression takes a tenth of the price of an event on Bun. */
function isDecimal(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x30 || code > 0x39) return false;
  }
  return text !== "";
}

/** An own write whose event has not come. */
interface Expectation {
  readonly version: string | undefined;
  readonly until: Seconds;
  /** The newest state that came meanwhile. */
  skipped: KubeObject | undefined;
}

/** Which objects of a store are packed. */
export interface PackingLimits {
  /** How many objects are kept parsed, at least 1. */
  readonly parsed: number;
  /** How long the text of an object is that is packed, at least: in bytes a short one takes hardly less. */
  readonly shortest: number;
}

/**
 * The objects of a store that are kept parsed: those that came, or were read, last. The one that has been in it for longest is packed
 * when there are too many; it comes back when somebody reads it.
 */
export class ParsedWindow {
  readonly #limits: PackingLimits;
  readonly #packer = new TextPacker();
  readonly #places: CachedObject[] = [];
  #next = 0;
  /** How often a packed object was parsed again, as somebody has read it. */
  parses = 0;

  constructor(limits: PackingLimits) {
    this.#limits = limits;
  }

  /** Takes in an object that has just come, or was read. */
  add(cached: CachedObject): void {
    const oldest = this.#places[this.#next];
    this.#places[this.#next] = cached;
    this.#next = (this.#next + 1) % this.#limits.parsed;
    oldest?.pack(this.#limits.shortest, this.#packer);
  }
}

/** One object. It outlives its entry in the store for as long as its deletion is being handled. */
export class CachedObject implements StateHolder {
  /** The listing that has shown it last. Written by the store alone. */
  generation: number;
  /** The version that the server has shown last, in a listing or a stream. Written by the store alone. */
  shown: string | undefined;
  /** Where indexes of its store have it. Written by them alone. */
  keys: IndexedEntry["keys"];
  /** The object's uid, or its name where there is none. */
  readonly identity: string;
  #order: VersionOrder;
  #state: StoredState;
  #isInWindow = false;
  #expected: Expectation | undefined;

  constructor(object: KubeObject, order: VersionOrder = new VersionOrder(), generation = 0) {
    this.generation = generation;
    this.shown = object.metadata?.resourceVersion;
    this.identity = identityOf(object);
    this.#order = order;
    this.#state = this.#keep(object);
  }

  /** How its versions compare. */
  get order(): VersionOrder {
    return this.#order;
  }

  /** The newest state known, whoever brought it. */
  get object(): KubeObject {
    return this.#state.object;
  }

  /** The newest state known, for those who only want to know whether it is another one. */
  get state(): StoredState {
    return this.#state;
  }

  /** Takes a state, unless it is older than the known one. */
  adopt(object: KubeObject, source: Source): Adoption {
    const version = object.metadata?.resourceVersion;
    const isExpected = this.#expected !== undefined && this.#expected.version === version;
    if (isExpected && source.from === "watch") this.#expected = undefined;
    const order = this.#order.compare(version, this.#state.version);
    if (order === "same" && "isRedefined" in source && !isSameJson(object, this.object)) {
      this.#take(object, source.from);
      return "newer";
    }
    if (order === "same" || order === "older") return order;
    if (order === "unknown") {
      if (source.from === "watch" && this.#expected !== undefined) {
        this.#expected.skipped = object;
        return "early";
      }
      if (source.from === "write" && version !== undefined) {
        this.#expected = { version, until: source.until, skipped: undefined };
      }
    }
    this.#take(object, source.from);
    return "newer";
  }

  /** Takes a state of a server that was set back: its present state is the newest, whatever its version. */
  replace(object: KubeObject): void {
    this.#expected = undefined;
    if (object.metadata?.resourceVersion !== this.#state.version) this.#take(object, "watch");
  }

  /** It belongs to another store from now on. Called by that store alone. */
  moveTo(order: VersionOrder): void {
    this.#order = order;
    this.keys = undefined;
    this.#isInWindow = false;
    if (order.window !== undefined && !this.#state.isPacked) this.#enter(order.window);
  }

  /** Its place in the window is another one's. Called by the window alone. */
  pack(shortest: number, packer: TextPacker): void {
    this.#isInWindow = false;
    this.#state.pack(shortest, packer);
  }

  #take(object: KubeObject, from: Source["from"]): void {
    const before = this.#state;
    this.#state = this.#keep(object);
    this.#order.onAdopted?.(this, { before, from });
  }

  #keep(object: KubeObject): StoredState {
    if (this.#order.window !== undefined) this.#enter(this.#order.window);
    return new StoredState(object, this);
  }

  /** Called by its states. One that is not the newest any more is kept by those alone who still hold it. */
  parsed(state: StoredState): void {
    const { window } = this.#order;
    if (window === undefined) return;
    window.parses++;
    if (state === this.#state) this.#enter(window);
  }

  #enter(window: ParsedWindow): void {
    if (this.#isInWindow) return;
    this.#isInWindow = true;
    window.add(this);
  }

  /** Until when an event is waited for while another one is kept aside (monotonic); undefined: no event is kept aside. */
  get waitsUntil(): Seconds | undefined {
    return this.#expected?.skipped && this.#expected.until;
  }

  /** Takes the event that was kept aside, when its time has come. */
  takeSkipped(now: Seconds): void {
    if (this.#expected === undefined || now < this.#expected.until) return;
    const { skipped } = this.#expected;
    this.#expected = undefined;
    if (skipped !== undefined) this.adopt(skipped, WATCH);
  }
}

/** The outcome of storing a state that the server has shown. */
export interface StoredObject {
  readonly cached: CachedObject;
  readonly adoption: Adoption;
  /** The newest state known before; undefined: there was none. */
  readonly before: StoredState | undefined;
}

/** Objects that are kept as bytes. */
export interface PackedObjects {
  readonly objects: number;
  readonly bytes: number;
  /** How often one was parsed again, as somebody has read it. */
  readonly parses: number;
}

/** All objects of one informer. */
export class ObjectStore {
  readonly order: VersionOrder;
  readonly #objects = new Map<string, CachedObject>();
  /** Older versions that the latest listing has shown: all of them are true if the server was set back. */
  readonly #setBack = new Map<CachedObject, KubeObject>();
  readonly #indexes = new Map<IndexBy, StoreIndex<CachedObject>>();
  #generation = 0;
  #isRedefined = false;
  /** The newest version with which the watch has shown that an object has gone. */
  #goneAt: string | undefined;
  /** Told of newer states that neither a watch nor `adopt()` has brought: from own writes, and reads. Default: no listener. */
  onAdopted: OnAdopted | undefined;

  /** @param packing Which objects are packed. Default: none. */
  constructor(order: VersionOrder = new VersionOrder(), packing?: PackingLimits) {
    this.order = order;
    order.window = packing && new ParsedWindow(packing);
    order.onAdopted = (cached, told) => {
      const isQuiet = told.from === "watch" && this.#indexes.size === 0;
      // NB: an object that has gone may still be written to by handlers of its deletion.
      if (isQuiet || !this.#has(cached)) return;
      this.#index(cached);
      if (told.from === "write" || told.from === "read") this.onAdopted?.(cached, told);
    };
  }

  get size(): number {
    return this.#objects.size;
  }

  get(object: KubeObject): CachedObject | undefined {
    return this.#objects.get(identityOf(object));
  }

  /** How many of its objects are packed, and what that takes and costs. */
  packed(): PackedObjects {
    let [objects, bytes] = [0, 0];
    const { window } = this.order;
    if (window === undefined) return { objects, bytes, parses: 0 };
    for (const { state } of this.#objects.values()) {
      if (!state.isPacked) continue;
      objects++;
      bytes += state.size;
    }
    return { objects, bytes, parses: window.parses };
  }

  values(): Iterable<CachedObject> {
    return this.#objects.values();
  }

  /** Returns the objects under a key of an index, which is made when it is first asked. */
  by(by: IndexBy, key: string): Iterable<CachedObject> {
    let index = this.#indexes.get(by);
    if (index === undefined) {
      this.#indexes.set(by, index = new StoreIndex(by, this.#indexes.size));
      for (const cached of this.#objects.values()) index.put(cached);
    }
    return index.get(key);
  }

  /** Begins a listing: objects that are put from now on are marked as seen in it. */
  beginListing(): void {
    this.#generation += 1;
    this.#setBack.clear();
  }

  /** The schema of the kind has changed: until a listing is complete, also objects whose version is known may look different. */
  redefine(): void {
    this.#isRedefined = true;
  }

  /** Takes a state that the server has shown. */
  put(object: KubeObject): StoredObject {
    const key = identityOf(object);
    const known = this.#objects.get(key);
    if (known === undefined) {
      const cached = new CachedObject(object, this.order, this.#generation);
      this.#objects.set(key, cached);
      this.#index(cached);
      return { cached, adoption: "newer", before: undefined };
    }
    const before = known.state;
    const adoption = known.adopt(object, this.#isRedefined ? REDEFINED : WATCH);
    if (adoption === "older" && known.generation !== this.#generation) this.#setBack.set(known, object);
    known.generation = this.#generation;
    known.shown = object.metadata?.resourceVersion;
    return { cached: known, adoption, before };
  }

  /**
   * Takes the answer of the server to a write, or to a read, before the watch shows it. NB: an object that is new is put
   * into the listing that goes on, which may have begun before there was such an object.
   */
  adopt(object: KubeObject): StoredObject {
    const known = this.#objects.get(identityOf(object));
    if (known === undefined) return this.put(object);
    const before = known.state;
    return { cached: known, adoption: known.adopt(object, { from: "answer" }), before };
  }

  /**
   * Whether the watch has come past a state of an object that is not here: then that object has gone, as the watch would have
   * shown it. The answer to a write may come after the object's end.
   */
  hasPassed({ metadata }: KubeObject): boolean {
    const order = this.order.compare(metadata?.resourceVersion, this.#goneAt);
    return order === "older" || order === "same";
  }

  /** Takes an object over from a store whose informer has ended: everything that is known of it stays tied to it. */
  take(cached: CachedObject): void {
    cached.generation = this.#generation;
    cached.moveTo(this.order);
    this.#objects.set(cached.identity, cached);
    this.#index(cached);
  }

  /** Takes the last state of an object that has gone, and forgets the object. One that was never seen is returned as well. */
  remove(object: KubeObject): StoredObject {
    const key = identityOf(object);
    const known = this.#objects.get(key);
    const version = object.metadata?.resourceVersion;
    if (this.#goneAt === undefined || this.order.compare(version, this.#goneAt) === "newer") {
      this.#goneAt = version;
    }
    if (known === undefined) {
      const cached = new CachedObject(object, this.order, this.#generation);
      return { cached, adoption: "newer", before: undefined };
    }
    this.#forget(key, known);
    const before = known.state;
    known.takeSkipped(Infinity);
    return { cached: known, adoption: known.adopt(object, WATCH), before };
  }

  /** Ends a listing: forgets the objects that it did not name, and returns them. */
  sweep(): CachedObject[] {
    this.#isRedefined = false;
    const missing: CachedObject[] = [];
    for (const [key, cached] of this.#objects) {
      if (cached.generation === this.#generation) continue;
      this.#forget(key, cached);
      missing.push(cached);
    }
    return missing;
  }

  /** The server was set back to an older state, which the latest listing has shown: takes it, and returns all objects. */
  restore(): CachedObject[] {
    for (const [cached, object] of this.#setBack) cached.replace(object);
    this.#setBack.clear();
    this.#goneAt = undefined;
    return [...this.#objects.values()];
  }

  #has(cached: CachedObject): boolean {
    return this.#objects.get(cached.identity) === cached;
  }

  #index(cached: CachedObject): void {
    for (const index of this.#indexes.values()) index.put(cached);
  }

  #forget(key: string, cached: CachedObject): void {
    this.#objects.delete(key);
    for (const index of this.#indexes.values()) index.remove(cached);
  }
}

/** Returns the object's uid, or its name where there is none. An object made anew under an old name is another one. */
function identityOf({ metadata }: KubeObject): string {
  const { uid, namespace = "", name = "" } = metadata ?? {};
  return uid || `${namespace}/${name}`;
}
