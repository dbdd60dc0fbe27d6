import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ApiError } from "../../../lib/client/errors.ts";
import type { Term } from "../../../lib/execution/fence.ts";
import type { DaemonArgs } from "../../../lib/handlers/background/daemon_args.ts";
import { daemonOf, engineWorld, testObject, timerOf } from "./world.ts";

async function obey({ stopped }: DaemonArgs): Promise<void> {
  await stopped.wait();
}

/** Never ends, whatever it is told. */
function ignore(): Promise<never> {
  return new Promise(() => {});
}

describe("Daemons.pause()", () => {
  it("[B46] [A241] stops daemons with OPERATOR_PAUSING, and not for good", async () => {
    const reasons: string[] = [];
    const world = engineWorld([daemonOf(async ({ stopped }) => {
      await stopped.wait();
      reasons.push(...stopped.reasons);
    })]);
    const one = testObject("one");
    await world.match(one);
    const paused = world.daemons.pause();
    await world.host.clock.settle();
    await paused;
    assert.deepEqual(reasons, ["OPERATOR_PAUSING"]);
    assert.deepEqual(await world.match(one), { isRequired: true, isPending: false });
    assert.equal(world.daemons.counts.live, 0);
    world.daemons.resume();
    await world.match(one);
    assert.equal(world.daemons.counts.live, 1, "it runs again");
  });

  it("[B47] [A242] lets no event that was queued already start a daemon", async () => {
    let calls = 0;
    const world = engineWorld([daemonOf(() => void calls++), timerOf(() => void calls++, { interval: 1 })]);
    await world.daemons.pause();
    await world.match(testObject("one"));
    await world.host.clock.advance(10);
    assert.equal(calls, 0);
    assert.equal(world.daemons.counts.live, 0);
  });

  it("[B48] is ended by resume(): objects are reconciled again, and daemons start anew", async () => {
    let calls = 0;
    const world = engineWorld([daemonOf(async (args) => {
      calls++;
      await obey(args);
    })]);
    const one = testObject("one");
    await world.match(one);
    const paused = world.daemons.pause();
    await world.host.clock.settle();
    await paused;
    world.woken.length = 0;
    world.daemons.resume();
    assert.deepEqual(world.woken, ["one"]);
    await world.match(one);
    assert.equal(calls, 2);
  });

  it("[C30] stops all, when the end of one brings the end of another", async () => {
    for (const how of ["pause", "exit"] as const) {
      const ends: string[] = [];
      const link = Promise.withResolvers<void>();
      const world = engineWorld([
        daemonOf(async (args) => {
          await obey(args);
          link.resolve();
          ends.push("a");
        }, { id: "a" }),
        daemonOf(async ({ stopped }) => {
          await Promise.race([stopped.wait(), link.promise]);
          ends.push("b");
        }, { id: "b" }),
        daemonOf(async (args) => {
          await obey(args);
          ends.push("c");
        }, { id: "c" }),
      ]);
      await world.match(testObject("one"));
      const stopped = world.daemons[how]();
      await world.host.clock.settle();
      await stopped;
      assert.deepEqual(ends.sort(), ["a", "b", "c"]);
      assert.deepEqual([world.daemons.counts.live, world.tasks.size], [0, 0]);
    }
  });

  it("keeps timers from running, and resume() lets them run again", async () => {
    const times: number[] = [];
    const world = engineWorld([
      timerOf(() => void times.push(world.host.clock.monotonic()), { interval: 10 }),
    ]);
    const one = testObject("one");
    await world.match(one);
    await world.host.clock.advance(15);
    await world.daemons.pause();
    await world.host.clock.advance(30);
    world.daemons.resume();
    await world.match(one);
    await world.host.clock.advance(1);
    assert.deepEqual(times, [0, 10, 45]);
  });
});

describe("Daemons.match()", () => {
  it("[B40] wakes the object where there is no grace, even if the daemon needs one turn only", async () => {
    const grace = { instantExitTimeout: null, instantExitZeroTimeCycles: null };
    const world = engineWorld([daemonOf(obey)], { background: grace });
    const one = testObject("one");
    await world.match(one);
    await world.daemons.match(one, { handlers: [], matching: [], isDeleting: true });
    assert.deepEqual(world.daemons.claimOf(one, []), { isRequired: true, isPending: true });
    await world.host.clock.settle();
    assert.deepEqual(world.woken, ["one"]);
    assert.deepEqual(await world.match(one, { isDeleting: true, matching: false }), {
      isRequired: false,
      isPending: false,
    });
  });

  it("shows runs what earlier ones have written, before any event tells of it", async () => {
    const seen: unknown[] = [];
    const world = engineWorld([timerOf(({ spec, patch }) => {
      seen.push(spec.written);
      patch.spec.written = true;
    }, { interval: 1 })]);
    world.onPatch = () => testObject("one", { written: true }).body;
    await world.match(testObject("one"));
    await world.host.clock.advance(1);
    assert.deepEqual(seen, [undefined, true]);
  });

  it("writes what has lost a race also where no run comes after it", async () => {
    const world = engineWorld([daemonOf(({ patch }) => {
      patch.fns.push((body) => void (body.status = { done: true }));
    })]);
    let races = 1;
    world.onPatch = () => {
      if (races-- > 0) throw new ApiError({ status: 409, request: "PATCH /one" });
      return undefined;
    };
    await world.match(testObject("one"));
    await world.host.clock.advance(1);
    assert.equal(world.patches.length, 2);
    assert.deepEqual([world.daemons.counts.live, world.tasks.size], [0, 0]);
  });

  it("wakes the object once when several have stopped, after the last one", async () => {
    const world = engineWorld([
      daemonOf(({ stopped }) => stopped.wait().then(() => world.host.clock.sleep(2)), { id: "a" }),
      daemonOf(({ stopped }) => stopped.wait().then(() => world.host.clock.sleep(3)), { id: "b" }),
    ]);
    const one = testObject("one");
    await world.match(one);
    const claim = await world.match(one, { isDeleting: true });
    assert.ok(claim.isPending);
    await world.host.clock.advance(2.5);
    assert.deepEqual(world.woken, []);
    await world.host.clock.advance(1);
    assert.deepEqual(world.woken, ["one"]);
  });
});

