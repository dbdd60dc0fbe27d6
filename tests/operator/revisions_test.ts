import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { TaskGroup } from "../../lib/async/tasks.ts";
import { type Revised, Revisions } from "../../lib/operator/revisions.ts";
import { silentLogger } from "../../lib/runtime/logging.ts";
import { type VirtualHost, virtualHost } from "../../lib/runtime/virtual/host.ts";

function bench(revise: (number: number) => Promise<Revised> | Revised, repeats = true): {
  readonly host: VirtualHost;
  readonly revisions: Revisions;
  readonly tasks: TaskGroup;
  readonly times: number[];
} {
  const host = virtualHost();
  const tasks = new TaskGroup();
  const times: number[] = [];
  const revisions = new Revisions({ clock: host.clock, logger: silentLogger(), tasks, repeats });
  revisions.start(async () => {
    times.push(host.clock.monotonic());
    return await revise(times.length);
  });
  return { host, revisions, tasks, times };
}

describe("Revisions", () => {
  it("run one after another, also after one that has failed", async () => {
    let running = 0;
    const { host, revisions, times } = bench(async (number): Promise<Revised> => {
      running += 1;
      assert.equal(running, 1);
      await host.clock.sleep(5);
      running -= 1;
      if (number === 1) throw new Error("no answer");
      return "whole";
    });
    const first = assert.rejects(revisions.run(), /no answer/);
    const second = revisions.run();
    await host.clock.advance(10);
    await Promise.all([first, second]);
    assert.deepEqual(times, [0, 5]);
  });

  it("are repeated, once, when they have failed or left something out", async () => {
    const { host, revisions, tasks, times } = bench((number) => {
      if (number <= 2) throw new Error("no answer");
      return number === 3 ? "partial" : "whole";
    });
    await Promise.all([revisions.request(), revisions.request()]);
    await host.clock.advance(200);
    assert.deepEqual(times, [0, 0, 30, 60]);
    await tasks.stop();
  });

  it("are not repeated where resources neither come nor go, nor once the tasks are stopped", async () => {
    for (const repeats of [true, false]) {
      const { host, revisions, tasks, times } = bench(() => "partial", repeats);
      await revisions.request();
      await tasks.stop();
      await host.clock.advance(200);
      assert.deepEqual(times, [0]);
    }
  });
});
