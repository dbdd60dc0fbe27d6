import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { aborted } from "../../lib/async/timeout.ts";

describe("aborted()", () => {
  it("resolves when the signal aborts, and at once if it has", async () => {
    const controller = new AbortController();
    let isOver = false;
    const waiting = aborted(controller.signal).then(() => isOver = true);
    await Promise.resolve();
    assert.equal(isOver, false);
    controller.abort(new Error("never seen"));
    await waiting;
    await aborted(controller.signal);
    assert.equal(isOver, true);
  });
});
