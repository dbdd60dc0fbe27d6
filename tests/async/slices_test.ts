import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Slices } from "../../lib/async/slices.ts";
import { virtualHost } from "../../lib/runtime/virtual/host.ts";

describe("Slices", () => {
  it("let the event loop turn after so many pieces, whichever caller begins them", async () => {
    const { clock } = virtualHost();
    const slices = new Slices(clock, 3);
    let turns = 0;
    const count = (): void => {
      turns++;
      if (turns < 10) clock.after(0, count);
    };
    clock.after(0, count);
    const done: number[] = [];
    const work = async (pieces: number): Promise<void> => {
      for (let piece = 0; piece < pieces; piece++) {
        const turning = slices.begin();
        if (turning !== undefined) await turning;
        done.push(turns);
      }
    };
    await Promise.all([work(5), work(3)]);
    assert.deepEqual(done, [0, 0, 0, 1, 1, 1, 2, 2]);
  });
});
