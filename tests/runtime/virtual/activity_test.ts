import assert from "node:assert/strict";
import { setTimeout as sleepForReal } from "node:timers/promises";
import { describe, it } from "node:test";
import { Activity, turn } from "../../../lib/runtime/virtual/activity.ts";

/** So long that a settle() which does not wait would be over, and so short that one which waits has patience. */
const A_WHILE = 20;

describe("Activity", () => {
  it("settle() waits for promise work, however many steps it takes", async () => {
    const activity = new Activity();
    let steps = 0;
    const walking = (async () => {
      while (steps < 10_000) steps += await Promise.resolve(1);
    })();
    await activity.settle();
    assert.equal(steps, 10_000);
    await walking;
  });

  it("settle() waits for a patient thing, however long nothing shows", async () => {
    const activity = new Activity(0.001);
    let isDone = false;
    // Sleeps for real, twenty times as long as its patience.
    const work = activity.run(async () => {
      await sleepForReal(A_WHILE);
      isDone = true;
    }, { patient: true });
    await activity.settle();
    assert.equal(isDone, true);
    await work;
  });

  it("settle() waits for turns that are touched", async () => {
    const activity = new Activity();
    let turns = 0;
    void (async () => {
      for (; turns < 50; turns++) {
        await turn();
        activity.touch();
      }
    })();
    await activity.settle();
    assert.equal(turns, 50);
  });

  it("settle() waits for what is under way, though nothing shows for a while", async () => {
    const activity = new Activity();
    let isDone = false;
    // Sleeps for real: work outside of the event loop's turns is what is meant.
    void activity.run(async () => {
      await sleepForReal(A_WHILE);
      isDone = true;
    });
    assert.equal(activity.size, 1);
    await activity.settle();
    assert.equal(isDone, true);
    assert.equal(activity.size, 0);
  });

  it("settle() waits once for what hangs, until it shows that it lives", async () => {
    const activity = new Activity();
    const work = activity.begin();
    await activity.settle();
    const started = performance.now();
    await activity.settle();
    assert.ok(performance.now() - started < 50, "it waited again");
    work.touch();
    let isEnded = false;
    setTimeout(() => {
      isEnded = true;
      work.end();
    }, A_WHILE);
    await activity.settle();
    assert.equal(isEnded, true);
  });

  it("settle() takes nothing for hanging because the process itself did not run for a while", async () => {
    const activity = new Activity();
    let isDone = false;
    void activity.run(async () => {
      for (let turns = 0; turns < 10; turns++) await turn();
      const end = performance.now() + 150;
      while (performance.now() < end) { /* The machine is busy. */ }
      for (let turns = 0; turns < 10; turns++) await turn();
      isDone = true;
    });
    await activity.settle();
    assert.equal(isDone, true);
  });

  it("settle() does not wait for what sleeps on the clock, and does again when it wakes", async () => {
    const activity = new Activity();
    const woken = Promise.withResolvers<void>();
    let wake = () => {};
    let isDone = false;
    void activity.run(async () => {
      wake = activity.sleep();
      await woken.promise;
      await sleepForReal(A_WHILE);
      isDone = true;
    });
    const started = performance.now();
    await activity.settle();
    assert.ok(performance.now() - started < 50, "it waited for a sleeper");
    assert.equal(isDone, false);
    wake();
    woken.resolve();
    await activity.settle();
    assert.equal(isDone, true);
  });

  it("run() gives what the work gives, and fails as it fails", async () => {
    const activity = new Activity();
    assert.equal(await activity.run(() => 1), 1);
    await assert.rejects(activity.run(() => Promise.reject(new Error("no"))), /no/);
    await assert.rejects(
      activity.run(() => {
        throw new Error("at once");
      }),
      /at once/,
    );
    assert.equal(activity.size, 0);
  });
});
