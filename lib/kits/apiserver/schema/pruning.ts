/**
 * Pruning with a structural schema: fields that it does not know go away.
 *
 * Sources: k8s.io/apiextensions-apiserver, pkg/apiserver/schema/pruning; k8s.io/apiextensions-apiserver,
 * pkg/apiserver/schema/objectmeta.
 */

import type { JsonObject } from "../../../model/object.ts";
import { decodeMetadata } from "../bodies/metadata_decode.ts";
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

/** Is told of metadata of an embedded resource that cannot be read. */
export type RefuseMetadata = (
  at: { readonly path: string; readonly value: unknown; readonly fault: string },
) => void;

/** Removes unknown fields from a whole object, in place. Returns their paths, sorted, the paths of embedded metadata last. */
export function pruneResource(object: JsonObject, schema: Schema, refuse?: RefuseMetadata): string[] {
  const removed: string[] = [];
  const metadata: string[] = [];
  prune(object, { schema: { ...schema, [EMBEDDED]: true }, path: "", removed, metadata, refuse });
  return [...removed.sort(), ...metadata.sort()];
}

/** Removes unknown fields from a part of an object, in place. */
export function pruneValue(value: unknown, schema: Schema): void {
  prune(value, { schema, path: "", removed: [] });
}

interface Place {
  readonly schema: Schema | undefined;
  readonly path: string;
  readonly removed: string[];
  /** Takes the paths that are removed from the metadata of embedded resources; if undefined, metadata is not looked into. */
  readonly metadata?: string[];
  readonly refuse?: RefuseMetadata;
}

function prune(value: unknown, place: Place): void {
  const { schema, path } = place;
  if (Array.isArray(value)) {
    const items = schema === undefined ? undefined : subSchema(schema, "items");
    if (isSet(schema, PRESERVE)) pruneBelow(value, place);
    else value.forEach((item, index) => prune(item, { ...place, schema: items, path: `${path}[${index}]` }));
  } else if (isObject(value)) {
    pruneObject(value, place);
  }
}

function pruneObject(object: JsonObject, place: Place): void {
  const { schema, path, removed } = place;
  for (const [key, child] of Object.entries(object)) {
    if (isSet(schema, EMBEDDED) && RESOURCE_FIELDS.has(key)) {
      // The root's own has been read before.
      if (key === "metadata" && path !== "" && place.metadata !== undefined) {
        object.metadata = pruneMetadata(child, place);
      }
      continue;
    }
    const known = knownSchema(schema, key);
    if (known.known) prune(child, { ...place, schema: known.schema, path: childPath(path, key) });
    else if (!isSet(schema, PRESERVE)) {
      removed.push(childPath(path, key));
      delete object[key];
    }
  }
}

/** NB: metadata that cannot be read stays, unless it is refused. */
function pruneMetadata(value: unknown, { path, metadata, refuse }: Place): unknown {
  const unknown: string[] = [];
  try {
    const fail = (fault: string) => {
      throw new TypeError(fault);
    };
    const known = decodeMetadata(value, { prefix: "ObjectMeta", unknown, fail });
    metadata?.push(...unknown.map((field) => childPath(path, field)));
    return known;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    refuse?.({ path: childPath(path, "metadata"), value, fault: error.message });
    return value;
  }
}

/** Inside of preserved values, only declared fields are pruned, by their own schemas. */
function pruneBelow(items: readonly unknown[], place: Place): void {
  const { schema, path } = place;
  const itemSchema = subSchema(schema, "items");
  if (itemSchema === undefined) return;
  const preserving = { ...itemSchema, [PRESERVE]: true };
  items.forEach((item, index) => prune(item, { ...place, schema: preserving, path: `${path}[${index}]` }));
}

/** NB: `additionalProperties: true` knows every key, but no field below it, so that nested objects are emptied. */
function knownSchema(schema: Schema | undefined, key: string): { known: boolean; schema?: Schema } {
  const property = propertySchema(schema, key);
  if (property !== undefined) return { known: true, schema: property };
  const additional = own(schema, "additionalProperties") ?? undefined;
  if (additional === undefined) return { known: false };
  return { known: true, schema: subSchema(schema, "additionalProperties") };
}
