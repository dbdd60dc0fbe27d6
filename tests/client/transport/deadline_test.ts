import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CallerSignals, Deadline } from "../../../lib/client/transport/deadline.ts";
import { virtualHost } from "../../../lib/runtime/virtual/host.ts";

describe("Deadline", () => {
  const callers = new CallerSignals();

  it("aborts at the timeout, with a TimeoutError", async () => {
    const { clock } = virtualHost();
    using deadline = new Deadline({ clock, timeout: 5, stream: false, callers });
    await clock.advance(4.9);
    assert.equal(deadline.signal?.aborted, false);
    await clock.advance(0.2);
    assert.equal(deadline.signal?.reason.name, "TimeoutError");
    assert.equal(deadline.signal?.reason.code, "ETIMEDOUT");
  });

  it("aborts with the caller's signal, also when that has aborted before", () => {
    const { clock } = virtualHost();
    for (const stream of [true, false]) {
      const reason = new Error("enough");
      const controller = new AbortController();
      using deadline = new Deadline({ clock, timeout: 5, signal: controller.signal, stream, callers });
      controller.abort(reason);
      assert.equal(deadline.signal?.reason, reason);
      using late = new Deadline({ clock, timeout: 5, signal: controller.signal, stream, callers });
      assert.equal(late.signal?.reason, reason);
    }
  });

  it("hands the caller's signal through where there is no timeout", () => {
    const { clock } = virtualHost();
    const { signal } = new AbortController();
    for (const timeout of [null, Infinity]) {
      using deadline = new Deadline({ clock, timeout, signal, stream: false, callers });
      assert.equal(deadline.signal, signal);
    }
    assert.equal(clock.pending, 0);
  });

  it("leaves nothing behind when it is over", () => {
    const { clock } = virtualHost();
    const controller = new AbortController();
    const deadline = new Deadline({ clock, timeout: 5, signal: controller.signal, stream: false, callers });
    assert.equal(clock.pending, 1);
    deadline[Symbol.dispose]();
    assert.equal(clock.pending, 0);
    controller.abort();
    assert.equal(deadline.signal?.aborted, false, "it is forgotten");
  });

  it("has one listener for all attempts that end with one signal", () => {
    const { clock } = virtualHost();
    const controller = new AbortController();
    const { signal } = controller;
    let added = 0;
    const addEventListener = signal.addEventListener.bind(signal);
    signal.addEventListener = (...args: Parameters<typeof addEventListener>): void => {
      added++;
      addEventListener(...args);
    };
    const all = Array.from(
      { length: 3 },
      () => new Deadline({ clock, timeout: 5, signal, stream: false, callers }),
    );
    all[1]?.[Symbol.dispose]();
    controller.abort();
    assert.deepEqual([added, all.map(({ signal }) => signal?.aborted)], [1, [true, false, true]]);
    for (const each of all) each[Symbol.dispose]();
    assert.equal(clock.pending, 0);
  });
});
