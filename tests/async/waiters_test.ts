import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { describe, it } from "node:test";
import { Waiters } from "../../lib/async/waiters.ts";

describe("Waiters", () => {
  it("serve() serves who waits longest, and tells whether there was one", async () => {
    const waiters = new Waiters<string>();
    const first = waiters.wait();
    const second = waiters.wait();
    assert.equal(waiters.size, 2);
    assert.equal(waiters.serve("a"), true);
    assert.equal(waiters.serve("b"), true);
    assert.equal(waiters.serve("c"), false);
    assert.deepEqual([await first, await second], ["a", "b"]);
  });

  it("wait() gives undefined when its signal is aborted, before or during the wait", async () => {
    const waiters = new Waiters<string>();
    assert.equal(await waiters.wait(AbortSignal.abort()), undefined);
    const controller = new AbortController();
    const waiting = waiters.wait(controller.signal);
    controller.abort();
    assert.equal(await waiting, undefined);
    assert.equal(waiters.size, 0);
    assert.equal(waiters.serve("nobody"), false);
  });

  it("wait() leaves no listener behind on its signal", async () => {
    const waiters = new Waiters<number>();
    const { signal } = new AbortController();
    for (let round = 0; round < 20; round++) {
      const waiting = waiters.wait(signal);
      waiters.serveAll(round);
      assert.equal(await waiting, round);
    }
    assert.equal(getEventListeners(signal, "abort").length, 0);
  });

  it("wait() puts one listener on a signal, however many wait with it, and the signal ends them all", async () => {
    const waiters = new Waiters<number>();
    const [one, other] = [new AbortController(), new AbortController()];
    const served = waiters.wait(one.signal);
    const ended = Array.from({ length: 20 }, () => waiters.wait(one.signal));
    const left = waiters.wait(other.signal);
    assert.equal(getEventListeners(one.signal, "abort").length, 1);
    waiters.serve(1);
    one.abort();
    assert.equal(await served, 1);
    assert.deepEqual(new Set(await Promise.all(ended)), new Set([undefined]));
    assert.equal(waiters.size, 1);
    waiters.serve(2);
    assert.equal(await left, 2);
    assert.equal(getEventListeners(other.signal, "abort").length, 0);
  });
});
