/**
 * Runs the tasks of the operator: each in a loop of its own, never twice at once, and not while the operator pauses.
 *
 * A run that fails is logged, and the next one comes at its time; a TemporaryError says another time. Intervals are measured on
 * the monotonic clock, times of cron expressions on the wall clock, which is looked at every minute, as it may be set.
 */

import type { ReadonlyGate } from "../../async/gate.ts";
import { TaskGroup } from "../../async/tasks.ts";
import type { Permit } from "../../client/transport/permit.ts";
import { TemporaryError, toError } from "../../execution/errors.ts";
import type { Term } from "../../execution/fence.ts";
import type { Observer } from "../../execution/observer.ts";
import type { Clock, Seconds } from "../../runtime/host.ts";
import type { Logger } from "../../runtime/logging.ts";
import { type Called, type Caller, callHandler, type Sort } from "../call.ts";
import type { Index } from "../index/index_handle.ts";
import { after, FRESH, type Retry } from "../retry.ts";
import { dueOf, type OnceAmongReplicas } from "./once.ts";
import type { TaskArguments, TaskHandler } from "./task_handler.ts";

/** How long the wall clock is trusted. */
const LONGEST_NAP: Seconds = 60;

const SORT: Sort = { noun: "Task", errors: "temporary" };

export interface TasksOptions {
  readonly handlers: readonly TaskHandler[];
  readonly clock: Clock;
  readonly logger: Logger;
  readonly memo: Record<string, unknown>;
  readonly indices: Readonly<Record<string, Index>>;
  /** Open while tasks may run. */
  readonly gate: ReadonlyGate;
  readonly observer: Observer;
}

/** The tasks of one run. */
export class Tasks {
  readonly #options: TasksOptions;
  readonly #group: TaskGroup;

  constructor(options: TasksOptions) {
    this.#options = options;
    this.#group = new TaskGroup({
      onError: (error, task) => options.logger.error("Task failed", { task, error }),
    });
  }

  /** Begins the loops of all tasks. @param replicas Runs what one replica runs for all. Default: there are no others. */
  start(replicas?: OnceAmongReplicas): void {
    for (const handler of this.#options.handlers) {
      if (replicas === undefined || !handler.once) {
        this.#group.start(handler.id, (signal) => this.#repeat(handler, signal));
      } else {
        replicas.whileFirst(`task ${handler.id}`, (term) => this.#repeatOnce(handler, { term, replicas }));
      }
    }
  }

  /** Aborts the tasks that run, and waits until the last one has ended. */
  async stop(): Promise<void> {
    await this.#group.stop();
  }

  async #repeat(handler: TaskHandler, signal: AbortSignal): Promise<void> {
    const { clock, gate } = this.#options;
    let retry = FRESH;
    let pause: Seconds | undefined = "interval" in handler.times ? handler.times.initialDelay : undefined;
    while (!signal.aborted) {
      const isDue = pause === undefined
        ? await this.#awaitTime(handler, signal)
        : await clock.sleep(pause, signal);
      if (!isDue || signal.aborted || !await gate.opened(signal)) return;
      const { outcome, retry: begun } = await this.#runOnce(handler, { retry, signal });
      const now = clock.monotonic();
      // Only a TemporaryError begins a row of attempts: all other errors wait for the schedule.
      const isAskedFor = outcome.kind === "retry" && outcome.error instanceof TemporaryError;
      retry = isAskedFor ? after(begun, outcome, now) : FRESH;
      pause = isAskedFor ? retry.due - now : "interval" in handler.times ? handler.times.interval : undefined;
    }
  }

  /** Goes on where the last holder of shard 0 was, until the term ends. */
  async #repeatOnce(
    handler: TaskHandler,
    { term, replicas }: { readonly term: Term; readonly replicas: OnceAmongReplicas },
  ): Promise<void> {
    const { clock, gate } = this.#options;
    const { signal } = term;
    const { grace } = replicas;
    let retry = FRESH;
    let due = dueOf(handler, replicas.timesOf(handler.id), { now: clock.now(), grace });
    while (!signal.aborted && due !== undefined) {
      for (let rest = due - clock.now(); rest > 0; rest = due - clock.now()) {
        if (!await clock.sleep(Math.min(rest / 1000, LONGEST_NAP), signal)) return;
      }
      if (!await gate.opened(signal)) return;
      const begun = clock.now();
      await replicas.noteTimes(handler.id, { begun });
      const { outcome, retry: row } = await this.#runOnce(handler, { retry, signal, permit: term });
      // A run that was told to stop has not ended: the next holder repeats it.
      if (signal.aborted) return;
      const now = clock.now();
      await replicas.noteTimes(handler.id, { begun, ended: now });
      const isAskedFor = outcome.kind === "retry" && outcome.error instanceof TemporaryError;
      retry = isAskedFor ? after(row, outcome, clock.monotonic()) : FRESH;
      due = isAskedFor
        ? now + (retry.due - clock.monotonic()) * 1000
        : dueOf(handler, { begun, ended: now }, { now, grace });
    }
  }

  #untilNext({ times }: TaskHandler): Seconds {
    if ("interval" in times) return times.interval;
    const now = this.#options.clock.now();
    return ((times.next(now) ?? Infinity) - now) / 1000;
  }

  /** Waits for the next time of a cron expression. Returns whether it has come. */
  async #awaitTime({ times, id }: TaskHandler, signal: AbortSignal): Promise<boolean> {
    const { clock, logger } = this.#options;
    const due = "next" in times ? times.next(clock.now()) : undefined;
    if (due === undefined) {
      logger.warn("The task has no time any more: it does not run again", { task: id });
      return false;
    }
    for (let rest = due - clock.now(); rest > 0; rest = due - clock.now()) {
      if (!await clock.sleep(Math.min(rest / 1000, LONGEST_NAP), signal)) return false;
    }
    return true;
  }

  /** Runs the task once, until the operator pauses at the latest. */
  async #runOnce(
    handler: TaskHandler,
    { retry, signal, permit }: {
      readonly retry: Retry;
      readonly signal: AbortSignal;
      readonly permit?: Permit;
    },
  ): Promise<Called> {
    const { clock, logger, memo, indices, gate, observer } = this.#options;
    const own = logger.child({ name: `lotse.tasks.${handler.id}` });
    const ending = new AbortController();
    const limits = AbortSignal.any([signal, ending.signal]);
    const watch = new AbortController();
    const pausing = gate.closed(watch.signal).then((isClosed) => {
      if (isClosed) ending.abort(new DOMException("The operator pauses", "AbortError"));
    });
    try {
      const fn = async (args: never): Promise<unknown> => {
        try {
          return await handler.fn(args);
        } catch (error) {
          // The function has stopped as its signal asked for: the run has not failed.
          if (limits.aborted && (error === limits.reason || toError(error).name === "AbortError")) {
            return undefined;
          }
          throw error;
        }
      };
      const observed = { observer, subject: undefined };
      const defaultBackoff = this.#untilNext(handler);
      const caller: Caller = { clock, logger: own, signal: limits, permit, observed, defaultBackoff };
      return await callHandler(caller, handler, {
        sort: SORT,
        retry,
        fn,
        args: ({ signal, retry }): TaskArguments => ({
          name: handler.id,
          signal,
          logger: own,
          memo,
          indices,
          retry,
        }),
      });
    } finally {
      watch.abort();
      await pausing;
    }
  }
}
