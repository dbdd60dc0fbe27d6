import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { TaskGroup } from "../../lib/async/tasks.ts";

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
}

describe("TaskGroup", () => {
  it("stop() aborts all tasks and waits for the last one", async () => {
    const group = new TaskGroup();
    const log: string[] = [];
    group.start("quick", untilAborted);
    group.start("tidy", async (signal) => {
      await untilAborted(signal).catch(() => log.push("tidying"));
      await Promise.resolve();
      log.push("tidied");
    });
    assert.equal(group.size, 2);
    await group.stop();
    assert.deepEqual(log, ["tidying", "tidied"]);
    assert.equal(group.size, 0);
    assert.equal(group.signal.aborted, true);
  });

  it("reports what a task throws, with its name, but not the reason it was aborted with", async () => {
    const errors: string[] = [];
    const group = new TaskGroup({ onError: (error, name) => errors.push(`${name}: ${error}`) });
    group.start("broken", () => Promise.reject(new Error("no")));
    group.start("broken at once", () => {
      throw new Error("never");
    });
    group.start("good", untilAborted);
    await Promise.resolve();
    await group.stop();
    assert.deepEqual(errors.sort(), ["broken at once: Error: never", "broken: Error: no"]);
  });

  it("own() takes on work without a signal: it is waited for, and its errors are reported", async () => {
    const errors: string[] = [];
    const group = new TaskGroup({ onError: (error, name) => errors.push(`${name}: ${error}`) });
    const log: string[] = [];
    const door = Promise.withResolvers<void>();
    const slow = group.own("slow", async () => {
      await door.promise;
      log.push("slow has ended");
    });
    group.own("broken", () => Promise.reject(new Error("no")));
    assert.equal(group.size, 2);
    const stopped = group.stop().then(() => log.push("stopped"));
    await Promise.resolve();
    assert.equal(slow.isRunning, true);
    door.resolve();
    await stopped;
    assert.deepEqual(log, ["slow has ended", "stopped"]);
    assert.deepEqual(errors, ["broken: Error: no"]);
  });

  it("stop() throws the first error when nobody takes errors", async () => {
    const group = new TaskGroup();
    group.start("broken", () => Promise.reject(new Error("first")));
    await assert.rejects(group.stop(), /first/);
  });

  it("start() gives a task that can be stopped alone", async () => {
    await using group = new TaskGroup();
    const task = group.start("one", untilAborted);
    const other = group.start("other", untilAborted);
    await task.stop();
    assert.equal(task.isRunning, false);
    assert.equal(other.isRunning, true);
    assert.equal(group.size, 1);
  });

  it("start() in a stopped group runs the task with an aborted signal", async () => {
    const group = new TaskGroup();
    await group.stop("over");
    let reason: unknown;
    await group.start("late", (signal) => void (reason = signal.reason)).done;
    assert.equal(reason, "over");
  });

  it("finished() waits for tasks that tasks start", async () => {
    const group = new TaskGroup();
    const log: string[] = [];
    group.start("outer", async () => {
      await Promise.resolve();
      group.start("inner", async () => {
        await new Promise((resolve) => setTimeout(resolve, 0));
        log.push("inner");
      });
    });
    await group.finished();
    assert.deepEqual(log, ["inner"]);
  });
});
