/** The repository's own files, for the tests that look at all of them. */

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";

/** The repository's root as a URL, with a slash at the end. */
export const ROOT: string = new URL("../../", import.meta.url).href;

/** Paths of all files below a folder that end so, from the root, sorted. An absent folder holds none. */
export function filesBelow(folder: string, ending: string): string[] {
  let entries;
  try {
    entries = readdirSync(new URL(folder, ROOT), { recursive: true, withFileTypes: true });
  } catch {
    return [];
  }
  const base = new URL(ROOT).pathname;
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith(ending))
    .map((entry) =>
      `${entry.parentPath.replaceAll("\\", "/")}/${entry.name}`.replaceAll("//", "/").replace(base, "")
    )
    .filter((path) => !path.includes("node_modules/"))
    .sort();
}

/** A file's text, by its path from the root. */
export function readTree(path: string): string {
  return readFileSync(new URL(path, ROOT), "utf8");
}

/** Fails with all findings, one a line: `deepEqual` would cut a long list short. */
export function assertNone(findings: readonly string[], what: string): void {
  assert.ok(findings.length === 0, [`${findings.length} ${what}:`, ...findings].join("\n  "));
}
