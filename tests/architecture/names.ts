/** What files and public names may be called (conventions: "NAMES"), as functions that tests can feed. */

const BANNED_WORDS = ["util", "utils", "helper", "helpers", "common", "misc", "manager"];

const BANNED_ENDINGS = ["Impl", "Manager", "Utils", "Helper"];

/** Says what is wrong with the name of a file in lib/, given by its path; undefined if nothing is. */
export function whyBadFileName(path: string): string | undefined {
  const names = path.replace(/\.ts$/, "").split("/").slice(1);
  const bad = names.find((name) => !/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(name));
  if (bad !== undefined) return `${path}: "${bad}" is not in snake_case`;
  const banned = names.flatMap((name) => name.split("_")).find((word) => BANNED_WORDS.includes(word));
  return banned === undefined ? undefined : `${path}: "${banned}" says nothing about what is in it`;
}

/** The same for a name that the package exports. */
export function whyBadPublicName(name: string): string | undefined {
  if (name.includes("_") && name !== name.toUpperCase()) return `"${name}" has an underscore`;
  if (/^I[A-Z][a-z]/.test(name)) return `"${name}" has the prefix of an interface`;
  const ending = BANNED_ENDINGS.find((one) => name.endsWith(one));
  return ending === undefined ? undefined : `"${name}" ends with "${ending}"`;
}

/** What is wrong with a test's source: things after which its counts or its verdict could not be trusted. */
export function whyBadTest(path: string, source: string): string[] {
  const traps: [pattern: RegExp, why: string][] = [
    [/\b(?:t|context)\.skip\(/, "skip by the option { skip: reason }: Deno counts t.skip() as passed"],
    [
      /\b(?:it|test|describe)\.(?:only|skip|todo)\b/,
      "no .only, .skip or .todo: give { skip: reason }, or delete it",
    ],
    [
      /\bdescribe\([^;{}]*\{[^{}]*\bskip\b/,
      "skip each test, not the suite: Bun does not count a skipped suite's tests",
    ],
    [/\bDeno\.test\(/, "Deno.test runs on Deno only: use node:test"],
    [/\bfrom "bun:/, "bun: modules are there on Bun only"],
  ];
  return traps.filter(([pattern]) => pattern.test(source)).map(([, why]) => `${path}: ${why}`);
}
