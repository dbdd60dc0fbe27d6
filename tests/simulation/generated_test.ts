/**
 * Operators with random sets of handlers, simulated: a few runs of each. `SECONDS` says for how long, and `LOTSE_SEED` which operators:
 * `SECONDS=3600` at night, with `REPLICAS=3` for failovers.
 */

import assert from "node:assert/strict";
import process from "node:process";
import { describe, it } from "node:test";
import { simulate, SimulationError } from "../../lib/kits/testing/mod.ts";
import { EVERYTHING } from "./everything.ts";
import { generated } from "./generated.ts";

const SECONDS = Number(process.env["SECONDS"] ?? 3);
const SEED = Number(process.env["LOTSE_SEED"] ?? 1);
const REPLICAS = process.env["REPLICAS"] === undefined ? undefined : Number(process.env["REPLICAS"]);

/** Runs of each operator. */
const RUNS = 3;

describe("Operators with random handlers", () => {
  it("[N21.12] keep all rules, whatever fails", { timeout: 4_000_000 }, async () => {
    const { cpuUsage } = process;
    const before = cpuUsage();
    const used = (): number => (cpuUsage(before).user + cpuUsage(before).system) / 1e6;
    let [operators, objects] = [0, 0];
    for (let seed = SEED; operators === 0 || used() < SECONDS; seed++) {
      const { make, manners } = generated(seed);
      if (manners.length === 0) continue;
      try {
        const run = await simulate(make, {
          ...EVERYTHING,
          invariants: [],
          seed: seed * RUNS,
          runs: RUNS,
          replicas: REPLICAS,
        });
        objects += run.objects;
      } catch (error) {
        if (!(error instanceof SimulationError)) throw error;
        throw new Error(`Operator ${seed} (${manners.join(", ")}): ${error.message}`, { cause: error });
      }
      operators += 1;
    }
    assert.ok(objects > 0);
    if (process.env["SECONDS"] !== undefined) {
      console.log(
        `${operators} operators, ${objects} objects, ${(objects / used()).toFixed(1)} objects a second`,
      );
    }
  });
});
