/**
 * Handlers of children, in turns of their owner: called once for each change of a child, with retries.
 *
 * They share the turn and the write of the owner with its other handlers, so that none runs beside them. A change is handled when
 * the write of its handler is on the owner.
 */

import { TOLERANCE } from "../../async/schedule.ts";
import type { ObjectState } from "../../execution/object_state.ts";
import type { WriteResult } from "../../execution/object_writer.ts";
import type { Seconds } from "../../runtime/host.ts";
import { callHandler, contextOf, type Sort } from "../call.ts";
import type { HandlerType } from "../handler_type.ts";
import type { Manner, Part, Sees, Work } from "../part.ts";
import { earliest } from "../reconcile/reconcile_record.ts";
import { after, refused } from "../retry.ts";
import { callerOf, causeOf, checkTerm, isInterrupted, type Turn } from "../turn.ts";
import { ChildArgs } from "./child_args.ts";
import { type ChildEvents, CHILDREN, type PendingChild } from "./child_events.ts";
import { CHILD, type ChildHandler } from "./child_handler.ts";

const SORT: Sort = { noun: "Handler", errors: "temporary" };

/** Handlers of children. */
export class ChildManner implements Manner<ChildHandler> {
  readonly type: HandlerType<ChildHandler> = CHILD;
  readonly #introduce: (state: ObjectState, handlers: readonly ChildHandler[]) => void;

  /** `introduce`: tells handlers of the children that are there. */
  constructor(introduce: (state: ObjectState, handlers: readonly ChildHandler[]) => void) {
    this.#introduce = introduce;
  }

  /** Undefined: they are called for changes of children, whatever the state of the owner. */
  sees(): Sees {
    return undefined;
  }

  part(turn: Turn, handlers: readonly ChildHandler[]): Part {
    return new ChildPart(turn, handlers);
  }

  introduce(state: ObjectState, handlers: readonly ChildHandler[]): void {
    this.#introduce(state, handlers);
  }
}

class ChildPart implements Part {
  readonly #turn: Turn;
  readonly #handlers: readonly ChildHandler[];
  #writers: string[] | undefined;

  constructor(turn: Turn, handlers: readonly ChildHandler[]) {
    this.#turn = turn;
    this.#handlers = handlers;
  }

  /** Calls the handlers that have pending changes. Not async: most turns of an owner find no change of a child. */
  run(): Promise<void> | undefined {
    const now = this.#now;
    const isAny = this.#handlers.some(({ id }) => (this.#eventsOf(id)?.next ?? Infinity) <= now + TOLERANCE);
    return isAny ? this.#run() : undefined;
  }

  async #run(): Promise<void> {
    for (const handler of this.#handlers) {
      const events = this.#eventsOf(handler.id);
      for (const pending of events?.due(this.#now) ?? []) {
        checkTerm(this.#turn);
        if (events !== undefined) await this.#call(handler, events, pending);
      }
    }
  }

  work(): Work | undefined {
    return this.#writers && { writers: this.#writers };
  }

  written(result: WriteResult): void {
    if (result.kind === "kept" || (result.kind === "written" && result.lost.length > 0)) return;
    for (const handler of this.#handlers) {
      const events = this.#eventsOf(handler.id);
      if (result.kind === "dropped" && result.handlers.includes(handler.id)) {
        this.#refuse(handler, events, result.error);
      } else events?.decide();
    }
  }

  next(): Seconds | undefined {
    let next: Seconds | undefined;
    for (const { id } of this.#handlers) next = earliest(next, this.#eventsOf(id)?.next);
    return next === undefined ? undefined : Math.max(0, next - this.#now);
  }

  get atRest(): boolean {
    return this.#handlers.every(({ id }) => this.#eventsOf(id)?.next === undefined);
  }

  async #call(handler: ChildHandler, events: ChildEvents, pending: PendingChild): Promise<void> {
    const { patch } = this.#turn;
    const { event } = pending;
    const { outcome, retry: begun, wrote } = await callHandler(callerOf(this.#turn), handler, {
      sort: SORT,
      retry: pending.retry,
      patch,
      keepsResult: true,
      args: (attempt) => new ChildArgs(causeOf(this.#turn), { attempt, event }),
    });
    if (wrote && this.#writers?.includes(handler.id) !== true) (this.#writers ??= []).push(handler.id);
    // A failure while the operator stops does not count: the next process tells the handler of each child. Nor does one after the term.
    if (isInterrupted(this.#turn) && outcome.kind !== "success") return;
    const retry = after(begun, outcome, this.#now);
    if (outcome.kind === "retry" || outcome.kind === "children") return events.retry(pending, retry);
    events.remove(pending);
    if (outcome.kind === "success" && wrote) events.keepUndecided(pending, retry);
  }

  #refuse(handler: ChildHandler, events: ChildEvents | undefined, error: Error): void {
    const context = contextOf(callerOf(this.#turn), SORT);
    events?.refuse((retry) => {
      const next = refused(retry, handler, { error, context, now: this.#now });
      return next === undefined || next.due === Infinity ? undefined : next;
    });
  }

  get #now(): Seconds {
    return this.#turn.run.host.clock.monotonic();
  }

  #eventsOf(handler: string): ChildEvents | undefined {
    return this.#turn.state.knownSlotOf(CHILDREN, handler);
  }
}
