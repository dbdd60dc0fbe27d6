/**
 * Runs of the tests with one tag, such as "A97".
 *
 * Bun and Node filter by a test's full name. Deno filters by the names of outermost suites alone, so that no test with a tag
 * would run: there `node:test` is replaced, by an import map, with a module that leaves out tests without the tag
 * (`declared_tests.ts`). The runner counts tests by their names on each runtime.
 */

import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import type { TestResult } from "./junit.ts";

/** The environment variable that says to tests which tag is wanted. */
export const TAG_VARIABLE = "TEST_TAG";

/** What a tag looks like, without its brackets. */
const TAG = /^(?:[ABCDGP]\d+|N\d+(?:\.\d+)?)$/;

/** Returns the tag without the brackets, or undefined if the text is no tag. */
export function readTag(text: string): string | undefined {
  const tag = text.replace(/^\[(.*)\]$/, "$1");
  return TAG.test(tag) ? tag : undefined;
}

/** Returns whether a text, such as a test's name or a file's source, has the tag. */
export function hasTag(text: string, tag: string): boolean {
  return text.includes(`[${tag}]`);
}

/** Returns the pattern by which Bun and Node find tests with the tag. */
export function patternOf(tag: string): string {
  return `\\[${tag.replace(".", "\\.")}\\]`;
}

/** Leaves out the results of other tests. Failures of a whole file, which have no test's name, stay. */
export function onlyTagged(results: readonly TestResult[], tag: string): TestResult[] {
  return results.filter(({ name, outcome }) =>
    hasTag(name, tag) || (outcome === "failed" && name.startsWith("(the file itself"))
  );
}

/** Returns the import map of `deno.json` with another `node:test`, which knows of tags and of files that share a process. */
export function importMap(root: string): string {
  const url = (path: string): string => pathToFileURL(`${root}/${path}`).href;
  const { imports } = JSON.parse(readFileSync(`${root}/deno.json`, "utf8")) as {
    imports: Record<string, string>;
  };
  const replacement = url("tests/runner/declared_tests.ts");
  return JSON.stringify({
    imports: { ...imports, "node:test": replacement },
    scopes: { [replacement]: { "node:test": "node:test" } },
  });
}
