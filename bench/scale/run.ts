/**
 * Measures what the operator itself takes of a start, of an event that changes nothing, and of memory, over more and more
 * objects, on both runtimes: `deno run -A --no-check bench/scale/run.ts`.
 *
 *   [--against FOLDER] [--only deno|bun] [COUNT]...     another checkout beside this one, in turn; default: 1000 10000 100000
 */

import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { findRuntime } from "../../tests/runner/tools.ts";
import { readOptions } from "../../tools/options.ts";

const { values: flags, positionals } = readOptions(import.meta.url, {
  allowPositionals: true,
  options: { against: { type: "string" }, only: { type: "string" } },
});
const counts = positionals.length > 0 ? positionals : ["1000", "10000", "100000"];
const trees = flags.against === undefined ? ["."] : [".", flags.against];
const RUNTIMES = {
  bun: [],
  deno: ["run", "-A", "--no-check"],
} as const;

console.log("| | objects | start, µs each | memory, KB each (MB in all) | µs per event |");
console.log("| --- | --- | --- | --- | --- |");
for (const name of ["bun", "deno"] as const) {
  if (flags.only !== undefined && flags.only !== name) continue;
  for (const notes of ["annotations", "none"]) {
    for (const count of counts) {
      for (const tree of trees) console.log(rowOf({ name, notes, count, tree }));
    }
  }
}

interface Measured {
  readonly name: keyof typeof RUNTIMES;
  readonly notes: string;
  readonly count: string;
  readonly tree: string;
}

function rowOf({ name, notes, count, tree }: Measured): string {
  const script = resolve(tree, "bench/scale/measure.ts");
  const { stdout, stderr } = spawnSync(
    findRuntime(name).path,
    [...RUNTIMES[name], script, notes, count, "20000"],
    { encoding: "utf8", cwd: tree },
  );
  const title = `${name}, ${notes === "none" ? "reconcile" : notes}${tree === "." ? "" : ", before"}`;
  if (!stdout.startsWith("{")) return `| ${title} | ${count} | ${stderr.trim().split("\n").at(-1)} | | |`;
  const { startUs, memoryKb, memoryMb, eventUs } = JSON.parse(stdout) as Record<string, number>;
  const [start, each, all, event] = [startUs, memoryKb, memoryMb, eventUs].map((value = NaN) => value);
  return `| ${title} | ${count} | ${start?.toFixed(0)} | ${each?.toFixed(1)} (${all?.toFixed(0)}) | ${
    event?.toFixed(0)
  } |`;
}
