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
import { type Reconciliation, reportFailedFilter } from "./reconciliation.ts";

/** Starts and stops the object's daemons and timers, as its state calls for. */
export async function handleBackground(r: Reconciliation): Promise<Claim> {
  const { state, registry, daemons } = r;
  const handlers = registry.backgroundsOf(state.resource);
  if (handlers.length === 0) return { isRequired: false, isPending: false };
  return await daemons.observe(state, {
    handlers,
    matching: handlers.filter((handler) => isWanted(handler, r)),
    isDeleting: isDeleting(state.snapshot),
  });
}

function isWanted(handler: BackgroundHandler, r: Reconciliation): boolean {
  const { state, logger, indices, patch } = r;
  const { resource, snapshot: body, memo } = state;
  try {
    return matches(handler, {
      body,
      args: () => new ObjectArgs({ resource, body, memo, logger, indices, patch }),
    });
  } catch (error) {
    reportFailedFilter(r, handler, error);
    return false;
  }
}
