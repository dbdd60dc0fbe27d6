/**
 * What it costs to handle many kinds: `deno run -A --no-check bench/kinds/run.ts [--only bun|deno] [COUNT]...`. README.md says
 * what is measured and how.
 */

import { spawnSync } from "node:child_process";
import { findRuntime } from "../../tests/runner/tools.ts";
import { readOptions } from "../../tools/options.ts";

const { values: { only }, positionals } = readOptions(import.meta.url, {
  allowPositionals: true,
  options: { only: { type: "string" } },
});
const counts = positionals.length > 0 ? positionals : ["1", "50", "200"];
const FLAGS = { bun: [], deno: ["run", "-A", "--no-check", "--v8-flags=--expose-gc"] } as const;

console.log("| | kinds | requests of a start | watches | start, ms of CPU | heap, MB | µs per creation |");
console.log("| --- | --- | --- | --- | --- | --- | --- |");
for (const name of ["bun", "deno"] as const) {
  if (only !== undefined && only !== name) continue;
  for (const count of counts) console.log(rowOf(name, count));
}

function rowOf(name: keyof typeof FLAGS, count: string): string {
  const script = new URL("measure.ts", import.meta.url).pathname;
  const { stdout, stderr } = spawnSync(findRuntime(name).path, [...FLAGS[name], script, count], {
    encoding: "utf8",
  });
  if (!stdout.startsWith("{")) return `| ${name} | ${count} | ${stderr.trim().split("\n").at(-1)} |`;
  const { requests, watches, startMs, heapMb, eventUs } = JSON.parse(stdout) as Record<string, number>;
  const figures = [requests, watches, startMs?.toFixed(0), heapMb?.toFixed(1), eventUs?.toFixed(0)];
  return `| ${name} | ${count} | ${figures.join(" | ")} |`;
}
