/**
 * One turn of one object: its state, an empty patch, loggers that are bound to the object, and the run. Nested, so that a turn
 * makes no copy of the run's members.
 *
 * Also the code that manners share: the surroundings of calls, asking filters, and reports that come once.
 */

import { type Permit, PermitEndedError } from "../client/transport/permit.ts";
import type { LoopingReconcile } from "../engines/hot_loop.ts";
import { bridgeLogger } from "../engines/posting/poster.ts";
import type { Term } from "../execution/fence.ts";
import { hasEnded } from "../execution/invoke.ts";
import type { ObjectState } from "../execution/object_state.ts";
import type { FieldPath } from "../model/fields.ts";
import { Patch } from "../model/patch.ts";
import { type ObjectReference, objectReference } from "../model/references.ts";
import { type Logger, verboseLogger } from "../runtime/logging.ts";
import { confidentialFieldsOf } from "../settings/server_selectors.ts";
import { type Caller, countSuccesses } from "./call.ts";
import type { ObjectCause } from "./object_args.ts";
import { type Candidate, matches } from "./filters.ts";
import type { ObjectHandler } from "./handlers.ts";
import { ObjectArgs } from "./object_args.ts";
import type { Kind, Part, Run, Turn } from "./part.ts";

export type { Kind, Run, Turn };

/** Begins a turn, with the parts of all manners that concern the kind. */
export function prepare(
  run: Run,
  state: ObjectState,
  { kind, term, isUrgent: urgent, isHurried = false, reconcile }: {
    readonly kind: Kind;
    readonly term?: Term;
    readonly isUrgent: boolean;
    /** Default: false. */
    readonly isHurried?: boolean;
    /** The id that all log lines of the turn have. Default: none. */
    readonly reconcile?: string;
  },
): Turn {
  const reference = objectReference(state.body);
  const base = run.wishes?.isVerbose(state) === true ? verboseLogger(run.logger) : run.logger;
  const localLogger = base.child({
    name: "lotse.objects",
    reference,
    ...reconcile !== undefined && { context: { reconcile } },
  });
  const parts: Part[] = [];
  const turn: Turn = {
    run,
    kind,
    state,
    parts,
    term,
    signal: term?.signal ?? run.signal,
    urgent,
    isHurried,
    logger: postingLogger(localLogger, reference, {
      poster: run.poster,
      settings: run.settings,
      permit: term,
    }),
    localLogger,
    patch: new Patch(),
    succeeded: new Set(),
  };
  for (const { manner, handlers } of kind.manners) parts.push(manner.part(turn, handlers));
  return turn;
}

/** Where the settings say so, log lines of handlers become Kubernetes events. */
export function postingLogger(
  logger: Logger,
  reference: ObjectReference,
  { poster, settings: { posting }, permit }: Pick<Run, "poster" | "settings"> & { readonly permit?: Permit },
): Logger {
  if (!posting.loggers || !posting.enabled) return logger;
  return bridgeLogger(logger, {
    level: () => posting.level,
    post: (content) => poster.post(reference, content, { backoffs: posting.loggingBackoffs, permit }),
  });
}

/** Returns the surroundings of calls in a turn. */
export function callerOf({ run, state, term: permit, signal, logger, succeeded }: Turn): Caller {
  const { host: { clock, random }, settings, observer } = run;
  const { defaultBackoff } = settings.execution;
  const observed = { observer, subject: state, succeeded };
  return { clock, random, logger, signal, permit, observed, defaultBackoff };
}

/** Whether the turn's term has ended by the clocks of this moment, although no timer may have told of it yet. */
export function hasLostTerm({ term }: Pick<Turn, "term">): boolean {
  return hasEnded(term);
}

/** Whether a handler that has failed was interrupted: the operator stops, or the term has ended. Its attempt does not count. */
export function isInterrupted(turn: Pick<Turn, "term" | "signal">): boolean {
  return turn.signal.aborted || hasLostTerm(turn);
}

/**
 * Asked right before a handler is called: between the beginning of a turn, or the answer to a read, and the call a process may have
 * been stopped for longer than its session lasts, and another replica has handled the object since.
 *
 * @throws {PermitEndedError} If the turn's term has ended.
 */
export function checkTerm(turn: Pick<Turn, "term">): void {
  if (!hasLostTerm(turn)) return;
  throw new PermitEndedError(
    "Cannot call a handler: this replica is not responsible for the object any more",
  );
}

/** Returns the facts by which the detector of hot loops names a loop. */
export function loopingIn(turn: Turn): LoopingReconcile {
  const { state, logger, signal, run: { client, observer } } = turn;
  return { state, client, signal, logger, observer };
}

/** Counts the attempts of the turn, and of earlier ones, that have succeeded for good by now. */
export function decideSuccesses({ run: { observer }, state, logger, succeeded }: Turn): void {
  countSuccesses(state.pending.decide(succeeded), { observed: { observer, subject: state }, logger });
  succeeded.clear();
}

/** Returns the view of the object that functions get, as the turn began with it. */
export function causeOf({ run, state, logger, patch }: Turn): ObjectCause {
  const { resource, snapshot: body } = state;
  const { indices, makeChildren } = run;
  return {
    resource,
    body,
    get memo() {
      return state.memo;
    },
    logger,
    indices,
    patch,
    makeChildren,
  };
}

/** Returns the fields of the object whose values must not be in notes and log lines. */
export function confidentialOf({ run, state }: Turn): readonly FieldPath[] {
  return confidentialFieldsOf(run.settings.persistence, state.resource);
}

/** Whether all filters of a handler hold; a handler whose filter throws does not match, which is reported once. */
export function isWanted(turn: Turn, handler: ObjectHandler, asked?: Candidate): boolean {
  try {
    return matches(
      handler,
      asked ?? { body: turn.state.snapshot, args: () => new ObjectArgs(causeOf(turn)) },
    );
  } catch (error) {
    reportFailedFilter(turn, handler, error);
    return false;
  }
}

/** Says once per object and handler that its filter throws; the handler then counts as not matching. */
export function reportFailedFilter({ state, logger }: Turn, handler: ObjectHandler, error: unknown): void {
  if (!state.reportOnce(handler.id)) return;
  logger.error("Filter failed: the handler counts as not matching", { handler: handler.id, error });
}
