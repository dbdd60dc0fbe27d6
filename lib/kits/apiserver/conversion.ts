/**
 * One object in several versions.
 *
 * Versions of most custom kinds differ by name alone; Events have two shapes, which are translated here. While it is
 * written, an Event has the shape in which it is kept.
 */

import type { JsonObject, KubeObject } from "../../model/object.ts";
import type { Kind } from "./kinds.ts";

/** Gives an object that is being written as a version of its kind shows it. */
export function shownIn(object: KubeObject, { apiVersion, kind, conversion }: Kind): JsonObject {
  return { ...conversion?.toServed(object) ?? object, apiVersion, kind };
}

/** The way back. */
export function keptFrom(
  shown: KubeObject,
  { conversion }: Kind,
  apiVersion: string | undefined,
): KubeObject {
  // Conversions keep the metadata, which is all that every object must have.
  return { ...conversion?.toStored(shown) ?? shown, apiVersion } as KubeObject;
}
