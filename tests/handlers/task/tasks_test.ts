import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Gate } from "../../../lib/async/gate.ts";
import { Tasks } from "../../../lib/handlers/task/tasks.ts";
import {
  type TaskArguments,
  taskHandler,
  type TaskOptions,
} from "../../../lib/handlers/task/task_handler.ts";
import { createLogger, type LogRecord } from "../../../lib/runtime/logging.ts";
import { clockShowing } from "../../support/jumping_clock.ts";
import { virtualHost } from "../../../lib/runtime/virtual/host.ts";
import { TemporaryError } from "../../../mod.ts";

function bench(
  options: TaskOptions,
  fn: (args: TaskArguments, run: number) => unknown,
  wall: { offset: number } = { offset: 0 },
) {
  const { clock, ...rest } = virtualHost();
  const host = { ...rest, clock: clockShowing(clock, () => clock.now() + wall.offset) };
  const gate = new Gate(true);
  const logs: LogRecord[] = [];
  const begun: number[] = [];
  const start = host.clock.monotonic();
  const handler = taskHandler("work", options, (args: TaskArguments) => {
    begun.push(Math.round(host.clock.monotonic() - start));
    return fn(args, begun.length);
  });
  const logger = createLogger({ level: "info", write: (record) => logs.push(record) }, host.clock);
  const tasks = new Tasks({
    handlers: [handler],
    clock: host.clock,
    logger,
    memo: { a: 1 },
    indices: {},
    gate,
    observer: {},
  });
  return { host, gate, logs, begun, tasks };
}

describe("Tasks", () => {
  it("run after their interval, measured from the end of the run before, never twice at once", async () => {
    let running = 0;
    const { host, begun, tasks } = bench({ interval: 10, initialDelay: 5 }, async ({ memo, name, retry }) => {
      assert.deepEqual([++running, memo.a, name, retry], [1, 1, "work", 0]);
      await host.clock.sleep(7);
      running--;
    });
    tasks.start();
    await host.clock.advance(45);
    assert.deepEqual(begun, [5, 22, 39]);
    const stopping = tasks.stop();
    await host.clock.advance(10);
    await stopping;
  });

  it("run at the times of a cron expression, and leave out those that come while they run", async () => {
    const { host, begun, tasks } = bench({ cron: "* * * * *" }, async (_, run) => {
      if (run === 2) await host.clock.sleep(90);
    });
    const second = Math.ceil(host.clock.now() / 1000) % 60;
    const first = (60 - second) % 60 === 0 ? 60 : 60 - second;
    tasks.start();
    await host.clock.advance(300);
    assert.deepEqual(begun.map((at) => at - first), [0, 60, 180, 240]);
    await tasks.stop();
  });

  it("go on after errors, at their next time or at the one that a TemporaryError says", async () => {
    const retries: number[] = [];
    const { host, begun, logs, tasks } = bench({ interval: 100 }, ({ retry }, run) => {
      retries.push(retry);
      if (run === 1) throw new Error("broken");
      if (run <= 3) throw new TemporaryError("later", { delay: 3 });
    });
    tasks.start();
    await host.clock.advance(250);
    assert.deepEqual([begun, retries], [[0, 100, 103, 106, 206], [0, 0, 1, 2, 0]]);
    const failures = logs.filter(({ level }) => level === "error");
    assert.deepEqual(failures.map(({ message, fields }) => [message, fields?.retryIn]), [
      ["Task failed temporarily", 100],
      ["Task failed temporarily", 3],
      ["Task failed temporarily", 3],
    ]);
    await tasks.stop();
  });

  it("wait while the operator pauses, and those that run are aborted", async () => {
    const aborted: unknown[] = [];
    const { host, gate, begun, logs, tasks } = bench({ interval: 10 }, async ({ signal }, run) => {
      if (run > 1) return;
      await host.clock.sleep(1000, signal);
      aborted.push(signal.reason);
      signal.throwIfAborted();
    });
    tasks.start();
    await host.clock.advance(5);
    gate.close();
    await host.clock.advance(100);
    assert.deepEqual(begun, [0]);
    assert.match(String(aborted[0]), /pauses/);
    gate.open();
    await host.clock.advance(1);
    assert.deepEqual(begun, [0, 105]);
    assert.deepEqual(logs.filter(({ level }) => level === "error"), []);
    await tasks.stop();
  });

  it("do not spin where they ask again and again to be called at once", async () => {
    const { host, begun, tasks } = bench({ interval: 100 }, () => {
      throw new TemporaryError("at once", { delay: 0 });
    });
    tasks.start();
    await host.clock.advance(60);
    assert.ok(begun.length > 3 && begun.length < 100, `called ${begun.length} times`);
    await tasks.stop();
  });

  it("run at the times of a cron expression by a clock that was set, in both directions", async () => {
    const wall = { offset: 0 };
    const { host, begun, tasks } = bench({ cron: "0 * * * *" }, () => {}, wall);
    const toHour = 3600 - (Math.floor(host.clock.now() / 1000) % 3600 || 3600);
    tasks.start();
    await host.clock.advance(60);
    // Half an hour on: the next hour comes so much earlier.
    wall.offset = 1_800_000;
    await host.clock.advance(3600);
    const wanted = (toHour || 3600) - 1800;
    assert.ok(
      begun.length > 0 && begun.every((at) => (at - wanted + 3600) % 3600 < 61),
      `${begun} for ${wanted}`,
    );
    // Two hours back: it is not called for hours that were there before.
    const before = begun.length;
    wall.offset -= 7_200_000;
    await host.clock.advance(7200 - 120);
    assert.ok(begun.length - before <= 2, `${begun}`);
    await tasks.stop();
  });

  it("are told to stop, and waited for", async () => {
    let isOver = false;
    const { host, tasks } = bench({ interval: 10 }, async ({ signal }) => {
      await host.clock.sleep(30);
      isOver = signal.aborted;
    });
    tasks.start();
    await host.clock.advance(5);
    const stopping = tasks.stop();
    await host.clock.advance(60);
    await stopping;
    assert.ok(isOver);
  });

  it("fail at their timeout", async () => {
    const { host, logs, tasks } = bench({ interval: 10, timeout: 2 }, async ({ signal }) => {
      await host.clock.sleep(1000, signal);
    });
    tasks.start();
    await host.clock.advance(3);
    assert.match(String(logs.find(({ level }) => level === "error")?.fields?.error), /timed out/);
    await tasks.stop();
  });
});
