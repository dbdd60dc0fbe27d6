/** The handler of several benchmarks: it sets one field of the status of each object. */

import type { Operator } from "../mod.ts";
import { resource } from "../mod.ts";

const Item = resource<object, { state?: string }>({
  group: "bench.lotse.dev",
  version: "v1",
  plural: "items",
});

/**
 * Declares it: as a reconcile, or, where notes are kept, as a handler of creations. Returns a function that tells how often it was
 * called.
 */
export function declareReady(op: Operator, keepsNotes: boolean): () => number {
  let calls = 0;
  if (keepsNotes) {
    op.on.create(Item, function handle({ patch }) {
      calls++;
      patch.status.state = "Ready";
    });
  } else {
    op.reconcile(Item, function handle({ status, patch }) {
      calls++;
      if (status.state !== "Ready") patch.status.state = "Ready";
    });
  }
  return () => calls;
}
