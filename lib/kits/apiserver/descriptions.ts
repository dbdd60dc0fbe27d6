/**
 * The words of Kubernetes about its own kinds and their fields: for `kubectl explain`.
 *
 * The sentences are unpacked when an OpenAPI document is asked for; nobody else needs them.
 */

import { decompressText } from "../../runtime/compression.ts";

/** Returns the description of a type, such as "core.Pod", or of one of its fields; undefined if there is none. */
export type Describe = (type: string, field?: string) => string | undefined;

/** No text is longer, unpacked. */
const LIMIT = 1 << 23;

/** Loads the descriptions. */
export async function loadDescriptions(): Promise<Describe> {
  const { DESCRIPTIONS } = await import("./types/descriptions.ts");
  // It is of our own making.
  const texts = JSON.parse(decompressText(DESCRIPTIONS, LIMIT) ?? "{}") as Record<string, string[]>;
  const types = new Map(
    Object.entries(texts).map(([type, [own = "", ...fields]]) => {
      const byName = new Map([["", own]]);
      for (let i = 0; i + 1 < fields.length; i += 2) byName.set(fields[i] ?? "", fields[i + 1] ?? "");
      return [type, byName];
    }),
  );
  return (type, field = "") => types.get(type)?.get(field) || undefined;
}
