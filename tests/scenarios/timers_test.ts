import assert from "node:assert/strict";
import {
  operator,
  type OperatorOptions,
  PermanentError,
  TemporaryError,
  type TimerOptions,
} from "../../mod.ts";
import { suite } from "../support/scenario.ts";
import type { VirtualWorld } from "../support/virtual_world.ts";
import { Example, FINALIZER, Objects } from "../support/worlds.ts";

type Loose = Record<string, unknown>;
type Running = Awaited<ReturnType<VirtualWorld["start"]>>;

interface Run {
  readonly retry: number;
  readonly started: Date;
}

interface Plan extends Omit<TimerOptions<Loose, Loose, undefined, undefined>, "field" | "value"> {
  readonly settings?: OperatorOptions;
  readonly fn?: (run: Run, story: Story) => unknown;
  readonly declare?: (op: ReturnType<typeof operator>) => void;
}

/** One object with one timer. */
class Story {
  readonly objects: Objects;
  readonly running: Running;
  /** When it ran, with which `retry`. */
  readonly calls: [time: number, retry: number][] = [];
  readonly #world: VirtualWorld;
  readonly #start: number;

  constructor(world: VirtualWorld, running: Running, start: number) {
    this.#world = world;
    this.#start = start;
    this.running = running;
    this.objects = new Objects(world);
  }

  static async begin(world: VirtualWorld, { settings, fn, declare, ...options }: Plan): Promise<Story> {
    const op = operator(settings);
    const start = world.host.clock.monotonic();
    declare?.(op);
    op.timer(Example, { id: "t", ...options }, async (args) => {
      story.calls.push([story.time, args.retry]);
      return await fn?.(args, story);
    });
    const story: Story = new Story(world, await world.start(op), start);
    await story.objects.create("one", { spec: {}, metadata: { labels: { run: "yes" } } });
    await story.running.settle();
    return story;
  }

