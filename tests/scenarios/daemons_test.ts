import assert from "node:assert/strict";
import { type DaemonHandlerArguments, operator, PermanentError, TemporaryError } from "../../mod.ts";
import { jumpingClock } from "../support/jumping_clock.ts";
import { suite } from "../support/scenario.ts";
import type { TimedWorld } from "../support/virtual_world.ts";
import { Example, FINALIZER, Objects, Plain, PLAINS } from "../support/worlds.ts";

type Args = DaemonHandlerArguments<Record<string, unknown>, Record<string, unknown>>;

/** Returns the seconds that have passed since now. */
function stopwatch({ host }: TimedWorld): () => number {
  const start = host.clock.monotonic();
  return () => Math.round((host.clock.monotonic() - start) * 1000) / 1000;
}

/** A daemon that does nothing until it is told to stop. */
async function obey({ stopped }: Args): Promise<void> {
  await stopped.wait();
}

function hasFinalizer(object: { readonly metadata: { readonly finalizers?: string[] } }): boolean {
  return object.metadata.finalizers?.includes(FINALIZER) === true;
}

suite("daemons: running", (scenario) => {
  scenario(
    "[B1] daemons start for objects that are there and for those that come, which get the finalizer",
    async (world) => {
      const objects = new Objects(world);
      await objects.create("old");
      const op = operator();
      const names: string[] = [];
      op.daemon(Example, { id: "d" }, async (args) => {
        names.push(args.name);
        await obey(args);
      });
      const running = await world.start(op);
      await world.until(() => names.includes("old"));
      await objects.create("new");
      await world.until(() => names.includes("new"));
      for (const name of ["old", "new"]) await world.until(async () => hasFinalizer(await objects.get(name)));
      await objects.delete("old");
      await objects.delete("new");
      await world.until(async () => await objects.find("old") === undefined);
      await world.until(async () => await objects.find("new") === undefined);
      await running.stop();
    },
  );

  scenario("[B2] ten events do not start a daemon a second time", async (world) => {
    const objects = new Objects(world);
    const op = operator();
    let calls = 0;
    op.daemon(Example, { id: "d" }, async (args) => {
      calls++;
      await obey(args);
    });
    const running = await world.start(op);
    await objects.create("one");
    for (let value = 0; value < 10; value++) await objects.patch("one", { spec: { value } });
    await world.settle();
    assert.equal(calls, 1);
    await running.stop();
    await objects.patch("one", { metadata: { finalizers: null } });
  });

  scenario.timed(
    "[B3] an object that is first seen in its deletion gets neither daemon nor finalizer",
    async (world) => {
      const objects = new Objects(world);
      await objects.create("one", { metadata: { finalizers: ["other.example.com/hold"] } });
      await objects.delete("one");
      const op = operator();
      op.daemon(Example, { id: "d" }, () => assert.fail("it must not start"));
      const running = await world.start(op);
      await running.advance(10);
      assert.deepEqual(world.writes(), []);
      assert.ok(!running.messages().includes("Daemon invoked"));
      await running.stop();
    },
  );

  scenario.timed("[B4] [A234] a daemon with an initial delay of 5 is first called at 5", async (world) => {
    const time = stopwatch(world);
    const op = operator();
    const calls: number[] = [];
    op.daemon(Example, { id: "d", initialDelay: 5 }, () => void calls.push(time()));
    const running = await world.start(op);
    await new Objects(world).create("one");
    await running.advance(4.9);
    assert.deepEqual(calls, []);
    await running.advance(20);
    assert.deepEqual(calls, [5]);
    await running.stop();
  });

  scenario.timed("[B5] [A234] an initial delay may be a function, which is asked once", async (world) => {
    const time = stopwatch(world);
    const op = operator();
    const calls: number[] = [];
    const asked: unknown[] = [];
    op.daemon(Example, {
      id: "d",
      param: 1,
      initialDelay: ({ name, spec, param, stopped }) => {
        asked.push([name, spec.wait, param, stopped.aborted]);
        return 7;
      },
    }, () => void calls.push(time()));
    const running = await world.start(op);
    await new Objects(world).create("one", { spec: { wait: "yes" } });
    await running.advance(20);
    assert.deepEqual(calls, [7]);
    assert.deepEqual(asked, [["one", "yes", 1, false]]);
    await running.stop();
  });

  scenario.timed(
    "an initial delay that cannot be told is the default backoff, and the log says so",
    async (world) => {
      const time = stopwatch(world);
      const op = operator({ execution: { defaultBackoff: 3 } });
      const calls: unknown[] = [];
      const broken = [() => Number.NaN, () => -1, () => {
        throw new Error("broken");
      }];
      broken.forEach((initialDelay, place) =>
        op.daemon(Example, { id: `d${place}`, initialDelay }, () => void calls.push([place, time()]))
      );
      const running = await world.start(op);
      await new Objects(world).create("one");
      await running.advance(20);
      assert.deepEqual(calls, [[0, 3], [1, 3], [2, 3]]);
      assert.equal(running.messages("error").length, 3);
      await running.stop();
    },
  );

  scenario.timed(
    "[B6] a daemon in its initial delay never runs when the object is deleted",
    async (world) => {
      const objects = new Objects(world);
      const time = stopwatch(world);
      const op = operator();
      op.daemon(Example, { id: "d", initialDelay: 100 }, () => assert.fail("it must not run"));
      const running = await world.start(op);
      await objects.create("one");
      await running.advance(3);
      await objects.delete("one");
      await running.settle();
      assert.equal(await objects.find("one"), undefined);
      assert.equal(time(), 3);
      await running.advance(200);
      assert.ok(!running.messages().includes("Daemon invoked"));
      await running.stop();
    },
  );

  scenario(
    "[B7] [A233] a daemon that returns is not started again, and lets the object go",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      let calls = 0;
      op.daemon(Example, { id: "d" }, () => void calls++);
      const running = await world.start(op);
      await objects.create("one");
      await world.until(() => calls === 1);
      await world.until(() => running.logs.some(({ message }) => message === "Daemon has exited on its own"));
      await objects.patch("one", { spec: { value: 1 } });
      await world.settle();
      assert.equal(calls, 1);
      assert.equal((await objects.get("one")).metadata.finalizers, undefined);
      await running.stop();
    },
  );

  scenario(
    "[B8] [B25] what a daemon returns goes into the status, as a subresource where it is one",
    async (world) => {
      const op = operator();
      op.daemon(Example, { id: "d" }, () => ({ a: 1 }));
      op.daemon(Plain, { id: "d" }, () => ({ a: 2 }));
      const running = await world.start(op);
      const examples = new Objects(world);
      const plains = new Objects(world, PLAINS);
      await examples.create("one", { status: { d: { b: 0 } } });
      await plains.create("one", { status: { d: { b: 0 } } });
      await world.until(async () => (await examples.get("one")).status?.d !== undefined);
      assert.deepEqual((await examples.get("one")).status, { d: { a: 1 } });
      await world.until(async () => Object.keys((await plains.get("one")).status?.d ?? {}).length === 2);
      assert.deepEqual((await plains.get("one")).status, { d: { a: 2, b: 0 } });
      await running.stop();
    },
  );

  scenario.timed("[B9] [A236] a daemon that fails for good is called once", async (world) => {
    const op = operator();
    let calls = 0;
    op.daemon(Example, { id: "d" }, () => {
      calls++;
      throw new PermanentError("no way");
    });
    const objects = new Objects(world);
    const running = await world.start(op);
    await objects.create("one");
    await running.advance(1000);
    await objects.patch("one", { spec: { value: 1 } });
    await running.advance(1000);
    assert.equal(calls, 1);
    assert.deepEqual(running.messages("error"), ["Daemon failed permanently"]);
    await running.stop();
  });

  scenario.timed(
    "[B10] [A235] a daemon that fails temporarily is called again after the delay",
    async (world) => {
      const { calls, running } = await failing(world, { delay: 3.45 }, { succeedAt: 1 });
      assert.deepEqual(calls, [[0, 0], [3.45, 1]]);
      await running.stop();
    },
  );

  scenario.timed("[B11] a temporary error without a delay means 60 seconds", async (world) => {
    const { calls, running } = await failing(world, {}, { succeedAt: 1 });
    assert.deepEqual(calls, [[0, 0], [60, 1]]);
    await running.stop();
  });

  scenario.timed("[B12] an arbitrary error is temporary, with the daemon's backoff", async (world) => {
    const { calls, running } = await failing(world, "arbitrary", { succeedAt: 2, backoff: 7 });
    assert.deepEqual(calls, [[0, 0], [7, 1], [14, 2]]);
    await running.stop();
  });

  scenario.timed("[B13] an arbitrary error without a backoff means the default backoff", async (world) => {
    const { calls, running } = await failing(world, "arbitrary", { succeedAt: 1 });
    assert.deepEqual(calls, [[0, 0], [60, 1]]);
    await running.stop();
  });

  scenario.timed("[B14] an arbitrary error is permanent where the daemon says so", async (world) => {
    const { calls, running } = await failing(world, "arbitrary", { errors: "permanent" });
    assert.deepEqual(calls, [[0, 0]]);
    assert.deepEqual(running.messages("error"), ["Daemon failed permanently"]);
    await running.stop();
  });

  scenario.timed(
    "[B15] an arbitrary error is ignored where the daemon says so: it has ended",
    async (world) => {
      const { calls, running } = await failing(world, "arbitrary", { errors: "ignored" });
      assert.deepEqual(calls, [[0, 0]]);
      assert.ok(running.messages().includes("Daemon has exited on its own"));
      await running.stop();
    },
  );

  scenario.timed("[B16] [A173] 3 retries are 3 calls", async (world) => {
    const { calls, running } = await failing(world, { delay: 1.23 }, { retries: 3 });
    assert.deepEqual(calls, [[0, 0], [1.23, 1], [2.46, 2]]);
    const last = running.logs.findLast(({ level }) => level === "error");
    assert.match(String(last?.fields.error), /exceeded its retries/);
    await running.stop();
  });

  scenario.timed(
    "[B17] [A174] a timeout of 4 with a delay of 1.23 means 4 calls, the last at 3.69",
    async (world) => {
      const { calls, running } = await failing(world, { delay: 1.23 }, { timeout: 4 });
      assert.deepEqual(calls, [[0, 0], [1.23, 1], [2.46, 2], [3.69, 3]]);
      const last = running.logs.findLast(({ level }) => level === "error");
      assert.match(String(last?.fields.error), /has timed out/);
      const first = running.logs.find(({ message }) => message === "Daemon invoked");
      assert.equal((last?.time ?? 0) - (first?.time ?? 0), 3690, "nothing is waited for in vain");
      await running.stop();
    },
  );

  scenario.virtual(
    "a daemon's timeout counts the seconds that have passed, whatever the wall clock shows",
    async (world) => {
      const clock = jumpingClock(world.host.clock);
      const time = stopwatch(world);
      const calls: number[] = [];
      const op = operator();
      op.daemon(Example, { id: "d", timeout: 100 }, ({ runtime }) => {
        calls.push(time());
        assert.ok(Math.abs(runtime - time()) < 1, `runtime ${runtime} after ${time()} s`);
        throw new TemporaryError("not yet", { delay: 30 });
      });
      const running = await world.start(op, { host: { ...world.host, clock } });
      await new Objects(world).create("one");
      for (const seconds of [7200, -14_400, 7200]) {
        await running.advance(20);
        clock.jump(seconds);
      }
      await running.advance(300);
      assert.deepEqual(calls, [0, 30, 60, 90]);
      await running.stop();
    },
    { wallClock: "steady" },
  );

  scenario.timed(
    "[B18] changes of the object do not end a daemon's sleep between attempts",
    async (world) => {
      const { calls, running } = await failing(world, { delay: 10 }, {
        succeedAt: 1,
        meanwhile: async (objects, passing) => {
          for (let value = 0; value < 3; value++) {
            await objects.patch("one", { spec: { value } });
            await passing.advance(2);
          }
        },
      });
      assert.deepEqual(calls, [[0, 0], [10, 1]]);
      await running.stop();
    },
  );

  scenario.timed(
    "[B19] the deletion ends a daemon's sleep between attempts, and it is not called again",
    async (world) => {
      const objects = new Objects(world);
      const time = stopwatch(world);
      const { calls, running } = await failing(world, { delay: 1000 }, {
        meanwhile: async (_, passing) => {
          await passing.advance(5);
          await objects.delete("one");
          await passing.settle();
          assert.equal(await objects.find("one"), undefined);
          assert.equal(time(), 5);
        },
      });
      assert.deepEqual(calls, [[0, 0]]);
      await running.stop();
    },
  );

  scenario("[B20] a daemon's views show the newest state, destructured or not", async (world) => {
    const objects = new Objects(world);
    const op = operator();
    const seen: unknown[] = [];
    op.daemon(Example, { id: "d" }, async ({ body, spec, labels, stopped }) => {
      while (!stopped.aborted) {
        seen.push([body.spec?.value, spec.value, labels.value]);
        await stopped.wait(0.05);
      }
    });
    const running = await world.start(op);
    await objects.create("one", { spec: { value: 1 }, metadata: { labels: { value: "a" } } });
    await world.until(() => seen.length > 0);
    await objects.patch("one", { spec: { value: 2 }, metadata: { labels: { value: "b" } } });
    await world.until(() => JSON.stringify(seen.at(-1)) === JSON.stringify([2, 2, "b"]));
    assert.deepEqual(seen[0], [1, 1, "a"]);
    await running.stop();
    await objects.patch("one", { metadata: { finalizers: null } });
  });

  scenario.timed("[B21] daemons and other handlers of an object share its memo", async (world) => {
    const objects = new Objects(world);
    const op = operator();
    const seen: unknown[] = [];
    op.on.event(Example, { id: "e" }, ({ memo }) => void seen.push({ ...memo }));
    op.daemon(Example, { id: "x" }, ({ memo }) => {
      memo.x = 1;
    });
    op.daemon(Example, { id: "y" }, ({ memo }) => {
      memo.y = 2;
    });
    const running = await world.start(op);
    await objects.create("one");
    await running.settle();
    await objects.patch("one", { spec: { value: 1 } });
    await running.settle();
    assert.deepEqual(seen.at(-1), { x: 1, y: 2 });
    await running.stop();
  });

  scenario("[B22] what a daemon has put into its patch is written although it fails", async (world) => {
    const objects = new Objects(world);
    const op = operator();
    op.daemon(Example, { id: "d" }, ({ patch, retry }) => {
      patch.status.attempts = retry + 1;
      throw new TemporaryError("not yet", { delay: 0.1 });
    });
    const running = await world.start(op);
    await objects.create("one");
    await world.until(async () => Number((await objects.get("one")).status?.attempts) >= 2);
    await running.stop();
    await objects.patch("one", { metadata: { finalizers: null } });
  });

  scenario.timed(
    "[B23] [A243] functions that lost against another change go to the next attempt, the rest of the patch does not",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      const seen: unknown[] = [];
      op.daemon(Example, { id: "d" }, ({ patch, retry }) => {
        seen.push([retry, patch.isEmpty, patch.fns.length]);
        if (retry === 0) {
          patch.spec.merged = true;
          patch.fns.push((body) => {
            body.spec = { ...body.spec, transformed: true };
          });
        }
        if (retry < 3) throw new TemporaryError("again", { delay: 5 });
      });
      let conflicts = 1;
      world.intercept = (request) => {
        const isFunction = request.headers.get("content-type")?.includes("json-patch") === true;
        if (!isFunction || conflicts-- <= 0) return undefined;
        return Response.json({ kind: "Status", status: "Failure", code: 422, reason: "Invalid" }, {
          status: 422,
        });
      };
      const running = await world.start(op);
      await objects.create("one", { spec: {} });
      await running.advance(4);
      assert.deepEqual((await objects.get("one")).spec, { merged: true });
      await objects.patch("one", { spec: { merged: null } });
      await running.advance(20);
      assert.deepEqual(seen, [[0, true, 0], [1, false, 1], [2, true, 0], [3, true, 0]]);
      assert.deepEqual((await objects.get("one")).spec, { transformed: true });
      await running.stop();
    },
  );

  scenario.timed("[B24] a daemon whose patch is answered with 404 goes on", async (world) => {
    const objects = new Objects(world);
    const op = operator();
    let calls = 0;
    op.daemon(Example, { id: "d" }, ({ patch, retry }) => {
      calls++;
      patch.status.attempts = retry;
      throw new TemporaryError("again", { delay: 1 });
    });
    const absent = {
      kind: "Status",
      code: 404,
      details: { name: "one", group: "lotse.test", kind: "examples" },
    };
    world.intercept = (_, { path }) =>
      path.endsWith("/status") ? Response.json(absent, { status: 404 }) : undefined;
    const running = await world.start(op);
    await objects.create("one");
    await running.advance(3.5);
    assert.equal(calls, 4);
    assert.ok(running.messages("debug").includes("The object has gone: nothing is written"));
    await running.stop();
  });

  scenario.timed(
    "[G21] [D5] a write of a daemon that fails is tried again, also when the daemon has ended",
    async (world) => {
      const objects = new Objects(world);
      const op = operator({ networking: { errorBackoffs: [] }, queueing: { errorDelays: [2, 3] } });
      op.daemon(Example, { id: "d" }, ({ patch }) => {
        patch.status.state = "Done";
        patch.fns.push((body) => {
          body.spec = { ...body.spec, transformed: true };
        });
      });
      let failures = 3;
      world.intercept = (_, { path }) =>
        path.endsWith("/status") && failures-- > 0 ? refusal(500) : undefined;
      const running = await world.start(op);
      await objects.create("one");
      await running.advance(7.9);
      assert.equal((await objects.get("one")).status, undefined);
      assert.ok(hasFinalizer(await objects.get("one")));
      await running.advance(0.2);
      const { status, spec } = await objects.get("one");
      assert.deepEqual([status, spec], [{ state: "Done" }, { transformed: true }]);
      assert.equal(running.messages("error").length, 3);
      await running.settle();
      assert.ok(!hasFinalizer(await objects.get("one")));
      await running.stop();
    },
  );

  scenario.timed(
    "bad patches of daemons are dropped with an error, and the daemon goes on",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      const circle: Record<string, unknown> = {};
      circle.self = circle;
      op.daemon(Example, { id: "d" }, ({ patch, retry }) => {
        if (retry === 0) patch.status.odd = circle;
        if (retry === 1) {
          patch.fns.push(() => {
            throw new Error("broken function");
          });
        }
        if (retry === 2) patch.metadata = { labels: { "not a label": "!" } };
        patch.status.retry = retry;
        throw new TemporaryError("again", { delay: 1 });
      });
      const running = await world.start(op);
      await objects.create("one");
      await running.advance(5.5);
      assert.deepEqual((await objects.get("one")).status, { retry: 5 });
      const errors = running.messages("error").filter((message) => message !== "Daemon failed temporarily");
      assert.deepEqual(errors, [
        "Cannot write what handlers have put into the patch: it is dropped",
        "Cannot apply the functions of the patch: all of them are dropped",
        "The server refuses the patch as invalid: it is dropped (mend the handler or the schema)",
      ]);
      await running.stop();
    },
  );
});

