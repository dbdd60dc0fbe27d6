/**
 * The one argument that functions are called with: a class with getters, so that only what is taken is computed.
 */

import type { Attempt } from "../execution/call.ts";
import type { ChildEvent } from "../execution/child_events.ts";
import type { ReconcileReason } from "../execution/reconcile_record.ts";
import type { Stopped } from "../async/stop_flag.ts";
import type { Clock, Seconds } from "../runtime/host.ts";
import type { Logger } from "../runtime/logging.ts";
import { calculateDiff, type Diff, reduceDiff } from "../model/diff.ts";
import { type FieldPath, getField } from "../model/fields.ts";
import { deepFreeze } from "../model/json.ts";
import type { JsonObject, KubeObject, ObjectMeta, WatchEvent } from "../model/object.ts";
import type { Patch } from "../model/patch.ts";
import type { Resource } from "../model/resource.ts";
import { liveViews, snapshotViews, type Views } from "../model/views.ts";
import type { StopReason, Sub } from "./arguments.ts";
import type { AdmissionCause, ChangeCause, EventCause, ObjectCause, Reason, UserInfo } from "./causes.ts";
import type { Children } from "./children.ts";
import { type Conditions, ObjectConditions } from "./conditions.ts";
import type { AdmissionOperation } from "./handlers.ts";
import type { Index } from "./index_handle.ts";

/** Arguments about an object. Filters get it without an attempt. */
export class ObjectArgs<Cause extends ObjectCause = ObjectCause> {
  readonly #cause: Cause;
  readonly #attempt: Attempt | undefined;
  #made: Views | undefined;
  #conditions: Conditions | undefined;
  #children: Children | undefined;

  constructor(cause: Cause, attempt?: Attempt) {
    this.#cause = cause;
    this.#attempt = attempt;
  }

  get resource(): Resource {
    return this.#cause.resource;
  }
  get body(): Readonly<KubeObject> {
    return this.#views.body;
  }
  get spec(): Readonly<Record<string, unknown>> {
    return this.#views.spec;
  }
  get status(): Readonly<Record<string, unknown>> {
    return this.#views.status;
  }
  get meta(): Readonly<ObjectMeta> {
    return this.#views.meta;
  }
  get labels(): Readonly<Record<string, string>> {
    return this.#views.labels;
  }
  get annotations(): Readonly<Record<string, string>> {
    return this.#views.annotations;
  }
  get name(): string | undefined {
    return this.#cause.body.metadata?.name;
  }
  get namespace(): string | undefined {
    return this.#cause.body.metadata?.namespace;
  }
  get uid(): string | undefined {
    return this.#cause.body.metadata?.uid;
  }
  get patch(): Patch {
    return this.#cause.patch;
  }
  get logger(): Logger {
    return this.#cause.logger;
  }
  get memo(): Record<string, unknown> {
    return this.#cause.memo;
  }
  get indices(): Readonly<Record<string, Index>> {
    return this.#cause.indices;
  }
  get param(): unknown {
    return this.#attempt?.param;
  }
  get retry(): number | undefined {
    return this.#attempt?.retry;
  }
  get started(): Date | undefined {
    return this.#attempt && new Date(this.#attempt.started);
  }
  get runtime(): Seconds | undefined {
    if (this.#attempt === undefined) return undefined;
    const { clock, begun } = this.#attempt;
    return clock.monotonic() - begun;
  }
  get signal(): AbortSignal | undefined {
    return this.#attempt?.signal;
  }
  get clock(): Clock | undefined {
    return this.#attempt?.clock;
  }

  /** The conditions. What is set goes into the patch: handlers only. */
  get conditions(): Conditions | undefined {
    const { patch, body, newest = () => body } = this.#cause;
    const clock = this.#attempt?.clock;
    return clock &&
      (this.#conditions ??= new ObjectConditions({ body: newest, patch, now: () => clock.now() }));
  }

  /** Brings about the children of the object: in handlers only that are called again. */
  get children(): Children | undefined {
    const { body, newest = () => body, patch, makeChildren } = this.#cause;
    const signal = this.#attempt?.signal;
    const { conditions } = this;
    if (makeChildren === undefined || signal === undefined || conditions === undefined) return undefined;
    return this.#children ??= makeChildren({ owner: newest, patch, conditions, signal });
  }

  get #views(): Views {
    const { body, newest } = this.#cause;
    return this.#made ??= newest === undefined ? snapshotViews(body) : liveViews(newest);
  }
}

/** Arguments of a reconcile. */
export class ReconcileArgs extends ObjectArgs {
  readonly reasons: readonly ReconcileReason[];
  readonly attempt: number;

