import assert from "node:assert/strict";
import { lifecycles, operator } from "../../mod.ts";
import { suite } from "../support/scenario.ts";
import { Example, Objects, Plain, PLAINS } from "../support/worlds.ts";

suite("embedding", (scenario) => {
  scenario("[B255] two operators in one process do not know of each other", async (world) => {
    const calls: unknown[] = [];
    const one = operator({ memo: { whose: "one" }, lifecycle: lifecycles.allAtOnce });
    one.on.create(Example, ({ name, memo }) => void calls.push([name, memo.whose]));
    const two = operator({ memo: { whose: "two" } });
    two.on.create(Plain, ({ name, memo }) => void calls.push([name, memo.whose]));
    const [first, second] = [await world.start(one), await world.start(two)];
    await new Objects(world).create("a");
    await world.until(() => calls.length > 0);
    await first.stop();
    await new Objects(world).create("unseen");
    await new Objects(world, PLAINS).create("b");
    await world.until(() => calls.length > 1);
    await world.settle();
    assert.deepEqual(calls, [["a", "one"], ["b", "two"]]);
    await second.stop();
  });

  scenario(
    "an operator that has stopped runs again, and handles what has changed meanwhile",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      const calls: string[] = [];
      op.on.create(Example, ({ name }) => void calls.push(`create ${name}`));
      const first = await world.start(op);
      await objects.create("a");
      await world.until(() => calls.length > 0);
      await world.settle();
      await first.stop();
      // What is declared between two runs counts for the next one.
      op.on.update(Example, ({ name }) => void calls.push(`update ${name}`));
      await objects.patch("a", { spec: { size: 1 } });
      await objects.create("b");
      await world.settle();
      assert.deepEqual(calls, ["create a"]);
      const second = await world.start(op);
      await world.until(() => calls.length > 2);
      assert.deepEqual(calls.slice(1).sort(), ["create b", "update a"]);
      await second.stop();
    },
  );

  scenario.virtual("what is declared while an operator runs counts for its next run", async (world) => {
    const op = operator();
    const calls: string[] = [];
    op.on.create(Example, { id: "early" }, () => void calls.push("early"));
    const first = await world.start(op);
    op.on.create(Example, { id: "late" }, () => void calls.push("late"));
    await new Objects(world).create("a");
    await first.settle();
    assert.deepEqual(calls.splice(0), ["early"]);
    await first.stop();
    await new Objects(world).create("b");
    const second = await world.start(op);
    assert.deepEqual(calls, ["early", "late"]);
    await second.stop();
  });

  scenario.virtual("an operator that runs refuses to run a second time, and goes on", async (world) => {
    const op = operator();
    const calls: string[] = [];
    op.on.create(Example, async ({ name, namespace }) => {
      const { metadata } = await op.api.get(Example, { name, namespace });
      calls.push(`${metadata.name}`);
    });
    const running = await world.start(op);
    await assert.rejects(op.run({ host: world.host }), {
      name: "TypeError",
      message: "Cannot run an operator that is running: wait until it has stopped, or make another",
    });
    await new Objects(world).create("a");
    await running.settle();
    assert.deepEqual(calls, ["a"]);
    await running.stop();
  });

  scenario.virtual("a memo that is given to a run takes the place of the operator's", async (world) => {
    const op = operator({ memo: { from: "operator", only: "here" } });
    const seen: unknown[] = [];
    const shared = new Set<string>();
    op.on.create(Example, ({ memo, name }) => {
      (memo.shared as Set<string> | undefined)?.add(name);
      seen.push([memo.from, memo.only]);
      memo.from = "handler";
    });
    const given = { from: "run", shared };
    for (const memo of [given, undefined]) {
      const running = await world.start(op, { memo });
      await new Objects(world).create(`with-${seen.length}`);
      await running.settle();
      await running.stop();
    }
    assert.deepEqual(seen, [["run", undefined], ["operator", "here"]]);
    assert.deepEqual([...shared], ["with-0"]);
    assert.equal(given.from, "run");
  });

  scenario.virtual(
    "a run says when it watches and when it has seen all, and ends when it is told",
    async (world) => {
      await new Objects(world).create("a");
      const op = operator();
      const steps: string[] = [];
      op.on.event(Example, () => void steps.push("event"));
      const running = await world.start(op, {
        ready: () => void steps.push("ready"),
        synced: () => void steps.push("synced"),
      });
      assert.deepEqual(steps.filter((step) => step !== "event"), ["ready", "synced"]);
      assert.equal(running.isRunning, true);
      await running.stop();
      assert.equal(running.isRunning, false);
      world.requests.length = 0;
      await op.run({ host: world.host, signal: AbortSignal.abort() });
      assert.equal(world.requests.length, 0, "a run that is over before it begins asks for nothing");
    },
  );

  scenario.virtual(
    "[B256] a run has one scope: what contradicts itself cannot be said, or is refused",
    async (world) => {
      const op = operator();
      const refusals: [options: object, name: string, message: RegExp][] = [
        [
          { clusterwide: true, namespaces: ["a"] },
          "TypeError",
          /with option "clusterwide": known are .*scope/,
        ],
        [{ scope: [] }, "RangeError", /in no namespace/],
        [{ scope: "default" }, "TypeError", /take "cluster", or a list of namespaces/],
        [{ scope: ["a", 1] }, "TypeError", /take "cluster", or a list of namespaces/],
        [{ priority: "high" }, "TypeError", /"peering.priority"/],
      ];
      for (const [options, name, message] of refusals) {
        await assert.rejects(op.run({ host: world.host, ...options }), { name, message });
      }
      const before = structuredClone(op.settings.peering);
      const running = await world.start(op, { scope: "cluster", priority: 7 });
      assert.equal(op.settings.peering.priority, 7, "while it runs, the settings are those of the run");
      await running.stop();
      assert.deepEqual(op.settings.peering, before);
    },
  );

  scenario.virtual(
    "a logger of the author's that throws fails no handler, and is spoken of once",
    async (world) => {
      const { host, server } = world;
      host.network.route("https://own.test", (request) => server.fetch(request));
      const fail = (): never => {
        throw new Error("disk full");
      };
      const logger = { debug: fail, info: fail, warn: fail, error: fail, enabled: fail, child: () => logger };
      const op = operator();
      let retries: number[] = [];
      op.on.create(Example, { backoff: 1 }, ({ logger: own, retry }) => {
        own.info("Hello");
        retries = [...retries, retry];
        if (retry === 0) throw new Error("once");
      });
      const ready = Promise.withResolvers<void>();
      const stop = new AbortController();
      const credentials = { server: "https://own.test" };
      const running = op.run({
        host,
        logger,
        credentials,
        scope: ["default"],
        signal: stop.signal,
        synced: ready.resolve,
      });
      await host.clock.settle();
      await ready.promise;
      await new Objects(world).create("one");
      await host.clock.advance(5);
      assert.deepEqual(retries, [0, 1]);
      stop.abort();
      await host.clock.settle();
      await running;
      const said = host.process.stderr.match(/The given logger throws/g) ?? [];
      assert.equal(said.length, 1);
    },
  );
});
