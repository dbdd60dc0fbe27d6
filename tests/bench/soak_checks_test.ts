import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Truth } from "../../bench/soak/changes.ts";
import { checkAll, checkSettled, longestPause, slopeOf } from "../../bench/soak/checks.ts";
import type { Item } from "../../bench/soak/kind.ts";
import type { Call, Line } from "../../bench/soak/trace.ts";

const HOUR = 3_600_000;

/** Calls about one object, a second apart: "made", or "made 2" with its n. */
function callsOf(uid: string, calls: readonly string[]): Line[] {
  return calls.map((call, index) => {
    const [what, n = "1"] = call.split(" ");
    // The tests name nothing else.
    return { at: HOUR + index * 1000, what: what as Call["what"], uid, name: `item-${uid}`, n: Number(n) };
  });
}

function truthOf(uid: string, more: Partial<Truth> = {}): [string, Truth] {
  return [uid, { name: `item-${uid}`, shard: "s", n: 1, isDeleted: false, ...more }];
}

function sampleOf(index: readonly string[]): Line {
  return { at: HOUR + 20_000, what: "sample", rss: 1, heap: 1, index };
}

/** Names of the checks that found something. */
function failuresOf(findings: Readonly<Record<string, readonly string[]>>): string[] {
  return Object.entries(findings).filter(([, problems]) => problems.length > 0).map(([name]) => name);
}

function settledFailures(
  calls: readonly string[],
  options: { truth?: Partial<Truth>; index?: readonly string[]; items?: readonly string[] } = {},
): string[] {
  const { truth = {}, index = ["s/item-a=1"], items = ["a"] } = options;
  const lines = [...callsOf("a", calls), sampleOf(index)];
  const live: Item[] = items.map((uid) => ({
    metadata: { name: `item-${uid}`, uid },
    spec: { n: 1, shard: "s", flaky: false },
  }));
  return failuresOf(checkSettled({ lines, truth: new Map([truthOf("a", truth)]) }, live));
}

describe("checkSettled()", () => {
  it("is content with an operator that has done what it should", () => {
    assert.deepEqual(settledFailures(["made", "daemon", "tick"]), []);
  });

  it("finds what is missing, too much, or too old", () => {
    const truth = { n: 2 };
    const index = ["s/item-a=2"];
    assert.deepEqual(settledFailures(["made", "daemon", "tick"], { truth, index }), [
      "newest states were handled",
    ]);
    assert.deepEqual(settledFailures(["changed", "daemon", "tick"]), ["creations were handled"]);
    assert.deepEqual(settledFailures(["made", "daemon", "tick"], { index: [] }), [
      "the index has what there is",
    ]);
    assert.deepEqual(settledFailures(["made", "tick"]), ["one daemon runs for each object"]);
    assert.deepEqual(settledFailures(["made", "daemon", "daemon", "tick"]), [
      "one daemon runs for each object",
    ]);
    assert.deepEqual(settledFailures(["made", "daemon"]), ["timers go on"]);
    assert.deepEqual(settledFailures(["made", "daemon", "tick"], { items: [] }), [
      "the server has what was written",
    ]);
    assert.deepEqual(settledFailures(["made", "daemon", "tick"], { items: ["a", "b"] }), [
      "the server has what was written",
    ]);
  });
});

describe("checkAll()", () => {
  function failures(calls: readonly string[], uid = "a"): string[] {
    return failuresOf(
      checkAll({ lines: callsOf(uid, calls), truth: new Map([truthOf("a", { isDeleted: true })]) }),
    );
  }

  it("is content with whole lives, and with those that were too short to be handled", () => {
    assert.deepEqual(failures(["daemon", "made", "changed 2", "daemon-end", "removed", "gone"]), []);
    assert.deepEqual(failures(["made", "made 2", "removed", "gone"]), []);
    assert.deepEqual(failures(["daemon", "gone", "daemon-end"]), []);
    assert.deepEqual(failures([]), []);
  });

  it("finds what was called twice, late, never, or for nobody", () => {
    assert.deepEqual(failures(["made", "made", "removed", "gone"]), [
      "no creation was handled twice in the same state",
    ]);
    assert.deepEqual(failures(["made", "removed", "removed", "gone"]), ["deletions were handled once"]);
    assert.deepEqual(failures(["made", "gone"]), ["deletions were handled once"]);
    assert.deepEqual(failures(["made", "removed"]), ["ends were announced once"]);
    assert.deepEqual(failures(["made 2", "changed 1", "removed", "gone"]), [
      "nothing older came after something newer",
    ]);
    assert.deepEqual(failures(["made", "removed", "gone", "tick"]), ["nothing was called after the end"]);
    assert.deepEqual(failures(["made", "daemon", "removed", "gone"]), ["daemons have ended"]);
    assert.deepEqual(failures(["made", "removed", "gone"], "b"), ["nobody else was there"]);
  });
});

describe("slopeOf()", () => {
  it("gives the growth per minute", () => {
    const points = [0, 1, 2, 3].map((minute) => ({ at: HOUR + minute * 60_000, value: 5 + minute * 0.25 }));
    assert.equal(slopeOf(points).toFixed(6), "0.250000");
  });
});

describe("longestPause()", () => {
  it("gives the longest time between two runs of one object's timer", () => {
    const lines = [...callsOf("a", ["tick", "made", "made", "tick"]), ...callsOf("b", ["tick", "tick"])];
    assert.equal(longestPause(lines), 3);
  });
});
