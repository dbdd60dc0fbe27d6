/** The part of daemons and timers in an object's turn: the turn starts and stops them; they run, write and retry beside it. */

import type { ObjectState } from "../../execution/object_state.ts";
import { isDeleting } from "../../model/finalizers.ts";
import type { BackgroundHandler } from "../handlers.ts";
import type { Claim, Manner, Part, Sees, WhyGone } from "../part.ts";
import type { HandlersOfKind } from "../registry.ts";
import { isWanted, type Turn } from "../turn.ts";
import type { Daemons } from "./daemons.ts";

/** The daemons and timers of one run, as turns need them. */
export type TurnDaemons = Pick<Daemons, "match" | "claimOf" | "forget">;

/** Daemons and timers. */
export class BackgroundManner implements Manner {
  readonly #daemons: TurnDaemons;

  constructor(daemons: TurnDaemons) {
    this.#daemons = daemons;
  }

  concerns({ backgrounds }: HandlersOfKind): boolean {
    return backgrounds.length > 0;
  }

  /** Undefined: they are called at their own times, whichever part of the object has changed. */
  sees(): Sees {
    return undefined;
  }

  part(turn: Turn): Part {
    return new BackgroundPart(turn, this.#daemons);
  }

  gone(state: ObjectState, why: WhyGone): Promise<void> {
    return this.#daemons.forget(state, why);
  }
}

class BackgroundPart implements Part {
  readonly #turn: Turn;
  readonly #daemons: TurnDaemons;
  #matching: readonly BackgroundHandler[] = [];

  constructor(turn: Turn, daemons: TurnDaemons) {
    this.#turn = turn;
    this.#daemons = daemons;
  }

  /** Starts the daemons and timers that match the object's state, and stops the others. */
  begin(): Promise<void> {
    const { state, kind: { handlers: { backgrounds: handlers } } } = this.#turn;
    this.#matching = handlers.filter((handler) => isWanted(this.#turn, handler));
    const matching = this.#matching;
    return this.#daemons.match(state, { handlers, matching, isDeleting: isDeleting(state.snapshot) });
  }

  claim(): Claim {
    return this.#daemons.claimOf(this.#turn.state, this.#matching);
  }
}
