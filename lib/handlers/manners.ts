/** The list of manners that take part in an object's turn, and the facts of each kind that follow from it. */

import type { ObjectState } from "../execution/object_state.ts";
import type { Persistence } from "../settings/persistence/storage.ts";
import { BackgroundManner, type TurnDaemons } from "./background/background_part.ts";
import { CHANGES } from "./change/change_part.ts";
import { ChildManner } from "./child/child_part.ts";
import type { ChildHandler } from "./child/child_handler.ts";
import { EVENTS } from "./event/event_part.ts";
import type { Manner } from "./part.ts";
import type { Concurrency } from "./reconcile/concurrency.ts";
import { ReconcileManner } from "./reconcile/reconcile_part.ts";
import type { HandlersOfKind } from "./registry.ts";
import type { Kind } from "./turn.ts";
import { unionOf } from "./unseen.ts";

export interface MannersOptions {
  readonly daemons: TurnDaemons;
  readonly concurrency: Concurrency;
  /** Tells handlers of the children that are there. */
  readonly introduce: (state: ObjectState, handlers: readonly ChildHandler[]) => void;
}

/**
 * Returns all manners, in the order in which their parts are asked in each step. It is Kopf's: raw event handlers are told
 * whatever happens; daemons are started before handlers of changes, and stopped when deletion begins, as they live as long as
 * the object; reconciles and handlers of children come after handlers of changes. Source: Kopf, kopf/_core/reactor/processing.py.
 */
export function mannersOf({ daemons, concurrency, introduce }: MannersOptions): readonly Manner[] {
  return [
    EVENTS,
    new BackgroundManner(daemons),
    CHANGES,
    new ReconcileManner(concurrency),
    new ChildManner(introduce),
  ];
}

/** The kinds of one run, as their handlers are now. */
export class Kinds {
  readonly #manners: readonly Manner[];
  readonly #persistence: Persistence;
  readonly #known = new WeakMap<HandlersOfKind, Kind>();

  constructor(manners: readonly Manner[], persistence: Persistence) {
    this.#manners = manners;
    this.#persistence = persistence;
  }

  /** Returns the facts of a kind with these handlers. */
  of(handlers: HandlersOfKind): Kind {
    return this.#known.get(handlers) ?? this.#learn(handlers);
  }

  #learn(handlers: HandlersOfKind): Kind {
    const manners = this.#manners.map((manner) => ({ manner, handlers: handlers.of(manner.type) }))
      .filter(({ handlers }) => handlers.length > 0);
    const kind: Kind = {
      handlers,
      manners,
      sees: unionOf(manners.map(({ manner, handlers }) => manner.sees(handlers, this.#persistence))),
      keepsEvents: manners.some(({ manner }) => manner.keepsEvents === true),
    };
    this.#known.set(handlers, kind);
    return kind;
  }
}
