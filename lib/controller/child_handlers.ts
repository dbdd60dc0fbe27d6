/**
 * Calls the handlers of children, in turns of their owner: once for each change of a child, with retries.
 *
 * They share the owner's turn and its write with all others, so that none runs beside them. A change counts as handled when
 * the write of its handler is on the owner.
 */

import { callHandler, contextOf, type Sort } from "../execution/call.ts";
import type { ChildEvents, PendingChild } from "../execution/child_events.ts";
import type { WriteResult } from "../execution/object_writer.ts";
import { earliest } from "../execution/reconcile_record.ts";
import { after, refused } from "../execution/retry.ts";
import { ChildArgs } from "../registry/args.ts";
import type { ChildHandler } from "../registry/related.ts";
import type { Seconds } from "../runtime/host.ts";
import { callerOf, causeOf, isWanted, type Reconciliation, type Work } from "./reconciliation.ts";

const SORT: Sort = { noun: "Handler", errors: "temporary" };

/** The handlers of children of one owner, in one reconcile. */
export class ChildRun {
  readonly #r: Reconciliation;
  readonly #writers: string[] = [];

  constructor(r: Reconciliation) {
    this.#r = r;
  }

  get #handlers(): readonly ChildHandler[] {
    return this.#r.handlers.children;
  }

  /** Calls those that have something to be told. */
  async run(): Promise<void> {
    const { state, clock } = this.#r;
    for (const handler of this.#handlers) {
      const events = state.childEventsOf(handler.id);
      for (const pending of events.due(clock.monotonic())) {
        if (isWanted(this.#r, handler)) await this.#call(handler, events, pending);
        else events.settle(pending);
      }
    }
  }

  /** Returns the work, joined with that of others. */
  join(work: Work): Work {
    const handlers = [...work.handlers ?? []];
    for (const id of this.#writers) if (!handlers.includes(id)) handlers.push(id);
    return { ...work, handlers, delay: () => earliest(work.delay?.(), this.#delay()) };
  }

  /** The owner was written: what has become of that decides about successes. */
  written(result: WriteResult): void {
    if (result.kind === "kept" || (result.kind === "written" && result.lost.length > 0)) return;
    for (const handler of this.#handlers) {
      const events = this.#r.state.childEventsOf(handler.id);
      if (result.kind === "dropped" && result.handlers.includes(handler.id)) {
        this.#refuse(handler, events, result.error);
      } else events.decide();
    }
  }

  async #call(handler: ChildHandler, events: ChildEvents, pending: PendingChild): Promise<void> {
    const { signal, patch, clock } = this.#r;
    const { event } = pending;
    const { outcome, retry: begun, wrote } = await callHandler(callerOf(this.#r), handler, {
      sort: SORT,
      retry: pending.retry,
      patch,
      keepsResult: true,
      args: (attempt) => new ChildArgs(causeOf(this.#r), { attempt, event }),
    });
    if (wrote) this.#writers.push(handler.id);
    // What fails because we stop says nothing about the handler: the next process tells it of each child.
    if (signal.aborted && outcome.kind !== "success") return;
    const retry = after(begun, outcome, clock.monotonic());
    if (outcome.kind === "retry" || outcome.kind === "children") return events.retry(pending, retry);
    events.settle(pending);
    if (outcome.kind === "success" && wrote) events.keepUndecided(pending, retry);
  }

  #refuse(handler: ChildHandler, events: ChildEvents, error: Error): void {
    const now = this.#r.clock.monotonic();
    const context = contextOf(callerOf(this.#r), SORT);
    events.refuse((retry) => {
      const next = refused(retry, handler, { error, context, now });
      return next === undefined || next.due === Infinity ? undefined : next;
    });
  }

  /** How long until one of them is to be called, as far as is known now. */
  #delay(): Seconds | undefined {
    const { state, clock } = this.#r;
    const next = this.#handlers.map(({ id }) => state.childEventsOf(id).next).reduce(earliest, undefined);
    return next === undefined ? undefined : Math.max(0, next - clock.monotonic());
  }
}
