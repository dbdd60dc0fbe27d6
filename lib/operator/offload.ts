/**
 * `op.offload()`: work that takes a core for long goes into a worker, so that the operator goes on meanwhile.
 */

import { Limiter } from "../async/limiter.ts";
import { awaitedFrom } from "../runtime/call_site.ts";
import type { Host } from "../runtime/host.ts";

/** Options of work in a worker. */
export interface OffloadOptions {
  /** Aborting ends the worker at once, whatever it does. Pass the handler's. */
  readonly signal?: AbortSignal;
}

/**
 * Calls the default function of a module in a worker, with an input that can be cloned, and resolves to its result.
 *
 * At most `execution.maxWorkers` run at once, the others wait. An error of the function comes back with its name, message and
 * stack, not with its class.
 *
 * @throws {TypeError} If the module is not named by a URL of a file.
 */
export type Offload = <Output = unknown>(
  module: URL,
  input?: unknown,
  options?: OffloadOptions,
) => Promise<Output>;

/** Returns the function that offloads. */
export function createOffload(host: () => Host, maxWorkers: () => number | null): Offload {
  const limiter = new Limiter(() => maxWorkers() ?? Infinity);
  const offload = awaitedFrom(async (module: URL, input?: unknown, { signal }: OffloadOptions = {}) => {
    if (!(module instanceof URL) || module.protocol !== "file:") {
      throw new TypeError('Cannot offload that: pass a file, as in new URL("./heavy.ts", import.meta.url)');
    }
    return await limiter.run(() => host().process.work(module.href, input, signal), signal);
  });
  return offload as Offload; // the author knows the result's type
}
