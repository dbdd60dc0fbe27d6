/**
 * Simulates the operator of everything.ts with notes in annotations, with one process and with two in turn, until something is found, and
 * prints that as a line of JSON: mutants_test.ts starts it on a copy of the sources with a break in it.
 *
 * Usage: deno run -A tests/simulation/hunt.ts SECONDS [SEED [SHRINK]]
 */

import process from "node:process";
import { simulate, SimulationError } from "../../lib/kits/testing/mod.ts";
import { persistence } from "../../mod.ts";
import { EVERYTHING, makeEverything } from "./everything.ts";

/** How many runs there are of one sort before some of the other. */
const CHUNK = 20;

/** With notes in annotations: then there are two writes, and more that can come between. */
const make = (): ReturnType<typeof makeEverything> =>
  makeEverything({ persistence: persistence.annotations() });

const [seconds = 60, first = 1, shrinkFor = 20] = process.argv.slice(2).map(Number);
const seed0 = first;
const used = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};
let runs = 0;
let objects = 0;
const begun = used();
try {
  for (let seed = seed0; used() - begun < seconds; seed += CHUNK) {
    for (const replicas of [undefined, 2]) {
      await simulate(make, {
        ...EVERYTHING,
        seed,
        runs: CHUNK,
        replicas,
        shrinkFor,
        onRun: ({ objects: now, runs: done }) => {
          runs++;
          if (done === CHUNK) objects += now;
        },
      });
    }
  }
  console.log(JSON.stringify({ runs, objects, seconds: used() - begun }));
} catch (error) {
  if (!(error instanceof SimulationError)) throw error;
  const { rule, message, story, seed } = error.finding;
  console.log(JSON.stringify({ runs: runs + 1, seconds: used() - begun, rule, message, story, seed }));
}
