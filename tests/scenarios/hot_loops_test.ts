import assert from "node:assert/strict";
import { operator } from "../../mod.ts";
import type { LogRecord } from "../../lib/runtime/logging.ts";
import { suite } from "../support/scenario.ts";
import { sized } from "../support/size.ts";
import { Example, EXAMPLES, LAST_HANDLED, notesOf, Objects, type Running } from "../support/worlds.ts";

const EDITS = sized({ short: 12, full: 40 });

const namesALoop = ({ message }: LogRecord) => message.startsWith("Hot loop: ");

function loopsIn({ logs }: Running): { level: string; fields: unknown; managers: unknown }[] {
  return logs.filter(namesALoop).map(({ level, fields }) => ({
    level,
    fields: fields.fields,
    managers: fields.managers,
  }));
}

suite("hot loops", (scenario) => {
  scenario(
    "[N30] an operator that wakes itself by what it writes is named once, within twenty rounds, and slowed down",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      const times: number[] = [];
      op.on.update(Example, function count({ spec, patch }) {
        times.push(performance.now());
        patch.spec.counter = ((spec.counter as number | undefined) ?? 0) + 1;
      });
      const running = await world.start(op);
      // NB: the server tracks no managers of an object that begins with nothing to manage.
      await objects.create("one", { spec: { begin: 1 } });
      await world.until(async () => LAST_HANDLED in notesOf(await objects.get("one")));
      await objects.patch("one", { spec: { counter: 1 } });
      await world.until(() => loopsIn(running).length > 0);
      assert.ok(times.length <= 20, `recognised after ${times.length} rounds`);
      assert.ok(times.length >= 5, "that soon it could be anything");
      await world.settle();
      await world.settle();
      assert.ok(times.length <= 22, `${times.length} rounds are no slow ones`);
      assert.deepEqual(loopsIn(running), [{
        level: "warn",
        fields: ["spec.counter"],
        managers: ["lotse"],
      }]);
      await objects.delete("one");
      await running.stop();
    },
  );

  scenario(
    "[N30] two operators that put one finalizer on and take it off again are slowed down, and told why",
    async (world) => {
      const objects = new Objects(world);
      const [keeper, other] = [operator(), operator()];
      keeper.on.delete(Example, function clear() {});
      other.reconcile(Example, function see() {});
      const running = [await world.start(keeper), await world.start(other)];
      await objects.create("one", { spec: { begin: 1 } });
      await world.until(() => running.every((each) => loopsIn(each).length > 0));
      await world.settle();
      const added = running[0]!.logs.filter(({ message }) => message === "Adding the finalizer").length;
      assert.ok(added >= 10 && added <= 20, `added ${added} times`);
      const loops = running.map((each) => loopsIn(each));
      const [loop] = loops.find(([one]) => one !== undefined && JSON.stringify(one.managers) !== "[]") ?? [];
      assert.deepEqual(loop, { level: "warn", fields: ["metadata.finalizers"], managers: ["lotse"] });
      // The server keeps no record of who takes a finalizer off: one of both may have looked only while it was off.
      for (const [one, ...more] of loops) {
        assert.deepEqual({ ...one, managers: ["lotse"] }, loop);
        assert.deepEqual(more, []);
      }
      await running[1]!.stop();
      await objects.delete("one");
      await running[0]!.stop();
    },
  );

  scenario.virtual(
    "a raw event handler that writes what differs each time is slowed down, too",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      let calls = 0;
      op.on.event(Example, function stamp({ patch, type }) {
        if (type !== "DELETED") patch.status.seen = String(++calls);
      });
      const running = await world.start(op);
      await objects.create("one");
      await running.advance(600);
      assert.ok(calls < 40, `${calls} calls in ten minutes`);
      assert.deepEqual(loopsIn(running).map(({ fields }) => fields), [["status.seen"]]);
      await running.stop();
    },
  );

  scenario(
    "[N30] an operator that fights another manager over a field is named once, with both, and slowed down",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      let rounds = 0;
      op.on.field(Example, "spec.size", function insist({ patch }) {
        rounds++;
        patch.spec.size = 3;
      });
      const running = await world.start(op);
      await objects.create("one", { spec: { begin: 1 } });
      const address = { namespace: world.namespace, name: "one" };
      for (let turn = 0; turn < 30 && loopsIn(running).length === 0; turn++) {
        // Another manager, which wants more.
        // NB: another value each time. What an update handler has seen already is no change to it, should the other be faster.
        const request = { type: "merge", body: { spec: { size: 5 + turn } }, fieldManager: "other" } as const;
        await world.client.patch(EXAMPLES, address, request);
        await world.until(async () =>
          loopsIn(running).length > 0 || (await objects.get("one")).spec?.size === 3
        );
      }
      assert.ok(rounds <= 40, `recognised after ${rounds} calls`);
      const [loop, ...others] = loopsIn(running);
      assert.deepEqual(others, []);
      assert.equal(loop?.level, "warn");
      assert.deepEqual(loop?.fields, ["spec.size"]);
      assert.deepEqual(loop?.managers, ["lotse", "other"]);
      await running.stop();
    },
  );

  scenario.virtual("edits by people, retries and many steps are no loops", async (world) => {
    const objects = new Objects(world);
    const op = operator({ execution: { defaultBackoff: 1 } });
    let failures = 30;
    op.on.create(Example, function flaky({ patch }) {
      patch.status.left = failures;
      if (failures-- > 0) throw new Error("on purpose");
    });
    op.on.create(Example, ({ patch, sub }) => {
      for (let number = 0; number < 30; number++) {
        sub(`step-${number}`, () => void (patch.spec[`field${number}`] = number));
      }
    });
    op.on.update(Example, ({ spec, patch }) => {
      patch.status.size = spec.size;
      patch.spec.normal = true;
    });
    op.lifecycle = (candidates) => candidates.slice(0, 1);
    const running = await world.start(op);
    await objects.create("one", { spec: { size: 0 } });
    await running.advance(120);
    for (let size = 1; size <= EDITS; size++) {
      await objects.patch("one", { spec: { size } });
      await running.advance(1);
    }
    assert.equal((await objects.get("one")).status?.size, EDITS);
    assert.deepEqual(loopsIn(running), []);
    await running.stop();
  });

  scenario(
    "[N30] a timer that its own writes wake is named once, and slowed down",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      let runs = 0;
      op.timer(Example, { idle: 0.05 }, function stir({ patch }) {
        patch.spec.counter = ++runs;
      });
      const running = await world.start(op);
      await objects.create("one", { spec: { begin: 1 } });
      await world.until(() => loopsIn(running).length > 0);
      assert.ok(runs >= 10 && runs <= 20, `recognised after ${runs} rounds`);
      await world.settle();
      assert.ok(runs <= 22, `${runs} rounds are no slow ones`);
      assert.deepEqual(loopsIn(running), [{
        level: "warn",
        fields: ["spec.counter"],
        managers: ["lotse"],
      }]);
      await objects.delete("one");
      await running.stop();
    },
  );

  scenario(
    "[N30] a timer that fights another manager over a field is named once, with both, and slowed down",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      let runs = 0;
      op.timer(Example, { interval: 0.1 }, function insist({ patch }) {
        runs++;
        patch.spec.size = 3;
      });
      const running = await world.start(op);
      await objects.create("one", { spec: { begin: 1 } });
      const address = { namespace: world.namespace, name: "one" };
      const isInsisted = async () => (await objects.get("one")).spec?.size === 3;
      for (let turn = 0; turn < 30 && loopsIn(running).length === 0; turn++) {
        await world.until(async () => loopsIn(running).length > 0 || await isInsisted());
        // NB: another value each time. What an update handler has seen already is no change to it, should the other be faster.
        const request = { type: "merge", body: { spec: { size: 5 + turn } }, fieldManager: "other" } as const;
        await world.client.patch(EXAMPLES, address, request);
      }
      await world.until(() => loopsIn(running).length > 0);
      const [loop, ...others] = loopsIn(running);
      assert.deepEqual(others, []);
      assert.deepEqual(loop?.fields, ["spec.size"]);
      assert.deepEqual(loop?.managers, ["lotse", "other"]);
      await objects.delete("one");
      await running.stop();
    },
  );

  scenario.virtual("daemons and timers that write by the clock are no loops", async (world) => {
    const objects = new Objects(world);
    const op = operator();
    let runs = 0;
    op.timer(Example, { interval: 1 }, function stamp({ patch }) {
      patch.status.seen = ++runs;
    });
    op.timer(Example, { interval: 2, idle: 1 }, function count({ patch }) {
      patch.status.count = runs;
    });
    op.on.field(Example, "spec.size", function scale({ patch, new: size }) {
      patch.status.size = size;
    });
    const running = await world.start(op);
    await objects.create("one", { spec: { size: 0 } });
    for (let size = 1; size <= EDITS; size++) {
      await objects.patch("one", { spec: { size } });
      await running.advance(3);
    }
    assert.ok(runs > 2.5 * EDITS, `${runs} runs`);
    assert.deepEqual(loopsIn(running), []);
    await running.stop();
  });

  scenario.virtual("a loop that ends is forgotten, and one that begins anew is found anew", async (world) => {
    const objects = new Objects(world);
    const op = operator();
    let isLooping = true;
    let calls = 0;
    op.on.update(Example, function count({ patch }) {
      calls++;
      if (isLooping) patch.spec.counter = calls;
    });
    await objects.create("one");
    const running = await world.start(op);
    await objects.patch("one", { spec: { begin: 1 } });
    await running.advance(60);
    assert.equal(loopsIn(running).length, 1);
    isLooping = false;
    await running.advance(600);
    const before = calls;
    await objects.patch("one", { spec: { begin: 2 } });
    await running.settle();
    assert.equal(calls, before + 1, "nothing is slow any more");
    isLooping = true;
    await objects.patch("one", { spec: { begin: 3 } });
    await running.settle();
    assert.ok(calls > before + 5, "the first rounds are quick");
    await running.advance(60);
    assert.deepEqual(loopsIn(running).map(({ level }) => level), ["warn", "debug"]);
    await running.stop();
  });
});
