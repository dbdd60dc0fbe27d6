/**
 * Counts what an operator does for an object, and compares it with what is on record.
 *
 *   deno run -A bench/guard/run.ts [--write]
 */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { readOptions } from "../../tools/options.ts";
import { countAll, type Guarded } from "./counts.ts";

const path = join(import.meta.dirname ?? ".", "baseline.json");
const { values } = readOptions(import.meta.url, { options: { write: { type: "boolean", default: false } } });
const counted = await countAll();
const before: Guarded = values.write ? {} : JSON.parse(readFileSync(path, "utf8"));
for (const [situation, counts] of Object.entries(counted)) {
  console.log(`\n${situation}, per object`);
  for (const [name, count] of Object.entries(counts)) {
    const was = before[situation]?.[name];
    console.log(`  ${name.padEnd(20)} ${count}${was === undefined || was === count ? "" : ` (was ${was})`}`);
  }
}
if (values.write) writeFileSync(path, `${JSON.stringify(counted, null, 2)}\n`);
process.exit(0);
