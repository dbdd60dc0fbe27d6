import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Choice, Faults, Verdict } from "../../../../lib/kits/testing/exploration/run_choices.ts";
import { Search } from "../../../../lib/kits/testing/exploration/search.ts";

const NONE: Faults = { kills: 0, losses: 0, delays: 0 };

function choice(label: string, fault?: keyof Faults, isTurn = false): Choice {
  return { label, fault, isTurn, take: () => {} };
}

/** Has the search visit a point of its current run. */
function visit(
  search: Search,
  state: string,
  { choices = [], options = [choice("go")], used = NONE }: {
    readonly choices?: readonly string[];
    readonly options?: readonly Choice[];
    readonly used?: Faults;
  } = {},
): Verdict {
  return search.visit({ choices, options, used, key: () => state });
}

describe("Search", () => {
  it("begins with the ordinary run; then come runs with one thing out of the ordinary, those without a fault first", () => {
    const search = new Search({ depth: 10 });
    assert.deepEqual(search.next(), []);
    const options = [
      choice("first"),
      choice("kill", "kills"),
      choice("late", undefined, true),
      choice("other"),
    ];
    assert.equal(visit(search, "start", { options }), "go");
    assert.equal(search.waiting, 3);
    assert.deepEqual(search.next(), ["other"]);
    assert.deepEqual(search.next(), ["late"]);
    assert.equal(
      visit(search, "after late", { choices: ["late"], options: [choice("go"), choice("lose", "losses")] }),
      "go",
    );
    assert.deepEqual(search.next(), ["kill"]);
    assert.deepEqual(search.next(), ["late", "lose"]);
    assert.equal(search.next(), undefined);
  });

  it("cuts a run where a state was seen with as few faults of each sort, and not where it was seen with more", () => {
    const search = new Search({ depth: 10 });
    const inNewRun = (used: Faults): Verdict => {
      search.next();
      return visit(search, "one", {
        used,
        options: ["go", "b", "c", "d", "e"].map((label) => choice(label)),
      });
    };
    assert.equal(inNewRun({ ...NONE, kills: 1 }), "go");
    assert.equal(inNewRun({ ...NONE, kills: 1 }), "cut");
    assert.equal(inNewRun({ ...NONE, losses: 1 }), "go"); // neither is less than the other
    assert.equal(inNewRun(NONE), "go");
    assert.equal(inNewRun({ kills: 1, losses: 1, delays: 1 }), "cut");
    assert.equal(search.states, 1);
  });

  it("leads a run to its end that comes back to a state of its own, or is too deep", () => {
    const search = new Search({ depth: 2 });
    search.next();
    assert.equal(visit(search, "one"), "go");
    assert.equal(visit(search, "one", { choices: ["go"] }), "end");
    assert.equal(search.cut, 0);
    assert.equal(visit(search, "two", { choices: ["go", "go"] }), "end");
    assert.deepEqual([search.cut, search.deepest], [1, 2]);
  });
});
