/**
 * Uncaught errors, told in the context in which they came about.
 *
 * Each runtime loses it somewhere: Deno where the callback of a timer throws, Bun where one of a microtask does. There the
 * global functions are replaced, as long as there is a listener, by functions that remember the context of errors out of
 * callbacks. Of rejections Bun keeps none, and that cannot be helped from outside of the engine.
 */

import { AsyncLocalStorage } from "node:async_hooks";
import process from "node:process";
import type { Process } from "../host.ts";

/** Global functions that call back later. */
export type Scheduler = "setTimeout" | "setInterval" | "setImmediate" | "queueMicrotask";

type Schedule = (callback: unknown, ...rest: unknown[]) => unknown;

/** Returns `onStray` of a host. `guarded`: out of whose callbacks an exception comes without its context. */
export function strayListener(guarded: readonly Scheduler[]): Process["onStray"] {
  return (callback) => {
    let last: Thrown | undefined;
    const keep = (error: unknown): void => {
      last = { error, within: AsyncLocalStorage.snapshot() };
    };
    const release = guarded.map((name) => guard(name, keep));
    const onRejection = (error: unknown): void => callback(error, "rejection");
    const onException = (error: unknown): void => {
      const thrown = last;
      last = undefined;
      if (thrown === undefined || thrown.error !== error) callback(error, "exception");
      else thrown.within(() => callback(error, "exception"));
    };
    process.on("unhandledRejection", onRejection);
    process.on("uncaughtException", onException);
    return {
      [Symbol.dispose]() {
        for (const each of release) each();
        process.off("unhandledRejection", onRejection);
        process.off("uncaughtException", onException);
      },
    };
  };
}

/** An error that was thrown out of a callback. */
interface Thrown {
  readonly error: unknown;
  /** Calls a function in the context of that callback. */
  readonly within: (fn: () => void) => void;
}

/** Replaces the global function until the returned function is called. */
function guard(name: Scheduler, keep: (error: unknown) => void): () => void {
  // Each of them has a callback as its first argument.
  const globals = globalThis as unknown as Record<Scheduler, Schedule>;
  const original = globals[name];
  const guarded: Schedule = (callback, ...rest) => original(kept(callback, keep), ...rest);
  // Their own properties, such as the one that `util.promisify()` looks for.
  globals[name] = Object.defineProperties(guarded, Object.getOwnPropertyDescriptors(original));
  return () => {
    // It may have been replaced since, by a function that calls ours.
    if (globals[name] === guarded) globals[name] = original;
  };
}

function kept(callback: unknown, keep: (error: unknown) => void): unknown {
  if (typeof callback !== "function") return callback;
  return function (this: unknown, ...args: unknown[]): unknown {
    try {
      return Reflect.apply(callback, this, args);
    } catch (error) {
      keep(error);
      throw error;
    }
  };
}
