/**
 * The facts that an operator knows of one object while the object exists. They do not survive the process.
 *
 * Each part has one writer: the newest body is the store's (informers and writes put it there); everything else is written by
 * the object's reconcile, of which the work queue runs one at a time. Daemons, indexes and observers read.
 */

import type { CachedObject } from "../client/cache/object_store.ts";
import { StoredState } from "../client/cache/stored_state.ts";
import type { KubeObject } from "../model/object.ts";
import { keyOf, type Resource } from "../model/resource.ts";
import type { Seconds } from "../runtime/host.ts";
import { type Outgoing, PendingWrite } from "./pending_write.ts";
import { type SlotKey, Slots } from "./slots.ts";

/** A resource whose objects are handled, as it is served now: shared by the states of all of its objects. */
export interface ResourceState {
  readonly resource: Resource;
  /** Returns whether that was not reported of the resource yet: for log lines that come once. */
  reportOnce(what: string): boolean;
}

export interface ObjectStateOptions {
  readonly cached: CachedObject;
  /** Shared, as discovery may change the resource (whether its status is a subresource, for one). */
  readonly kind: ResourceState;
  /** Shared by all handlers of the object. Default: it begins empty. */
  readonly memo?: Record<string, unknown>;
  /** "listing": it was there before the operator watched. */
  readonly firstSeen: "listing" | "event";
  /** Whether another replica may have handled it just before. Default: false. */
  readonly isInherited?: boolean;
}

/** One object. */
export class ObjectState {
  readonly cached: CachedObject;
  readonly kind: ResourceState;
  readonly firstSeen: "listing" | "event";
  /** Writes of its reconciles that could not be done yet. */
  readonly pending = new PendingWrite();
  /** The facts that parts of the operator keep about the object. */
  readonly #slots = new Slots();
  /** The handlers of its kind, if none of them is to be called for the snapshot. Written by `reconcile()`. */
  settledFor: object | undefined;
  #memo: Record<string, unknown> | undefined;
  #snapshot: StoredState | undefined;
  /** "unread": it is inherited, and has to be read before some handlers are called. */
  #doubt: "conflict" | "restored" | "inherited" | "unread" | undefined;
  #isAbsent = false;
  #isForgotten = false;
  #deletingSince: Seconds | undefined;
  #reported: Set<string> | undefined;

  constructor({ cached, kind, memo, firstSeen, isInherited = false }: ObjectStateOptions) {
    this.#doubt = isInherited ? "unread" : undefined;
    this.cached = cached;
    this.kind = kind;
    this.#memo = memo;
    this.firstSeen = firstSeen;
  }

  /** Shared by all handlers of the object. Made when it is asked for: most handlers never do. */
  get memo(): Record<string, unknown> {
    return this.#memo ??= {};
  }

  /** Tells the object from all others, for logs and observers: the resource's key, then its uid or "namespace/name". */
  get key(): string {
    return `${keyOf(this.resource)}/${this.cached.identity}`;
  }

  get resource(): Resource {
    return this.kind.resource;
  }

  /** The newest state known: for daemons, writes and observers. It may change while a reconcile runs. */
  get body(): KubeObject {
    return this.cached.object;
  }

