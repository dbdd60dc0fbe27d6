/**
 * Where the record of unsteady files is kept: in the cache, beside the control plane. A new machine has none, and begins with
 * nothing; there only the repetitions of one run tell a file that fails often.
 */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import type { Part } from "./plan.ts";
import type { UnsteadyRecord } from "./repeats.ts";

/** The path of the record of whole runs of that part. */
export function unsteadyFile(part: Part, cache: string | undefined = process.env["XDG_CACHE_HOME"]): string {
  return join(cache || join(homedir(), ".cache"), "lotse", `unsteady-${part}.json`);
}

/** Reads the record. One that is not there, or cannot be read, is empty. */
export function readRecord(path: string): UnsteadyRecord {
  try {
    const { runs, unsteady } = JSON.parse(readFileSync(path, "utf8")) as UnsteadyRecord;
    if (Number.isInteger(runs) && Object.values(unsteady).every(Array.isArray)) return { runs, unsteady };
  } catch {
    // As below.
  }
  return { runs: 0, unsteady: {} };
}

/** Writes the record. */
export function writeRecord(path: string, record: UnsteadyRecord): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify(record));
}
