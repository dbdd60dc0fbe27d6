import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { describe, it } from "node:test";
import { virtualHost } from "../../../lib/runtime/virtual/host.ts";

describe("VirtualClock", () => {
  it("stands still until it is wound", async () => {
    const { clock } = virtualHost({ start: 1_000_000 });
    let isAwake = false;
    clock.sleep(1).then(() => isAwake = true);
    await clock.settle();
    assert.deepEqual([clock.now(), clock.monotonic(), isAwake, clock.pending], [1_000_000, 0, false, 1]);
    await clock.advance(1);
    assert.deepEqual([clock.now(), clock.monotonic(), isAwake, clock.pending], [1_001_000, 1, true, 0]);
  });

  it("advance() fires timers one by one, in the order of their times and then of their making", async () => {
    const { clock } = virtualHost({ start: 0 });
    const log: string[] = [];
    const note = (name: string) => () => log.push(`${name}@${clock.now() / 1000}`);
    clock.after(3, note("c"));
    clock.after(1, note("a1"));
    clock.after(2, note("b"));
    for (const name of ["a2", "a3", "a4", "a5", "a6"]) clock.after(1, note(name));
    clock.after(5, note("too late"));
    await clock.advance(4);
    assert.deepEqual(log, ["a1@1", "a2@1", "a3@1", "a4@1", "a5@1", "a6@1", "b@2", "c@3"]);
    assert.equal(clock.now(), 4000);
  });

  it("advance() lets all promise work end between two timers, and fires what that sets", async () => {
    const { clock } = virtualHost({ start: 0 });
    const log: string[] = [];
    clock.after(1, async () => {
      for (let hop = 0; hop < 500; hop++) await Promise.resolve();
      log.push(`first done@${clock.now() / 1000}`);
      await clock.sleep(0.5);
      log.push(`slept@${clock.now() / 1000}`);
    });
    clock.after(1, () => log.push(`second@${clock.now() / 1000}`));
    clock.after(2, () => log.push(`third@${clock.now() / 1000}`));
    await clock.advance(10);
    assert.deepEqual(log, ["first done@1", "second@1", "slept@1.5", "third@2"]);
  });

  it("goes through an hour of minutes in milliseconds", async () => {
    const { clock } = virtualHost();
    let minutes = 0;
    const controller = new AbortController();
    const ticking = (async () => {
      while (await clock.sleep(60, controller.signal)) minutes++;
    })();
    const started = performance.now();
    await clock.advance(3600);
    const spent = performance.now() - started;
    assert.equal(minutes, 60);
    assert.ok(spent < 500, `${spent} ms`);
    controller.abort();
    await ticking;
  });

  it("is the same each time", async () => {
    const run = async () => {
      const { clock, random } = virtualHost({ seed: 4, start: 0 });
      const log: string[] = [];
      const walk = async (name: string) => {
        for (let step = 0; step < 20; step++) {
          await clock.sleep(random.next() * 10);
          log.push(`${name}${step}@${clock.now()}`);
        }
      };
      const walking = Promise.all(["a", "b", "c"].map(walk));
      await clock.advance(300);
      await walking;
      return log;
    };
    const first = await run();
    assert.equal(first.length, 60);
    assert.deepEqual(await run(), first);
  });

  it("sleep() ends with false when its signal is aborted, and leaves nothing behind", async () => {
    const { clock } = virtualHost();
    const controller = new AbortController();
    const sleeping = [clock.sleep(60, controller.signal), clock.sleep(Infinity, controller.signal)];
    controller.abort();
    assert.deepEqual(await Promise.all(sleeping), [false, false]);
    assert.equal(await clock.sleep(60, controller.signal), false);
    assert.equal(clock.pending, 0);
    const { signal } = new AbortController();
    const slept = clock.sleep(1, signal);
    await clock.advance(1);
    assert.equal(await slept, true);
    assert.equal(getEventListeners(signal, "abort").length, 0);
  });

  it("sleep() of zero or less needs nobody to wind, and lets others run first", async () => {
    const { clock } = virtualHost({ start: 0 });
    for (const seconds of [0, -1, NaN]) {
      const log: string[] = [];
      const sleeping = clock.sleep(seconds).then((slept) => log.push(`slept ${slept}`));
      await Promise.resolve().then(() => log.push("others"));
      await sleeping;
      assert.deepEqual(log, ["others", "slept true"]);
    }
    assert.equal(clock.now(), 0);
  });

  it("after() that is disposed of never fires, also when it is due at once", async () => {
    const { clock } = virtualHost();
    const log: string[] = [];
    clock.after(1, () => log.push("later"))[Symbol.dispose]();
    clock.after(0, () => log.push("at once"))[Symbol.dispose]();
    await clock.advance(10);
    assert.deepEqual(log, []);
  });

  it("never fires early, and makes whole milliseconds of fractions", async () => {
    const { clock } = virtualHost({ start: 0 });
    const log: number[] = [];
    clock.after(0.1 + 0.2, () => log.push(clock.now()));
    clock.after(0.0004, () => log.push(clock.now()));
    clock.after(40 * 86_400, () => log.push(clock.now()));
    await clock.advance(0.3);
    assert.deepEqual(log, [1, 300]);
    await clock.advance(40 * 86_400);
    assert.deepEqual(log, [1, 300, 40 * 86_400_000]);
  });

  it("lets time pass before any timer that is not due at once: a hair of a pause is a millisecond", async () => {
    const { clock } = virtualHost();
    let firedAt: number | undefined;
    clock.after(1e-12, () => firedAt = clock.monotonic());
    await clock.advance(1);
    assert.equal(firedAt, 0.001);
  });

  it("until() stops at the first timer after which the condition holds", async () => {
    const { clock } = virtualHost({ start: 0 });
    let count = 0;
    const controller = new AbortController();
    const counting = (async () => {
      while (await clock.sleep(10, controller.signal)) count++;
    })();
    await clock.until(() => count === 3);
    assert.equal(clock.now(), 30_000);
    await clock.until(async () => await Promise.resolve(true));
    assert.equal(clock.now(), 30_000);
    controller.abort();
    await counting;
  });

  it("until() says what it waited for in vain", async () => {
    const { clock } = virtualHost({ start: 0 });
    clock.after(10, () => {});
    clock.after(100, () => {});
    await assert.rejects(
      clock.until(() => false, { within: 60 }),
      /does not hold within 60 s: 10 s have passed, the next timer is due 100 s after the start/,
    );
    await assert.rejects(clock.until(() => false), /no timer is left/);
  });

  it("advance() passes on what a timer's callback throws", async () => {
    const { clock } = virtualHost();
    clock.after(1, () => {
      throw new Error("from the callback");
    });
    await assert.rejects(clock.advance(2), /from the callback/);
    await clock.advance(1);
  });

  it("refuses to be wound by two at the same time, or backwards", async () => {
    const { clock } = virtualHost();
    const winding = clock.advance(10);
    await assert.rejects(clock.advance(10), /somebody else/);
    await winding;
    await assert.rejects(clock.advance(-1), RangeError);
    await assert.rejects(clock.advance(NaN), RangeError);
  });
});