  /** The state that the current reconcile began with: decisions are made by it, and handlers see it. */
  get snapshot(): KubeObject {
    return (this.#snapshot ?? this.cached.state).object;
  }

  /** The snapshot, for those who only want to know whether it is another one. */
  get seen(): StoredState {
    return this.#snapshot ?? this.cached.state;
  }

  /** Returns a state that a reconcile has read or written, as it is stored if it is. */
  storedAs(object: KubeObject): StoredState {
    if (object === this.snapshot) return this.seen;
    return object === this.body ? this.cached.state : new StoredState(object);
  }

  /** Whether there is a state that no reconcile has begun with. The only meaning of "there is news". */
  get hasNews(): boolean {
    return this.#snapshot !== this.cached.state;
  }

  /** Whether changes of an earlier reconcile are still to be written, so that each event is a reason to try again. */
  get isUnfinished(): boolean {
    return !this.pending.isEmpty || this.#slots.areUnfinished;
  }

  /** Why the body must be read from the server before it is used; undefined if it need not. */
  get doubt(): "conflict" | "restored" | "inherited" | undefined {
    return this.#doubt === "unread" ? undefined : this.#doubt;
  }

  /** Whether another replica may have handled it just before, and it was not read since. */
  get isInherited(): boolean {
    return this.#doubt === "unread";
  }

  /** The known state is the newest one. */
  confirm(): void {
    this.#doubt = undefined;
  }

  /** Whether the server has said that the object is not there any more. The watch confirms that later. */
  get isAbsent(): boolean {
    return this.#isAbsent;
  }

  /** Since when it is known that the object is being deleted, on the monotonic clock; undefined: it is not. */
  get deletingSince(): Seconds | undefined {
    return this.#deletingSince;
  }

  /** Whether its deletion was handled to its end: it has no more turns. */
  get isForgotten(): boolean {
    return this.#isForgotten;
  }

  /** The object has gone, and its deletion was handled. */
  forget(): void {
    this.#isForgotten = true;
  }

  /** Returns a slot, which the first call makes. With a handler's id: one for each handler. */
  slotOf<Slot extends object>(key: SlotKey<Slot>, handler?: string): Slot {
    return this.#slots.of(key, handler);
  }

  /** Returns a slot, if it was made. */
  knownSlotOf<Slot extends object>(key: SlotKey<Slot>, handler?: string): Slot | undefined {
    return this.#slots.known(key, handler);
  }

  /** A daemon or timer begins to write onto the object. Returns a handle whose disposal says that the write has ended. */
  writing(before: KubeObject, wanted: Outgoing): Disposable | undefined {
    return this.#slots.writing(before, wanted);
  }

  /** Begins a reconcile with the newest state. Returns the states before and after if there is news. */
  begin(now: Seconds): { readonly before: KubeObject | undefined; readonly after: KubeObject } | undefined {
    this.cached.takeSkipped(now);
    if (!this.hasNews) return undefined;
    const before = this.#snapshot?.object;
    const after = this.cached.object;
    this.#move("turn");
    if (after.metadata?.deletionTimestamp !== undefined) this.#deletingSince ??= now;
    return { before, after };
  }

  /** Takes the newest state as the snapshot, without a turn: like the state before, it calls for no handler. */
  settle(): void {
    this.#move("settled");
  }

  #move(how: "turn" | "settled"): void {
    const before = this.#snapshot;
    this.#snapshot = this.cached.state;
    this.#slots.moved(before, this.#snapshot, how);
  }

  /** The body must be read before it is used again. */
  distrust(why: "conflict" | "restored" | "inherited"): void {
    // NB: a server that was set back has older versions, which the read after a conflict would not take.
    this.#doubt = this.#doubt === "restored" ? "restored" : why;
  }

  /** Takes the object that was read; undefined: there is no such object any more. */
  resolve(object: KubeObject | undefined): void {
    if (object === undefined) {
      this.markAbsent();
    } else {
      this.#isAbsent = false;
      if (this.#doubt === "restored") this.cached.replace(object);
      else this.cached.adopt(object, { from: "read" });
    }
    this.#doubt = undefined;
  }

  /** The server has said that the object is not there any more: its newest known state is no news. */
  markAbsent(): void {
    this.#isAbsent = true;
    this.#snapshot = this.cached.state;
  }

  /** Returns whether this was not reported of the object yet: for log lines that come once. */
  reportOnce(what: string): boolean {
    if (this.#reported?.has(what)) return false;
    (this.#reported ??= new Set()).add(what);
    return true;
  }
}

/** Returns a key that tells one object from all others: "resource/uid", or "resource/namespace/name" without a uid. */
export function objectKey(resource: Resource, { metadata }: KubeObject): string {
  const { uid, namespace = "", name = "" } = metadata ?? {};
  return `${keyOf(resource)}/${uid || `${namespace}/${name}`}`;
}
