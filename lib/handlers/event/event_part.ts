/**
 * Handlers of raw events: called for each event, before all other handlers of the turn. They have no state: errors are logged,
 * and no attempt is retried.
 *
 * Source: Kopf, docs/handlers "Event-watching handlers".
 */

import { failAfterwards } from "../../execution/execute.ts";
import type { WriteResult } from "../../execution/object_writer.ts";
import type { KubeObject, WatchEvent } from "../../model/object.ts";
import { type Caller, callHandler, contextOf, type Sort } from "../call.ts";
import type { EventCause } from "./event_args.ts";
import type { Manner, Part, Sees, Work } from "../part.ts";
import { attemptsOf, FRESH, type Retry } from "../retry.ts";
import { callerOf, isWanted, type Turn } from "../turn.ts";
import { EventArgs } from "./event_args.ts";
import { EVENT, type EventHandler } from "./event_handler.ts";

const SORT: Sort = { noun: "Handler", errors: "ignored" };

/** Handlers of raw events. */
export const EVENTS: Manner<EventHandler> = {
  type: EVENT,
  keepsEvents: true,
  // Undefined: they are called for each event, whichever part of the object it is about.
  sees: (): Sees => undefined,
  part: (turn, handlers): Part => new EventPart(turn, handlers),
};

class EventPart implements Part {
  readonly #turn: Turn;
  readonly #handlers: readonly EventHandler[];
  /** The rows of attempts that have put something into the patch, by the ids of their handlers. */
  #writers: Map<EventHandler, Retry> | undefined;

  constructor(turn: Turn, handlers: readonly EventHandler[]) {
    this.#turn = turn;
    this.#handlers = handlers;
  }

  /** Calls all handlers that match, in order. Their changes go into the turn's patch, which is not sent if the object has gone. */
  async told(event: WatchEvent): Promise<void> {
    const { state, patch, run: { indices } } = this.#turn;
    const { resource, memo, body: known } = state;
    const told = completeDeletion(event, known);
    const caller = this.#caller;
    const { logger } = caller;
    const cause: EventCause = { resource, body: told.object, event: told, patch, logger, indices, memo };
    for (const handler of this.#handlers) {
      if (!isWanted(this.#turn, handler, { body: cause.body, args: () => new EventArgs(cause) })) continue;
      const { retry, wrote } = await callHandler(caller, handler, {
        sort: SORT,
        retry: FRESH,
        patch,
        keepsResult: true,
        args: (attempt) => new EventArgs(cause, attempt),
      });
      if (wrote) (this.#writers ??= new Map()).set(handler, retry);
    }
  }

  work(): Work | undefined {
    return this.#writers && { writers: [...this.#writers.keys()].map(({ id }) => id) };
  }

  /** A write that the server refuses is told as a failure of its handlers; they are not called again. */
  written(result: WriteResult): void {
    if (result.kind !== "dropped") return;
    const now = this.#turn.run.host.clock.monotonic();
    for (const [handler, retry] of this.#writers ?? []) {
      if (!result.handlers.includes(handler.id)) continue;
      const attempts = attemptsOf(retry, now);
      failAfterwards(handler, { ...contextOf(this.#caller, SORT), attempts, error: result.error });
    }
  }

  /** NB: log lines of these handlers are never posted: handlers of Kubernetes events would post an event about each event. */
  get #caller(): Caller {
    const { localLogger: logger } = this.#turn;
    const caller = callerOf(this.#turn);
    return { ...caller, logger, defaultBackoff: 0 };
  }
}

/** Returns the event; a deletion that no watch has seen holds only a name, and gets the last known state of the object. */
function completeDeletion(event: WatchEvent, known: KubeObject): WatchEvent {
  const isPoor = event.type === "DELETED" && event.object.spec === undefined && known.spec !== undefined;
  return isPoor ? { type: "DELETED", object: known } : event;
}
