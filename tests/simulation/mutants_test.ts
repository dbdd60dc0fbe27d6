/**
 * Plants faults of the reactor into a copy of the sources (planted.ts), one at a time, and has the simulation of everything.ts find
 * each: within a minute of the processor or 10,000 runs, with a story of at most twelve lines.
 *
 * Here three are planted; `PLANTED=all` plants all of them, as at night, and `PLANTED=sweep` the ones with that in their names.
 * `LOTSE_SEED` is the first seed, `SECONDS` the time for each.
 */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { describe, it } from "node:test";
import { breakText } from "../mutants/mutant.ts";
import { findRuntime } from "../runner/tools.ts";
import { PLANTED, type Planted } from "./planted.ts";

/** What a simulation needs of the tree. */
const COPIED = [
  "deno.json",
  "deno.lock",
  "lib",
  "mod.ts",
  "package.json",
  "tests/simulation",
  "tests/support",
];

/** The quickest to be found. */
const FEW = [
  "a dropped event",
  "a finalizer gone early",
  "a forgotten retry when an event brings nothing new",
];

const { PLANTED: wanted = "", LOTSE_SEED: seed = "1", SECONDS: seconds = "60" } = process.env;
const MOST_RUNS = 10_000;
const root = new URL("../..", import.meta.url).pathname;

describe("The simulation of an operator with handlers of all manners", () => {
  it("has breaks that fit the code", () => {
    for (const planted of PLANTED) {
      const broken = breakText(readFileSync(join(root, planted.file), "utf8"), { ...planted, tests: [] });
      assert.ok("text" in broken, `${planted.name}: ${"problem" in broken ? broken.problem : ""}`);
    }
  });

  for (const planted of PLANTED.filter(({ name }) => isWanted(name))) {
    it(`[N21.11] finds ${planted.name}`, { timeout: 1_800_000 }, () => {
      const { rule, message, story, runs, seconds: taken } = hunt(planted);
      assert.ok(rule !== undefined, `nothing was found in ${runs} runs and ${taken.toFixed(1)} s`);
      console.log(`${planted.name}: in run ${runs}, after ${taken.toFixed(1)} s: ${rule}: ${message}`);
      assert.ok(runs <= MOST_RUNS, `${runs} runs`);
      assert.ok(story !== undefined && story.length <= 12, story?.join("\n") ?? "no story");
    });
  }
});

function isWanted(name: string): boolean {
  if (wanted === "all") return true;
  return wanted === "" ? FEW.includes(name) : name.includes(wanted);
}

interface Hunted {
  readonly rule?: string;
  readonly message?: string;
  readonly story?: readonly string[];
  readonly runs: number;
  readonly seconds: number;
}

/** Simulates a copy with the fault in it. */
function hunt(planted: Planted): Hunted {
  const copy = mkdtempSync(join(tmpdir(), "lotse-planted-"));
  try {
    for (const name of COPIED) cpSync(join(root, name), join(copy, name), { recursive: true });
    symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
    const path = join(copy, planted.file);
    const broken = breakText(readFileSync(path, "utf8"), { ...planted, tests: [] });
    assert.ok("text" in broken);
    writeFileSync(path, broken.text);
    const deno = findRuntime("deno");
    assert.ok(deno !== undefined, "Deno is not there");
    const flags = ["run", "-A", "--no-check", "tests/simulation/hunt.ts", seconds, seed, "5"];
    const { stdout, stderr } = spawnSync(deno.path, flags, { cwd: copy, encoding: "utf8" });
    const line = stdout.trim().split("\n").at(-1) ?? "";
    assert.ok(line.startsWith("{"), `${stdout}\n${stderr}`);
    return JSON.parse(line) as Hunted; // as hunt.ts prints it
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}
