/**
 * The operator of everything.ts, simulated: it is right, so each finding is a fault of Lotse. Planted faults of the reactor are
 * to be found by it (mutants_test.ts).
 *
 * `RUNS`, `SECONDS` and `LOTSE_SEED` say how many runs, for how long, and which: `RUNS=100000 SECONDS=3600` at night. `SHRINK`
 * is how long a finding is made small, `STEPS` how long a run is.
 */

import assert from "node:assert/strict";
import process from "node:process";
import { describe, it } from "node:test";
import { simulate } from "../../lib/kits/testing/mod.ts";
import { EVERYTHING, makeEverything } from "./everything.ts";

const RUNS = Number(process.env["RUNS"] ?? 5);
const SECONDS = Number(process.env["SECONDS"] ?? Infinity);
const SEED = Number(process.env["LOTSE_SEED"] ?? 1);
const SHRINK = Number(process.env["SHRINK"] ?? 20);
const STEPS = Number(process.env["STEPS"] ?? 10);
const REPLICAS = process.env["REPLICAS"] === undefined ? undefined : Number(process.env["REPLICAS"]);

describe("An operator with handlers of all manners", () => {
  it("[N21.10] keeps all rules, whatever fails", { timeout: 4_000_000 }, async () => {
    const { runs, objects, seconds } = await simulate(makeEverything, {
      ...EVERYTHING,
      seed: SEED,
      runs: RUNS,
      seconds: SECONDS,
      steps: STEPS,
      shrinkFor: SHRINK,
      replicas: REPLICAS,
    });
    assert.ok(runs > 0);
    if (process.env["RUNS"] !== undefined) {
      console.log(`${runs} runs, ${objects} objects, ${(objects / seconds).toFixed(1)} objects a second`);
    }
  });
});
