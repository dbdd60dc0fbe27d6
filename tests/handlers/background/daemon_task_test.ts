import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ApiError } from "../../../lib/client/errors.ts";
import { PermanentError, TemporaryError } from "../../../lib/execution/errors.ts";
import type { JsonObject } from "../../../lib/model/object.ts";
import { daemonOf, type EngineWorld, engineWorld, testObject, timerOf } from "./world.ts";

const reset = new Error("connection reset");
const conflict = new ApiError({ status: 409, request: "PATCH /one" });

/** Makes the next writes fail, so many times. */
function failWrites(world: EngineWorld, times: number, error: Error = reset): void {
  world.onPatch = () => {
    if (times-- > 0) throw error;
    return undefined;
  };
}

/** Makes the next writes fail with these errors, one after the other. */
function failWritesWith(world: EngineWorld, errors: Error[]): void {
  world.onPatch = () => {
    const error = errors.shift();
    if (error !== undefined) throw error;
    return undefined;
  };
}

function statusesOf({ patches }: EngineWorld): unknown[] {
  // Merge patches, made by the tests.
  return patches.map(({ body }) => (body as JsonObject).status);
}

function logged({ logs }: EngineWorld, text: RegExp): typeof logs {
  return logs.filter(({ message }) => text.test(message));
}

describe("A write of a timer that fails", () => {
  it("is tried again with growing pauses, beside the schedule, until it succeeds", async () => {
    let runs = 0;
    const world = engineWorld([timerOf(({ patch }) => {
      runs++;
      patch.status.run = runs;
    }, { interval: 100 })], { queueing: { errorDelays: [1, 2, 3] } });
    failWrites(world, 4);
    await world.match(testObject("one"));
    await world.host.clock.advance(50);
    assert.equal(runs, 1);
    assert.deepEqual(
      logged(world, /it is kept, and tried again/).map(({ fields }) => [fields.attempt, fields.retryIn]),
      [[1, 1], [2, 2], [3, 3], [4, 3]],
    );
    assert.deepEqual(statusesOf(world), Array(5).fill({ run: 1 }));
  });

  it("goes out with what the next run writes, and only what differs from the server's object", async () => {
    let runs = 0;
    const world = engineWorld([timerOf(({ patch }) => {
      runs++;
      patch.status[`run${runs}`] = true;
    }, { interval: 1 })], { queueing: { errorDelays: [100] } });
    failWrites(world, 1);
    await world.match(testObject("one"));
    await world.host.clock.advance(1.5);
    assert.deepEqual(statusesOf(world), [{ run1: true }, { run1: true, run2: true }]);
  });

  it("is dropped, with a warning, when its daemon is told to stop meanwhile", async () => {
    const world = engineWorld([timerOf(({ patch }) => void (patch.status.run = 1), { interval: 100 })]);
    failWrites(world, Infinity);
    const one = testObject("one");
    await world.match(one);
    await world.daemons.forget(one);
    assert.equal(logged(world, /could not be written/).length, 1);
    assert.deepEqual([world.daemons.counts.live, world.daemons.counts.planned], [0, 0]);
  });

  it("is given up in silence once nothing may be written any more", async () => {
    const world = engineWorld([timerOf(({ patch }) => void (patch.status.run = 1), { interval: 100 })]);
    failWrites(world, Infinity);
    world.fence.abort();
    const one = testObject("one");
    await world.match(one);
    await world.daemons.forget(one);
    assert.deepEqual(logged(world, /write|written/), []);
  });

  it("ends with its object: what is pending does not land on a namesake", async () => {
    const world = engineWorld([timerOf(({ patch }) => void (patch.status.run = 1), { interval: 100 })]);
    failWrites(world, 1);
    const one = testObject("one");
    await world.match(one);
    one.cached.replace({
      ...one.body,
      metadata: { ...one.body.metadata, uid: "earlier", resourceVersion: "0" },
    });
    await world.host.clock.advance(10);
    assert.equal(world.patches.length, 1);
  });
});

describe("A daemon that has ended with a pending write", () => {
  it("goes on until that is written, and is not started again meanwhile", async () => {
    let runs = 0;
    const world = engineWorld([daemonOf(({ patch }) => {
      runs++;
      patch.status.done = true;
    })], { queueing: { errorDelays: [5] } });
    failWrites(world, 1);
    const one = testObject("one");
    await world.match(one);
    await world.match(one);
    assert.deepEqual([runs, world.daemons.counts.live], [1, 1]);
    await world.host.clock.advance(6);
    assert.deepEqual([runs, world.daemons.counts.live, world.patches.length], [1, 0, 2]);
    await world.match(one);
    assert.equal(runs, 1);
  });
});

