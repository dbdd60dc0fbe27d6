/** The part of daemons and timers in an object's turn: the turn starts and stops them; they run, write and retry beside it. */

import type { ObjectState } from "../../execution/object_state.ts";
import { isDeleting } from "../../model/finalizers.ts";
import { BACKGROUND, type BackgroundHandler } from "./background_handler.ts";
import type { HandlerType } from "../handler_type.ts";
import type { Claim, Manner, Part, Sees, WhyGone } from "../part.ts";
import { isWanted, type Turn } from "../turn.ts";
import type { Daemons } from "./daemons.ts";

/** The daemons and timers of one run, as turns need them. */
export type TurnDaemons = Pick<Daemons, "match" | "claimOf" | "forget">;

/** Daemons and timers. */
export class BackgroundManner implements Manner<BackgroundHandler> {
  readonly type: HandlerType<BackgroundHandler> = BACKGROUND;
  readonly #daemons: TurnDaemons;

  constructor(daemons: TurnDaemons) {
    this.#daemons = daemons;
  }

  /** Undefined: they are called at their own times, whichever part of the object has changed. */
  sees(): Sees {
    return undefined;
  }

  part(turn: Turn, handlers: readonly BackgroundHandler[]): Part {
    return new BackgroundPart(turn, { handlers, daemons: this.#daemons });
  }

  gone(state: ObjectState, why: WhyGone): Promise<void> {
    return this.#daemons.forget(state, why);
  }
}

class BackgroundPart implements Part {
  readonly #turn: Turn;
  readonly #daemons: TurnDaemons;
  readonly #handlers: readonly BackgroundHandler[];
  #matching: readonly BackgroundHandler[] = [];

  constructor(
    turn: Turn,
    { handlers, daemons }: { readonly handlers: readonly BackgroundHandler[]; readonly daemons: TurnDaemons },
  ) {
    this.#turn = turn;
    this.#handlers = handlers;
    this.#daemons = daemons;
  }

  /** Starts the daemons and timers that match the object's state, and stops the others. */
  begin(): Promise<void> {
    const { state } = this.#turn;
    const handlers = this.#handlers;
    this.#matching = handlers.filter((handler) => isWanted(this.#turn, handler));
    const matching = this.#matching;
    return this.#daemons.match(state, { handlers, matching, isDeleting: isDeleting(state.snapshot) });
  }

  /** Stops all of them. They are started again by the first turn after the pause. */
  rest(): Promise<void> {
    const { state } = this.#turn;
    return this.#daemons.match(state, {
      handlers: this.#handlers,
      matching: [],
      isDeleting: isDeleting(state.snapshot),
    });
  }

  claim(): Claim {
    return this.#daemons.claimOf(this.#turn.state, this.#matching);
  }
}
