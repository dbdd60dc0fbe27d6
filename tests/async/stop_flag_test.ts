import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { StopFlag } from "../../lib/async/stop_flag.ts";
import { virtualHost } from "../../lib/runtime/virtual/host.ts";

function make(): {
  readonly flag: StopFlag<"A" | "B">;
  readonly clock: ReturnType<typeof virtualHost>["clock"];
} {
  const { clock } = virtualHost();
  return { flag: new StopFlag("Daemon", clock), clock };
}

describe("StopFlag", () => {
  it("[B42] keeps all reasons, and counts from the first", async () => {
    const { flag, clock } = make();
    assert.equal(flag.since, undefined);
    await clock.advance(3);
    flag.set("A");
    await clock.advance(3);
    flag.set("B");
    assert.deepEqual([...flag.stopped.reasons], ["A", "B"]);
    assert.equal(flag.since, 3);
    assert.ok(flag.has("B"));
  });

  it("[B49] ends a wait when it is set: true", async () => {
    const { flag, clock } = make();
    const results: unknown[] = [];
    void flag.stopped.wait(10).then((result) => results.push(result, clock.monotonic()));
    await clock.advance(3);
    flag.set("A");
    await clock.settle();
    assert.deepEqual(results, [true, 3]);
    assert.equal(await flag.stopped.wait(10), true);
  });

  it("[B50] ends a wait when its time is over: false", async () => {
    const { flag, clock } = make();
    const results: unknown[] = [];
    void flag.stopped.wait(10).then((result) => results.push(result, clock.monotonic()));
    await clock.advance(20);
    assert.deepEqual(results, [false, 10]);
  });

  it("gives one AbortSignal, which says why it was aborted", () => {
    const { flag } = make();
    const { stopped } = flag;
    assert.ok(stopped instanceof AbortSignal);
    assert.equal(flag.stopped, stopped);
    assert.ok(!stopped.aborted);
    flag.set("A");
    assert.ok(stopped.aborted);
    assert.equal((stopped.reason as Error).name, "AbortError");
    assert.equal((stopped.reason as Error).message, "Daemon must stop: A");
  });

  it("gives an aborted signal to those who ask late", async () => {
    const { flag } = make();
    flag.set("B");
    assert.ok(flag.stopped.aborted);
    assert.deepEqual([...flag.stopped.reasons], ["B"]);
    assert.equal(await flag.stopped.wait(), true);
  });

  it("leaves no listener and no timer behind a wait that is over", async () => {
    const { flag, clock } = make();
    const { stopped } = flag;
    let listeners = 0;
    const { addEventListener, removeEventListener } = stopped;
    stopped.addEventListener = (...args: Parameters<typeof addEventListener>) => {
      listeners++;
      addEventListener.apply(stopped, args);
    };
    stopped.removeEventListener = (...args: Parameters<typeof removeEventListener>) => {
      listeners--;
      removeEventListener.apply(stopped, args);
    };
    void stopped.wait(10);
    assert.equal(listeners, 1);
    await clock.advance(10);
    assert.deepEqual([listeners, clock.pending], [0, 0]);
  });
});
