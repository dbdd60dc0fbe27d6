import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { wantedBy } from "../../bench/peers/choice.ts";
import { PEERS } from "../../bench/peers/peers.ts";
import type { Row } from "../../bench/peers/rows.ts";
import { median, tableOf, type Values } from "../../bench/peers/table.ts";

const ROW: Row = {
  name: "handled",
  title: "Creations",
  metrics: [{ key: "perSecond", title: "handled/s", digits: 0 }, {
    key: "cpuMs",
    title: "CPU ms",
    digits: 2,
  }],
};

const VALUES: Values = new Map([
  ["lotse-bun", new Map([["perSecond", [180, 100, 150]], ["cpuMs", [1.5]]])],
  ["kube-rs", new Map([["perSecond", [300, 310, 200]], ["cpuMs", [0.4, 0.6]]])],
  ["raw-1", new Map([["perSecond", [360]]])],
  ["kopf", new Map([["p50", [1]]])],
]);

function linesOf(missing: ReadonlyMap<string, string> = new Map()): string[] {
  const peers = ["raw-1", "lotse-bun", "kube-rs", "kopf"];
  return tableOf(ROW, { values: VALUES, peers, yardsticks: ["kube-rs", "controller-runtime-32"], missing })
    .split("\n");
}

describe("tableOf()", () => {
  it("has the median, the spread of several rounds, and ratios of medians to the yardsticks that were measured", () => {
    assert.deepEqual(linesOf(), [
      "### Creations",
      "",
      "| | handled/s | of kube-rs | CPU ms | of kube-rs |",
      "| --- | --- | --- | --- | --- |",
      "| raw-1 | 360 | 1.20 |  |  |",
      "| lotse-bun | 150 (100–180) | 0.50 | 1.50 | 3.00 |",
      "| kube-rs | 300 (200–310) | 1.00 | 0.50 (0.40–0.60) | 1.00 |",
    ]);
  });

  it("names who is missing, and why", () => {
    assert.deepEqual(linesOf(new Map([["kube-rs", "there is no cargo"]])).slice(-2), [
      "",
      "Missing: kube-rs: there is no cargo",
    ]);
  });
});

describe("median()", () => {
  it("is the middle, or the mean of the two in the middle, of numbers in any order", () => {
    assert.deepEqual([median([3, 1, 10]), median([10, 2, 1, 4]), median([7])], [3, 3, 7]);
  });
});

describe("wantedBy()", () => {
  function namesOf(only: readonly string[]): Record<string, string[]> {
    return Object.fromEntries([...wantedBy(only)].map(([{ name }, rows]) => [name, [...rows]]));
  }

  it("adds up rows of peers, in the order of all; loops without an operator have no rows but the first", () => {
    assert.deepEqual(namesOf(["start/kopf,kube-rs", "handled,latency/raw-1,kube*"]), {
      "raw-1": ["handled"],
      "kube-rs": ["start", "handled", "latency"],
      "kopf": ["start"],
    });
  });

  it("takes what is not named for everything", () => {
    assert.equal(wantedBy([""]).size, PEERS.length);
    assert.deepEqual(Object.keys(namesOf(["/kopf"])), ["kopf"]);
    assert.ok((namesOf(["/kopf"])["kopf"] ?? []).length > 5);
  });

  it("refuses a name that is nobody's", () => {
    assert.throws(() => wantedBy(["start/kop"]), {
      name: "RangeError",
      message: /There is no "kop" among: raw-1, /,
    });
    assert.throws(() => wantedBy(["begin"]), { message: /There is no "begin" among: handled, / });
  });
});