suite("daemons: filters", (scenario) => {
  scenario("[B26] [B27] [B28] [A237] filters are asked whenever the object changes", async (world) => {
    const objects = new Objects(world);
    const op = operator();
    const log: unknown[] = [];
    op.daemon(Example, { id: "d", labels: { run: "yes" } }, async ({ stopped, retry }) => {
      log.push(["begun", retry]);
      await stopped.wait();
      log.push([...stopped.reasons]);
    });
    const running = await world.start(op);
    const set = (run: string) => objects.patch("one", { metadata: { labels: { run } } });
    await objects.create("one", { metadata: { labels: { run: "no" } } });
    await world.settle();
    assert.deepEqual(log, []);
    await set("yes");
    await world.until(() => log.length === 1);
    await set("no");
    await world.until(() => log.length === 2);
    await world.until(async () => !hasFinalizer(await objects.get("one")));
    await set("yes");
    await world.until(() => log.length === 3);
    assert.deepEqual(log, [["begun", 0], ["FILTERS_MISMATCH"], ["begun", 0]]);
    await objects.delete("one");
    await world.until(async () => await objects.find("one") === undefined);
    await running.stop();
  });

  scenario.virtual(
    "[A237] a predicate that turns false stops the daemon at the next event",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      let isWanted = true;
      const reasons: string[] = [];
      op.daemon(Example, { id: "d", when: () => isWanted }, async ({ stopped }) => {
        await stopped.wait();
        reasons.push(...stopped.reasons);
      });
      const running = await world.start(op);
      await objects.create("one");
      await running.settle();
      isWanted = false;
      await running.advance(100);
      assert.deepEqual(reasons, []);
      await objects.patch("one", { status: { any: 1 } }, "status");
      await running.settle();
      assert.deepEqual(reasons, ["FILTERS_MISMATCH"]);
      await running.stop();
    },
  );

  scenario.timed("[A74] a field filter of a daemon looks at the object as it is now", async (world) => {
    const objects = new Objects(world);
    const op = operator();
    const log: string[] = [];
    op.daemon(Example, { id: "d", field: "spec.mode", value: "on" }, async ({ stopped }) => {
      log.push("begun");
      await stopped.wait();
      log.push("stopped");
    });
    const running = await world.start(op);
    await objects.create("one", { spec: { mode: "off" } });
    await running.settle();
    assert.deepEqual(log, []);
    await objects.patch("one", { spec: { mode: "on" } });
    await running.settle();
    assert.deepEqual(log, ["begun"]);
    await objects.patch("one", { spec: { mode: null } });
    await running.settle();
    assert.deepEqual(log, ["begun", "stopped"]);
    await running.stop();
  });

  scenario.timed(
    "a filter that throws is reported once, and keeps the daemon from running",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      op.daemon(Example, {
        id: "d",
        when: () => {
          throw new Error("broken filter");
        },
      }, () => assert.fail("it must not run"));
      const running = await world.start(op);
      await objects.create("one");
      await running.settle();
      await objects.patch("one", { spec: { value: 1 } });
      await running.settle();
      assert.deepEqual(running.messages("error"), ["Filter failed: the handler counts as not matching"]);
      assert.deepEqual(world.writes(), []);
      await running.stop();
    },
  );

  scenario.timed(
    "[B29] a daemon that still stops is not started a second time, only after its end",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      const ends: (() => void)[] = [];
      let active = 0;
      let most = 0;
      op.daemon(Example, { id: "d", labels: { run: "yes" } }, async () => {
        most = Math.max(most, ++active);
        await new Promise<void>((resolve) => ends.push(resolve));
        active--;
      });
      const running = await world.start(op);
      const set = (run: string) => objects.patch("one", { metadata: { labels: { run } } });
      await objects.create("one", { metadata: { labels: { run: "yes" } } });
      await running.settle();
      await set("no");
      await running.settle();
      await set("yes");
      await running.advance(10);
      assert.deepEqual([ends.length, active], [1, 1]);
      ends[0]?.();
      await running.settle();
      await objects.patch("one", { spec: { value: 1 } });
      await running.settle();
      assert.deepEqual([ends.length, active, most], [2, 1, 1]);
      ends[1]?.();
      await running.stop();
    },
  );

  scenario.timed("[B30] of two daemons only the one stops that does not match any more", async (world) => {
    const objects = new Objects(world);
    const op = operator();
    const stops: string[] = [];
    for (const id of ["a", "b"]) {
      op.daemon(Example, { id, labels: { [id]: "yes" } }, async ({ stopped }) => {
        await stopped.wait();
        stops.push(id);
      });
    }
    const running = await world.start(op);
    await objects.create("one", { metadata: { labels: { a: "yes", b: "yes" } } });
    await running.settle();
    await objects.patch("one", { metadata: { labels: { b: null } } });
    await running.settle();
    assert.deepEqual(stops, ["b"]);
    assert.ok(hasFinalizer(await objects.get("one")));
    await running.stop();
    assert.deepEqual(stops, ["b", "a"]);
  });
});

