/** Calls functions as handlers are called, so that they can ask what they were called with. */

import { invokeHandler } from "../../lib/execution/invoke.ts";
import { silentLogger } from "../../lib/runtime/logging.ts";
import { virtualHost } from "../../lib/runtime/virtual/host.ts";

/** Calls a function with these arguments, at once. Rejects with what it throws. */
export function callWith<Args>(
  args: Args,
  { id, fn }: { readonly id: string; readonly fn: (args: Args) => unknown },
): Promise<unknown> {
  return invokeHandler({ id, fn }, undefined, {
    clock: virtualHost().clock,
    logger: silentLogger(),
    signal: new AbortController().signal,
    args: () => args,
  });
}
