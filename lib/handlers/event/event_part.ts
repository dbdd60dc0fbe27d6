/**
 * Handlers of raw events: called for each event, before all other handlers of the turn. They have no state: errors are logged,
 * and no attempt is retried.
 *
 * Source: Kopf, docs/handlers "Event-watching handlers".
 */

import type { KubeObject, WatchEvent } from "../../model/object.ts";
import { type Caller, callHandler, type Sort } from "../call.ts";
import type { EventCause } from "./event_args.ts";
import type { Manner, Part, Sees } from "../part.ts";
import { FRESH } from "../retry.ts";
import { isWanted, type Turn } from "../turn.ts";
import { EventArgs } from "./event_args.ts";
import { EVENT, type EventHandler } from "./event_handler.ts";

const SORT: Sort = { noun: "Handler", errors: "ignored" };

/** Handlers of raw events. */
export const EVENTS: Manner<EventHandler> = {
  type: EVENT,
  keepsEvents: true,
  // Undefined: they are called for each event, whichever part of the object it is about.
  sees: (): Sees => undefined,
  part: (turn, handlers): Part => ({ told: (event) => tell(turn, handlers, event) }),
};

/**
 * Calls all handlers that match, in order. Their changes go into the turn's patch, which is not sent if the object has gone.
 */
async function tell(turn: Turn, handlers: readonly EventHandler[], event: WatchEvent): Promise<void> {
  // NB: log lines of these handlers are never posted: handlers of Kubernetes events would post an event about each event.
  const { state, localLogger: logger, patch, signal, term: permit, run } = turn;
  const { indices, observer, host: { clock } } = run;
  const { resource, memo, body: known } = state;
  const told = completeDeletion(event, known);
  const cause: EventCause = { resource, body: told.object, event: told, patch, logger, indices, memo };
  // Attempts count at once: a refusal of the write fails no handler of events.
  const observed = { observer, subject: state };
  const caller: Caller = { clock, logger, signal, permit, observed, defaultBackoff: 0 };
  for (const handler of handlers) {
    if (!isWanted(turn, handler, { body: cause.body, args: () => new EventArgs(cause) })) continue;
    await callHandler(caller, handler, {
      sort: SORT,
      retry: FRESH,
      patch,
      keepsResult: true,
      args: (attempt) => new EventArgs(cause, attempt),
    });
  }
}

/** Returns the event; a deletion that no watch has seen holds only a name, and gets the last known state of the object. */
function completeDeletion(event: WatchEvent, known: KubeObject): WatchEvent {
  const isPoor = event.type === "DELETED" && event.object.spec === undefined && known.spec !== undefined;
  return isPoor ? { type: "DELETED", object: known } : event;
}