describe("Functions of a timer that lose a race", () => {
  it("are in the patch of the next run, which is not in a hurry for them", async () => {
    const pending: number[] = [];
    const world = engineWorld([timerOf(({ patch }) => {
      pending.push(patch.fns.length);
      if (pending.length === 1) patch.fns.push((body) => void (body.status = { counted: true }));
    }, { interval: 10 })]);
    failWrites(world, 1, conflict);
    await world.match(testObject("one"));
    await world.host.clock.advance(9);
    assert.deepEqual([pending, world.patches.length], [[0], 1]);
    await world.host.clock.advance(2);
    assert.deepEqual([pending, world.patches.length], [[0, 1], 2]);
  });
});

const invalid = new ApiError({ status: 422, request: "PATCH /one" });

describe("A run whose write is refused for good", () => {
  it("counts as failed, and is repeated after the backoff as if its function had thrown", async () => {
    const times: number[] = [];
    const world = engineWorld([timerOf(({ patch }) => {
      times.push(world.host.clock.monotonic());
      patch.status.wrong = true;
    }, { interval: 100, backoff: 7, retries: 2 })]);
    failWrites(world, Infinity, invalid);
    await world.match(testObject("one"));
    await world.host.clock.advance(50);
    assert.deepEqual(times, [0, 7]);
    assert.deepEqual(
      world.logs.filter(({ level }) => level === "error").map(({ message }) => message),
      [
        "Timer failed temporarily",
        "Timer failed permanently",
      ],
    );
    assert.equal(world.daemons.counts.live, 0);
  });

  it("also if a function of its patch throws", async () => {
    const times: number[] = [];
    const world = engineWorld([daemonOf(({ patch }) => {
      times.push(world.host.clock.monotonic());
      patch.fns.push(() => {
        throw new Error("no");
      });
    }, { backoff: 7 })]);
    await world.match(testObject("one"));
    await world.host.clock.advance(8);
    assert.deepEqual(times, [0, 7]);
    assert.equal(logged(world, /Cannot apply the functions/).length, 0);
  });

  it("is not repeated earlier, or later, if its function had failed anyway", async () => {
    const times: number[] = [];
    const world = engineWorld([daemonOf(({ patch }) => {
      times.push(world.host.clock.monotonic());
      patch.status.wrong = true;
      throw new TemporaryError("not yet", { delay: 3 });
    }, { backoff: 7 })]);
    failWrites(world, Infinity, invalid);
    await world.match(testObject("one"));
    await world.host.clock.advance(4);
    assert.deepEqual(times, [0, 3]);
  });

  it("brings a daemon back that had ended, if its write was kept first and is refused then", async () => {
    const calls: unknown[] = [];
    const world = engineWorld([daemonOf(({ patch, retry }) => {
      calls.push([world.host.clock.monotonic(), retry]);
      if (retry === 0) patch.status.wrong = true;
    }, { backoff: 7 })], { queueing: { errorDelays: [1] } });
    failWritesWith(world, [reset, invalid]);
    await world.match(testObject("one"));
    await world.host.clock.advance(20);
    assert.deepEqual([calls, world.daemons.counts.live], [[[0, 0], [8, 1]], 0]);
  });

  it("does not bring a daemon back that had failed for good when its write was kept", async () => {
    let runs = 0;
    const world = engineWorld([daemonOf(({ patch }) => {
      runs++;
      patch.status.wrong = true;
      throw new PermanentError("no");
    }, { backoff: 7 })], { queueing: { errorDelays: [1] } });
    failWritesWith(world, [reset, invalid]);
    await world.match(testObject("one"));
    await world.host.clock.advance(20);
    assert.deepEqual([runs, world.daemons.counts.live], [1, 0]);
  });

  it("is no second failure of a run that had asked for a retry when its write was kept", async () => {
    const calls: unknown[] = [];
    const world = engineWorld([daemonOf(({ patch, retry }) => {
      calls.push([world.host.clock.monotonic(), retry]);
      if (retry !== 0) return;
      patch.status.wrong = true;
      throw new TemporaryError("not yet", { delay: 30 });
    }, { backoff: 7 })], { queueing: { errorDelays: [1] } });
    failWritesWith(world, [reset, invalid]);
    await world.match(testObject("one"));
    await world.host.clock.advance(40);
    assert.deepEqual(calls, [[0, 0], [30, 1]]);
  });

  it("costs a timer that keeps its schedule one attempt, and none of the next run's", async () => {
    const calls: unknown[] = [];
    const world = engineWorld([timerOf(({ patch, retry }) => {
      calls.push([world.host.clock.monotonic(), retry]);
      patch.status.wrong = calls.length;
    }, { interval: 10, retries: 1, keepSchedule: true })], { queueing: { errorDelays: [1] } });
    failWritesWith(world, [reset, invalid]);
    await world.match(testObject("one"));
    await world.host.clock.advance(12);
    assert.deepEqual(calls, [[0, 0], [11, 0]]);
  });

  it("leaves a timer to its schedule where errors are ignored", async () => {
    const times: number[] = [];
    const world = engineWorld([timerOf(({ patch }) => {
      times.push(world.host.clock.monotonic());
      patch.status.wrong = times.length;
    }, { interval: 10, errors: "ignored" })], { queueing: { errorDelays: [1] } });
    failWritesWith(world, [reset, invalid, invalid]);
    await world.match(testObject("one"));
    await world.host.clock.advance(25);
    assert.deepEqual(times, [0, 10, 20]);
  });
});

