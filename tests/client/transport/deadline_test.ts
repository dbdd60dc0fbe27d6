import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Deadline } from "../../../lib/client/transport/deadline.ts";
import { virtualHost } from "../../../lib/runtime/virtual/host.ts";

describe("Deadline", () => {
  it("aborts at the timeout, with a TimeoutError", async () => {
    const { clock } = virtualHost();
    using deadline = new Deadline({ clock, timeout: 5, stream: false });
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
      using deadline = new Deadline({ clock, timeout: 5, signal: controller.signal, stream });
      controller.abort(reason);
      assert.equal(deadline.signal?.reason, reason);
      using late = new Deadline({ clock, timeout: 5, signal: controller.signal, stream });
      assert.equal(late.signal?.reason, reason);
    }
  });

  it("hands the caller's signal through where there is no timeout", () => {
    const { clock } = virtualHost();
    const { signal } = new AbortController();
    for (const timeout of [null, Infinity]) {
      using deadline = new Deadline({ clock, timeout, signal, stream: false });
      assert.equal(deadline.signal, signal);
    }
    assert.equal(clock.pending, 0);
  });

  it("leaves nothing behind when it is over", () => {
    const { clock } = virtualHost();
    const controller = new AbortController();
    const deadline = new Deadline({ clock, timeout: 5, signal: controller.signal, stream: false });
    assert.equal(clock.pending, 1);
    deadline[Symbol.dispose]();
    assert.equal(clock.pending, 0);
    controller.abort();
    assert.equal(deadline.signal?.aborted, false, "the listener is gone");
  });
});
