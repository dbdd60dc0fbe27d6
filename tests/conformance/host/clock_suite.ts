/** What a host's clock and generator must do. Sleeps for real: that is what is tested. */

import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { describe, it } from "node:test";
import type { Host } from "../../../lib/runtime/host.ts";

/** Describes the clock and the generator of a host. */
export function clockSuite(makeHost: () => Host): void {
  describe("host.clock", () => {
    const { clock } = makeHost();

    it("now() is the wall clock, monotonic() counts seconds", async () => {
      assert.ok(Math.abs(clock.now() - Date.now()) < 1000);
      const before = clock.monotonic();
      await clock.sleep(0.05);
      const passed = clock.monotonic() - before;
      assert.ok(passed >= 0.05 && passed < 2, `${passed}`);
    });

    it("sleep() never ends early, and tells that it was slept in full", async () => {
      for (let round = 0; round < 20; round++) {
        const before = clock.monotonic();
        assert.equal(await clock.sleep(0.0033), true);
        assert.ok(clock.monotonic() - before >= 0.0033);
      }
    });

    it("sleep() ends with false when its signal is aborted, and leaves no listener behind", async () => {
      const controller = new AbortController();
      const before = clock.monotonic();
      setTimeout(() => controller.abort(new Error("ignored")), 10);
      assert.equal(await clock.sleep(60, controller.signal), false);
      assert.ok(clock.monotonic() - before < 10);
      assert.equal(await clock.sleep(60, controller.signal), false);
      const { signal } = new AbortController();
      await clock.sleep(0.001, signal);
      await clock.sleep(0, signal);
      assert.equal(getEventListeners(signal, "abort").length, 0);
    });

    it("sleep() of zero, less or NaN ends at once, but lets others run first", async () => {
      for (const seconds of [0, -5, NaN]) {
        const log: string[] = [];
        const sleeping = clock.sleep(seconds).then((slept) => log.push(`slept ${slept}`));
        await Promise.resolve().then(() => log.push("others"));
        await sleeping;
        assert.deepEqual(log, ["others", "slept true"]);
      }
    });

    it("sleep() and after() wait for more than 2^31 ms, and for ever", async () => {
      const controller = new AbortController();
      const log: string[] = [];
      const sleeping = [30 * 86_400, 1e10, Infinity].map(async (seconds) => {
        log.push(`${seconds}: ${await clock.sleep(seconds, controller.signal)}`);
      });
      using _after = clock.after(30 * 86_400, () => log.push("after"));
      using _never = clock.after(Infinity, () => log.push("after"));
      await clock.sleep(0.05);
      assert.deepEqual(log, []);
      controller.abort();
      await Promise.all(sleeping);
      assert.deepEqual(log, ["2592000: false", "10000000000: false", "Infinity: false"]);
    });

    it("after() calls back once, unless it is disposed of", async () => {
      const log: string[] = [];
      clock.after(0.01, () => log.push("kept"));
      clock.after(0.01, () => log.push("disposed of"))[Symbol.dispose]();
      clock.after(0, () => log.push("at once"));
      assert.deepEqual(log, []);
      await clock.sleep(0.05);
      assert.deepEqual(log, ["at once", "kept"]);
    });
  });

  describe("host.random", () => {
    const { random } = makeHost();

    it("next() gives different numbers in [0, 1)", () => {
      const numbers = Array.from({ length: 1000 }, () => random.next());
      assert.ok(numbers.every((number) => number >= 0 && number < 1));
      assert.ok(new Set(numbers).size > 990);
    });

    it("bytes() gives as many bytes as wanted, also beyond 65,536", () => {
      assert.equal(random.bytes(0).length, 0);
      assert.equal(random.bytes(100_000).length, 100_000);
      assert.ok(new Set(random.bytes(1000)).size > 200);
    });

    it("uuid() gives version 4", () => {
      assert.match(random.uuid(), /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      assert.notEqual(random.uuid(), random.uuid());
    });
  });
}
