/**
 * How long an author and a cluster wait for an operator to start, and how large it is.
 *
 *   deno run -A bench/start/run.ts [operator] [dev] [types] [install] [--runs 15]
 *
 * `operator`: a compiled one, its size, the time to its first handler and its memory. `dev`: the time to the first object
 * handled, on each runtime, in a project made by `lotse new`. `types`: the check of a project with fifty resources.
 * `install`: from an empty folder to an object handled, with npm alone and an empty cache. Default: all of them.
 */

import process from "node:process";
import { readOptions } from "../../tools/options.ts";
import { measureDev, measureInstall, measureTypes } from "./author.ts";
import { measureOperator } from "./operator.ts";

const MEASUREMENTS = {
  operator: measureOperator,
  dev: measureDev,
  types: measureTypes,
  install: measureInstall,
} as const;

type Name = keyof typeof MEASUREMENTS;

const { values: { runs }, positionals } = readOptions(import.meta.url, {
  allowPositionals: true,
  options: { runs: { type: "string", default: "15" } },
});
const names = positionals.length > 0 ? positionals : Object.keys(MEASUREMENTS);
for (const name of names) {
  if (!Object.hasOwn(MEASUREMENTS, name)) {
    console.error(`There is no measurement "${name}": ${Object.keys(MEASUREMENTS).join(", ")}`);
    process.exit(2);
  }
  for await (const row of MEASUREMENTS[name as Name](Number(runs))) console.log(`${name}: ${row}`);
}