  get time(): number {
    return Math.round((this.#world.host.clock.monotonic() - this.#start) * 1000) / 1000;
  }

  get times(): number[] {
    return this.calls.map(([time]) => time);
  }
}

suite("timers: times", (scenario) => {
  scenario("timers run again and again, and what they return is in the status", async (world) => {
    const objects = new Objects(world);
    const op = operator();
    let runs = 0;
    op.timer(Example, { id: "t", interval: 0.2 }, ({ spec }) => ({ runs: ++runs, seen: spec.value }));
    const running = await world.start(op);
    await objects.create("one", { spec: { value: 1 } });
    const result = async (): Promise<Loose> => ({ ...(await objects.get("one")).status?.t ?? {} });
    await world.until(async () => Number((await result()).runs) >= 3);
    await objects.patch("one", { spec: { value: 2 } });
    await world.until(async () => (await result()).seen === 2);
    await objects.delete("one");
    await world.until(async () => await objects.find("one") === undefined);
    const before = runs;
    await world.settle();
    assert.equal(runs, before);
    await running.stop();
  });

  scenario.virtual("[B51] [A244] the interval counts from the end of a run", async (world) => {
    const story = await Story.begin(world, {
      interval: 1,
      fn: () => world.host.clock.sleep(0.3).then(() => {}),
    });
    await story.running.advance(3);
    assert.deepEqual(story.times, [0, 1.3, 2.6]);
    await story.running.stop();
  });

  scenario.virtual(
    "[B52] [A244] the interval of sharp timers counts from beginning to beginning",
    async (world) => {
      const fn = () => world.host.clock.sleep(0.3).then(() => {});
      const story = await Story.begin(world, { interval: 1, sharp: true, fn });
      await story.running.advance(2.5);
      assert.deepEqual(story.times, [0, 1, 2]);
      await story.running.stop();
    },
  );

  scenario.virtual("[B53] sharp timers that take too long leave out what would overlap", async (world) => {
    const fn = () => world.host.clock.sleep(1.2).then(() => {});
    const story = await Story.begin(world, { interval: 1, sharp: true, fn });
    await story.running.advance(5);
    assert.deepEqual(story.times, [0, 2, 4]);
    await story.running.stop();
  });

  scenario.virtual("[B54] [A245] the initial delay comes once, before the first run", async (world) => {
    const story = await Story.begin(world, { interval: 1, initialDelay: 5 });
    await story.running.advance(7.5);
    assert.deepEqual(story.times, [5, 6, 7]);
    await story.running.stop();
  });

  scenario.virtual(
    "[B60] a timer with neither interval nor idle runs once, and lets its object go",
    async (world) => {
      const story = await Story.begin(world, {});
      await story.running.advance(1000);
      await story.objects.patch("one", { spec: { value: 1 } });
      await story.running.advance(1000);
      assert.deepEqual(story.times, [0]);
      assert.equal((await story.objects.get("one")).metadata.finalizers, undefined);
      await story.running.stop();
    },
  );

  scenario.virtual("an interval that is next to nothing does not starve the rest", async (world) => {
    let runs = 0;
    const story = await Story.begin(world, {
      interval: 1e-6,
      fn: () => {
        if (++runs >= 1000) throw new PermanentError("enough");
      },
    });
    await story.running.advance(1);
    assert.equal(runs, 1000);
    await story.running.stop();
  });
});

suite("timers: idling", (scenario) => {
  scenario.virtual(
    "[B55] an idle timer runs when nothing has changed for that long since first sight",
    async (world) => {
      const story = await Story.begin(world, { idle: 5 });
      await story.running.advance(4.9);
      assert.deepEqual(story.times, []);
      await story.running.advance(100);
      assert.deepEqual(story.times, [5]);
      await story.running.stop();
    },
  );

  scenario.virtual("[B56] a change makes idling begin anew", async (world) => {
    const story = await Story.begin(world, { idle: 5 });
    await story.running.advance(3);
    await story.objects.patch("one", { spec: { value: 1 } });
    await story.running.advance(100);
    assert.deepEqual(story.times, [8]);
    await story.running.stop();
  });

  scenario.virtual(
    "[B57] [A247] a change of the status does not, where change handlers keep notes",
    async (world) => {
      const story = await Story.begin(world, { idle: 5, declare: (op) => op.on.create(Example, () => {}) });
      await story.running.advance(3);
      await story.objects.patch("one", { status: { value: 1 } }, "status");
      await story.running.advance(100);
      assert.deepEqual(story.times, [5]);
      await story.running.stop();
    },
  );

  scenario.virtual(
    "[B70] [A247] [D8] nor where there are no change handlers, and others write every second",
    async (world) => {
      const story = await Story.begin(world, { idle: 5, interval: 1, fn: () => ({ own: "result" }) });
      for (let second = 1; second <= 8; second++) {
        await story.running.advance(1);
        await story.objects.patch("one", { status: { second } }, "status");
      }
      assert.deepEqual(story.times, [5, 6, 7, 8]);
      await story.running.stop();
    },
  );

  scenario.virtual(
    "[B58] an idle timer with an interval runs on while its object stays idle",
    async (world) => {
      const story = await Story.begin(world, { idle: 5, interval: 1 });
      await story.running.advance(7.5);
      assert.deepEqual(story.times, [5, 6, 7]);
      await story.objects.patch("one", { spec: { value: 1 } });
      await story.running.advance(6);
      assert.deepEqual(story.times, [5, 6, 7, 12.5, 13.5]);
      await story.running.stop();
    },
  );

  scenario.virtual("[B59] a timer that only idles runs once per change", async (world) => {
    const story = await Story.begin(world, { idle: 5 });
    await story.running.advance(20);
    assert.equal(world.host.clock.monotonic() > 0, true);
    await story.objects.patch("one", { spec: { value: 1 } });
    await story.running.advance(100);
    assert.deepEqual(story.times, [5, 25]);
    await story.running.stop();
  });

  scenario.virtual("a change during the run of a timer that only idles brings another one", async (world) => {
    const story = await Story.begin(world, { idle: 5, fn: () => world.host.clock.sleep(10).then(() => {}) });
    await story.running.advance(6);
    await story.objects.patch("one", { spec: { value: 1 } });
    await story.running.advance(100);
    assert.deepEqual(story.times, [5, 15]);
    await story.running.stop();
  });

  scenario.virtual(
    "[B68] [A248] [G6] [D6] a timer that only idles stops at once, without spinning",
    async (world) => {
      const story = await Story.begin(world, { idle: 5, declare: (op) => op.on.create(Example, () => {}) });
      await story.running.advance(20);
      world.requests.length = 0;
      await story.objects.delete("one");
      await story.running.settle();
      assert.equal(await story.objects.find("one"), undefined);
      assert.equal(world.writes().length, 1);
      await story.running.advance(100);
      assert.equal(world.writes().length, 1);
      await story.running.stop();
      assert.equal(world.host.clock.pending, 0);
    },
  );
});

suite("timers: failures", (scenario) => {
  scenario.virtual(
    "[B61] retries come after the backoff, and the interval after the success",
    async (world) => {
      const story = await Story.begin(world, {
        interval: 10,
        backoff: 5,
        fn: ({ retry }) => {
          if (story.calls.length <= 3) throw new Error(`failure ${retry}`);
        },
      });
      await story.running.advance(26);
      assert.deepEqual(story.calls, [[0, 0], [5, 1], [10, 2], [15, 3], [25, 0]]);
      await story.running.stop();
    },
  );

  scenario.virtual("[B62] a temporary error says itself when to try again", async (world) => {
    const story = await Story.begin(world, {
      interval: 999,
      fn: ({ retry }) => {
        if (retry === 0) throw new TemporaryError("not yet", { delay: 1.23 });
      },
    });
    await story.running.advance(10);
    assert.deepEqual(story.calls, [[0, 0], [1.23, 1]]);
    await story.running.stop();
  });

  scenario.virtual("[B63] the run after one that was retried begins with fresh numbers", async (world) => {
    const dates: number[] = [];
    const story = await Story.begin(world, {
      interval: 10,
      fn: ({ retry, started }) => {
        dates.push(started.getTime());
        if (retry === 0 && dates.length === 1) throw new TemporaryError("not yet", { delay: 2 });
      },
    });
    await story.running.advance(13);
    assert.deepEqual(story.calls, [[0, 0], [2, 1], [12, 0]]);
    const [first = 0, second, third] = dates;
    assert.deepEqual([second, third], [first, first + 12_000]);
    await story.running.stop();
  });

  scenario.virtual(
    "[B67] [A246] [D7] a timer that fails for good stops, until its object changes",
    async (world) => {
      const story = await Story.begin(world, {
        interval: 1,
        fn: () => {
          throw new PermanentError("no way");
        },
      });
      await story.running.advance(10);
      assert.deepEqual(story.calls, [[0, 0]]);
      assert.deepEqual(story.running.messages("error"), ["Timer failed permanently"]);
      assert.equal((await story.objects.get("one")).metadata.finalizers, undefined);
      await story.objects.patch("one", { status: { value: 1 } }, "status");
      await story.running.advance(10);
      assert.deepEqual(story.calls, [[0, 0]]);
      await story.objects.patch("one", { spec: { value: 1 } });
      await story.running.advance(10);
      assert.deepEqual(story.calls, [[0, 0], [20, 0]]);
      await story.running.stop();
    },
  );

  scenario.virtual(
    "[A246] with `keepSchedule` a timer that fails for good runs on, with retry 0",
    async (world) => {
      const story = await Story.begin(world, {
        interval: 10,
        retries: 2,
        backoff: 1,
        keepSchedule: true,
        fn: () => {
          throw new Error("always");
        },
      });
      await story.running.advance(25);
      assert.deepEqual(story.calls, [[0, 0], [1, 1], [11, 0], [12, 1], [22, 0], [23, 1]]);
      await story.running.stop();
    },
  );

  for (const status of [400, 500]) {
    scenario.virtual(
      `[B69] [A249] [G21] [D5] a timer whose write is answered with ${status} runs on`,
      async (world) => {
        // NB: a write that is refused as invalid fails the run: it is repeated after its backoff [P1].
        world.intercept = (_, { path }) => path.endsWith("/status") ? refusal(status) : undefined;
        const story = await Story.begin(world, {
          interval: 1,
          settings: {
            networking: { errorBackoffs: [] },
            queueing: { errorDelays: [5] },
            execution: { defaultBackoff: 1 },
          },
          fn: (_, { time }) => ({ ran: time }),
        });
        await story.running.advance(2.5);
        assert.deepEqual(story.times, [0, 1, 2]);
        assert.ok(story.running.messages("error").length >= 3);
        world.intercept = undefined;
        await story.running.advance(1);
        assert.deepEqual((await story.objects.get("one")).status, { t: { ran: 3 } });
        await story.running.stop();
      },
    );
  }

  scenario.virtual("a write that fails is tried again before the next run, if that is far", async (world) => {
    let failures = 2;
    world.intercept = (_, { path }) => path.endsWith("/status") && failures-- > 0 ? refusal(500) : undefined;
    const story = await Story.begin(world, {
      interval: 600,
      settings: { networking: { errorBackoffs: [] }, queueing: { errorDelays: [5] } },
      fn: (_, { time }) => ({ ran: time }),
    });
    await story.running.advance(9.9);
    assert.equal((await story.objects.get("one")).status, undefined);
    await story.running.advance(0.2);
    assert.deepEqual((await story.objects.get("one")).status, { t: { ran: 0 } });
    await story.running.advance(600);
    assert.deepEqual(story.times, [0, 600]);
    await story.running.stop();
  });
});

suite("timers: their objects", (scenario) => {
  scenario.virtual("[B64] a timer that waits costs its object's deletion no time", async (world) => {
    const story = await Story.begin(world, { interval: 60 });
    await story.running.advance(10);
    world.requests.length = 0;
    await story.objects.delete("one");
    await story.running.settle();
    assert.equal(await story.objects.find("one"), undefined);
    assert.deepEqual([story.time, world.writes().length], [10, 1]);
    await story.running.stop();
  });

  scenario.virtual(
    "[B65] a timer stops where its label mismatches, and starts anew where it matches again",
    async (world) => {
      const story = await Story.begin(world, { interval: 10, labels: { run: "yes" } });
      await story.running.advance(15);
      await story.objects.patch("one", { metadata: { labels: { run: "no" } } });
      await story.running.advance(20);
      assert.equal((await story.objects.get("one")).metadata.finalizers, undefined);
      await story.objects.patch("one", { metadata: { labels: { run: "yes" } } });
      await story.running.advance(12);
      assert.deepEqual(story.times, [0, 10, 35, 45]);
      assert.deepEqual((await story.objects.get("one")).metadata.finalizers, [FINALIZER]);
      await story.running.stop();
    },
  );

  scenario.virtual("[B66] what a timer returns is written after each run", async (world) => {
    const story = await Story.begin(world, { interval: 10, fn: (_, { calls }) => ({ runs: calls.length }) });
    const seen: unknown[] = [];
    for (let run = 0; run < 3; run++) {
      seen.push((await story.objects.get("one")).status);
      await story.running.advance(10);
    }
    assert.deepEqual(seen, [{ t: { runs: 1 } }, { t: { runs: 2 } }, { t: { runs: 3 } }]);
    await story.running.stop();
  });

  scenario.virtual("a timer that runs while its object is deleted is waited for", async (world) => {
    const story = await Story.begin(world, {
      interval: 60,
      fn: () => world.host.clock.sleep(3).then(() => {}),
    });
    await story.objects.delete("one");
    await story.running.advance(2.9);
    assert.ok(await story.objects.find("one") !== undefined);
    await story.running.advance(0.2);
    assert.equal(await story.objects.find("one"), undefined);
    await story.running.stop();
  });

  scenario.virtual("ten virtual days of objects that come and go leave no timer behind", async (world) => {
    const op = operator();
    op.timer(Example, { id: "t", interval: 3600, sharp: true }, () => ({ ran: world.host.clock.now() }));
    op.timer(Example, { id: "i", idle: 1800 }, () => {});
    op.daemon(Example, { id: "d" }, async ({ stopped }) => {
      while (!stopped.aborted) await stopped.wait(7200);
    });
    const running = await world.start(op);
    const objects = new Objects(world);
    await running.advance(10);
    const before = world.host.clock.pending;
    for (let day = 0; day < 10; day++) {
      for (let place = 0; place < 5; place++) await objects.create(`day-${day}-${place}`, { spec: { day } });
      await running.advance(43_200);
      for (let place = 0; place < 5; place++) {
        await objects.patch(`day-${day}-${place}`, { spec: { day: -1 } });
      }
      await running.advance(43_190);
      for (let place = 0; place < 5; place++) await objects.delete(`day-${day}-${place}`);
      await running.advance(10);
    }
    assert.equal(world.host.clock.pending, before);
    assert.equal(await objects.find("day-9-4"), undefined);
    assert.deepEqual(running.messages("error"), []);
    await running.stop();
    assert.equal(world.host.clock.pending, 0);
  });
});

function refusal(code: number): Response {
  return Response.json({ kind: "Status", status: "Failure", code, message: "Refused by the test" }, {
    status: code,
  });
}