interface FailingOptions {
  readonly retries?: number;
  readonly timeout?: number;
  readonly backoff?: number;
  readonly errors?: "permanent" | "ignored";
  /** The attempt that succeeds. */
  readonly succeedAt?: number;
  readonly meanwhile?: (
    objects: Objects,
    running: Awaited<ReturnType<TimedWorld["start"]>>,
  ) => Promise<void>;
}

/** Runs a daemon that fails, for 1000 seconds; tells when it was called, with which `retry`. */
async function failing(
  world: TimedWorld,
  error: { readonly delay?: number } | "arbitrary",
  { succeedAt = Infinity, meanwhile, ...options }: FailingOptions,
): Promise<{ calls: [number, number][]; running: Awaited<ReturnType<TimedWorld["start"]>> }> {
  const objects = new Objects(world);
  const calls: [number, number][] = [];
  const op = operator();
  const time = stopwatch(world);
  op.daemon(Example, { id: "d", ...options }, ({ retry }) => {
    calls.push([time(), retry]);
    if (retry >= succeedAt) return;
    throw error === "arbitrary" ? new Error("arbitrary") : new TemporaryError("not yet", error);
  });
  const running = await world.start(op);
  await objects.create("one");
  await running.settle();
  await meanwhile?.(objects, running);
  await running.advance(1000);
  return { calls, running };
}

function refusal(code: number): Response {
  return Response.json({ kind: "Status", status: "Failure", code, message: "Refused by the test" }, {
    status: code,
  });
}
