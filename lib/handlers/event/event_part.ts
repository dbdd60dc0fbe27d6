/**
 * Handlers of raw events: told of each event, before all else. There is no state: errors are logged, and nothing is retried.
 *
 * Source: Kopf, docs/handlers "Event-watching handlers".
 */

import type { KubeObject, WatchEvent } from "../../model/object.ts";
import { type Caller, callHandler, type Sort } from "../call.ts";
import type { EventCause } from "../causes.ts";
import type { Manner, Part, Sees } from "../part.ts";
import type { HandlersOfKind } from "../registry.ts";
import { FRESH } from "../retry.ts";
import { isWanted, type Turn } from "../turn.ts";
import { EventArgs } from "./event_args.ts";

const SORT: Sort = { noun: "Handler", errors: "ignored" };

/** Handlers of raw events. */
export const EVENTS: Manner = {
  keepsEvents: true,
  concerns: ({ events }: HandlersOfKind): boolean => events.length > 0,
  // They are called for more than what an object is.
  sees: (): Sees => undefined,
  part: (turn: Turn): Part => ({ told: (event) => tell(turn, event) }),
};

/**
 * Calls all handlers that match, in order. What they want to write goes into the turn's patch, which is not sent if the object
 * has gone.
 */
async function tell(turn: Turn, event: WatchEvent): Promise<void> {
  // NB: what handlers of raw events log is never posted: an event about an event about an event.
  const { state, localLogger: logger, patch, run: { indices, observer, host: { clock }, signal } } = turn;
  const { resource, memo, body: known } = state;
  const told = completeDeletion(event, known);
  const cause: EventCause = { resource, body: told.object, event: told, patch, logger, indices, memo };
  // Attempts count at once: a refusal of the write fails no handler of events.
  const caller: Caller = { clock, logger, signal, observed: { observer, subject: state }, defaultBackoff: 0 };
  for (const handler of turn.kind.handlers.events) {
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

/** A deletion that no watch has seen has only a name: the last known state says more. */
function completeDeletion(event: WatchEvent, known: KubeObject): WatchEvent {
  const isPoor = event.type === "DELETED" && event.object.spec === undefined && known.spec !== undefined;
  return isPoor ? { type: "DELETED", object: known } : event;
}
