/**
 * Which fields belong to the essence of a kind's objects besides those that always do: those that handlers name.
 */

import type { FieldPath } from "../model/fields.ts";
import type { Registry } from "../registry/registry.ts";
import type { ObjectMemory } from "./memories.ts";

export interface FieldsOptions {
  readonly memory: Pick<ObjectMemory, "resource">;
  readonly registry: Registry;
}

/** Gives the fields of all handlers of the object's kind, wherever they are, whatever else the handlers filter by. */
export function extraFieldsOf({ memory, registry }: FieldsOptions): readonly FieldPath[] {
  const { resource } = memory;
  const handlers = [
    ...registry.eventsOf(resource),
    ...registry.changesOf(resource),
    ...registry.backgroundsOf(resource),
  ];
  return handlers.flatMap(({ field }) => field === undefined ? [] : [field]);
}
