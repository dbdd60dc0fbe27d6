/**
 * Hands objects over to the engine of daemons and timers, and tells what that means for the object.
 *
 * Source: Kopf, B §1.3, §1.15; deviation G5.
 */

import type { Claim } from "../engines/daemons/daemons.ts";
import { isDeleting } from "../model/finalizers.ts";
import { ObjectArgs } from "../registry/args.ts";
import { matches } from "../registry/filters.ts";
import type { BackgroundHandler } from "../registry/handlers.ts";
import { complainOnce } from "./outcomes.ts";
import type { Pass } from "./pass.ts";

/** Starts and stops the object's daemons and timers, as its state calls for. */
export async function handleBackground(pass: Pass): Promise<Claim> {
  const { memory, registry, daemons } = pass;
  const handlers = registry.backgroundsOf(memory.resource);
  if (handlers.length === 0) return { isRequired: false, isPending: false };
  return await daemons.observe(memory, {
    handlers,
    matching: handlers.filter((handler) => isWanted(handler, pass)),
    isDeleting: isDeleting(memory.body),
  });
}

function isWanted(handler: BackgroundHandler, pass: Pass): boolean {
  const { memory, logger, indices, patch } = pass;
  const { resource, body, memo } = memory;
  try {
    return matches(handler, {
      body,
      args: () => new ObjectArgs({ resource, body, memo, logger, indices, patch }),
    });
  } catch (error) {
    complainOnce(pass, handler, error);
    return false;
  }
}
