/**
 * Calls the handlers of a raw event. There is no state: errors are logged, and nothing is retried.
 *
 * Source: Kopf, A §2.5.
 */

import { execute } from "../execution/execute.ts";
import type { WatchEvent } from "../model/object.ts";
import { EventArgs } from "../registry/args.ts";
import type { EventCause } from "../registry/causes.ts";
import { matches } from "../registry/filters.ts";
import type { EventHandler } from "../registry/handlers.ts";
import { complainOnce, deliver } from "./outcomes.ts";
import type { Pass } from "./pass.ts";

/** Calls all handlers that match, in order. What they write goes into the pass's patch, which is not sent if the object has gone. */
export async function handleEvent(pass: Pass, event: WatchEvent): Promise<void> {
  // NB: what handlers of raw events log is never posted: an event about an event about an event.
  const { memory, registry, localLogger: logger, indices, patch } = pass;
  const handlers = registry.eventsOf(memory.resource);
  if (handlers.length === 0) return;
  const cause: EventCause = {
    resource: memory.resource,
    body: event.object,
    event,
    patch,
    logger,
    indices,
    memo: memory.memo,
  };
  for (const handler of handlers) {
    if (isWanted(handler, cause, pass)) await callHandler(handler, cause, pass);
  }
}

function isWanted(handler: EventHandler, cause: EventCause, pass: Pass): boolean {
  try {
    return matches(handler, { body: cause.body, args: () => new EventArgs(cause) });
  } catch (error) {
    complainOnce(pass, handler, error);
    return false;
  }
}

async function callHandler(handler: EventHandler, cause: EventCause, pass: Pass): Promise<void> {
  const { clock } = pass.host;
  const started = clock.now();
  const outcome = await execute(handler, {
    clock,
    logger: pass.localLogger,
    attempts: { retry: 0, runtime: 0 },
    noun: "Handler",
    errors: "ignored",
    defaultBackoff: 0,
    signal: pass.signal,
    observed: { observer: pass.observer, subject: pass.memory },
    // The types of `on.event` have made sure that the function takes these arguments.
    args: (signal) =>
      new EventArgs(cause, { param: handler.param, retry: 0, started, signal, clock }) as never,
  });
  if (outcome.kind === "success") deliver(pass, handler.id, outcome.result);
}
