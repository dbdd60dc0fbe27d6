/**
 * Reads the tables of scenarios (`tests/scenarios/table/*.md`) and the tags in the names of tests.
 *
 * A tag in a test's name says that the test proves the row. Only names count: a tag in a comment proves nothing.
 */

/** A row, as far as it can be compared. */
export interface Scenario {
  /** Such as "A97" or "N1.2". */
  readonly tag: string;
  /** The last cell, or "shown" where the table has no column of states. */
  readonly state: string;
}

/** How tables and tests differ; each list has tags. */
export interface Differences {
  /** In a test's name, and in no table. */
  readonly strange: string[];
  /** Marked as tested, without a test. */
  readonly untested: string[];
  /** Marked as something else, with a test. */
  readonly understated: string[];
}

const TAG = /\[([ABCDGP]\d+|N\d+(?:\.\d+)?)\]/g;
const NAME = /\b(?:it|test|describe|scenario)(?:\.\w+)?\s*(?:\([^()]*\)\s*)?\(\s*(["'`])(.*?)\1/gs;

/** Returns the rows of a page that begin with a tag. */
export function parseScenarios(path: string, text: string): Scenario[] {
  const found: Scenario[] = [];
  let hasStates = false;
  for (const line of text.split("\n")) {
    const cells = line.split(/(?<!\\)\|/).slice(1, -1).map((cell) => cell.trim());
    if (cells[0] === "tag") hasStates = cells.at(-1) === "state";
    if (!/^(?:[ABCDGP]\d+|N\d+(?:\.\d+)?)$/.test(cells[0] ?? "")) continue;
    if (path.endsWith("deviations.md") && /^C\d/.test(cells[0] ?? "")) continue; // it says more of a row of C
    found.push({ tag: cells[0] ?? "", state: hasStates ? cells.at(-1) ?? "" : "shown" });
  }
  return found;
}

/** Returns the tags in the names of tests. */
export function tagsInTests(sources: readonly string[]): Set<string> {
  const names = sources.flatMap((source) => [...source.matchAll(NAME)].map((match) => match[2] ?? ""));
  return new Set(names.flatMap((name) => [...name.matchAll(TAG)].map((match) => match[1] ?? "")));
}

const BOTH = /\bscenario(?:\.(?:timed|alone))?\s*\(\s*(["'`])(.*?)\1/gs;

/** Returns the tags of tests that run on a real server as well: scenarios of both places, and tests that start a control plane. */
export function tagsOnRealServer(sources: readonly string[]): Set<string> {
  const names = sources.flatMap((source) => [
    ...[...source.matchAll(BOTH)].map((match) => match[2] ?? ""),
    ...(/\b(?:startControlPlane|RealPlace)\b/.test(source)
      ? [...source.matchAll(/\bit\s*\(\s*(["'`])(.*?)\1/gs)].map((match) => match[2] ?? "")
      : []),
  ]);
  return new Set(names.flatMap((name) => [...name.matchAll(TAG)].map((match) => match[1] ?? "")));
}

/** Compares both ways. Rows that are "shown" may have a test of their own or none. */
export function compareTags(rows: readonly Scenario[], tags: ReadonlySet<string>): Differences {
  const known = new Set(rows.map(({ tag }) => tag));
  const tagged = rows.filter(({ tag }) => tags.has(tag));
  return {
    strange: [...tags].filter((tag) => !known.has(tag)),
    untested: rows.filter(({ tag, state }) => state === "tested" && !tags.has(tag)).map(({ tag }) => tag),
    understated: tagged.filter(({ state }) => state !== "tested" && state !== "shown").map(({ tag }) => tag),
  };
}
