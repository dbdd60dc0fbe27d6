/**
 * The changes of one owner's children for which a handler was not called yet: the latest change of each child, with its row of
 * attempts; and handled changes whose write is not on the owner yet. They are kept in memory: after a start the handler is told
 * of each child that is there again.
 */

import { SlotKey } from "../../execution/slots.ts";
import type { KubeObject } from "../../model/object.ts";
import type { Seconds } from "../../runtime/host.ts";
import { earliest } from "../reconcile/reconcile_record.ts";
import { FRESH, isDue, type Retry } from "../retry.ts";

/** A change of a child. */
export interface ChildEvent {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | null;
  readonly object: KubeObject;
  readonly old: KubeObject | undefined;
}

/** A change that is still to be handled. */
export interface PendingChild {
  readonly event: ChildEvent;
  readonly retry: Retry;
}

/** The changes that one handler is still to be told of. */
export class ChildEvents {
  readonly #pending = new Map<string, PendingChild>();
  /** Changes that were handled, by calls whose write is not on the owner yet. Made by the first of them. */
  #undecided: Map<string, PendingChild> | undefined;

  /** Notes a change; it is joined with an earlier change of the same child that the handler was not called for yet. */
  note(event: ChildEvent, now: Seconds): void {
    const key = keyOf(event.object);
    const before = this.#pending.get(key)?.event;
    const merged = before === undefined ? event : merge(before, event);
    this.#pending.delete(key);
    this.#pending.set(key, { event: merged, retry: { ...FRESH, due: now } });
  }

  /** The changes that may be handled now, in the order in which they came. */
  due(now: Seconds): readonly PendingChild[] {
    return [...this.#pending.values()].filter(({ retry }) => isDue(retry, now));
  }

  /** When the next change may be handled; undefined: there is none. */
  get next(): Seconds | undefined {
    let next: Seconds | undefined;
    for (const { retry: { due } } of this.#pending.values()) next = earliest(next, due);
    return next;
  }

  /** A change was handled, or will not be. A newer change of the same child stays. */
  remove(pending: PendingChild): void {
    const key = keyOf(pending.event.object);
    if (this.#pending.get(key) === pending) this.#pending.delete(key);
  }

  /** A change is to be handled again. A newer change of the same child stays as it is. */
  retry(pending: PendingChild, retry: Retry): void {
    const key = keyOf(pending.event.object);
    if (this.#pending.get(key) === pending) this.#pending.set(key, { event: pending.event, retry });
  }

  /** A change was handled by a call whose write may still be refused. */
  keepUndecided({ event }: PendingChild, retry: Retry): void {
    (this.#undecided ??= new Map()).set(keyOf(event.object), { event, retry });
  }

  /** The writes of all calls so far are on the owner. */
  decide(): void {
    this.#undecided = undefined;
  }

  /**
   * The server has refused the writes of all undecided calls. `judge` returns the row of attempts after that; undefined: no
   * attempt follows.
   */
  refuse(judge: (retry: Retry) => Retry | undefined): void {
    for (const [key, { event, retry }] of this.#undecided ?? []) {
      const next = judge(retry);
      // The handler is told of a newer change of the same child anyway.
      if (next !== undefined && !this.#pending.has(key)) this.#pending.set(key, { event, retry: next });
    }
    this.#undecided = undefined;
  }
}

/** The slots of an object's handlers of children, by their ids. */
export const CHILDREN: SlotKey<ChildEvents> = new SlotKey(() => new ChildEvents());

/** Joins two changes of a child for which the handler was not called yet: the state before is the one of the first change. */
function merge(before: ChildEvent, { type, object }: ChildEvent): ChildEvent {
  const isNew = before.old === undefined && type === "MODIFIED";
  return { type: isNew ? before.type : type, object, old: before.old };
}

function keyOf({ kind = "", metadata }: KubeObject): string {
  const { uid, namespace = "", name = "" } = metadata ?? {};
  return uid ?? `${kind}/${namespace}/${name}`;
}
