/**
 * The one operator that is there without being made: for programs of one file that need no other.
 *
 * It is a plain `operator()`; `lotse run` takes it beside those that files export.
 */

import type { DeclareDaemon, DeclareIndex, DeclareTimer, On } from "../registry/on.ts";
import type { Events } from "./events.ts";
import { Operator } from "./operator.ts";

/** The operator of `on`, `daemon`, `timer`, `index` and `events`. */
export const defaultOperator: Operator = new Operator();

/** Declares handlers of the default operator. */
export const on: On = defaultOperator.on;

/** Declares daemons of the default operator. */
export const daemon: DeclareDaemon = defaultOperator.daemon;

/** Declares timers of the default operator. */
export const timer: DeclareTimer = defaultOperator.timer;

/** Declares indexes of the default operator. */
export const index: DeclareIndex = defaultOperator.index;

/** Posts Kubernetes events about objects, by the default operator. */
export const events: Events = defaultOperator.events;
