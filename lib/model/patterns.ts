/**
 * Patterns of names: globs, with exceptions, as `-n` takes them.
 *
 * Globs are separated by commas; `!` makes one an exception. The first one decides which names are in at all (`*`, if it is an
 * exception); from left to right exceptions take out, and later globs bring back. Source: Kopf, docs/scopes; scenarios B186–B213.
 */

/** Tells whether a name matches. */
export type NameTest = (name: string) => boolean;

interface Glob {
  readonly isException: boolean;
  readonly regexp: RegExp;
}

/** Returns the test of a pattern; a regular expression must match the whole name. */
export function parsePattern(pattern: string | RegExp): NameTest {
  if (typeof pattern !== "string") {
    const whole = new RegExp(`^(?:${pattern.source})$`, pattern.flags.replace(/[gy]/g, ""));
    return (name) => whole.test(name);
  }
  const globs = pattern.split(",").map((text) => text.trim()).filter((text) => text !== "").map(parseGlob);
  if (globs[0]?.isException) globs.unshift(parseGlob("*"));
  const [first, ...rest] = globs;
  if (first === undefined) return () => false;
  return (name) => {
    if (!first.regexp.test(name)) return false;
    return rest.reduce((isIn, { isException, regexp }) => regexp.test(name) ? !isException : isIn, true);
  };
}

/** Tells whether a pattern is the name itself, so that no list of names is needed. */
export function isExactName(pattern: string | RegExp): pattern is string {
  return typeof pattern === "string" && !/[*?![\],]/.test(pattern) && pattern.trim() !== "";
}

function parseGlob(text: string): Glob {
  const isException = text.startsWith("!");
  const glob = isException ? text.slice(1).trim() : text;
  return { isException, regexp: new RegExp(`^${toSource(glob)}$`, "s") };
}

function toSource(glob: string): string {
  return glob.replace(
    /\[(!?)([^\]]{1,255})\]|[*?]|[.+^${}()|[\]\\]/g,
    (found, negated: string, set: string) => {
      if (found === "*") return ".*";
      if (found === "?") return ".";
      if (set === undefined) return `\\${found}`;
      return `[${negated === "!" ? "^" : ""}${set.replace(/[\\^[]/g, "\\$&")}]`;
    },
  );
}
