/**
 * Which fields belong to the essence of a kind's objects besides those that always do: those that handlers name.
 */

import type { FieldPath } from "../model/fields.ts";
import type { Pass } from "./pass.ts";

/** Gives the fields of all handlers of the object's kind, wherever they are, whatever else the handlers filter by. */
export function extraFieldsOf({ memory, registry }: Pick<Pass, "memory" | "registry">): readonly FieldPath[] {
  const handlers = [...registry.eventsOf(memory.resource), ...registry.changesOf(memory.resource)];
  return handlers.flatMap(({ field }) => field === undefined ? [] : [field]);
}
