/**
 * Calls the handlers of children, in turns of their owner: once for each change of a child, with retries.
 *
 * They share the owner's turn and its write with all others, so that none runs beside them.
 */

import type { ChildEvents, PendingChild } from "../execution/child_events.ts";
import { leastPause } from "../execution/backoff.ts";
import { Contribution } from "../execution/contribution.ts";
import { execute } from "../execution/execute.ts";
import { earliest } from "../execution/reconcile_record.ts";
import { storeResult } from "../execution/results.ts";
import { ChildArgs } from "../registry/args.ts";
import type { ChildHandler } from "../registry/related.ts";
import { attemptContext, causeOf, isWanted, type Reconciliation, type Work } from "./reconciliation.ts";

/** Calls the handlers of children of one owner that have something to be told. Returns the work, joined with that of others. */
export async function callChildHandlers(
  r: Reconciliation,
  handlers: readonly ChildHandler[],
  work: Work,
): Promise<Work> {
  const { state, clock, patch } = r;
  const writers: string[] = [...work.handlers ?? []];
  for (const handler of handlers) {
    const events = state.childEventsOf(handler.id);
    for (const pending of events.due(clock.monotonic())) {
      const contribution = new Contribution(patch);
      if (isWanted(r, handler)) await call(r, handler, { events, pending, contribution });
      else events.settle(pending);
      if (!contribution.isEmpty && !writers.includes(handler.id)) writers.push(handler.id);
    }
  }
  const delay = (): number | undefined => {
    const next = handlers.map(({ id }) => state.childEventsOf(id).next).reduce(earliest, undefined);
    return earliest(work.delay?.(), next === undefined ? undefined : Math.max(0, next - clock.monotonic()));
  };
  return { ...work, handlers: writers, delay };
}

interface Call {
  readonly events: ChildEvents;
  readonly pending: PendingChild;
  readonly contribution: Contribution;
}

async function call(r: Reconciliation, handler: ChildHandler, told: Call): Promise<void> {
  const { events, pending, contribution } = told;
  const { clock, signal } = r;
  const { event, failures: retry } = pending;
  const begun = pending.begun ?? { wall: clock.now(), monotonic: clock.monotonic() };
  const outcome = await execute(handler, {
    ...attemptContext(r),
    clock,
    attempts: { retry, runtime: clock.monotonic() - begun.monotonic },
    signal,
    contribution,
    args: (limited) => {
      const { wall: started, monotonic } = begun;
      const times = { retry, started, begun: monotonic, signal: limited, clock };
      const attempt = { ...times, param: handler.param };
      // The types of `on.child` have made sure that the function takes these arguments.
      return new ChildArgs(causeOf(r), { attempt, event }) as never;
    },
  });
  // What fails because we stop says nothing about the handler: the next process tells it of each child.
  if (signal.aborted && outcome.kind !== "success") return;
  if (outcome.kind === "success") storeResult({ ...r, body: r.state.body }, handler.id, outcome.result);
  if (outcome.kind === "success" || outcome.kind === "failure") return events.settle(pending);
  const failures = outcome.kind === "retry" ? retry + 1 : retry;
  const pause = Math.max(outcome.delay, leastPause(failures));
  events.retry(pending, { failures, begun, due: clock.monotonic() + pause });
}
