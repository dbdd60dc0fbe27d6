/**
 * The words of Kubernetes about its own kinds and their fields: for `kubectl explain`.
 *
 * The sentences are unpacked when an OpenAPI document is asked for; other requests do not need them.
 */

import { decompressText } from "../../../runtime/compression.ts";

/** The words about a type or a field. */
export interface Description {
  readonly description?: string;
  /** The values that a field, or the items of a list, may have, if these are all. */
  readonly values?: readonly string[];
}

/** Returns the description of a type, such as "core.Pod", or of one of its fields. */
export type Describe = (type: string, field?: string) => Description;

/** The form in which it is kept. */
interface Kept {
  /** By type: its description, and then the names of fields and their descriptions in turn. */
  readonly texts: Readonly<Record<string, readonly string[]>>;
  /** By type and field. */
  readonly values: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
}

/** No text is longer, unpacked. */
const LIMIT = 1 << 23;

/** Loads the descriptions. */
export async function loadDescriptions(): Promise<Describe> {
  const { DESCRIPTIONS } = await import("../types/descriptions.ts");
  // It is of our own making.
  const { texts, values } = JSON.parse(decompressText(DESCRIPTIONS, LIMIT) ?? "{}") as Kept;
  const types = new Map(
    Object.entries(texts).map(([type, [own = "", ...fields]]) => {
      const byName = new Map([["", own]]);
      for (let i = 0; i + 1 < fields.length; i += 2) byName.set(fields[i] ?? "", fields[i + 1] ?? "");
      return [type, byName];
    }),
  );
  return (type, field = "") => {
    const description = types.get(type)?.get(field) ?? "";
    const possible = values[type]?.[field];
    return {
      ...(description === "" ? {} : { description }),
      ...(possible === undefined ? {} : { values: possible }),
    };
  };
}
