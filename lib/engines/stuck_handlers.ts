/**
 * Notices handlers that do not end, and handlers that block the event loop.
 *
 * A promise that never settles holds its object for ever, and its slot where slots are limited, and nothing in the log would
 * say so. So each call that goes on for longer than `execution.warnAfter` is warned of by name, again each time that its age has
 * doubled; it is listed in `/readyz?verbose`, and counted in a metric. It is not ended: the option `timeout` does that. Daemons
 * may run for ever. A blocked event loop cannot be seen while it is blocked: afterwards the handlers are named
 * that could have done it. Source: docs/errors.md, "Handlers that never end".
 */

import type { AttemptEnd, AttemptStart, Observer, Subject } from "../execution/observer.ts";
import { namespacedName, objectReference } from "../model/references.ts";
import type { Block, Host, Seconds } from "../runtime/host.ts";
import type { Logger } from "../runtime/logging.ts";
import type { ExecutionSettings } from "../settings/sections.ts";

export interface StuckHandlersOptions {
  readonly host: Host;
  readonly logger: Logger;
  /** `warnAfter`: after how long a call is warned of. Null: never. Read anew each time. */
  readonly settings: Pick<ExecutionSettings, "warnAfter">;
}

/** The slots of a work queue. */
export interface Slots {
  /** How many objects wait for a slot, if each slot has been held for so long; else 0. */
  starving(seconds: Seconds): number;
}

/** How the handlers of an operator are. */
export interface HandlersState {
  readonly name: "handlers";
  /** Undefined while other objects can be handled. */
  readonly problem: string | undefined;
  /** Which handlers do not end. */
  readonly note: string | undefined;
}

/** A call under way. */
interface Call {
  readonly subject: Subject | undefined;
  readonly attempt: AttemptStart;
  /** On the monotonic clock. */
  readonly since: Seconds;
  warnings: number;
}

/** A call that has ended, and may have blocked the event loop just before. */
interface EndedCall extends Call {
  /** On the monotonic clock. */
  readonly until: Seconds;
}

/** How many are named in one line. */
const MOST_NAMED = 10;

/** How long a call must have lasted to be remembered after its end; and for how long it is. */
const LONG: Seconds = 0.5;
const REMEMBERED: Seconds = 10;

/** The shortest pause between two looks. */
const LEAST: Seconds = 0.001;

/** The observer that warns of them. Disposing ends it. */
export class StuckHandlers implements Observer, Disposable {
  readonly #options: StuckHandlersOptions;
  readonly #calls = new Map<AttemptStart, Call>();
  #ended: EndedCall[] = [];
  #blocking: { readonly call: Call; readonly at: Seconds } | undefined;
  #slots: Slots | undefined;
  #isStarving = false;
  #timer: Disposable | undefined;
  readonly #blocks: Disposable;

  constructor(options: StuckHandlersOptions) {
    this.#options = options;
    this.#blocks = options.host.process.onBlocked((block) => this.#reportBlock(block));
  }

  /** Sets the queue whose slots are watched. */
  attach(slots: Slots): void {
    this.#slots = slots;
  }

  attemptBegins(subject: Subject | undefined, attempt: AttemptStart): void {
    const since = this.#now;
    this.#calls.set(attempt, { subject, attempt, since, warnings: 0 });
    // A call that is under way when the timer rings, or was begun since, makes it ring again.
    if (this.#timer !== undefined || !mayEnd(attempt)) return;
    const limit = this.#limit;
    if (limit !== Infinity) this.#arm(since + limit);
  }

  attemptBlocks(_subject: Subject | undefined, attempt: AttemptStart): void {
    const call = this.#calls.get(attempt);
    if (call !== undefined) this.#blocking = { call, at: this.#now };
  }

  attemptEnds(_subject: Subject | undefined, { start, seconds }: AttemptEnd): void {
    const call = this.#calls.get(start);
    this.#calls.delete(start);
    if (call === undefined || seconds < LONG) return;
    const until = this.#now;
    this.#ended = this.#ended.filter((each) => each.until > until - REMEMBERED).slice(-MOST_NAMED);
    this.#ended.push({ ...call, until });
  }

  /** How many calls of each handler do not end. */
  counts(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const { attempt: { family } } of this.#stuck()) counts.set(family, (counts.get(family) ?? 0) + 1);
    return counts;
  }

  /** Whether other objects can be handled still, and which handlers do not end. */
  check(): HandlersState {
    const stuck = this.#stuck();
    const names = stuck.slice(0, MOST_NAMED).map((call) => `${titleOf(call)} for ${this.#ageOf(call)} s`);
    const rest = stuck.length > MOST_NAMED ? ` and ${stuck.length - MOST_NAMED} more` : "";
    const running = stuck.length === 0 ? undefined : `running: ${names.join(", ")}${rest}`;
    const waiting = this.#slots?.starving(this.#limit) ?? 0;
    const problem = waiting === 0
      ? undefined
      : `all workers are held by handlers that have not ended, objects that wait: ${waiting} (${running})`;
    return { name: "handlers", problem, note: running };
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
    this.#blocks[Symbol.dispose]();
    this.#calls.clear();
  }

  get #now(): Seconds {
    return this.#options.host.clock.monotonic();
  }

