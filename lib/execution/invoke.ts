/**
 * Calls a handler's function with a signal of its own, and holds it to its time.
 *
 * A promise cannot be killed: when the time is over, the signal is aborted and the attempt fails; a function that goes on
 * regardless is left behind, with a warning when it ends at last, and its result is dropped.
 */

import { type Permit, PermitEndedError } from "../client/transport/permit.ts";
import type { Clock, Seconds } from "../runtime/host.ts";
import type { Logger } from "../runtime/logging.ts";
import type { Handler } from "./handler.ts";
import type { AttemptStart, Observed, Subject } from "./observer.ts";
import type { Waiting } from "./waiting.ts";
import { Context } from "../runtime/context.ts";

/** How long an attempt may take. */
export interface AttemptLimit {
  /** Infinity: for ever. */
  readonly remaining: Seconds;
  /** Makes the error with which the attempt fails when they are over. */
  readonly overdue: () => Error;
}

export interface InvokeOptions<Args> {
  /** Is called in the place of the handler's function. Default: that one. */
  readonly fn?: (args: Args) => unknown;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Aborts when the operator stops. */
  readonly signal: AbortSignal;
  /** Under which the handler writes other objects. Default: it needs none. */
  readonly permit?: Permit;
  /** The attempt, and the observer that was told of its beginning. Default: none was. */
  readonly start?: AttemptStart;
  readonly observed?: Observed;
  /** Ends the attempt where it waits. Default: it cannot wait. */
  readonly waiting?: Waiting;
  readonly args: (signal: AbortSignal) => Args;
}

/** The name of the functions that call handlers: in stacks, the frames after it are ours. */
export const CALLER = "invokeHandler";

/**
 * Returns what the function returns. `limit`: undefined if there is none.
 *
 * @throws {PermitEndedError} If the permit has ended: asked last of all, as a process may be stopped before any line.
 * @throws The error of `overdue`, if the time is over first.
 * @throws {Postponed} If the attempt waits.
 * @throws Any error of the function.
 */
export async function invokeHandler<Args>(
  handler: Handler<Args>,
  limit: AttemptLimit | undefined,
  options: InvokeOptions<Args>,
): Promise<unknown> {
  if (limit === undefined || limit.remaining === Infinity) {
    const args = options.args(options.signal);
    checkPermit(options.permit);
    const result = context.run(callOf(handler, args, options), options.fn ?? handler.fn, args);
    return await (options.waiting === undefined ? result : options.waiting.endOf(result));
  }
  return await invokeWithin(handler, limit, options);
}

/** Whether a permit has ended, by the clocks of this moment. */
export function hasEnded(permit: Permit | undefined): boolean {
  return permit !== undefined && !(permit.timeLeft() > 0);
}

function checkPermit(permit: Permit | undefined): void {
  if (!hasEnded(permit)) return;
  throw new PermitEndedError(
    "Cannot call a handler: this replica is not responsible for the object any more",
  );
}

async function invokeWithin<Args>(
  handler: Handler<Args>,
  { remaining, overdue }: AttemptLimit,
  options: InvokeOptions<Args>,
): Promise<unknown> {
  const { clock, logger, signal } = options;
  const controller = new AbortController();
  const forward = (): void => controller.abort(signal.reason);
  if (signal.aborted) forward();
  signal.addEventListener("abort", forward);
  const timeout = Promise.withResolvers<never>();
  let over = false;
  using _timer = clock.after(remaining, () => {
    over = true;
    const error = overdue();
    controller.abort(error);
    timeout.reject(error);
  });
  const run = (async function invokeHandler(): Promise<unknown> {
    const args = options.args(controller.signal);
    checkPermit(options.permit);
    const result = context.run(callOf(handler, args, options), options.fn ?? handler.fn, args);
    return await (options.waiting === undefined ? result : options.waiting.endOf(result));
  })();
  const late = (): void => {
    if (over) logger.warn("Handler ended after its timeout; its result is dropped", { handler: handler.id });
  };
  run.then(late, late);
  try {
    return await Promise.race([run, timeout.promise]);
  } finally {
    signal.removeEventListener("abort", forward);
  }
}

// The arguments of the running handler, for functions that are called from within it and get no arguments.
// Only conveniences may ask (the hierarchies' default owner): the framework itself passes everything by arguments.

// Not state of the module: each call sees its own value.
const context = new Context<CurrentCall>();

/** The call of a handler. */
interface CurrentCall {
  readonly handler: string;
  readonly args: unknown;
  readonly permit: Permit | undefined;
  /** Undefined: no observer was told of it. */
  readonly start: AttemptStart | undefined;
  readonly observed: Observed | undefined;
}

function callOf<Args>(
  { id: handler }: Handler<Args>,
  args: Args,
  { permit, start, observed }: InvokeOptions<Args>,
): CurrentCall {
  return { handler, args, permit, start, observed };
}

/** Returns the call of the handler that is running, as observers know it; undefined outside of handlers. */
export function currentAttempt():
  | { readonly subject: Subject | undefined; readonly attempt: AttemptStart }
  | undefined {
  const { start: attempt, observed } = context.value ?? {};
  return attempt && { attempt, subject: observed?.subject };
}

/** So many steps lie between an answer and the handler's code at most: each function around the call is one to three. */
const STEPS = 8;

/**
 * Tells the observer of the running handler that its code goes on when the answer has come, until it waits again. The promise
 * must be the one that the handler's code gets: what waits for it runs right after the note.
 */
export function tellOfReturn(answer: Promise<unknown>): void {
  const { start, observed } = context.value ?? {};
  if (start === undefined || observed?.observer.codeRuns === undefined) return;
  const { observer, subject } = observed;
  const wait = (steps: number): void => {
    if (steps === 0) observer.codeWaits?.(subject, start);
    else queueMicrotask(() => wait(steps - 1));
  };
  const tell = (): void => {
    observer.codeRuns?.(subject, start);
    wait(STEPS);
  };
  answer.then(tell, tell);
}

/** The same for each item of an iterator. */
export function tellOfItems(items: AsyncGenerator<unknown, void, void>): void {
  if (context.value?.observed?.observer.codeRuns === undefined) return;
  const next = items.next.bind(items);
  items.next = () => {
    const answer = next();
    tellOfReturn(answer);
    return answer;
  };
}

/** Returns the id of the handler that is running, or that has started the running code; undefined outside of handlers. */
export function currentHandler(): string | undefined {
  return context.value?.handler;
}

/** Returns the permit of the handler that is running, or that has started the running code; undefined if it needs none. */
export function currentPermit(): Permit | undefined {
  return context.value?.permit;
}

/** Returns the function as one that runs for the handler that is running now, whenever it is called, and by any code. */
export function boundToHandler(fn: () => void): () => void {
  return context.bind(fn);
}

/** Returns the one argument of the handler that is running; undefined outside of handlers. */
export function currentArguments(): unknown {
  return context.value?.args;
}