describe("Daemons.exit()", () => {
  it("[B44] cancels after the backoff, and abandons after the timeout", async () => {
    const aborted: number[] = [];
    const world = engineWorld([
      daemonOf(({ signal, stopped }) => {
        const note = () => void aborted.push(world.host.clock.monotonic());
        stopped.addEventListener("abort", note);
        signal?.addEventListener("abort", note);
        return ignore();
      }, { cancellationBackoff: 2, cancellationTimeout: 3 }),
    ]);
    await world.match(testObject("one"));
    let ended: number | undefined;
    const exit = world.daemons.exit().then(() => ended = world.host.clock.monotonic());
    await world.host.clock.advance(100);
    await exit;
    assert.deepEqual(aborted, [0, 2]);
    assert.equal(ended, 5);
    assert.match(world.logs.find(({ level }) => level === "warn")?.message ?? "", /did not exit in time/);
  });

  it("says of a run whose function has returned that its write is left behind", async () => {
    const world = engineWorld([
      timerOf(({ patch }) => void (patch.status.ticks = 1), { id: "tick", interval: 60 }),
      daemonOf(ignore, { id: "deaf" }),
    ]);
    world.onPatch = () => new Promise<never>(() => {});
    await world.match(testObject("one"));
    await world.host.clock.settle();
    const exit = world.daemons.exit();
    await world.host.clock.advance(100);
    await exit;
    const told = world.logs.filter(({ level }) => level === "warn").map(({ message }) => message).sort();
    assert.deepEqual(told, [
      'Daemon did not exit in time: it is left behind (watch "stopped" and "signal")',
      "Timer has ended, but its patch was not written in time: it is left behind",
    ]);
  });

  it("abandons at once what has neither backoff nor timeout, and aborts its signal", async () => {
    const signals: (AbortSignal | undefined)[] = [];
    const world = engineWorld([daemonOf(({ signal }) => {
      signals.push(signal);
      return ignore();
    })]);
    await world.match(testObject("one"));
    const exit = world.daemons.exit();
    await world.host.clock.settle();
    await exit;
    assert.equal(signals[0]?.aborted, true);
  });

  it("stops 5,000 daemons that obey in no time", async () => {
    const world = engineWorld([daemonOf(obey)]);
    for (let index = 0; index < 5000; index++) {
      void world.daemons.match(testObject(`object-${index}`), {
        handlers: [],
        matching: [daemonOf(obey)],
        isDeleting: false,
      });
    }
    await world.host.clock.settle();
    assert.equal(world.tasks.size, 5000);
    const exit = world.daemons.exit();
    await world.host.clock.settle();
    await exit;
    assert.equal(world.host.clock.monotonic(), 0);
    assert.deepEqual([world.tasks.size, world.daemons.counts.live, world.host.clock.pending], [0, 0, 0]);
  });

  it("starts nothing any more", async () => {
    const world = engineWorld([daemonOf(() => assert.fail("it must not run"))]);
    await world.daemons.exit();
    await world.match(testObject("one"));
    await world.host.clock.advance(10);
    assert.equal(world.daemons.counts.live, 0);
  });
});

describe("Ten thousand timers", () => {
  it("share one timer of the clock", async () => {
    let runs = 0;
    const world = engineWorld([timerOf(() => void runs++, { interval: 60, sharp: true })]);
    for (let index = 0; index < 10_000; index++) {
      const handler = timerOf(() => void runs++, { interval: 60, sharp: true });
      void world.daemons.match(testObject(`object-${index}`), {
        handlers: [handler],
        matching: [handler],
        isDeleting: false,
      });
    }
    await world.host.clock.advance(59);
    assert.equal(runs, 10_000);
    assert.deepEqual([world.host.clock.pending, world.tasks.size], [1, 0]);
    await world.host.clock.advance(60);
    assert.equal(runs, 20_000);
  });
});

