/** The file system as Deno, Bun and Node give it through `node:fs`. */

import { watch as watchPath } from "node:fs";
import { access, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import type { Files } from "./host.ts";

/** The host's own file system. */
export function nodeFiles(): Files {
  return {
    readText: (path) => readFile(path, "utf8"),
    readBytes: (path) => readFile(path),
    async writeText(path, text, options) {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, text, { mode: options?.mode ?? 0o644 });
    },
    exists: (path) => access(path).then(() => true, () => false),
    list: async (path) => (await readdir(path)).sort(),
    modified,
    remove: (path) => rm(path, { recursive: true, force: true }),
    makeTempFolder: (prefix) => mkdtemp(join(tmpdir(), prefix)),
    resolve: (...parts) => resolve(...parts),
    folderOf: (path) => dirname(path),
    watch,
  };
}

async function modified(path: string): Promise<number | undefined> {
  try {
    return Math.floor((await stat(path)).mtimeMs);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

function watch(path: string, callback: (path: string) => void): Disposable {
  const watcher = watchPath(path, { recursive: true }, (_event, name) => {
    callback(name ? resolve(path, name) : path);
  });
  // A folder that vanishes under its watcher is a change like any other; without a listener it would end the process.
  watcher.on("error", () => callback(path));
  return { [Symbol.dispose]: () => watcher.close() };
}
