import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Schedule } from "../../lib/async/schedule.ts";
import { virtualHost } from "../../lib/runtime/virtual/host.ts";

function scheduleOn() {
  const { clock } = virtualHost();
  const rung: string[] = [];
  const schedule = new Schedule({ clock, callback: (key) => rung.push(`${key}@${clock.monotonic()}`) });
  return { clock, rung, schedule };
}

describe("Schedule", () => {
  it("calls back each key at its time, in order, over one timer", async () => {
    const { clock, rung, schedule } = scheduleOn();
    schedule.set("late", 30);
    schedule.set("early", 10);
    schedule.set("middle", 20);
    assert.equal(clock.pending, 1);
    await clock.advance(25);
    assert.deepEqual(rung, ["early@10", "middle@20"]);
    await clock.advance(25);
    assert.deepEqual(rung, ["early@10", "middle@20", "late@30"]);
    assert.equal(schedule.size, 0);
    assert.equal(clock.pending, 0);
  });

  it("set() replaces a key's time, cancel() unsets it", async () => {
    const { clock, rung, schedule } = scheduleOn();
    schedule.set("a", 10);
    schedule.set("a", 20);
    schedule.set("a", 15);
    schedule.set("b", 12);
    assert.equal(schedule.cancel("b"), true);
    assert.equal(schedule.cancel("b"), false);
    await clock.advance(60);
    assert.deepEqual(rung, ["a@15"]);
  });

  it("rings at once for times in the past, but not before set() has returned", async () => {
    const { clock, rung, schedule } = scheduleOn();
    schedule.set("past", -5);
    assert.deepEqual(rung, []);
    await clock.settle();
    assert.deepEqual(rung, ["past@0"]);
  });

  it("lets a callback set its own key again, even to the past, without starving others", async () => {
    const { clock } = virtualHost();
    let rung = 0;
    let rungBefore = NaN;
    const schedule: Schedule = new Schedule({
      clock,
      callback: (key) => {
        if (++rung < 100) schedule.set(key, 0);
      },
    });
    schedule.set("again", 0);
    clock.after(0, () => rungBefore = rung);
    await clock.settle();
    assert.equal(rung, 100);
    assert.equal(rungBefore, 1);
  });

  it("cancel() of the last key leaves no timer behind", () => {
    const { clock, schedule } = scheduleOn();
    schedule.set("a", 1);
    schedule.cancel("a");
    assert.equal(clock.pending, 0);
  });

  it("keeps keys such as __proto__ apart, and refuses times that are no numbers", async () => {
    const { clock, rung, schedule } = scheduleOn();
    for (const key of ["__proto__", "constructor", "toString"]) schedule.set(key, 1);
    assert.throws(() => schedule.set("x", NaN), RangeError);
    await clock.advance(1);
    assert.deepEqual(rung, ["__proto__@1", "constructor@1", "toString@1"]);
  });

  it("rings no more after it was disposed of", async () => {
    const { clock, rung, schedule } = scheduleOn();
    schedule.set("a", 1);
    schedule[Symbol.dispose]();
    assert.equal(clock.pending, 0);
    await clock.advance(10);
    assert.deepEqual(rung, []);
  });

  it("rings ten thousand random times in order", async () => {
    const { random } = virtualHost({ seed: 3 });
    const { clock } = virtualHost();
    const times = new Map<string, number>();
    let before = 0;
    const schedule = new Schedule({
      clock,
      callback: (key) => {
        const at = times.get(key) ?? NaN;
        assert.ok(
          at >= before && clock.monotonic() - at < 0.001,
          `${key} at ${at} rang at ${clock.monotonic()}, after ${before}`,
        );
        before = at;
        times.delete(key);
      },
    });
    for (let index = 0; index < 10_000; index++) {
      times.set(`key ${index}`, random.next() * 100);
      schedule.set(`key ${index}`, times.get(`key ${index}`) ?? 0);
    }
    for (let index = 0; index < 10_000; index += 3) {
      schedule.cancel(`key ${index}`);
      times.delete(`key ${index}`);
    }
    await clock.advance(100);
    assert.equal(times.size, 0);
  });
});