describe("Ten virtual days", () => {
  it("of daemons, timers, pauses, deletions and faults leave nothing behind", async () => {
    const host = () => world.host;
    const handlers = [
      daemonOf(async ({ stopped }) => {
        while (!stopped.aborted) await stopped.wait(600);
      }, { id: "obeys" }),
      daemonOf(async ({ stopped, retry = 0 }) => {
        await stopped.wait(300);
        if (retry % 2 === 0 || stopped.aborted) throw new Error("after its signal");
        return { retry };
      }, { id: "throws", backoff: 900 }),
      daemonOf(async ({ signal }) => {
        await host().clock.sleep(Infinity, signal);
        signal?.throwIfAborted();
      }, { id: "slow", cancellationBackoff: 5, cancellationTimeout: 5 }),
      daemonOf(({ signal }) => host().clock.sleep(5000, signal), {
        id: "late",
        cancellationTimeout: 7,
        timeout: 100,
      }),
      timerOf(() => ({ at: host().clock.now() }), { id: "sharp", interval: 600, sharp: true }),
      timerOf(() => ({ at: host().clock.now() }), { id: "idle", idle: 1000 }),
      timerOf(() => {
        throw new Error("always");
      }, { id: "fails", interval: 700, retries: 2, backoff: 50 }),
    ];
    const world = engineWorld(handlers);
    world.onPatch = () => {
      if (world.host.random.next() < 0.2) throw new Error("connection reset");
      return undefined;
    };
    const objects = new Map<string, ReturnType<typeof testObject>>();
    for (let hour = 0; hour < 240; hour++) {
      const chance = world.host.random.next();
      const name = `object-${hour}`;
      if (objects.size < 10) objects.set(name, testObject(name));
      for (const object of objects.values()) {
        object.cached.adopt({
          ...object.body,
          spec: { hour: Math.floor(hour / 7) },
          metadata: { ...object.body.metadata, resourceVersion: String(1_000_000 + hour) },
        }, { from: "watch" });
        await world.match(object, { matching: chance < 0.8 });
      }
      if (chance > 0.9) {
        const paused = world.daemons.pause();
        await world.host.clock.advance(1000);
        await paused;
        world.daemons.resume();
      }
      const [oldest] = objects.keys();
      const object = objects.get(oldest ?? "");
      if (object !== undefined && chance < 0.5) {
        if (chance > 0.1) await world.match(object, { isDeleting: true });
        const gone = world.daemons.forget(object);
        await world.host.clock.advance(20);
        await gone;
        objects.delete(oldest ?? "");
      }
      await world.host.clock.advance(3600);
    }
    assert.ok(world.patches.length > 1000, `${world.patches.length} writes`);
    for (const object of objects.values()) {
      const gone = world.daemons.forget(object);
      await world.host.clock.advance(20);
      await gone;
    }
    await world.host.clock.advance(5000);
    assert.deepEqual(world.daemons.counts, { objects: 0, live: 0, planned: 0 });
    assert.deepEqual([world.tasks.size, world.host.clock.pending], [0, 0]);
  });
});

describe("Daemons, with replicas", () => {
  const term: Term = { shard: 0, number: 1, signal: new AbortController().signal, timeLeft: () => Infinity };

  it("hold timers whose time comes, and run them when the hold is over; daemons are stopped meanwhile", async () => {
    let isResponsible = true;
    let runs = 0;
    const fence = { isResponsible: () => isResponsible, termOf: () => term, first: term };
    const world = engineWorld(
      [daemonOf(obey), timerOf(() => void runs++, { interval: 10 })],
      {},
      undefined,
      fence,
    );
    await world.match(testObject("one"));
    assert.deepEqual([runs, world.daemons.counts.live], [1, 2]);
    isResponsible = false;
    void world.daemons.hold(() => true, { all: false });
    await world.host.clock.advance(25);
    assert.deepEqual([runs, world.daemons.counts.live], [1, 1]);
    isResponsible = true;
    world.woken.length = 0;
    world.daemons.release(() => true);
    await world.host.clock.settle();
    assert.deepEqual([runs, world.woken], [2, ["one"]]);
  });

  it("leave nothing of an object that another replica has", async () => {
    const fence = { isResponsible: () => true, termOf: () => term, first: term };
    const world = engineWorld(
      [daemonOf(obey), timerOf(() => {}, { interval: 10 })],
      {},
      undefined,
      fence,
    );
    const one = testObject("one");
    await world.match(one);
    const ended = world.daemons.leave(one);
    await world.host.clock.settle();
    await ended;
    assert.deepEqual(world.daemons.counts, { objects: 0, live: 0, planned: 0 });
    assert.equal(world.tasks.size, 0);
  });

  it("start nothing in a turn that ends after its shard was to be let go", async () => {
    const fence = { isResponsible: () => false, termOf: () => term, first: term };
    const world = engineWorld([daemonOf(obey)], {}, undefined, fence);
    await world.match(testObject("one"));
    assert.equal(world.daemons.counts.live, 0);
    world.daemons.release(() => true);
    assert.deepEqual(world.woken, ["one"]);
  });
});
