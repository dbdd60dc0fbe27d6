import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { allAtOnce, asap, oneByOne, randomized, shuffled } from "../../lib/execution/lifecycle.ts";
import { virtualHost } from "../../lib/runtime/virtual/host.ts";

const LIFECYCLES = { allAtOnce, asap, oneByOne, randomized, shuffled };
const context = { random: virtualHost({ seed: 7 }).random };
const handlers = [{ id: "h1", retry: 2 }, { id: "h2", retry: 0 }, { id: "h3", retry: 1 }];

function ids(picked: readonly { readonly id: string }[]): string[] {
  return picked.map(({ id }) => id);
}

describe("lifecycles", () => {
  it("[A176] pick nothing from nothing", () => {
    for (const [name, lifecycle] of Object.entries(LIFECYCLES)) {
      assert.deepEqual(lifecycle([], context), [], name);
    }
  });

  it("[A177] asap() picks the one with the fewest attempts", () => {
    assert.deepEqual(ids(asap(handlers)), ["h2"]);
  });

  it("[A178] asap() picks the first registered among equals", () => {
    assert.deepEqual(ids(asap(handlers.map(({ id }) => ({ id, retry: 3 })))), ["h1"]);
  });

  it("allAtOnce() picks all, in order; oneByOne() the first", () => {
    assert.deepEqual(ids(allAtOnce(handlers)), ["h1", "h2", "h3"]);
    assert.deepEqual(ids(oneByOne(handlers)), ["h1"]);
  });

  it("randomized() picks any one, shuffled() all in any order", () => {
    const singles = new Set(Array.from({ length: 50 }, () => ids(randomized(handlers, context)).join()));
    assert.deepEqual([...singles].sort(), ["h1", "h2", "h3"]);
    const orders = new Set(Array.from({ length: 200 }, () => ids(shuffled(handlers, context)).join()));
    assert.equal(orders.size, 6);
  });
});
