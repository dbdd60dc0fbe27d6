/** The arguments of handlers of raw events: each is computed when the handler reads it. */

import { deepFreeze } from "../../model/json.ts";
import type { WatchEvent } from "../../model/object.ts";
import type { Attempt } from "../call.ts";
import { ObjectArgs, type ObjectCause } from "../object_args.ts";

/** A raw event. */
export interface EventCause extends ObjectCause {
  readonly event: WatchEvent;
}

/** Arguments about a raw event. */
export class EventArgs extends ObjectArgs<EventCause> {
  readonly #event: WatchEvent;

  constructor(cause: EventCause, attempt?: Attempt) {
    super(cause, attempt);
    this.#event = cause.event;
  }

  get type(): WatchEvent["type"] {
    return this.#event.type;
  }
  get event(): Readonly<WatchEvent> {
    return deepFreeze(this.#event);
  }
}
