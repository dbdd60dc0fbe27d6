/** Finds the configuration that is in force for a folder: the nearest one above, as compilers look for it. */

import type { Host } from "../runtime/host.ts";
import { ownDoors } from "../runtime/modules.ts";

/** Returns the first of the files that the folder, or the nearest folder above it, has. Paths are absolute. */
export async function findUp(
  start: string,
  names: readonly string[],
  { files }: Host,
): Promise<string | undefined> {
  for (let folder = start;; folder = files.folderOf(folder)) {
    for (const name of names) {
      const path = files.resolve(folder, name);
      if (await files.exists(path)) return path;
    }
    if (files.folderOf(folder) === folder) return undefined;
  }
}

/** The deno.json that is in force for a folder: the nearest one, or else the one of this package. */
export async function findConfig(start: string, host: Host): Promise<string | undefined> {
  const found = await findUp(start, ["deno.json", "deno.jsonc"], host);
  if (found !== undefined) return found;
  const own = ownDoors().get("@lotse/lotse");
  const fallback = own === undefined ? undefined : new URL("deno.json", new URL(".", own)).pathname;
  return fallback !== undefined && await host.files.exists(fallback) ? fallback : undefined;
}
