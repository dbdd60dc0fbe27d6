/**
 * One object in several versions.
 *
 * Versions of most custom kinds differ by name alone, others are converted by a webhook; Events have two shapes, which are
 * translated here. While it is written, an Event has the shape in which it is kept.
 */

import type { JsonObject, KubeObject } from "../../../model/object.ts";
import type { Kind } from "../kinds.ts";
import type { Stored } from "../storage/stored.ts";
import { clone } from "../values.ts";

/** Returns an object that is kept as this version of its kind shows it. Where a webhook converts, it has done so before. */
export function servedObject(kind: Kind, { object }: Stored): KubeObject {
  const { conversion, schemas, apiVersion } = kind;
  // The conversion keeps metadata, which is all that every object must have.
  if (conversion !== undefined) return conversion.toServed(object) as KubeObject;
  if (schemas !== undefined && kind.converter === undefined) {
    const shown = { ...schemas.read(object), apiVersion };
    if (object.apiVersion !== apiVersion) schemas.prune(shown);
    return shown;
  }
  return object.apiVersion === apiVersion ? object : { ...object, apiVersion };
}

/** Whether an object is shown as it is kept, but for its `apiVersion`. */
export function isShownAsKept({ conversion, schemas, converter }: Kind): boolean {
  return conversion === undefined && (schemas === undefined || converter !== undefined);
}

/** Returns an object that is kept in the shape in which it is written: custom kinds in their own version, others as they are kept. */
export function writtenObject(kind: Kind, stored: Stored): KubeObject {
  return kind.custom ? servedObject(kind, stored) : stored.object;
}

/** The way back. Where a webhook converts, it is `inStorage()` that does so. */
export function keptObject(kind: Kind, written: KubeObject): KubeObject {
  if (!kind.custom || kind.converter !== undefined || written.apiVersion === kind.storedIn) return written;
  const kept = { ...written, apiVersion: kind.storedIn };
  if (kind.schemas === undefined) return kept;
  const own = clone(kept);
  kind.schemas.prune(own);
  return own;
}

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
