/** Daemons and timers, as far as the object's turn has to do with them: they run, write and retry beside it. */

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

  /** They are called for more than what an object is. */
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

  /** Starts and stops what the object's state calls for. */
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
