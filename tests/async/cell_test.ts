import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Cell } from "../../lib/async/cell.ts";

describe("Cell", () => {
  it("changed() waits for the next change, even to the same value", async () => {
    const cell = new Cell(1);
    const waiting = cell.changed();
    cell.set(1);
    assert.equal(await waiting, true);
    assert.equal(await cell.changed(AbortSignal.abort()), false);
  });

  it("until() resolves with the first value that fulfils the condition", async () => {
    const cell = new Cell(1);
    assert.equal(await cell.until((value) => value === 1), true);
    const waiting = cell.until((value) => value > 2);
    cell.set(2);
    await Promise.resolve();
    cell.set(3);
    assert.equal(await waiting, true);
  });

  it("values() gives the newest value only to who is slow", async () => {
    const cell = new Cell("a");
    const controller = new AbortController();
    const seen: string[] = [];
    for await (const value of cell.values(controller.signal)) {
      seen.push(value);
      if (value === "a") {
        cell.set("b");
        cell.set("c");
      } else {
        queueMicrotask(() => controller.abort());
      }
    }
    assert.deepEqual(seen, ["a", "c"]);
  });

  it("listen() calls back at each change until disposed of", () => {
    const cell = new Cell(0);
    const seen: number[] = [];
    {
      using _listening = cell.listen((value) => seen.push(value));
      cell.set(1);
      cell.set(2);
    }
    cell.set(3);
    assert.deepEqual(seen, [1, 2]);
  });
});
