import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { countAll, type Guarded } from "../../bench/guard/counts.ts";

const BASELINE = new URL("../../bench/guard/baseline.json", import.meta.url);
const HINT = "to accept it on purpose: deno run -A bench/guard/run.ts --write";

describe("The work for an object", () => {
  it("is no more than what is on record", { timeout: 60_000 }, async () => {
    const baseline = JSON.parse(readFileSync(BASELINE, "utf8")) as Guarded;
    const counted = await countAll();
    assert.deepEqual(Object.keys(counted), Object.keys(baseline));
    const grown = Object.entries(counted).flatMap(([situation, counts]) =>
      Object.entries(counts)
        .filter(([name, count]) => count > (baseline[situation]?.[name] ?? 0))
        .map(([name, count]) => `${situation}: ${name} ${baseline[situation]?.[name] ?? 0} -> ${count}`)
    );
    assert.deepEqual(grown, [], HINT);
  });
});
