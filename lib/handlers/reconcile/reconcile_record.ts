/**
 * The record of one object and one handler of `op.reconcile`: the reasons that have woken the handler, its failures in a row, and
 * the time of its next call. In memory only: after a start every object is reconciled once.
 *
 * It does not look into objects: its callers find out whether a change matters, and then wake it. A reason is kept until a call
 * takes it, so that no reason is lost while the object waits, for whatever cause.
 */

import { TOLERANCE } from "../../async/schedule.ts";
import type { Outcome } from "../../execution/handler.ts";
import type { StoredState } from "../../client/cache/stored_state.ts";
import { type SlotHooks, SlotKey } from "../../execution/slots.ts";
import type { KubeObject } from "../../model/object.ts";
import type { Seconds } from "../../runtime/host.ts";
import { after, decided, FRESH, type Retry } from "../retry.ts";

/** A reason that has woken a reconcile. */
export type ReconcileReason =
  /** The operator has started, and the object was there. */
  | { readonly kind: "start" }
  /** The object is new. */
  | { readonly kind: "create" }
  /** It has changed: its essence, or metadata that is not the operator's. */
  | { readonly kind: "change" }
  /** It is to be deleted: `finalize` is called. */
  | { readonly kind: "delete" }
  /** Another object, which this one owns (`op.owns`) or a mapper maps to it (`op.watches`), has changed or has gone. */
  | { readonly kind: "owned" | "watched"; readonly object: KubeObject }
  /** `op.trigger()` was called, with this reason. */
  | { readonly kind: "trigger"; readonly reason: string | undefined }
  /** The time of `requeueAfter` has come. */
  | { readonly kind: "requeue" }
  /** The attempt before has failed with this error. */
  | { readonly kind: "retry"; readonly error: Error }
  /** The time of `resync` has passed since the last call. */
  | { readonly kind: "resync" };

/** How often one object may be reconciled. */
export interface RateLimit {
  /** So many calls. */
  readonly calls: number;
  /** Within so many seconds. */
  readonly within: Seconds;
}

/** The options that keep calls apart. */
export interface Pace {
  readonly debounce?: Seconds;
  readonly rateLimit?: RateLimit;
}

/** The list of most records at rest, of which there may be a million: each list of its own would count. */
const NONE: readonly never[] = [];

/** How many reasons are kept of an object that cannot be reconciled: they are for reading, not for counting. */
const MOST_REASONS = 100;

/** How many times its debounce an object waits at most while it is woken again and again. */
const MOST_DEBOUNCES = 10;

/** The record of one object and one handler. All times are by the monotonic clock. */
export class ReconcileRecord implements SlotHooks {
  /** The state with which the handler was called last, or one that means the same; undefined: it was not called yet. */
  seen: StoredState | undefined;
  /** Whether a call goes on, perhaps after its time. */
  isRunning = false;
  /** Whether the object may go, as far as this handler is concerned. */
  hasFinalized = false;
  #isFinalizing = false;
  #wasCalled = false;
  #reasons: readonly ReconcileReason[] = NONE;
  /** The reasons of the attempts that have failed in a row, and the one that goes on. */
  #taken: readonly ReconcileReason[] = NONE;
  /** When it was first, and last, woken for a reason that may come again and again. */
  #woken: { readonly first: Seconds; readonly last: Seconds } | undefined;
  #isPressing = false;
  #planned: { readonly at: Seconds; readonly reason: ReconcileReason } | undefined;
  #resyncAt: Seconds | undefined;
  #retry = FRESH;
  #calls: readonly Seconds[] = NONE;

  /** A record that held the state before would keep it in memory. */
  moved(before: StoredState | undefined, after: StoredState, how: "turn" | "settled"): void {
    if (how === "settled" && this.seen === before) this.seen = after;
  }

  /** The row of attempts. */
  get retry(): Retry {
    return this.#retry;
  }

  /** Whether there is a reason that no call has taken yet. */
  get isWoken(): boolean {
    return this.#reasons.length > 0;
  }

  /** Whether a retry or a requeue is planned. */
  get isPlanned(): boolean {
    return this.#planned !== undefined;
  }

  /** Whether the handler was called in this process. */
  get wasCalled(): boolean {
    return this.#wasCalled;
  }

  /** Whether it is about the object's deletion now. */
  get isFinalizing(): boolean {
    return this.#isFinalizing;
  }

  /** The object is to be deleted: earlier reasons and plans count no more. */
  beginFinalizing(): void {
    this.#isFinalizing = true;
    this.forgetPlans();
  }

