/**
 * Imports a module anew on Node and Deno, which keep modules by URL and never forget one.
 *
 * A query makes another URL, and so another module; while it is being imported, a hook hands the query on to what it
 * imports by relative paths. Packages, this one included, are left alone: their state must stay one.
 */

import module from "node:module";

// NB: not `import { registerHooks }`: Bun has no such name, and would not load this file at all.

/** Imports a `file:` URL, and the files that it imports by relative paths, as if for the first time. */
export async function importFresh(href: string): Promise<Record<string, unknown>> {
  const url = new URL(href);
  const token = String(performance.now());
  url.searchParams.set("fresh", token);
  const hooks = module.registerHooks({
    resolve(specifier, context, next) {
      const resolved = next(specifier, context);
      const isOurs = context.parentURL !== undefined &&
        new URL(context.parentURL).searchParams.get("fresh") === token;
      if (!isOurs || !/^\.{1,2}\//.test(specifier)) return resolved;
      const fresh = new URL(resolved.url);
      fresh.searchParams.set("fresh", token);
      return { ...resolved, url: fresh.href };
    },
  });
  try {
    return await import(url.href);
  } finally {
    hooks.deregister();
  }
}

// Finds what a source file imports by relative paths; good enough for reloading and watching, without a parser.

const RELATIVE_IMPORT = /(?:from|import)\s*\(?\s*["'](\.{1,2}\/[^"']+)["']/g;

/** Returns the specifiers, such as "./parts/a.ts", in order. One in a comment or a string is found, too. */
export function relativeImports(text: string): string[] {
  return [...text.matchAll(RELATIVE_IMPORT)].map(([, specifier = ""]) => specifier);
}
