import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { TakenNotes } from "../../../lib/handlers/change/taken_notes.ts";

function setUp() {
  let now = 100;
  const taken = new TakenNotes({ monotonic: () => now });
  return { taken, advance: (seconds: number) => void (now += seconds) };
}

describe("TakenNotes", () => {
  it("waits longer each time, up to ten minutes, and begins anew after an hour of calm", () => {
    const { taken, advance } = setUp();
    const pauses: (number | undefined)[] = [];
    for (let times = 1; times <= 12; times++) {
      assert.equal(taken.miss(), times);
      pauses.push(taken.rest);
      assert.equal(taken.isDue, false);
      advance(taken.rest ?? 0);
      assert.equal(taken.isDue, true);
      taken.settle();
    }
    assert.deepEqual(pauses, [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 600, 600]);
    advance(3601);
    assert.equal(taken.miss(), 1);
    assert.equal(taken.rest, 1);
  });

  it("counts what is missing once, until it is back", () => {
    const { taken } = setUp();
    assert.deepEqual([taken.rest, taken.isDue], [undefined, false]);
    assert.equal(taken.miss(), 1);
    assert.equal(taken.miss(), undefined);
    taken.settle();
    assert.deepEqual([taken.rest, taken.isDue], [undefined, false]);
    assert.equal(taken.miss(), 2);
  });
});
