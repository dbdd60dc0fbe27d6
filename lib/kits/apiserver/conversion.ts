/**
 * One object in several versions.
 *
 * Versions of most custom kinds differ by name alone, others are converted by a webhook; Events have two shapes, which are
 * translated here. While it is written, an Event has the shape in which it is kept.
 */

import type { JsonObject, KubeObject } from "../../model/object.ts";
import type { Kind } from "./kinds.ts";

/** Returns an object that is being written as a version of its kind shows it. */
export async function shownIn(object: KubeObject, kind: Kind): Promise<JsonObject> {
  const { apiVersion, conversion, converter } = kind;
  if (converter !== undefined) {
    return (await converter.convert([{ ...object, kind: kind.kind }], apiVersion))[0] ?? object;
  }
  return { ...conversion?.toServed(object) ?? object, apiVersion, kind: kind.kind };
}

/** The way back. */
export async function keptFrom(
  shown: KubeObject,
  { conversion, converter, apiVersion, kind }: Kind,
  wanted: string | undefined,
): Promise<KubeObject> {
  if (converter !== undefined && wanted !== undefined) {
    return (await converter.convert([{ ...shown, apiVersion, kind }], wanted))[0] ?? shown;
  }
  // Conversions keep the metadata, which is all that every object must have.
  return { ...conversion?.toStored(shown) ?? shown, apiVersion: wanted } as KubeObject;
}
