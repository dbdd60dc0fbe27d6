/**
 * One turn of one object: its state, an empty patch, loggers that are bound to the object, and the run. Nested, so that a turn
 * copies nothing of the run.
 *
 * Also what manners have in common: the surroundings of calls, asking filters, and reports that come once.
 */

import type { Client } from "../client/client.ts";
import type { HotLoops } from "../engines/hot_loop.ts";
import { bridgeLogger, type Poster } from "../engines/posting/poster.ts";
import type { Caller } from "./call.ts";
import type { Lifecycle } from "../execution/lifecycle.ts";
import type { ObjectState } from "../execution/object_state.ts";
import type { ObjectWriter } from "../execution/object_writer.ts";
import type { AttemptEnd, Observer } from "../execution/observer.ts";
import type { FieldPath } from "../model/fields.ts";
import { Patch } from "../model/patch.ts";
import { type ObjectReference, objectReference } from "../model/references.ts";
import { ObjectArgs } from "./object_args.ts";
import type { ObjectCause } from "./causes.ts";
import type { MakeChildren } from "../registry/children.ts";
import { type Candidate, matches } from "./filters.ts";
import type { ObjectHandler } from "./handlers.ts";
import type { Index } from "./index/index_handle.ts";
import type { HandlersOfKind, Registry } from "./registry.ts";
import type { Host } from "../runtime/host.ts";
import type { Logger } from "../runtime/logging.ts";
import { confidentialFieldsOf } from "../settings/server_selectors.ts";
import type { Persistence } from "../settings/persistence/storage.ts";
import type { Settings } from "../settings/settings.ts";
import type { Manner, Part, Sees } from "./part.ts";

/** The things that all turns of one run share. */
export interface Run {
  readonly host: Host;
  readonly client: Client;
  readonly registry: Registry;
  readonly poster: Poster;
  readonly observer: Observer;
  /** Finds objects that wake themselves. */
  readonly hotLoops: HotLoops;
  readonly settings: Settings;
  readonly persistence: Persistence;
  readonly lifecycle: () => Lifecycle;
  readonly indices: Readonly<Record<string, Index>>;
  readonly writer: ObjectWriter;
  /** Makes `children` for handlers. Default: they have none. */
  readonly makeChildren?: MakeChildren;
  readonly logger: Logger;
  /** Aborts when handlers must stop. */
  readonly signal: AbortSignal;
  /** Begins another turn of the object, if it is still there. */
  readonly wake: (state: ObjectState) => boolean;
  /** All manners that take part in turns, in the order in which their parts do. */
  readonly manners: readonly Manner[];
}

/** The facts that are known once for each kind, until its handlers change. */
export interface Kind {
  readonly handlers: HandlersOfKind;
  /** The manners that have handlers for it, in order. */
  readonly manners: readonly Manner[];
  /** The union of what they look at. */
  readonly sees: Sees;
  /** Whether a manner wants each raw event. */
  readonly keepsEvents: boolean;
}

/** One turn. What decides looks at `state.snapshot`, never at `state.body`, which an event may change meanwhile. */
export interface Turn {
  readonly run: Run;
  readonly kind: Kind;
  readonly state: ObjectState;
  readonly parts: readonly Part[];
  /** Whether it goes before what the initial listing has brought. */
  readonly urgent: boolean;
  /** Bound to the object. Its lines become Kubernetes events, where the settings say so. */
  readonly logger: Logger;
  /** The same, but its lines stay in the log. */
  readonly localLogger: Logger;
  /** The changes that handlers of this turn want. */
  readonly patch: Patch;
  /** The attempts that have ended well so far: the server may refuse what they have written. */
  readonly succeeded: Set<AttemptEnd>;
}

/** Begins a turn, with the parts of all manners that concern the kind. */
export function prepare(
  run: Run,
  state: ObjectState,
  { kind, isUrgent: urgent }: { readonly kind: Kind; readonly isUrgent: boolean },
): Turn {
  const reference = objectReference(state.body);
  const localLogger = run.logger.child({ name: "lotse.objects", reference });
  const parts: Part[] = [];
  const turn: Turn = {
    run,
    kind,
    state,
    parts,
    urgent,
    logger: postingLogger(localLogger, reference, run),
    localLogger,
    patch: new Patch(),
    succeeded: new Set(),
  };
  for (const manner of kind.manners) parts.push(manner.part(turn));
  return turn;
}

/** Where the settings say so, what handlers log becomes Kubernetes events. */
export function postingLogger(
  logger: Logger,
  reference: ObjectReference,
  { poster, settings: { posting } }: Pick<Run, "poster" | "settings">,
): Logger {
  if (!posting.loggers || !posting.enabled) return logger;
  return bridgeLogger(logger, {
    level: () => posting.level,
    post: (content) => poster.post(reference, content, posting.loggingBackoffs),
  });
}

/** Returns the surroundings of calls in a turn. */
export function callerOf({ run, state, logger, succeeded }: Turn): Caller {
  const { host: { clock, random }, signal, settings, observer } = run;
  const { defaultBackoff } = settings.execution;
  return { clock, random, logger, signal, observed: { observer, subject: state, succeeded }, defaultBackoff };
}

/** Returns what functions get to see of the object, as the turn began with it. */
export function causeOf({ run, state, logger, patch }: Turn): ObjectCause {
  const { resource, snapshot: body, memo } = state;
  const { indices, makeChildren } = run;
  return { resource, body, memo, logger, indices, patch, makeChildren };
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
