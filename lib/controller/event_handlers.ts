/**
 * Calls the handlers of a raw event. There is no state: errors are logged, and nothing is retried.
 *
 * Source: Kopf, docs/handlers "Event-watching handlers".
 */

import { type Caller, callHandler, type Sort } from "../execution/call.ts";
import { FRESH } from "../execution/retry.ts";
import type { KubeObject, WatchEvent } from "../model/object.ts";
import { EventArgs } from "../registry/args.ts";
import type { EventCause } from "../registry/causes.ts";
import type { EventHandler } from "../registry/handlers.ts";
import { isWanted, type Reconciliation } from "./reconciliation.ts";

const SORT: Sort = { noun: "Handler", errors: "ignored" };

/**
 * Calls all handlers that match, in order. What they want to write goes into the reconcile's patch, which is not sent if the
 * object has gone.
 */
export async function callEventHandlers(r: Reconciliation, event: WatchEvent): Promise<void> {
  // NB: what handlers of raw events log is never posted: an event about an event about an event.
  const { state: { resource, memo, body: known }, handlers, localLogger: logger, indices, patch } = r;
  const told = completeDeletion(event, known);
  const cause: EventCause = { resource, body: told.object, event: told, patch, logger, indices, memo };
  for (const handler of handlers.events) {
    const asked = { body: cause.body, args: () => new EventArgs(cause) };
    if (isWanted(r, handler, asked)) await call(r, handler, cause);
  }
}

/** A deletion that nobody saw has only a name: the last known state says more. */
function completeDeletion(event: WatchEvent, known: KubeObject): WatchEvent {
  const isPoor = event.type === "DELETED" && event.object.spec === undefined && known.spec !== undefined;
  return isPoor ? { type: "DELETED", object: known } : event;
}

async function call(r: Reconciliation, handler: EventHandler, cause: EventCause): Promise<void> {
  const { clock, localLogger: logger, signal, observer, state: subject, patch } = r;
  // Attempts count at once: a refusal of the write fails no handler of events.
  const caller: Caller = { clock, logger, signal, observed: { observer, subject }, defaultBackoff: 0 };
  await callHandler(caller, handler, {
    sort: SORT,
    retry: FRESH,
    patch,
    keepsResult: true,
    args: (attempt) => new EventArgs(cause, attempt),
  });
}
