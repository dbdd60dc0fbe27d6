/**
 * Pruning with a structural schema: fields that it does not know go away.
 *
 * Source: k8s.io/apiextensions-apiserver, pkg/apiserver/schema/pruning.
 */

import type { JsonObject } from "../../../model/object.ts";
import { isObject } from "../values.ts";
import {
  childPath,
  isSet,
  own,
  propertySchema,
  RESOURCE_FIELDS,
  type Schema,
  subSchema,
} from "./structural.ts";

const PRESERVE = "x-kubernetes-preserve-unknown-fields";
const EMBEDDED = "x-kubernetes-embedded-resource";

/** Removes unknown fields from a whole object, in place. Gives their paths, sorted. */
export function pruneResource(object: JsonObject, schema: Schema): string[] {
  const removed: string[] = [];
  prune(object, { schema: { ...schema, [EMBEDDED]: true }, path: "", removed });
  return removed.sort();
}

/** Removes unknown fields from a part of an object, in place. */
export function pruneValue(value: unknown, schema: Schema): void {
  prune(value, { schema, path: "", removed: [] });
}

interface Place {
  readonly schema: Schema | undefined;
  readonly path: string;
  readonly removed: string[];
}

function prune(value: unknown, place: Place): void {
  const { schema, path, removed } = place;
  if (Array.isArray(value)) {
    const items = schema === undefined ? undefined : subSchema(schema, "items");
    if (isSet(schema, PRESERVE)) pruneBelow(value, place);
    else value.forEach((item, index) => prune(item, { schema: items, path: `${path}[${index}]`, removed }));
  } else if (isObject(value)) {
    pruneObject(value, place);
  }
}

function pruneObject(object: JsonObject, place: Place): void {
  const { schema, path, removed } = place;
  for (const [key, child] of Object.entries(object)) {
    if (isSet(schema, EMBEDDED) && RESOURCE_FIELDS.has(key)) continue;
    const known = knownSchema(schema, key);
    if (known.known) prune(child, { schema: known.schema, path: childPath(path, key), removed });
    else if (!isSet(schema, PRESERVE)) {
      removed.push(childPath(path, key));
      delete object[key];
    }
  }
}

/** Inside of what is preserved, only what the schema declares is pruned by its own schema. */
function pruneBelow(items: readonly unknown[], { schema, path, removed }: Place): void {
  const itemSchema = subSchema(schema, "items");
  if (itemSchema === undefined) return;
  const preserving = { ...itemSchema, [PRESERVE]: true };
  items.forEach((item, index) => prune(item, { schema: preserving, path: `${path}[${index}]`, removed }));
}

/** NB: `additionalProperties: true` knows every key, but nothing below it, so that nested objects are emptied. */
function knownSchema(schema: Schema | undefined, key: string): { known: boolean; schema?: Schema } {
  const property = propertySchema(schema, key);
  if (property !== undefined) return { known: true, schema: property };
  const additional = own(schema, "additionalProperties") ?? undefined;
  if (additional === undefined) return { known: false };
  return { known: true, schema: subSchema(schema, "additionalProperties") };
}
