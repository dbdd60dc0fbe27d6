/**
 * Time and chance as Deno, Bun and Node give them.
 *
 * NB: all three fire a timer at once when its delay is beyond 2^31-1 ms, and Node may fire one up to 1 ms early:
 * long waits are made of pieces, and each is checked against the monotonic clock.
 */

import { randomBytes, randomUUID } from "node:crypto";
import { clearTimeout, setImmediate, setTimeout } from "node:timers";
import type { Clock, Random, Seconds } from "./host.ts";

/** The longest delay that a timer takes, in milliseconds. */
const LONGEST_DELAY = 2 ** 31 - 1;

/** The host's own clock. */
export function nodeClock(): Clock {
  return { now: () => Date.now(), monotonic: () => performance.now() / 1000, sleep, after };
}

/** The host's own sources of chance. */
export function nodeRandom(): Random {
  return { next: () => Math.random(), bytes: (length) => randomBytes(length), uuid: () => randomUUID() };
}

function sleep(seconds: Seconds, signal?: AbortSignal): Promise<boolean> {
  if (signal?.aborted) return Promise.resolve(false);
  if (!(seconds > 0)) return new Promise((resolve) => setImmediate(() => resolve(!signal?.aborted)));
  return new Promise((resolve) => {
    const timer = startTimer({ seconds, keepAlive: true, callback: () => finish(true) });
    const onAbort = () => finish(false);
    const finish = (slept: boolean) => {
      timer[Symbol.dispose]();
      signal?.removeEventListener("abort", onAbort);
      resolve(slept);
    };
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}

function after(seconds: Seconds, callback: () => void): Disposable {
  return startTimer({ seconds, keepAlive: false, callback });
}

interface TimerOptions {
  readonly seconds: Seconds;
  readonly keepAlive: boolean;
  readonly callback: () => void;
}

function startTimer({ seconds, keepAlive, callback }: TimerOptions): Disposable {
  const due = performance.now() + Math.max(seconds, 0) * 1000;
  let timer: NodeJS.Timeout | undefined;
  const arm = () => {
    const delay = Math.min(Math.max(Math.ceil(due - performance.now()), 0), LONGEST_DELAY);
    timer = setTimeout(ring, delay);
    if (!keepAlive) timer.unref();
  };
  const ring = () => performance.now() < due ? arm() : callback();
  arm();
  return { [Symbol.dispose]: () => clearTimeout(timer) };
}
