/**
 * Measures the API server in the process: its start, its memory, its lists, watches, writes and definitions.
 *
 * `deno run -A bench/apiserver/run.ts [--against CHECKOUT] [--runs 3] [NAME…]` prints a line for each measurement, with the
 * median of the runs; with another checkout, the same of that one in turn.
 */

import { spawn, spawnSync } from "node:child_process";
import { dirname, resolve } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { readOptions } from "../../tools/options.ts";

const HERE = dirname(fileURLToPath(import.meta.url));
const TREE = resolve(HERE, "../..");
const NAMES = ["start", "first", "memory", "list", "watchers", "write", "definitions", "large"];
const isDeno = process.execPath.includes("deno");

const { values, positionals } = readOptions(import.meta.url, {
  allowPositionals: true,
  options: { against: { type: "string" }, runs: { type: "string", default: "3" } },
});
const trees = [TREE, ...(values.against === undefined ? [] : [resolve(values.against)])];

for (const name of positionals.length === 0 ? NAMES : positionals) {
  const results = new Map(trees.map((tree) => [tree, [] as Record<string, number>[]]));
  for (let run = 0; run < Number(values.runs); run++) {
    for (const tree of trees) {
      results.get(tree)?.push(name === "start" ? await startOf(tree) : measure(name, tree));
    }
  }
  for (const [tree, runs] of results) {
    const keys = Object.keys(runs[0] ?? {});
    const medians = keys.map((key) => `${key} ${median(runs.map((run) => run[key] ?? 0)).toFixed(2)}`);
    console.log(`${name.padEnd(11)} ${tree === TREE ? "this" : "other"}  ${medians.join("  ")}`);
  }
}

function flags(tree: string): string[] {
  if (!isDeno) return ["--expose-gc"];
  return ["run", "-A", "--no-check", "--v8-flags=--expose-gc", "--config", resolve(tree, "deno.json")];
}

function measure(name: string, tree: string): Record<string, number> {
  const args = [...flags(tree), resolve(HERE, "measure.ts"), name, tree];
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { cwd: tree, encoding: "utf8" });
  if (status !== 0) throw new Error(`${name} of ${tree} has failed: ${stderr}`);
  return JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
}

/** How long `cli.ts apiserver` takes until it says that it is ready. */
async function startOf(tree: string): Promise<Record<string, number>> {
  const begin = performance.now();
  const args = [...(isDeno ? ["run", "-A"] : []), "cli.ts", "apiserver"];
  const child = spawn(process.execPath, args, { cwd: tree, stdio: ["ignore", "pipe", "inherit"] });
  await new Promise<void>((done) => child.stdout.once("data", () => done()));
  const readyMs = performance.now() - begin;
  const ended = new Promise((done) => child.once("exit", done));
  child.kill("SIGTERM");
  await ended;
  return { readyMs };
}

function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? 0;
}
