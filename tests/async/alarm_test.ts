import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Alarm } from "../../lib/async/alarm.ts";
import { virtualHost } from "../../lib/runtime/virtual/host.ts";

describe("Alarm", () => {
  it("ends a sleep, or the next one, and lets the one after that pass", async () => {
    const { clock } = virtualHost();
    const alarm = new Alarm(clock);
    const { signal } = new AbortController();
    const times: number[] = [];
    const work = (async () => {
      for (let round = 0; round < 3; round++) {
        await alarm.sleep(10, signal);
        times.push(clock.monotonic());
      }
    })();
    const begun = clock.monotonic();
    await clock.advance(4);
    alarm.ring();
    alarm.ring();
    await clock.advance(30);
    await work;
    assert.deepEqual(times.map((time) => time - begun), [4, 14, 24]);
    alarm.ring();
    await alarm.sleep(10, signal);
    assert.equal(clock.monotonic() - begun, 34, "it rang while nobody slept");
  });

  it("ends with its signal", async () => {
    const { clock } = virtualHost();
    const stop = new AbortController();
    const sleeping = new Alarm(clock).sleep(Infinity, stop.signal);
    stop.abort();
    await sleeping;
  });
});
