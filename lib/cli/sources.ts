/**
 * Notices when source files change: by looking, four times a second, at the files that the handlers consist of.
 *
 * Looking beats listening here: it works on every file system, survives editors that replace files, and never walks
 * through node_modules. The files that belong to a handler file are found by relative imports.
 */

import type { Host } from "../runtime/host.ts";
import { relativeImports } from "../runtime/modules.ts";

/** Time between two looks. In seconds. */
const INTERVAL = 0.25;

/** Returns the files (absolute paths) and the files that they import by a relative path, directly or not. */
export async function sourcesOf(files: readonly string[], host: Host): Promise<string[]> {
  const found = new Set(files.map((file) => host.files.resolve(host.process.cwd(), file)));
  for (const file of found) {
    if (!/\.[cm]?[jt]sx?$/.test(file)) continue;
    const text = await host.files.readText(file).catch(() => "");
    for (const specifier of relativeImports(text)) {
      found.add(host.files.resolve(host.files.folderOf(file), specifier));
    }
  }
  return [...found];
}

/**
 * Returns the files that have changed, each time some have, until the signal aborts.
 *
 * Waits until they have been left alone for one look, so that a save in several steps counts once.
 */
export async function* watchSources(
  files: readonly string[],
  { host, signal }: { readonly host: Host; readonly signal: AbortSignal },
): AsyncGenerator<string[]> {
  let known = await timesOf(files, host);
  let pending = new Set<string>();
  while (await host.clock.sleep(INTERVAL, signal)) {
    const current = await timesOf(files, host);
    const changed = [...current.keys()].filter((file) => current.get(file) !== known.get(file));
    changed.forEach((file) => pending.add(file));
    known = current;
    if (changed.length > 0 || pending.size === 0) continue;
    yield [...pending].sort();
    pending = new Set();
  }
}

/** When each file was changed last; undefined where it is not there. Imports are followed anew each time. */
async function timesOf(files: readonly string[], host: Host): Promise<Map<string, number | undefined>> {
  const times = new Map<string, number | undefined>();
  for (const file of await sourcesOf(files, host)) times.set(file, await host.files.modified(file));
  return times;
}
