/**
 * Imports the modules of others on Node and Deno: handlers, from wherever they lie.
 *
 * They find this package by its name, also where it is not installed beside them (they are run from a checkout, or by a
 * `lotse` that is installed elsewhere), and always this very instance of it; all other packages come from their own
 * folder. Node and Deno keep modules by URL and never forget one: a query makes another URL, and so another module; while
 * it is being imported, a hook hands the query on to the files that it imports by relative paths.
 */

import { readFileSync } from "node:fs";
import module from "node:module";

// NB: not `import { registerHooks }`: Bun has no such name, and would not load this file at all.

/** Imports a `file:` URL; with `fresh`, and the files that it imports by relative paths, as if for the first time. */
export async function importModule(
  href: string,
  { fresh = false }: { readonly fresh?: boolean } = {},
): Promise<Record<string, unknown>> {
  const url = new URL(href);
  const token = String(performance.now());
  if (fresh) url.searchParams.set("fresh", token);
  const doors = ownDoors();
  const hooks = module.registerHooks({
    resolve(specifier, context, next) {
      const own = doors.get(specifier);
      if (own !== undefined) return { url: own, shortCircuit: true };
      const resolved = next(specifier, context);
      const isFresh = context.parentURL !== undefined &&
        new URL(context.parentURL).searchParams.get("fresh") === token;
      if (!isFresh || !/^\.{1,2}\//.test(specifier)) return resolved;
      const again = new URL(resolved.url);
      again.searchParams.set("fresh", token);
      return { ...resolved, url: again.href };
    },
  });
  try {
    return await import(url.href);
  } finally {
    hooks.deregister();
  }
}

/**
 * Returns the doors of this package, such as "@lotse/lotse/testing", with the URLs of their files.
 *
 * None where this is not a folder with a package.json (inside of an executable, or loaded from JSR).
 */
export function ownDoors(): Map<string, string> {
  const root = new URL("../../", import.meta.url);
  let text: string;
  try {
    text = readFileSync(new URL("package.json", root), "utf8");
  } catch {
    return new Map();
  }
  const { name, exports }: PackageFile = JSON.parse(text);
  return new Map(
    Object.entries(exports).map(([door, target]) => {
      const file = typeof target === "string" ? target : target.default;
      return [name + door.slice(1), new URL(file, root).href];
    }),
  );
}

/** The package.json of a checkout, or of the package for npm. */
interface PackageFile {
  readonly name: string;
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>;
}

// Finds the files that a source file imports by relative paths; good enough for reloading and watching, without a parser.

const RELATIVE_IMPORT = /(?:from|import)\s*\(?\s*["'](\.{1,2}\/[^"']+)["']/g;

/** Returns the specifiers, such as "./parts/a.ts", in order. One in a comment or a string is found, too. */
export function relativeImports(text: string): string[] {
  return [...text.matchAll(RELATIVE_IMPORT)].map(([, specifier = ""]) => specifier);
}
