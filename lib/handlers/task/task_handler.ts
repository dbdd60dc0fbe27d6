/**
 * Tasks of the operator itself, not of an object: `op.every(name, { interval } | { cron }, fn)`.
 *
 * The runs of one task come one after the other, never two at once. Source: lib/handlers/task/tasks.ts.
 */

import type { Handler } from "../../execution/handler.ts";
import { type CronTimes, parseComingCron } from "../../model/cron.ts";
import { calledFrom } from "../../runtime/call_site.ts";
import type { Seconds } from "../../runtime/host.ts";
import type { Logger } from "../../runtime/logging.ts";
import type { PlainMemo } from "../arguments.ts";
import type { HandlerType } from "../handler_type.ts";
import { checkCallable } from "../handlers.ts";
import type { Index } from "../index/index_handle.ts";
import type { Registry } from "../registry.ts";

/** When a task runs, and how long it may take. */
export interface TaskOptions {
  /** From the end of one run to the beginning of the next. In seconds. Either this or `cron`. */
  readonly interval?: Seconds;
  /** A cron expression such as "0 3 * * *", or with seconds first. A time that comes while the task runs is left out. */
  readonly cron?: string;
  /** In which time zone `cron` is meant, such as "Europe/Berlin". Default: "UTC". */
  readonly timeZone?: string;
  /** How long after the start the first run begins; with `interval` only. In seconds. Default: 0. */
  readonly initialDelay?: Seconds;
  /**
   * Whether one replica runs it for all, where there are several (`replicas`): its times are noted on a Lease, so that the next
   * replica goes on with them. Without it, each replica runs the task. Default: false.
   */
  readonly once?: boolean;
  /** How long one run may take; then its signal aborts, and it has failed. In seconds. Default: no limit. */
  readonly timeout?: Seconds;
}

/** The arguments of a task. */
export interface TaskArguments<Memo extends object = PlainMemo> {
  /** Its name. */
  readonly name: string;
  /** Aborts when the operator stops or pauses, and at the timeout; pass it on to whatever waits. */
  readonly signal: AbortSignal;
  /** Named after the task. */
  readonly logger: Logger;
  /** The operator's own memo. */
  readonly memo: Memo;
  /** The operator's indexes by name. */
  readonly indices: Readonly<Record<string, Index>>;
  /** How often it has asked in a row, by a TemporaryError, to be run again. */
  readonly retry: number;
}

/** Declares a task of the operator. */
export type DeclareTask<Memo extends object = PlainMemo> = (
  name: string,
  options: TaskOptions,
  fn: (args: TaskArguments<Memo>) => unknown,
) => void;

/** A task, as declared. */
export interface TaskHandler extends Handler {
  readonly type: "task";
  /** Whether one replica runs it for all. */
  readonly once: boolean;
  /** In seconds; or times. */
  readonly times: { readonly interval: Seconds; readonly initialDelay: Seconds } | CronTimes;
}

const KNOWN: readonly string[] = ["interval", "cron", "timeZone", "initialDelay", "once", "timeout"];

/** Makes a task. @throws {TypeError | RangeError | SyntaxError} If its name, an option or its function is wrong. */
export function taskHandler(name: unknown, options: unknown, fn: unknown): TaskHandler {
  if (typeof name !== "string" || !/^[A-Za-z0-9]([-\w.]{0,61}[A-Za-z0-9])?$/.test(name)) {
    throw new TypeError(
      `Cannot declare task "${String(name)}": its name must be letters, digits, "-", "." and "_"`,
    );
  }
  if (typeof options !== "object" || options === null) {
    throw new TypeError(`Cannot declare task "${name}": say when it runs, such as { interval: 60 }`);
  }
  if (typeof fn !== "function") throw new TypeError(`Cannot declare task "${name}": pass its function last`);
  // Its argument is the one that the engine makes.
  const handler = fn as TaskHandler["fn"];
  checkCallable(handler);
  const unknown = Object.keys(options).find((each) => !KNOWN.includes(each));
  if (unknown !== undefined) {
    throw new TypeError(
      `Cannot declare task "${name}" with option "${unknown}": known are ${KNOWN.join(", ")}`,
    );
  }
  const { timeout, once = false } = options as TaskOptions;
  if (timeout !== undefined) checkSeconds(name, { timeout });
  if (typeof once !== "boolean") {
    throw new TypeError(`Cannot declare task "${name}": "once" must be true or false`);
  }
  return { type: "task", id: name, fn: handler, timeout, once, times: timesOf(name, options) };
}

/** Tasks of the operator. */
export const TASK: HandlerType<TaskHandler> = {
  name: "task",
  about: "operator",
  isFixed: true,
  isAmong(others, { id }) {
    if (!others.some((other) => other.id === id)) return false;
    throw new TypeError(`Cannot declare task "${id}": there is one of that name`);
  },
};

/** Returns `op.every`. */
export function declareTasks<Memo extends object>(registry: Registry): { readonly every: DeclareTask<Memo> } {
  const every = calledFrom((...[name, options, fn]: readonly unknown[]) =>
    registry.add(TASK, taskHandler(name, options, fn))
  );
  // The functions' arguments have the operator's own memo, whatever its type.
  return { every: every as DeclareTask<Memo> };
}

function timesOf(name: string, options: TaskOptions): TaskHandler["times"] {
  const { interval, cron, timeZone, initialDelay } = options;
  if ((interval === undefined) === (cron === undefined)) {
    throw new TypeError(`Cannot declare task "${name}": say either "interval" or "cron"`);
  }
  if (interval !== undefined) {
    checkSeconds(name, { interval });
    if (initialDelay !== undefined && initialDelay !== 0) checkSeconds(name, { initialDelay });
    if (timeZone !== undefined) {
      throw new TypeError(`Cannot declare task "${name}": "timeZone" is for "cron"`);
    }
    return { interval, initialDelay: initialDelay ?? 0 };
  }
  if (initialDelay !== undefined) {
    throw new TypeError(`Cannot declare task "${name}": "initialDelay" is for "interval"`);
  }
  if (typeof cron !== "string") throw new TypeError(`Cannot declare task "${name}": "cron" must be a string`);
  return parseComingCron(cron, timeZone);
}

function checkSeconds(name: string, option: Readonly<Record<string, unknown>>): void {
  for (const [key, value] of Object.entries(option)) {
    if (typeof value !== "number") {
      throw new TypeError(`Cannot declare task "${name}": "${key}" must be a number of seconds`);
    }
    if (!(value > 0)) {
      throw new RangeError(`Cannot declare task "${name}": "${key}" must be above 0, not ${value}`);
    }
  }
}
