/**
 * This package inside of the compiled `lotse`, where no file of it lies on disk: its doors for handlers, and files of them
 * for `build`.
 *
 * The program that `tools/lotse.ts` compiles calls `embedPackage()` first of all. It is kept in the global object, as the
 * package's doors are bundled apart from the command line.
 */

import type { Host } from "./host.ts";
import { ownDoors } from "./modules.ts";

/** The package as it lies in an executable. */
export interface EmbeddedPackage {
  /** The modules, by the names of their doors, such as "@lotse/lotse/testing". */
  readonly doors: Readonly<Record<string, () => Promise<Record<string, unknown>>>>;
  /** JavaScript files without imports of other files, by their names. */
  readonly files: Readonly<Record<string, string>>;
  /** Which of them stands for which door. */
  readonly entries: Readonly<Record<string, string>>;
  /** Of the files: differs where they do. */
  readonly digest: string;
}

const EMBEDDED: unique symbol = Symbol.for("lotse.embedded");

/** The part of the global `Bun` that is used here. */
declare const Bun: {
  plugin(plugin: { readonly name: string; setup(build: PluginBuilder): void }): void;
};

interface PluginBuilder {
  module(name: string, load: () => Promise<{ exports: Record<string, unknown>; loader: "object" }>): void;
}

/** Lets handlers anywhere import the package by its name, and get the instance that runs them. */
export function embedPackage(embedded: EmbeddedPackage): void {
  Object.defineProperty(globalThis, EMBEDDED, { value: embedded });
  Bun.plugin({
    name: "@lotse/lotse",
    setup(build) {
      for (const [door, load] of Object.entries(embedded.doors)) {
        build.module(door, async () => ({ exports: await load(), loader: "object" }));
      }
    },
  });
}

/**
 * Returns the files of the package's doors, by their names, as URLs: where they lie, or unpacked into the cache of the
 * user. Without a home they go into the folder that is given.
 */
export async function doorFiles(
  folder: string,
  { files, process }: Pick<Host, "files" | "process">,
  embedded = embeddedPackage(),
): Promise<ReadonlyMap<string, string>> {
  if (embedded === undefined) return ownDoors();
  const home = process.home();
  const cache = process.env("XDG_CACHE_HOME") ||
    (home === undefined ? folder : files.resolve(home, ".cache"));
  // Not a temporary folder: its name would be in the executable, which is to be the same each time.
  const root = files.resolve(cache, "lotse", `package-${embedded.digest}`);
  for (const [name, text] of Object.entries(embedded.files)) {
    const path = files.resolve(root, name);
    if (await files.exists(path)) continue;
    // Another build may be at it: a file appears only when it is whole.
    await files.writeText(`${path}.${process.pid}`, text);
    await files.rename(`${path}.${process.pid}`, path);
  }
  return new Map(
    Object.entries(embedded.entries).map(([door, name]) => [door, `file://${files.resolve(root, name)}`]),
  );
}

function embeddedPackage(): EmbeddedPackage | undefined {
  const { [EMBEDDED]: embedded } = globalThis as { readonly [EMBEDDED]?: EmbeddedPackage };
  return embedded;
}
