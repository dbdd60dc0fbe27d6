/**
 * The progress of one object's handlers with one cause: records are loaded from the object's notes, changed by outcomes, and
 * written back.
 *
 * Only handlers that are selected for the current reconcile are *active*: they decide when the cause is done and when to wake
 * up. The records of other handlers are loaded to be purged with the cause. A record counts only for the purpose that it was
 * made for. A finished record counts only while the object still is as its handler last saw it (the digest): else the handler
 * runs again. Handlers of resumption, which are mixed into other causes, keep their records when the cause becomes another one.
 * Source: scenarios A139–A164, G1, G2, G3.
 */

import type { Handler, Outcome } from "../../execution/handler.ts";
import type { Candidate } from "../../execution/lifecycle.ts";
import type { KubeObject } from "../../model/object.ts";
import type { Patch } from "../../model/patch.ts";
import { formatTimestamp } from "../../model/timestamps.ts";
import { errorMessage } from "../../runtime/error_text.ts";
import type { Seconds } from "../../runtime/host.ts";
import type { FetchOptions, ProgressRecord, ProgressStorage } from "../../settings/persistence/storage.ts";
import { after, FRESH, type Moment, refused, type RefusedWrite, type Retry } from "../retry.ts";
import { type RecordTimes, secondsUntil } from "./record_times.ts";

/** The last time that can be written, in milliseconds since 1970. */
const LAST = Date.UTC(9999, 11, 31);

/** By how much due times may be off: they are written with milliseconds, and clocks of two machines differ. */
const TOLERANCE: Seconds = 2;

/** How much earlier than due a handler may run: times are written with milliseconds. */
const ROUNDING: Seconds = 0.001;

/** Why a record was made. */
export type Purpose = "create" | "update" | "delete" | "resume";

/** A handler of the current reconcile, with its record. */
export interface ActiveHandler<H extends Handler> extends Candidate {
  readonly handler: H;
  /** When the first attempt was considered, in milliseconds since 1970. */
  readonly started: number;
  /** How long ago that was. */
  readonly runtime: Seconds;
}

export interface LoadOptions {
  readonly storage: ProgressStorage;
  readonly body: KubeObject;
  /** All handlers whose records could be there. */
  readonly ids: readonly string[];
  /** Records of earlier reconciles whose write failed; they win over the stored ones. */
  readonly unsaved: ReadonlyMap<string, ProgressRecord>;
  /** Knows the records' times by the monotonic clock. Default: they are taken as they are written. */
  readonly times?: RecordTimes;
  /** Whether unsaved records that the object does not have are written only when they change. Default: false. */
  readonly holdsBack?: boolean;
  /** How records are read. */
  readonly reading?: FetchOptions;
}

export interface ActivateOptions<H> {
  readonly purpose: Purpose;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Whether the handler would see the same object now as when its record got this digest, or whether that does not matter. */
  readonly isAsSigned: (handler: H, digest: string) => boolean;
  /** Whether a handler takes its record along when the cause becomes another one. Default: none does. */
  readonly carriesOver?: (handler: H) => boolean;
}

export interface SettleOptions {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Ids of sub-handlers, of any depth, that the attempt has had. */
  readonly descendants?: ReadonlySet<string>;
}

export interface RefuseOptions extends Omit<RefusedWrite, "now"> {
  /** Milliseconds since 1970. */
  readonly now: number;
}

interface State<H> {
  record: ProgressRecord;
  /** The record that the object holds; undefined if there is none. */
  readonly stored: ProgressRecord | undefined;
  handler?: H;
  /** When the record was made, if this turn has made it: then the text of its time is not parsed. */
  started?: number;
  /** Whether the record is to be written although its handler is not active. */
  isRenewed?: boolean;
}

/** The progress of one object's handlers. */
export class Progress<H extends Handler> {
  readonly #options: LoadOptions;
  readonly #states = new Map<string, State<H>>();
  #purpose: Purpose | undefined;

  constructor(options: LoadOptions) {
    this.#options = options;
    for (const id of options.ids) {
      const stored = options.storage.fetch(options.body, id, options.reading);
      const unsaved = options.unsaved.get(id);
      const record = unsaved ?? stored;
      if (record === undefined) continue;
      this.#states.set(id, { record, stored: stored ?? (options.holdsBack ? unsaved : undefined) });
    }
  }