  /** Notes a reason to call the handler, in place of an equal one that is noted already. */
  wake(reason: ReconcileReason, now: Seconds): void {
    switch (reason.kind) {
      case "change":
      case "owned":
      case "watched":
      case "trigger":
        this.#woken = { first: this.#woken?.first ?? now, last: now };
        break;
      default:
        this.#isPressing = true;
    }
    const same = this.#reasons.findIndex((other) => isSameReason(other, reason));
    if (same >= 0) this.#reasons = this.#reasons.with(same, reason);
    else if (this.#reasons.length < MOST_REASONS) this.#reasons = [...this.#reasons, reason];
  }

  /** Wakes the record if its retry, requeue or resync has come due. */
  wakeIfDue(now: Seconds): void {
    const planned = this.#planned;
    if (planned !== undefined && planned.at <= now + TOLERANCE) {
      this.#planned = undefined;
      this.wake(planned.reason, now);
    }
    if (this.#resyncAt !== undefined && this.#resyncAt <= now + TOLERANCE) {
      this.#resyncAt = undefined;
      this.wake({ kind: "resync" }, now);
    }
  }

  /** When the object needs a turn for it: when the handler may be called, if it was woken; else when a plan or resync is due. */
  nextTurn(pace: Pace): Seconds | undefined {
    if (this.isRunning) return undefined;
    if (this.isWoken) return this.#mayRunAt(pace);
    return earliest(this.#planned?.at, this.#resyncAt);
  }

  /** Whether it is to be called now. */
  isDue(now: Seconds, pace: Pace): boolean {
    return this.isWoken && !this.isRunning && this.#mayRunAt(pace) <= now + TOLERANCE;
  }

  /** Begins a call: takes the reasons, also the ones of failed attempts before, and drops the plan. */
  begin(now: Seconds, pace: Pace): readonly ReconcileReason[] {
    const earlier = this.#taken.filter((reason) =>
      reason.kind !== "retry" && !this.#reasons.some((other) => isSameReason(other, reason))
    );
    this.#taken = earlier.length === 0
      ? this.#reasons
      : [...this.#reasons, ...earlier].slice(0, MOST_REASONS);
    this.#reasons = NONE;
    this.#woken = undefined;
    this.#isPressing = false;
    this.#planned = undefined;
    this.#wasCalled = true;
    if (pace.rateLimit !== undefined) {
      this.#calls = [...this.#calls, now].slice(-pace.rateLimit.calls);
    }
    return this.#taken;
  }

  /** A call was interrupted: its reasons wake the record again. `seen`: the state with which the handler was called before. */
  interrupt(seen: StoredState | undefined, now: Seconds): void {
    this.seen = seen;
    for (const reason of this.#taken) this.wake(reason, now);
    this.#taken = NONE;
  }

  /** A call has ended; `row` is the row of attempts with its beginning. A success may say when it wants the next call. */
  end(row: Retry, outcome: Outcome, now: Seconds): void {
    this.#retry = after(row, outcome, now);
    if (outcome.kind !== "retry") this.#taken = NONE;
    switch (outcome.kind) {
      case "success": {
        // `requeueOf()` has checked the result; an ignored error leaves none.
        const requeueAfter = outcome.result as Seconds | undefined;
        if (requeueAfter !== undefined) this.#plan(now + requeueAfter, { kind: "requeue" });
        return;
      }
      case "retry":
        return this.#plan(this.#retry.due, { kind: "retry", error: outcome.error });
      case "children":
        return this.#plan(this.#retry.due, { kind: "requeue" });
      case "failure":
        return;
      default:
        outcome satisfies never;
    }
  }

  /** The write of the latest success is on the object. */
  decide(): void {
    this.#retry = decided(this.#retry);
  }

  /** The server has refused the write of a success. `judge` returns the row after that; undefined: no success is undecided. */
  refuse(judge: (row: Retry) => Retry | undefined): void {
    const row = judge(this.#retry);
    if (row === undefined) return;
    this.#retry = row;
    // An ignored error leaves the requeue that the success has planned.
    if (row.error === undefined) return;
    this.#planned = undefined;
    this.#plan(row.due, { kind: "retry", error: row.error });
  }

  /** Sets the time of the next resync; undefined: there is none. */
  resyncAt(at: Seconds | undefined): void {
    this.#resyncAt = at;
  }

  /** Forgets reasons, plans and failures: the object is to be deleted, or does not match the handler. */
  forgetPlans(): void {
    this.#planned = undefined;
    this.#resyncAt = undefined;
    this.#reasons = NONE;
    this.#woken = undefined;
    this.#isPressing = false;
    this.#retry = FRESH;
    this.#taken = NONE;
  }

  #plan(at: Seconds, reason: ReconcileReason): void {
    if (at < Infinity) this.#planned = { at, reason };
  }

  #mayRunAt({ debounce = 0, rateLimit }: Pace): Seconds {
    const calm = this.#isPressing || this.#woken === undefined
      ? -Infinity
      : Math.min(this.#woken.last + debounce, this.#woken.first + debounce * MOST_DEBOUNCES);
    const oldest = rateLimit !== undefined && this.#calls.length >= rateLimit.calls
      ? this.#calls.at(-rateLimit.calls)
      : undefined;
    return Math.max(calm, oldest === undefined ? -Infinity : oldest + (rateLimit?.within ?? 0));
  }
}

/** The slots of an object's `op.reconcile` handlers, by their ids. */
export const RECONCILES: SlotKey<ReconcileRecord> = new SlotKey(() => new ReconcileRecord());

/** The earlier of two times; undefined: never. */
export function earliest(a: Seconds | undefined, b: Seconds | undefined): Seconds | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return Math.min(a, b);
}

function isSameReason(a: ReconcileReason, b: ReconcileReason): boolean {
  if (a.kind !== b.kind) return false;
  if ("object" in a && "object" in b) return identityOf(a.object) === identityOf(b.object);
  return !("reason" in a && "reason" in b) || a.reason === b.reason;
}

function identityOf({ kind, metadata }: KubeObject): string {
  const { uid, namespace, name } = metadata ?? {};
  return uid ?? `${kind}/${namespace}/${name}`;
}
