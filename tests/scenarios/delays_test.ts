import assert from "node:assert/strict";
import { lifecycles, type Operator, operator, PermanentError, TemporaryError } from "../../mod.ts";
import { jumpingClock } from "../support/jumping_clock.ts";
import { suite } from "../support/scenario.ts";
import { Example, LAST_HANDLED, notesOf, Objects, statusOf } from "../support/worlds.ts";
import type { TimedWorld } from "../support/virtual_world.ts";

const SECOND = 1000;

/** Notes of a handler that waits, as an earlier process left them. */
function sleeping(world: TimedWorld, seconds: number): Record<string, string> {
  const now = world.host.clock.now();
  return {
    "lotse.dev/make": JSON.stringify({
      started: new Date(now - 60 * SECOND).toISOString(),
      delayed: new Date(now + seconds * SECOND).toISOString(),
      purpose: "create",
      retries: 1,
      success: false,
      failure: false,
    }),
  };
}

suite("delays", (scenario) => {
  scenario.timed(
    "[A183] after a temporary error the record is written at once, and then nothing until the delay is over",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      const times: number[] = [];
      op.on.create(Example, { id: "make" }, () => {
        times.push(world.host.clock.monotonic());
        if (times.length === 1) throw new TemporaryError("again", { delay: 30 });
      });
      const running = await world.start(op);
      await objects.create("one");
      await running.settle();
      assert.ok("lotse.dev/make" in notesOf(await objects.get("one")));
      const before = world.writes().length;
      await running.advance(29);
      assert.equal(world.writes().length, before);
      await running.advance(2);
      assert.equal(times.length, 2);
      assert.equal((times[1] ?? 0) - (times[0] ?? 0), 30);
      await running.stop();
    },
  );

  scenario.virtual(
    "[A183] what brings nothing new (the same state once more) does not drop the planned retry",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      const times: number[] = [];
      op.on.create(Example, { id: "make" }, () => {
        times.push(world.host.clock.monotonic());
        if (times.length === 1) throw new TemporaryError("again", { delay: 300 });
      });
      const running = await world.start(op);
      await objects.create("one");
      await running.advance(20);
      world.requests.length = 0;
      world.server.compact();
      world.server.closeWatches();
      await running.advance(20);
      assert.ok(world.requests.some(({ path }) => path.includes("/examples?")), "it was listed anew");
      assert.deepEqual(world.writes(), []);
      await running.advance(300);
      assert.deepEqual(times.map((time) => Math.round(time - (times[0] ?? 0))), [0, 300]);
      await running.stop();
    },
  );

  /** A handler whose record says so is called then, to the millisecond, and nothing is written before. */
  async function wakesAfter(world: TimedWorld, seconds: number): Promise<void> {
    const objects = new Objects(world);
    const op = operator();
    const times: number[] = [];
    op.on.create(Example, { id: "make" }, () => void times.push(world.host.clock.monotonic()));
    await objects.create("one", { metadata: { annotations: sleeping(world, seconds) } });
    const due = world.host.clock.monotonic() + seconds;
    const running = await world.start(op);
    await running.advance(seconds - 2);
    assert.deepEqual([times, world.writes()], [[], []]);
    await running.advance(4);
    assert.deepEqual(times.map((time) => Math.round(time * SECOND)), [due * SECOND]);
    await running.stop();
  }

  scenario.timed(
    "[A184] a record that sleeps wakes its handler when it says so; the object is not touched for that",
    (world) => wakesAfter(world, 20),
  );

  scenario.timed("[A186] a record that sleeps for an hour does, too", (world) => wakesAfter(world, 3600));

  scenario.timed(
    "[A185] an event during the wait is handled at once, and wakes the handler no earlier",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      const calls: string[] = [];
      op.on.event(Example, ({ type }) => void calls.push(`event ${type}`));
      op.on.create(Example, { id: "make" }, () => void calls.push("make"));
      await objects.create("one", { metadata: { annotations: sleeping(world, 100) } });
      const running = await world.start(op);
      await running.advance(10);
      await objects.patch("one", { metadata: { labels: { a: "b" } } });
      await running.advance(10);
      assert.deepEqual(calls, ["event null", "event MODIFIED"]);
      assert.deepEqual(world.writes(), []);
      await running.advance(90);
      assert.ok(calls.includes("make"));
      await running.stop();
    },
  );

  scenario.timed(
    "[A188] a delay that ends while another handler works does not leave its handler behind",
    async (world) => {
      const objects = new Objects(world);
      const op = operator({ lifecycle: lifecycles.allAtOnce });
      const calls: string[] = [];
      op.on.create(Example, { id: "make" }, () => void calls.push("make"));
      op.on.create(Example, { id: "slow" }, async () => {
        calls.push("slow");
        await world.host.clock.sleep(30);
      });
      await objects.create("one", { metadata: { annotations: sleeping(world, 20) } });
      const running = await world.start(op);
      await running.advance(31);
      assert.deepEqual(calls, ["slow", "make"]);
      assert.deepEqual(Object.keys(notesOf(await objects.get("one"))), [LAST_HANDLED]);
      await running.stop();
    },
  );

  scenario.timed(
    "[A202] [A203] pauses after errors grow as the settings say, the last one stays, and a success begins anew",
    async (world) => {
      const objects = new Objects(world);
      const op = operator({ networking: { errorBackoffs: [] }, queueing: { errorDelays: [123, 234] } });
      op.on.update(Example, () => {});
      op.on.create(Example, () => {});
      let refusals = 4;
      world.intercept = (_, { method, path }) =>
        method === "PATCH" && path.includes("/examples/") && refusals-- > 0 ? refusal() : undefined;
      const running = await world.start(op);
      const pauses = (): unknown[] =>
        running.logs.filter(({ message }) => message === "Reconcile failed").map(({ fields }) =>
          fields.retryIn
        );
      await objects.create("one", { spec: { value: 1 } });
      await running.advance(1000);
      assert.deepEqual(pauses(), [123, 234, 234, 234]);
      refusals = 1;
      await objects.patch("one", { spec: { value: 2 } });
      await running.advance(1000);
      assert.deepEqual(pauses(), [123, 234, 234, 234, 123]);
      await running.stop();
    },
  );

  scenario.timed(
    "[A204] [B246] an event during such a pause is not handled before it is over",
    async (world) => {
      const objects = new Objects(world);
      const op = operator({ networking: { errorBackoffs: [] }, queueing: { errorDelays: [100] } });
      const seen: unknown[] = [];
      op.on.event(Example, ({ spec }) => void seen.push(spec.value));
      op.on.create(Example, () => {});
      let refusals = 1;
      world.intercept = (_, { method }) => method === "PATCH" && refusals-- > 0 ? refusal() : undefined;
      const running = await world.start(op);
      await objects.create("one", { spec: { value: 1 } });
      await running.settle();
      await objects.patch("one", { spec: { value: 2 } });
      await running.advance(98);
      assert.deepEqual(seen, [1]);
      await running.advance(4);
      assert.equal(seen[1], 2);
      assert.match(notesOf(await objects.get("one"))[LAST_HANDLED] ?? "", /"value":2/);
      await running.stop();
    },
  );

  scenario.timed(
    "[A197] [B240] events of two objects stay in order, each object's by itself",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      const seen: Record<string, unknown[]> = { one: [], two: [] };
      let gate: PromiseWithResolvers<void> | undefined = Promise.withResolvers<void>();
      op.on.event(Example, async ({ name, spec }) => {
        if (name === "one") await gate?.promise;
        seen[name]?.push(spec.value);
      });
      const running = await world.start(op);
      await objects.create("one", { spec: { value: 0 } });
      await objects.create("two", { spec: { value: 0 } });
      for (const value of [1, 2]) {
        for (const name of ["one", "two"]) await objects.patch(name, { spec: { value } });
      }
      await running.settle();
      assert.deepEqual(seen, { one: [], two: [0, 1, 2] }, "one object does not hold up another");
      gate.resolve();
      gate = undefined;
      await running.settle();
      assert.deepEqual(seen, { one: [0, 1, 2], two: [0, 1, 2] });
      await running.stop();
    },
  );

  scenario.timed(
    "[A198] of states that queue up, change handlers see only the newest, and event handlers see all",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      const events: unknown[] = [];
      const updates: unknown[] = [];
      const gate = Promise.withResolvers<void>();
      op.on.event(Example, ({ spec }) => void events.push(spec.value));
      op.on.update(Example, { id: "change" }, async ({ spec }) => {
        updates.push(spec.value);
        if (spec.value === 1) await gate.promise;
      });
      const running = await world.start(op);
      await objects.create("one", { spec: { value: 0 } });
      await running.settle();
      for (const value of [1, 2, 3, 4]) {
        await objects.patch("one", { spec: { value } });
        await running.settle();
      }
      gate.resolve();
      await running.settle();
      assert.deepEqual(updates, [1, 4]);
      assert.deepEqual([...new Set(events)], [0, 1, 2, 3, 4]);
      await running.stop();
    },
  );

  scenario.virtual("[A200] bookmarks reach no handler", async (world) => {
    const op = operator();
    const seen: unknown[] = [];
    op.on.event(Example, ({ type, name }) => void seen.push([type, name]));
    const running = await world.start(op);
    await new Objects(world).create("one");
    // The API server in the process sends one a minute.
    await running.advance(200);
    assert.deepEqual(seen, [["ADDED", "one"]]);
    await running.stop();
  });

  scenario.timed("[A223] what a handler puts into its patch is written even if it fails", async (world) => {
    const objects = new Objects(world);
    const op = operator();
    op.on.create(Example, ({ patch, name }) => {
      patch.status.state = "tried";
      if (name === "hopeless") throw new PermanentError("no");
      throw new TemporaryError("not yet", { delay: 3600 });
    });
    const running = await world.start(op);
    await objects.create("hopeless");
    await objects.create("unlucky");
    await running.settle();
    for (const name of ["hopeless", "unlucky"]) {
      assert.deepEqual(statusOf(await objects.get(name)), { state: "tried" });
    }
    await running.stop();
  });

  scenario.virtual(
    "[A179] a lifecycle of one's own sees the candidates and the cause, and decides",
    async (world) => {
      const objects = new Objects(world);
      const seen: unknown[] = [];
      const calls: string[] = [];
      const op = operator({
        lifecycle: (candidates, { reason, body, random }) => {
          seen.push([candidates.map(({ id, retry }) => [id, retry]), reason]);
          assert.equal((body as { metadata: { name: string } }).metadata.name, "one");
          assert.ok(random.next() < 1);
          return candidates.slice(-1);
        },
      });
      op.on.create(Example, { id: "a" }, () => void calls.push("a"));
      op.on.create(Example, { id: "b" }, ({ retry }) => {
        calls.push("b");
        if (retry === 0) throw new TemporaryError("again", { delay: 0 });
      });
      const running = await world.start(op);
      await objects.create("one");
      await running.settle();
      assert.deepEqual(calls, ["b", "b", "a"]);
      assert.deepEqual(seen, [
        [[["a", 0], ["b", 0]], "create"],
        [[["a", 0], ["b", 1]], "create"],
        [[["a", 0]], "create"],
      ]);
      await running.stop();
    },
  );

  /** A handler that fails the first time, and when it was called, on a clock that does not jump. */
  function failing(world: TimedWorld): { readonly op: Operator; readonly times: number[] } {
    const op = operator();
    const times: number[] = [];
    op.on.create(Example, { id: "make" }, () => {
      times.push(world.host.clock.monotonic());
      if (times.length === 1) throw new TemporaryError("again", { delay: 60 });
    });
    return { op, times };
  }

  scenario.timed(
    "a clock that is set back by hours makes no handler wait for longer than its delay",
    async (world) => {
      const objects = new Objects(world);
      const clock = jumpingClock(world.host.clock);
      const { op, times } = failing(world);
      const running = await world.start(op, { host: { ...world.host, clock } });
      await objects.create("one");
      await running.advance(30);
      clock.jump(-3 * 3600);
      await objects.patch("one", { metadata: { labels: { a: "b" } } });
      await running.advance(29);
      assert.equal(times.length, 1);
      await running.advance(2);
      assert.deepEqual(times.map((time) => time - (times[0] ?? 0)), [0, 60]);
      await running.stop();
    },
  );

  scenario.timed(
    "an object that could not be indexed is indexed after its delay, however the clock is set meanwhile",
    async (world) => {
      const clock = jumpingClock(world.host.clock);
      const op = operator();
      const keys: unknown[] = [];
      let attempts = 0;
      const index = op.index(Example, { id: "names" }, ({ name }) => {
        if (++attempts === 1) throw new TemporaryError("not yet", { delay: 10 });
        return { [name]: 1 };
      });
      op.on.event(Example, { id: "see" }, () => void keys.push([...index.keys()].join()));
      const running = await world.start(op, { host: { ...world.host, clock } });
      const objects = new Objects(world);
      await objects.create("one");
      await running.advance(5);
      clock.jump(-3 * 3600);
      await running.advance(6);
      await objects.patch("one", { metadata: { labels: { again: "1" } } });
      await running.advance(1);
      assert.deepEqual([attempts, keys], [2, ["", "one"]]);
      await running.stop();
    },
  );

  scenario.timed(
    "a process whose clock is hours behind the one before waits for no longer than the delay, whatever comes meanwhile",
    async (world) => {
      const objects = new Objects(world);
      const clock = jumpingClock(world.host.clock);
      const { op, times } = failing(world);
      const first = await world.start(op, { host: { ...world.host, clock } });
      await objects.create("one");
      await first.advance(5);
      await first.stop();
      clock.jump(-5 * 3600);
      const begun = clock.monotonic();
      const second = await world.start(op, { host: { ...world.host, clock } });
      for (let seconds = 0; seconds < 60; seconds += 10) {
        await second.advance(9.5);
        await objects.patch("one", { metadata: { labels: { seconds: String(seconds) } } });
        await second.advance(0.5);
      }
      await second.advance(1);
      assert.equal(times.length, 2, "events do not put it off");
      assert.ok((times[1] ?? 0) - begun <= 61, `${times}`);
      assert.ok((times[1] ?? 0) - begun >= 59, "but it does wait");
      await second.advance(3600);
      assert.equal(times.length, 2);
      await second.stop();
    },
  );

  scenario(
    "[A162] results go into the status under the handler's id: nothing, a value, or members that are merged",
    async (world) => {
      const objects = new Objects(world);
      const op = operator({ lifecycle: lifecycles.allAtOnce });
      op.on.create(Example, { id: "nothing" }, () => null);
      op.on.create(Example, { id: "none" }, () => {});
      op.on.create(Example, { id: "scalar" }, () => 5);
      op.on.create(Example, { id: "list" }, () => [1, { a: 1 }]);
      op.on.create(Example, { id: "members" }, ({ patch }) => {
        patch.status.members = { kept: true };
        return { added: { x: 1 } };
      });
      await objects.create("one");
      await objects.patch("one", { status: { nothing: "as before", members: { before: 1 } } }, "status");
      const running = await world.start(op);
      await world.until(async () => LAST_HANDLED in notesOf(await objects.get("one")));
      assert.deepEqual(statusOf(await objects.get("one")), {
        nothing: "as before",
        scalar: 5,
        list: [1, { a: 1 }],
        members: { before: 1, kept: true, added: { x: 1 } },
      });
      await running.stop();
    },
  );
});

function refusal(): Response {
  const status = { kind: "Status", apiVersion: "v1", status: "Failure", code: 500, message: "on purpose" };
  return new Response(JSON.stringify(status), {
    status: 500,
    headers: { "content-type": "application/json" },
  });
}
