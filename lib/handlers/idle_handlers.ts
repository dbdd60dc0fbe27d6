/**
 * Handlers that do nothing, in the place of an author's: for tools that run an operator over objects that do not exist, and must
 * not have its code call the outside world for them.
 *
 * Functions without effects stay the author's, since their results are part of the operator's memory: filters, indexes, the keys of
 * caches, and the mappers that name objects of other kinds.
 */

import type { Handler } from "../execution/handler.ts";
import type { DaemonHandlerArguments } from "./background/background_handler.ts";
import type { Registered } from "./handler_type.ts";
import { INDEX } from "./index/index_handler.ts";

/** Returns the handler with a function that does nothing; undefined if it is called about the operator, or about requests. */
export function toIdle(registered: Registered): Registered | undefined {
  const { type, handler } = registered;
  if (type.about === "related" || registered.type === INDEX) return registered;
  if (type.about !== "objects") return undefined;
  const idle: Handler & { finalize?: unknown } = { ...handler, fn: isDaemon(handler) ? wait : rest };
  if (idle.finalize !== undefined) idle.finalize = rest;
  return { type, handler: idle };
}

function isDaemon(handler: Handler): boolean {
  return "type" in handler && handler.type === "daemon";
}

function rest(): void {}

/** A daemon of an author's is there as long as its object: so is this one. */
async function wait({ stopped }: Pick<DaemonHandlerArguments, "stopped">): Promise<void> {
  await stopped.wait(Infinity);
}
