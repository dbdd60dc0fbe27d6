/** Finds what a source file imports by relative paths; good enough for reloading and watching, without a parser. */

const RELATIVE_IMPORT = /(?:from|import)\s*\(?\s*["'](\.{1,2}\/[^"']+)["']/g;

/** Gives the specifiers, such as "./parts/a.ts", in order. One in a comment or a string is found, too. */
export function relativeImports(text: string): string[] {
  return [...text.matchAll(RELATIVE_IMPORT)].map(([, specifier = ""]) => specifier);
}