  /** Whether the object (or a failed write) holds any records. */
  get isEmpty(): boolean {
    return this.#states.size === 0;
  }

  /** Makes these handlers active, with fresh records where there are no valid ones. */
  activate(handlers: readonly H[], options: ActivateOptions<H>): void {
    this.#purpose = options.purpose;
    for (const handler of handlers) {
      const state = this.#states.get(handler.id);
      const before = state !== undefined && options.carriesOver?.(handler)
        ? carriedOver(state.record, options.purpose)
        : state?.record;
      const isKept = before !== undefined &&
        isValid(before, options.purpose, (digest) => options.isAsSigned(handler, digest));
      const record = isKept ? this.#clampDelay(handler.id, before, options.now) : fresh(options);
      const started = isKept ? undefined : options.now;
      this.#states.set(handler.id, { record, stored: state?.stored, handler, started });
      if (isKept) this.#learn(handler.id, options.now);
      else this.#options.times?.begin(`${handler.id} started`, record.started);
    }
  }

  /** Drops the delays of active handlers: they may run now. */
  hurry(): void {
    for (const state of this.#states.values()) {
      if (state.handler === undefined || isFinished(state.record)) continue;
      state.record = { ...state.record, delayed: undefined, delay: undefined };
    }
  }

  /** The active handlers that may run now, in the order of activation. */
  awake(now: number): ActiveHandler<H>[] {
    const awake: ActiveHandler<H>[] = [];
    for (const [id, { handler, record, started }] of this.#states) {
      if (handler === undefined || isFinished(record)) continue;
      if (record.delayed !== undefined && this.#rest(id, record, now) > ROUNDING) continue;
      awake.push({
        handler,
        id,
        retry: record.retries,
        started: started ?? timeOf(record.started) ?? now,
        runtime: started === undefined ? this.#runtime(id, record, now) : 0,
      });
    }
    return awake;
  }

  /** Whether all active handlers have finished; true when there are none. */
  get isDone(): boolean {
    return this.#active().every(({ record }) => isFinished(record));
  }

  /** The active handlers. */
  get handlers(): readonly H[] {
    return this.#active().map(({ handler }) => handler);
  }

  /** The active handlers that have failed for good. */
  get failed(): readonly H[] {
    return this.#active().filter(({ record }) => record.failure).map(({ handler }) => handler);
  }

  /** Returns the record of a handler; undefined if it was never considered. */
  recordOf(id: string): Readonly<ProgressRecord> | undefined {
    return this.#states.get(id)?.record;
  }

  /** How long until the next active handler may run; undefined when all are finished. */
  delay(now: number): Seconds | undefined {
    const pending = this.#active().filter(({ record }) => !isFinished(record));
    if (pending.length === 0) return undefined;
    return Math.max(
      0,
      Math.min(...pending.map(({ handler, record }) => this.#rest(handler.id, record, now))),
    );
  }

  /** Notes how an attempt ended. */
  settle(id: string, outcome: Outcome, options: SettleOptions): void {
    const state = this.#states.get(id);
    if (state === undefined) return;
    state.record = afterOutcome(state.record, outcome, options);
    if (!isFinished(state.record)) this.#learn(id, options.now);
  }

  /**
   * Judges anew the successes of handlers whose write was refused; records that are on the object already stay. The new records
   * are to be written, whether the handlers are active or not.
   */
  refuse(handlers: readonly H[], { now, error, context }: RefuseOptions): void {
    for (const handler of handlers) {
      const state = this.#states.get(handler.id);
      if (state?.record.success !== true) continue;
      const { record, stored } = state;
      if (stored !== undefined && isEqual(record, stored)) continue;
      const runtime = this.#runtime(handler.id, record, now);
      const undecided = rowOf(record.retries - 1, { wall: now - runtime * 1000, monotonic: NOW - runtime });
      const row = refused({ ...FRESH, undecided }, handler, { error, context, now: NOW });
      if (row?.error !== undefined) state.record = recordOf(row, record, { now });
      state.isRenewed = true;
      this.#learn(handler.id, now);
    }
  }

  /** Counts of records that were made for other purposes. To be asked before `activate()`. */
  othersThan(purpose: Purpose): Counts {
    return count([...this.#states.values()].filter(({ record }) => isOfOther(record, purpose)));
  }

  /** The ids of all sub-handlers, of any depth, that the active handlers have ever had. */
  get descendants(): readonly string[] {
    return this.#active().flatMap(({ record }) => record.subrefs ?? []);
  }

  /** Puts a new digest into finished records of active handlers, if the handler has run or the record has a digest already. */
  sign(
    digest: (handler: H, record: ProgressRecord) => string | undefined,
    hasRun: (id: string) => boolean,
  ): void {
    for (const state of this.#active()) {
      const { record, handler } = state;
      if (!isFinished(record) || (record.digest === undefined && !hasRun(handler.id))) continue;
      const seen = digest(handler, record);
      if (seen !== undefined) state.record = { ...record, digest: seen };
    }
  }

  /** Replaces these digests in finished records by `after`, also where the handler is not active. */
  replaceDigests(others: readonly string[], after: string): void {
    for (const state of this.#states.values()) {
      const { digest } = state.record;
      if (!isFinished(state.record) || digest === undefined || !others.includes(digest)) continue;
      state.record = { ...state.record, digest: after };
      state.isRenewed = true;
    }
  }

  /** Counts of the active handlers. */
  get counts(): Counts {
    return count(this.#active());
  }

  /** Puts the records that changed into the patch, and the removal of records that were made for other purposes. */
  store(patch: Patch): void {
    const { storage, body } = this.#options;
    for (const [id, { record, stored, handler, isRenewed }] of this.#states) {
      if (handler === undefined && isRenewed !== true) {
        if (this.#purpose !== undefined && isOfOther(record, this.#purpose)) this.#purge(patch, id, record);
      } else if (stored === undefined || !isEqual(record, stored)) {
        storage.store({ patch, body, id, record });
      }
    }
  }

  /** Puts the removal of all records, also of handlers that are not active, into the patch. */
  purge(patch: Patch): void {
    for (const [id, { record }] of this.#states) this.#purge(patch, id, record);
  }

  /** The records as they are now; to be kept until a write of them has succeeded. */
  records(): Map<string, ProgressRecord> {
    const kept = [...this.#states].filter(([, { handler, isRenewed }]) => handler !== undefined || isRenewed);
    return new Map(kept.map(([id, { record }]) => [id, record]));
  }

  /** How long until the handler may run. */
  #rest(id: string, { delayed }: ProgressRecord, now: number): Seconds {
    return delayed === undefined ? -Infinity : this.#until(`${id} delayed`, delayed, now) ?? -Infinity;
  }

  /** How long ago its first attempt began. */
  #runtime(id: string, { started }: ProgressRecord, now: number): Seconds {
    return Math.max(0, -(this.#until(`${id} started`, started, now) ?? 0));
  }

  #until(key: string, text: string | undefined, now: number): Seconds | undefined {
    const { times } = this.#options;
    if (text === undefined) return undefined;
    return times === undefined ? secondsUntil(text, now) : times.until(key, text, now);
  }

  /** Converts the record's times to the monotonic clock while the wall clock is the one by which they were written. */
  #learn(id: string, now: number): void {
    if (this.#options.times === undefined) return;
    const record = this.#states.get(id)?.record;
    if (record === undefined) return;
    this.#rest(id, record, now);
    this.#runtime(id, record, now);
  }

  /** Limits the wait to the delay in the record: another process may have noted a due time by a clock that is ahead. */
  #clampDelay(id: string, record: ProgressRecord, now: number): ProgressRecord {
    const { delay, delayed } = record;
    if (delay === undefined || delayed === undefined || isFinished(record)) return record;
    if (this.#options.times?.knows(`${id} delayed`, delayed)) return record;
    const rest = secondsUntil(delayed, now) ?? -Infinity;
    return rest > delay + TOLERANCE ? { ...record, ...dueIn(delay, now) } : record;
  }

  #purge(patch: Patch, id: string, { subrefs = [] }: ProgressRecord): void {
    const { storage, body } = this.#options;
    for (const each of [id, ...subrefs]) storage.purge({ patch, body, id: each });
  }

  #active(): (State<H> & { handler: H })[] {
    return [...this.#states.values()].filter((state): state is State<H> & { handler: H } =>
      state.handler !== undefined
    );
  }
}

/** How many handlers are in which state. */
export interface Counts {
  readonly succeeded: number;
  readonly failed: number;
  readonly unfinished: number;
}

function count(states: readonly { readonly record: ProgressRecord }[]): Counts {
  const succeeded = states.filter(({ record }) => record.success).length;
  const failed = states.filter(({ record }) => record.failure).length;
  return { succeeded, failed, unfinished: states.length - succeeded - failed };
}

function fresh({ purpose, now }: { readonly purpose: Purpose; readonly now: number }): ProgressRecord {
  return { started: formatTimestamp(now), purpose, retries: 0, success: false, failure: false };
}

function isOfOther(record: ProgressRecord, purpose: Purpose): boolean {
  return record.purpose !== undefined && record.purpose !== purpose;
}

/** A creation is over before there can be a resumption: its records are of another handler under the same id. */
function carriedOver(record: ProgressRecord, purpose: Purpose): ProgressRecord {
  if (!isOfOther(record, purpose) || record.purpose === "create") return record;
  return { ...record, purpose };
}

function isValid(record: ProgressRecord, purpose: Purpose, isAsSigned: (digest: string) => boolean): boolean {
  if (isOfOther(record, purpose)) return false;
  return !isFinished(record) || record.digest === undefined || isAsSigned(record.digest);
}

function isFinished(record: ProgressRecord): boolean {
  return record.success || record.failure;
}

/** The rows of records are on a monotonic clock that begins now: records tell waits, and times of the wall clock. */
const NOW: Seconds = 0;

/** Returns the row with as many attempts in it. */
function rowOf(attempts: number, begun?: Moment): Retry {
  return { ...FRESH, attempts, made: attempts, begun };
}

function afterOutcome(record: ProgressRecord, outcome: Outcome, options: SettleOptions): ProgressRecord {
  const next = recordOf(after(rowOf(record.retries), outcome, NOW), record, options);
  if (outcome.kind === "children") next.waits = (record.waits ?? 0) + 1;
  return next;
}

/** Returns the record of a row of attempts, with what it keeps of the record before. */
function recordOf(
  { attempts, made, due, error }: Retry,
  { started, purpose, waits, subrefs }: ProgressRecord,
  { now, descendants }: SettleOptions,
): ProgressRecord {
  const hasEnded = made > attempts;
  // Written field by field: copies by spread cost more than all else in this function.
  const next: ProgressRecord = {
    started,
    purpose,
    subrefs: unite(subrefs, descendants),
    retries: made,
    success: hasEnded && error === undefined,
    failure: hasEnded && error !== undefined,
  };
  if (waits !== undefined) next.waits = waits;
  if (error !== undefined) next.message = errorMessage(error);
  if (!hasEnded) return Object.assign(next, dueIn(due - NOW, now));
  next.stopped = formatTimestamp(now);
  return next;
}

/** Undefined rather than empty: most handlers have no sub-handlers. */
function unite(before: readonly string[] = [], now?: ReadonlySet<string>): readonly string[] | undefined {
  if (before.length === 0 && (now === undefined || now.size === 0)) return undefined;
  const all = new Set([...before, ...now ?? []]);
  return [...all].sort();
}

function dueIn(delay: Seconds, now: number): Pick<ProgressRecord, "delayed" | "delay"> {
  if (!(delay > 0)) return {};
  // RFC 3339 ends with the year 9999: a handler that waits longer waits for ever.
  const delayed = formatTimestamp(Math.min(now + delay * 1000, LAST));
  return Number.isFinite(delay) ? { delayed, delay } : { delayed };
}

function timeOf(text: string | undefined): number | undefined {
  const time = text === undefined ? NaN : Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
}

function isEqual(a: ProgressRecord, b: ProgressRecord): boolean {
  return a.started === b.started && a.stopped === b.stopped && a.delayed === b.delayed &&
    a.purpose === b.purpose && a.retries === b.retries && a.waits === b.waits && a.success === b.success &&
    a.failure === b.failure &&
    a.message === b.message && a.digest === b.digest && a.delay === b.delay &&
    String(a.subrefs ?? []) === String(b.subrefs ?? []);
}