describe("Functions that a timer writes and the server refuses", () => {
  it("are tried in five runs at most; the last of them counts as failed", async () => {
    const times: number[] = [];
    const world = engineWorld([timerOf(({ patch }) => {
      times.push(world.host.clock.monotonic());
      if (times.length === 1) patch.fns.push((body) => void (body.status = { counted: true }));
    }, { interval: 1, backoff: 7 })]);
    failWrites(world, Infinity, conflict);
    await world.match(testObject("one"));
    await world.host.clock.advance(12);
    assert.deepEqual([times, world.patches.length], [[0, 1, 2, 3, 4, 11, 12], 5]);
  });
});

describe("A timer that triggers itself", () => {
  it("does not run before its brake lets it, and as its schedule says after that", async () => {
    const times: number[] = [];
    const pauses = [10, undefined, undefined];
    const brake = { findOtherWriters: () => undefined, pauseAfter: () => pauses.shift() };
    const world = engineWorld(
      [timerOf(({ patch }) => {
        times.push(world.host.clock.monotonic());
        patch.status.at = times.length;
      }, { interval: 1 })],
      {},
      brake,
    );
    await world.match(testObject("one"));
    await world.host.clock.advance(12);
    assert.deepEqual(times, [0, 10, 11, 12]);
  });
});

describe("A daemon that is told to stop while its pending write is sent", () => {
  it("ends when the write has ended", async () => {
    const world = engineWorld([daemonOf(({ patch }) => void (patch.status.done = true))], {
      background: { instantExitTimeout: null, instantExitZeroTimeCycles: null },
    });
    const one = testObject("one");
    failWrites(world, 1);
    await world.match(one);
    const answered = Promise.withResolvers<void>();
    world.onGet = () => answered.promise;
    await world.host.clock.advance(2);
    await world.daemons.forget(one);
    assert.equal(world.daemons.counts.live, 1);
    answered.resolve();
    await world.host.clock.settle();
    assert.deepEqual([world.daemons.counts.live, world.tasks.size], [0, 0]);
  });
});

describe("An abandoned daemon", () => {
  it("ends when its function does; what it wrote is dropped", async () => {
    const late = Promise.withResolvers<void>();
    const world = engineWorld([daemonOf(async ({ patch }) => {
      await late.promise;
      patch.status.done = true;
    }, { cancellationTimeout: 1 })]);
    const one = testObject("one");
    await world.match(one);
    const gone = world.daemons.forget(one);
    await world.host.clock.advance(2);
    await gone;
    assert.deepEqual([world.daemons.counts.live, world.tasks.size], [0, 1]);
    late.resolve();
    await world.host.clock.settle();
    assert.deepEqual([world.patches, world.tasks.size], [[], 0]);
  });

  it("is still written for where the operator exits", async () => {
    const late = Promise.withResolvers<void>();
    const world = engineWorld([daemonOf(async ({ patch }) => {
      await late.promise;
      patch.status.done = true;
    })]);
    await world.match(testObject("one"));
    const exit = world.daemons.exit();
    await world.host.clock.settle();
    await exit;
    late.resolve();
    await world.host.clock.settle();
    assert.deepEqual(statusesOf(world), [{ done: true }]);
  });
});
