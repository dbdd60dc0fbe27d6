/**
 * The things that one reconcile works with: the object's state, an empty patch, loggers that are bound to the object, and the run.
 *
 * Also what its parts have in common: the work that handlers of all sorts leave for the write, asking filters, and
 * reports that come once.
 */

import type { Client } from "../client/client.ts";
import type { Daemons } from "../engines/daemons/daemons.ts";
import type { HotLoops } from "../engines/hot_loop.ts";
import { bridgeLogger, type Poster } from "../engines/posting/poster.ts";
import type { Caller } from "../execution/call.ts";
import type { Lifecycle } from "../execution/lifecycle.ts";
import type { ObjectWriter } from "../execution/object_writer.ts";
import type { ObjectState } from "../execution/object_state.ts";
import type { AttemptEnd, Observer } from "../execution/observer.ts";
import { Progress } from "../execution/progress.ts";
import { RecordTimes } from "../execution/record_times.ts";
import type { FinalizerChange } from "../execution/write_requests.ts";
import type { FieldPath } from "../model/fields.ts";
import type { JsonObject } from "../model/object.ts";
import { Patch } from "../model/patch.ts";
import { type ObjectReference, objectReference } from "../model/references.ts";
import { ObjectArgs } from "../registry/args.ts";
import type { ObjectCause } from "../registry/causes.ts";
import type { MakeChildren } from "../registry/children.ts";
import { type Candidate, matches } from "../registry/filters.ts";
import type { ChangeHandler, ObjectHandler } from "../registry/handlers.ts";
import type { Index } from "../registry/index_handle.ts";
import type { HandlersOfKind, Registry } from "../registry/registry.ts";
import type { Clock, Host, Seconds } from "../runtime/host.ts";
import type { Logger } from "../runtime/logging.ts";
import { confidentialFieldsOf } from "../settings/server_selectors.ts";
import type { Slots } from "./slots.ts";
import type { SeenStatuses } from "./unseen.ts";
import type { Turn } from "./work_queue.ts";
import type { Persistence, ProgressRecord, UnreadableRecord } from "../settings/persistence/storage.ts";
import type { Settings } from "../settings/settings.ts";

/** The things that all reconciles of one run share. */
export interface ReconciliationOptions {
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
  readonly daemons: Daemons;
  readonly writer: ObjectWriter;
  /** Makes `children` for handlers. Default: they have none. */
  readonly makeChildren?: MakeChildren;
  readonly logger: Logger;
  /** Aborts when handlers must stop. */
  readonly signal: AbortSignal;
}

/** The things that the controller adds for all of its reconciles. */
export interface Shared extends ReconciliationOptions {
  /** How many objects may reconcile at the same time, by handler. */
  readonly slots: Slots;
  /** Which members of objects' status matter. */
  readonly seen: SeenStatuses;
  /** Begins another turn of the object, if it is still there. */
  readonly wake: (state: ObjectState) => void;
}

/** The things that one reconcile works with. */
export interface Reconciliation extends Shared {
  /** NB: what decides looks at `state.snapshot`, never at `state.body`: an event may change that meanwhile. */
  readonly state: ObjectState;
  /** The handlers of its kind. */
  readonly handlers: HandlersOfKind;
  /** The fields of the object whose values must not be in notes and log lines. */
  readonly confidential: readonly FieldPath[];
  /** Whether it goes before what the initial listing has brought. */
  readonly urgent: boolean;
  readonly clock: Clock;
  /** Bound to the object. Its lines become Kubernetes events, where the settings say so. */
  readonly logger: Logger;
  /** The same, but its lines stay in the log. */
  readonly localLogger: Logger;
  /** The changes that handlers of this reconcile want. */
  readonly patch: Patch;
  /** The attempts that have ended well so far: the server may refuse what they have written. */
  readonly succeeded: Set<AttemptEnd>;
}

/** The work that was done, as the write needs it. NB: `records()` and `delay()` are asked after the write, which may drop things. */
export interface Work {
  /** The ids of handlers that have put something into the patch. */
  readonly handlers?: readonly string[];
  /** The framework's own changes. */
  readonly notes?: Patch;
  readonly finalizer?: FinalizerChange;
  /** The essence that the notes say is handled; undefined while the cause goes on. */
  readonly handled?: JsonObject;
  /** Returns the records of handlers, signed with what is on the object when everything is written; undefined: as they were. */
  records?(): ReadonlyMap<string, ProgressRecord>;
  /** Returns how long until a handler wants to run again; undefined: none does. */
  delay?(): Seconds | undefined;
}

