/**
 * Calls the handlers of a raw event. There is no state: errors are logged, and nothing is retried.
 *
 * Source: Kopf, A §2.5.
 */

import { execute } from "../execution/execute.ts";
import type { WatchEvent } from "../model/object.ts";
import { EventArgs } from "../registry/args.ts";
import type { EventCause } from "../registry/causes.ts";
import { matches } from "../registry/filters.ts";
import type { EventHandler } from "../registry/handlers.ts";
import { type Reconciliation, reportFailedFilter, storeResult } from "./reconciliation.ts";

/** Calls all handlers that match, in order. What they write goes into the reconcile's patch, which is not sent if the object has gone. */
export async function handleEvent(r: Reconciliation, event: WatchEvent): Promise<void> {
  // NB: what handlers of raw events log is never posted: an event about an event about an event.
  const { state, registry, localLogger: logger, indices, patch } = r;
  const handlers = registry.eventsOf(state.resource);
  if (handlers.length === 0) return;
  const cause: EventCause = {
    resource: state.resource,
    body: event.object,
    event,
    patch,
    logger,
    indices,
    memo: state.memo,
  };
  for (const handler of handlers) {
    if (isWanted(handler, cause, r)) await callHandler(handler, cause, r);
  }
}

function isWanted(handler: EventHandler, cause: EventCause, r: Reconciliation): boolean {
  try {
    return matches(handler, { body: cause.body, args: () => new EventArgs(cause) });
  } catch (error) {
    reportFailedFilter(r, handler, error);
    return false;
  }
}

async function callHandler(handler: EventHandler, cause: EventCause, r: Reconciliation): Promise<void> {
  const { clock } = r;
  const started = clock.now();
  const outcome = await execute(handler, {
    clock,
    logger: r.localLogger,
    attempts: { retry: 0, runtime: 0 },
    noun: "Handler",
    errors: "ignored",
    defaultBackoff: 0,
    signal: r.signal,
    observed: { observer: r.observer, subject: r.state },
    // The types of `on.event` have made sure that the function takes these arguments.
    args: (signal) =>
      new EventArgs(cause, { param: handler.param, retry: 0, started, signal, clock }) as never,
  });
  if (outcome.kind === "success") storeResult(r, handler.id, outcome.result);
}
