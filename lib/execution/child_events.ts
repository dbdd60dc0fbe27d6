/**
 * The changes of children that a handler was not called for yet, of one owner: the latest of each child, with how often it
 * has failed. In memory: after a start each child that is there is told of again.
 */

import { TOLERANCE } from "../async/schedule.ts";
import type { KubeObject } from "../model/object.ts";
import type { Seconds } from "../runtime/host.ts";
import { earliest } from "./reconcile_record.ts";

/** A change of a child. */
export interface ChildEvent {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | null;
  readonly object: KubeObject;
  readonly old: KubeObject | undefined;
}

/** A change that is still to be handled. */
export interface PendingChild {
  readonly event: ChildEvent;
  /** How many attempts have failed. */
  readonly failures: number;
  /** When the first attempt began, on the wall clock in milliseconds and on the monotonic one; undefined: none has. */
  readonly begun: { readonly wall: number; readonly monotonic: Seconds } | undefined;
  /** When it may be handled. */
  readonly due: Seconds;
}

/** The changes that one handler is still to be told of. */
export class ChildEvents {
  readonly #pending = new Map<string, PendingChild>();

  /** Notes a change; it takes the place of an earlier one of the same child, from where that had begun. */
  note(event: ChildEvent, now: Seconds): void {
    const key = keyOf(event.object);
    const before = this.#pending.get(key)?.event;
    const merged = before === undefined ? event : merge(before, event);
    this.#pending.delete(key);
    this.#pending.set(key, { event: merged, failures: 0, begun: undefined, due: now });
  }

  /** The changes that may be handled now, in the order in which they came. */
  due(now: Seconds): readonly PendingChild[] {
    return [...this.#pending.values()].filter(({ due }) => due <= now + TOLERANCE);
  }

  /** When the next change may be handled; undefined: there is none. */
  get next(): Seconds | undefined {
    let next: Seconds | undefined;
    for (const { due } of this.#pending.values()) next = earliest(next, due);
    return next;
  }

  /** A change was handled, or will not be. NB: one that has come meanwhile stays. */
  settle(pending: PendingChild): void {
    const key = keyOf(pending.event.object);
    if (this.#pending.get(key) === pending) this.#pending.delete(key);
  }

  /** A change is to be handled again at that time. */
  retry(pending: PendingChild, next: Pick<PendingChild, "failures" | "begun" | "due">): void {
    const key = keyOf(pending.event.object);
    if (this.#pending.get(key) === pending) this.#pending.set(key, { event: pending.event, ...next });
  }
}

/** Joins two changes, of which nobody was told yet: they have begun with the first. */
function merge(before: ChildEvent, { type, object }: ChildEvent): ChildEvent {
  const isNew = before.old === undefined && type === "MODIFIED";
  return { type: isNew ? before.type : type, object, old: before.old };
}

function keyOf({ kind = "", metadata }: KubeObject): string {
  const { uid, namespace = "", name = "" } = metadata ?? {};
  return uid ?? `${kind}/${namespace}/${name}`;
}