  constructor(
    cause: ObjectCause,
    options: { readonly attempt: Attempt; readonly reasons: readonly ReconcileReason[] },
  ) {
    super(cause, options.attempt);
    this.reasons = options.reasons;
    this.attempt = options.attempt.retry + 1;
  }
}

/** Arguments of a handler of children: all but the child is its owner's. */
export class ChildArgs extends ObjectArgs {
  readonly #event: ChildEvent;

  constructor(cause: ObjectCause, options: { readonly attempt: Attempt; readonly event: ChildEvent }) {
    super(cause, options.attempt);
    this.#event = options.event;
  }

  get type(): ChildEvent["type"] {
    return this.#event.type;
  }
  get child(): Readonly<KubeObject> {
    return deepFreeze(this.#event.object);
  }
  get old(): Readonly<KubeObject> | undefined {
    return deepFreeze(this.#event.old);
  }
}

/** Arguments of the predicate of a reconcile. */
export class PredicateArgs extends ObjectArgs {
  readonly #old: KubeObject;

  constructor(cause: ObjectCause, old: KubeObject) {
    super(cause);
    this.#old = old;
  }

  get old(): Readonly<KubeObject> {
    return deepFreeze(this.#old);
  }
}

/** Arguments of daemons and timers. */
export class DaemonArgs extends ObjectArgs {
  readonly #stopped: () => Stopped<StopReason>;

  constructor(
    cause: ObjectCause,
    options: { readonly attempt: Attempt; readonly stopped: () => Stopped<StopReason> },
  ) {
    super(cause, options.attempt);
    this.#stopped = options.stopped;
  }

  get stopped(): Stopped<StopReason> {
    return this.#stopped();
  }
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

/** Options of {@linkcode ChangeArgs}. */
export interface ChangeArgsOptions {
  readonly attempt?: Attempt;
  readonly field?: FieldPath;
  /** Makes the function that sub-handlers are declared with. */
  readonly sub?: () => Sub;
}

/** Arguments about a change; with a field, `old`, `new` and `diff` are the field's. */
export class ChangeArgs extends ObjectArgs<ChangeCause> {
  readonly #cause: ChangeCause;
  readonly #field: FieldPath | undefined;
  readonly #sub: (() => Sub) | undefined;

  constructor(cause: ChangeCause, options: ChangeArgsOptions = {}) {
    super(cause, options.attempt);
    this.#cause = cause;
    this.#field = options.field;
    this.#sub = options.sub;
  }

  get reason(): Reason {
    return this.#cause.reason;
  }
  get old(): unknown {
    return this.#at(this.#cause.old);
  }
  get new(): unknown {
    return this.#at(this.#cause.new);
  }
  get sub(): Sub | undefined {
    return this.#sub?.();
  }
  get diff(): Diff {
    // NB: its list is frozen already, so that what is in it has to be named.
    for (const { old, new: now } of this.#cause.diff) [old, now].forEach(deepFreeze);
    return this.#field === undefined ? this.#cause.diff : reduceDiff(this.#cause.diff, this.#field);
  }

  #at(essence: unknown): unknown {
    const value = this.#field === undefined ? essence : getField(essence, this.#field);
    return deepFreeze(value);
  }
}

/** Arguments about a request under review; `old`, `new` and `diff` are the whole object's, also with a field. */
export class AdmissionArgs extends ObjectArgs<AdmissionCause> {
  readonly #cause: AdmissionCause;
  #diff: Diff | undefined;

  constructor(cause: AdmissionCause, attempt?: Attempt) {
    super(cause, attempt);
    this.#cause = cause;
  }

  get operation(): AdmissionOperation {
    return this.#cause.operation;
  }
  get subresource(): string | undefined {
    return this.#cause.subresource;
  }
  get dryrun(): boolean {
    return this.#cause.dryrun;
  }
  get warnings(): string[] {
    return this.#cause.warnings;
  }
  get userinfo(): UserInfo {
    return deepFreeze(this.#cause.userinfo);
  }
  get headers(): Readonly<Record<string, string>> {
    return this.#cause.headers;
  }
  get sslpeer(): Readonly<JsonObject> {
    return this.#cause.sslpeer;
  }
  get old(): Readonly<KubeObject> | undefined {
    return deepFreeze(this.#cause.old);
  }
  get new(): Readonly<KubeObject> | undefined {
    return deepFreeze(this.#cause.new);
  }
  get diff(): Diff {
    return this.#diff ??= calculateDiff(this.#cause.old, this.#cause.new);
  }
}