/** Makes what a reconcile of one object works with. */
export function prepare(shared: Shared, state: ObjectState, { isUrgent: urgent }: Turn): Reconciliation {
  const { host, client, registry, poster, observer, hotLoops, settings, persistence, lifecycle } = shared;
  const { indices, daemons, writer, makeChildren, signal, slots, seen, wake } = shared;
  const reference = objectReference(state.body);
  const localLogger = shared.logger.child({ name: "lotse.objects", reference });
  // NB: written out, since a copy by spread costs several times as much, and there is one for each turn.
  const prepared: { [Key in keyof Required<Reconciliation>]: Reconciliation[Key] } = {
    host,
    client,
    registry,
    poster,
    observer,
    hotLoops,
    settings,
    persistence,
    lifecycle,
    indices,
    daemons,
    writer,
    makeChildren,
    signal,
    slots,
    seen,
    wake,
    state,
    urgent,
    clock: host.clock,
    handlers: registry.of(state.resource),
    confidential: confidentialFieldsOf(settings.persistence, state.resource),
    logger: postingLogger(localLogger, reference, shared),
    localLogger,
    patch: new Patch(),
    succeeded: new Set(),
  };
  return prepared;
}

/** Where the settings say so, what handlers log becomes Kubernetes events. */
export function postingLogger(
  logger: Logger,
  reference: ObjectReference,
  { poster, settings: { posting } }: Pick<ReconciliationOptions, "poster" | "settings">,
): Logger {
  if (!posting.loggers || !posting.enabled) return logger;
  return bridgeLogger(logger, {
    level: () => posting.level,
    post: (content) => poster.post(reference, content, posting.loggingBackoffs),
  });
}

/** Returns the surroundings of calls in a turn of the object. */
export function callerOf(
  { state, logger, host: { clock, random }, signal, settings, observer, succeeded }: Reconciliation,
): Caller {
  const { defaultBackoff } = settings.execution;
  return { clock, random, logger, signal, observed: { observer, subject: state, succeeded }, defaultBackoff };
}

/** Loads what the object, or a write that failed, holds about these handlers. */
export function loadProgress(
  r: Reconciliation,
  handlers: readonly Pick<ChangeHandler, "id">[],
): Progress<ChangeHandler> {
  const { state: { snapshot: body, pending }, persistence, clock } = r;
  r.state.times ??= new RecordTimes(clock);
  return new Progress<ChangeHandler>({
    times: r.state.times,
    storage: persistence.progress,
    body,
    ids: [...new Set(handlers.map(({ id }) => id))],
    unsaved: pending.records,
    onUnreadable: (record) => reportUnreadable(r, record),
  });
}

/** Returns what functions get to see of the object, as the reconcile began with it. */
export function causeOf({ state, logger, indices, patch, makeChildren }: Reconciliation): ObjectCause {
  const { resource, snapshot: body, memo } = state;
  return { resource, body, memo, logger, indices, patch, makeChildren };
}

/** Whether all filters of a handler hold; a handler whose filter throws does not match, which is reported once. */
export function isWanted(r: Reconciliation, handler: ObjectHandler, asked?: Candidate): boolean {
  try {
    return matches(handler, asked ?? { body: r.state.snapshot, args: () => new ObjectArgs(causeOf(r)) });
  } catch (error) {
    reportFailedFilter(r, handler, error);
    return false;
  }
}

/** Says once per object and handler that its filter throws; the handler then counts as not matching. */
export function reportFailedFilter(
  { state, logger }: Reconciliation,
  handler: ObjectHandler,
  error: unknown,
): void {
  if (!state.reportOnce(handler.id)) return;
  logger.error("Filter failed: the handler counts as not matching", { handler: handler.id, error });
}

/** Says once per object that a note of ours cannot be read, and what that means. */
export function reportUnreadable(
  { state, logger }: Reconciliation,
  { where, reason }: UnreadableRecord,
): void {
  if (!state.reportOnce(where)) return;
  logger.warn("Cannot read a note on the object: it counts as absent", { note: where, reason });
}

const LOSSES = {
  part:
    "The object is too large for its state to be noted whole: handlers of changes will not know what large fields were " +
    "before (leave such fields out by `ignoredFields`, or keep notes elsewhere)",
  all:
    "There is no room for notes in the object's annotations: they are kept in memory, and the next start takes the object " +
    "for a new one (make room, or keep notes elsewhere)",
} as const;

/** Says once per object that its state cannot be noted as it should be, what that means, and what to do. */
export function reportLoss({ state, logger }: Reconciliation): (what: keyof typeof LOSSES) => void {
  return (what) => {
    const message = LOSSES[what];
    if (state.reportOnce(message)) logger.warn(message);
  };
}
