/**
 * Values that are there for the time of a call, and of everything that it awaits or starts: asynchronous context.
 *
 * Each call has its own, however many run at the same time. It is for arguments that can be left out of calls for convenience only;
 * whatever must be exact is passed as an argument. All runtimes have it in `node:async_hooks`, a fast one.
 */

import { AsyncLocalStorage } from "node:async_hooks";

/** One kind of value. */
export class Context<Value> {
  readonly #storage = new AsyncLocalStorage<Value | undefined>();

  /** Calls the function, with the value there until its promise has settled; returns its result. */
  run<Result>(value: Value, fn: () => Result): Result;
  /** The same for a function of one argument: a closure in between would be one more frame for each handler. */
  run<Given, Result>(value: Value, fn: (given: Given) => Result, given: Given): Result;
  run<Given, Result>(value: Value, fn: (given?: Given) => Result, given?: Given): Result {
    return this.#storage.run(value, fn, given);
  }

  /** Returns the function as one that is called with the value that is there now. */
  bind(fn: () => void): () => void {
    const value = this.#storage.getStore();
    return () => this.#storage.run(value, fn);
  }

  /** The value of the innermost call; undefined outside of all. */
  get value(): Value | undefined {
    return this.#storage.getStore();
  }
}

// Tells whether the process has an OpenTelemetry SDK, without loading OpenTelemetry for the question.
// Loading its API takes as long as a tenth of the whole start. The API keeps its registrations in one place of the global
// object, for all of its copies; that place is a promise between its versions. Source: OpenTelemetry, @opentelemetry/api 1,
// "global-utils".

const API: unique symbol = Symbol.for("opentelemetry.js.api.1");

/** Tells whether a tracer provider is registered. */
export function isTraced(): boolean {
  const { [API]: registered } = globalThis as { readonly [API]?: { readonly trace?: unknown } };
  return registered?.trace !== undefined;
}
