/**
 * Who owns which fields of an object, as the server keeps it in `metadata.managedFields`.
 *
 * Source: Kubernetes, "Server-Side Apply", "Field management"; structured-merge-diff, FieldsV1.
 */

import { isSamePlace } from "./changed_paths.ts";
import { isObject } from "./json.ts";
import type { KubeObject } from "./object.ts";

/** Gives the names of the managers that own one of these places (dotted paths), or something in them; sorted. */
export function managersOf(object: KubeObject, paths: readonly string[]): string[] {
  const { managedFields } = object.metadata;
  if (!Array.isArray(managedFields)) return [];
  const names = managedFields.flatMap((entry) => {
    if (!isObject(entry) || typeof entry.manager !== "string") return [];
    const owned = [...ownedPaths(entry.fieldsV1, "")];
    return owned.some((path) => paths.some((wanted) => isSamePlace(path, wanted))) ? [entry.manager] : [];
  });
  return [...new Set(names)].sort();
}

/** The leaves of a set of fields: keys begin with "f:"; what is said about items of lists counts for the list. */
function* ownedPaths(fields: unknown, path: string): Generator<string> {
  const keys = isObject(fields) ? Object.keys(fields).filter((key) => key.startsWith("f:")) : [];
  if (keys.length === 0 && path !== "") yield path;
  for (const key of keys) {
    const name = key.slice(2);
    yield* ownedPaths((fields as Record<string, unknown>)[key], path === "" ? name : `${path}.${name}`);
  }
}
