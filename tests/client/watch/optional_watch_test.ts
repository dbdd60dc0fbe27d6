import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ApiError } from "../../../lib/client/errors.ts";
import { refusedPause, watchOptional } from "../../../lib/client/watch/optional_watch.ts";
import { aborted } from "../../../lib/async/timeout.ts";
import { virtualHost } from "../../../lib/runtime/virtual/host.ts";

const refusal = new ApiError({ status: 403, request: "GET /widgets" });

describe("refusedPause()", () => {
  it("is a minute at first, and ten at last", () => {
    assert.deepEqual([0, 1, 2, 3, 4, 50].map(refusedPause), [60, 120, 240, 480, 600, 600]);
  });
});

describe("watchOptional()", () => {
  it("tries again after each refusal, later and later, and soon again once it has worked", async () => {
    const { clock } = virtualHost();
    const controller = new AbortController();
    const began: number[] = [];
    const told: string[] = [];
    const run = watchOptional({
      signal: controller.signal,
      clock,
      onRefused: (error, { isFirst, retryIn }) => told.push(`${error.status} ${isFirst} ${retryIn}`),
      run: ({ refused, synced }) => {
        began.push(clock.monotonic());
        if (began.length === 3) synced();
        assert.equal(refused(refusal), "stop");
        return Promise.resolve();
      },
    });
    await clock.advance(300);
    assert.deepEqual(began, [0, 60, 180, 240]);
    assert.deepEqual(told, ["403 true 60", "403 false 120", "403 true 60", "403 false 120"]);
    controller.abort();
    await run;
  });

  it("ends when its signal aborts: while it watches, and while it waits", async () => {
    for (const isRefused of [false, true]) {
      const { clock } = virtualHost();
      const controller = new AbortController();
      const run = watchOptional({
        signal: controller.signal,
        clock,
        onRefused: () => {},
        run: ({ refused }) => isRefused ? Promise.resolve(void refused(refusal)) : aborted(controller.signal),
      });
      await clock.settle();
      controller.abort();
      await run;
      assert.equal(clock.pending, 0);
    }
  });
});