  get #limit(): Seconds {
    return this.#options.settings.warnAfter ?? Infinity;
  }

  #ageOf({ since }: Call): number {
    return Math.round(this.#now - since);
  }

  #stuck(): Call[] {
    const { clock } = this.#options.host;
    const since = clock.monotonic() - this.#limit;
    return [...this.#calls.values()].filter((call) => mayEnd(call.attempt) && call.since <= since);
  }

  /**
   * One timer for all: it rings when the first call was due, and while there is any. A timer for each call would cost more.
   *
   * NB: sums of times are not exact, so that a call may be a hair younger than its limit when the timer rings: the next one must not
   * ring in the same moment.
   */
  #arm(due: Seconds): void {
    this.#timer = this.#options.host.clock.after(Math.max(due - this.#now, LEAST), () => this.#look());
  }

  #look(): void {
    this.#timer = undefined;
    const now = this.#now;
    const limit = this.#limit;
    if (limit === Infinity) return;
    let next = Infinity;
    for (const call of this.#calls.values()) {
      if (!mayEnd(call.attempt)) continue;
      if (now - call.since >= limit * 2 ** call.warnings) this.#warn(call);
      // Stuck calls are looked at again and again, as others may begin to wait for their slots.
      next = Math.min(next, call.warnings > 0 ? now + limit : call.since + limit);
    }
    this.#warnOfStarvation(limit);
    if (next < Infinity) this.#arm(next);
  }

  #warn(call: Call): void {
    call.warnings++;
    const { noun, handler, retry } = call.attempt;
    this.#loggerOf(call).warn(
      `${noun} has not ended: is something never settled in it? (see execution.warnAfter)`,
      {
        handler,
        retry,
        seconds: this.#ageOf(call),
      },
    );
  }

  #warnOfStarvation(limit: Seconds): void {
    const waiting = this.#slots?.starving(limit) ?? 0;
    const isNew = waiting > 0 && !this.#isStarving;
    this.#isStarving = waiting > 0;
    if (!isNew) return;
    this.#options.logger.error(
      "All workers are held by handlers that have not ended: other objects wait (give them a timeout, or raise queueing.workerLimit)",
      { handlers: this.#stuck().slice(0, MOST_NAMED).map(titleOf), objects: waiting },
    );
  }

  #reportBlock({ seconds, cpu }: Block): void {
    const until = this.#now;
    const from = until - seconds;
    const certain = this.#blocking !== undefined && this.#blocking.at > from
      ? [this.#blocking.call]
      : undefined;
    this.#blocking = undefined;
    const ended = this.#ended.filter((call) => call.until > from);
    const possible = certain ??
      [...ended, ...this.#calls.values()].filter(({ since }) => since < until - LONG);
    const [first] = possible;
    const isClear = first !== undefined && possible.length === 1;
    const logger = isClear ? this.#loggerOf(first) : this.#options.logger;
    const who = isClear
      ? { handler: first.attempt.handler }
      : { handlers: possible.slice(0, MOST_NAMED).map(titleOf) };
    logger.warn("The event loop was blocked: nothing else could run, watches and probes included", {
      ...(first === undefined ? {} : who),
      seconds: round(seconds),
      cpu: round(cpu),
    });
  }

  #loggerOf({ subject }: Call): Logger {
    const { logger } = this.#options;
    return subject === undefined ? logger : logger.child({ reference: objectReference(subject.body) });
  }
}

function mayEnd({ noun }: AttemptStart): boolean {
  return noun !== "Daemon";
}

/** Returns the name of a call, such as "provision of databases default/db-1". */
export function titleOf({ attempt: { handler }, subject }: Pick<Call, "attempt" | "subject">): string {
  if (subject === undefined) return handler;
  return `${handler} of ${subject.resource.plural} ${namespacedName(subject.body.metadata)}`;
}

function round(seconds: Seconds): number {
  return Math.round(seconds * 100) / 100;
}
