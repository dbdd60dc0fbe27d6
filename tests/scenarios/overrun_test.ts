import assert from "node:assert/strict";
import { type Operator, operator, TemporaryError } from "../../mod.ts";
import { suite } from "../support/scenario.ts";
import type { VirtualWorld } from "../support/virtual_world.ts";
import { Example, Objects, Plain, PLAINS } from "../support/worlds.ts";

const WARNING = /^Events come faster than the handlers of events take them/;

/** An operator whose handler of events takes ten seconds for each; it tells what it was called with. */
function slowOperator(world: VirtualWorld, eventLimit: number | null): { op: Operator; seen: string[] } {
  const op = operator({ queueing: { eventLimit } });
  const seen: string[] = [];
  op.on.event(Example, async ({ type, spec }) => {
    seen.push(`${type} ${spec.value}`);
    await world.host.clock.sleep(10);
  });
  return { op, seen };
}

suite("more than can be done", (scenario) => {
  scenario.virtual(
    "[N40] where more events of an object wait than may, a warning says so, and only the newest of each kind is kept",
    async (world) => {
      const objects = new Objects(world);
      const { op, seen } = slowOperator(world, 5);
      const running = await world.start(op);
      const warnings = () =>
        running.logs.filter(({ level, message }) => level === "warn" && WARNING.test(message));
      await objects.create("one", { spec: { value: 0 } });
      await running.settle();
      for (let value = 1; value <= 5; value++) await objects.patch("one", { spec: { value } });
      await running.settle();
      assert.equal(warnings().length, 0, "five may wait");
      for (let value = 6; value <= 300; value++) await objects.patch("one", { spec: { value } });
      await running.settle();
      assert.deepEqual(warnings().map(({ fields, reference }) => [fields.limit, reference?.name]), [[
        5,
        "one",
      ]]);
      await objects.delete("one");
      await running.advance(100);
      assert.deepEqual(seen, ["ADDED 0", "MODIFIED 300", "DELETED 300"]);

      // Once they have caught up, all are kept again.
      seen.length = 0;
      await objects.create("one", { spec: { value: 0 } });
      await running.settle();
      for (let value = 1; value <= 3; value++) await objects.patch("one", { spec: { value } });
      await running.advance(100);
      assert.deepEqual(seen, ["ADDED 0", "MODIFIED 1", "MODIFIED 2", "MODIFIED 3"]);
      assert.equal(warnings().length, 1);
      await running.stop();
    },
  );

  scenario.virtual("[N40] without a limit every event is kept", async (world) => {
    const objects = new Objects(world);
    const { op, seen } = slowOperator(world, null);
    const running = await world.start(op);
    await objects.create("one", { spec: { value: 0 } });
    await running.settle();
    for (let value = 1; value <= 300; value++) await objects.patch("one", { spec: { value } });
    await running.advance(4000);
    assert.equal(seen.length, 301);
    await running.stop();
  });

  /** Runs for a minute of handlers that ask to be called again at once, and returns how often they were. */
  async function callsInAMinute(
    world: VirtualWorld,
    declare: (op: Operator, fail: () => never) => void,
  ): Promise<number> {
    const op = operator({ execution: { defaultBackoff: 0 } });
    let calls = 0;
    declare(op, () => {
      calls++;
      throw new TemporaryError("not yet", { delay: calls % 2 === 0 ? 0 : -5 });
    });
    await new Objects(world).create("one");
    const running = await world.start(op);
    await running.advance(60);
    await running.stop();
    return calls;
  }

  scenario.virtual(
    "[N42] handlers, daemons and timers that ask to be called at once again and again get a pause that grows to a second",
    async (world) => {
      const writes = async (declare: Parameters<typeof callsInAMinute>[1]): Promise<void> => {
        const before = world.writes().length;
        const calls = await callsInAMinute(world, declare);
        assert.ok(calls > 40 && calls < 80, `${calls} calls`);
        assert.ok(world.writes().length - before < 100);
        await new Objects(world).patch("one", { metadata: { finalizers: null } });
        await new Objects(world).delete("one");
      };
      await writes((op, fail) => op.on.create(Example, { id: "make" }, fail));
      await writes((op, fail) => op.daemon(Example, { id: "watch" }, fail));
      await writes((op, fail) => op.timer(Example, { id: "check", interval: 1000 }, fail));
      await writes((op, fail) =>
        op.on.create(Example, { id: "parent" }, ({ sub }) => {
          sub("child", fail);
        })
      );
      await writes((op, fail) =>
        op.on.create(Example, { id: "plain", backoff: 0 }, () => {
          try {
            fail();
          } catch {
            throw new Error("not yet");
          }
        })
      );
    },
  );

  scenario.virtual("[N42] so do reconciles, handlers of children and tasks", async (world) => {
    const objects = new Objects(world);
    const { uid = "" } = (await objects.create("parent")).metadata;
    const owner = { apiVersion: "lotse.test/v1", kind: "Example", name: "parent", uid, controller: true };
    await new Objects(world, PLAINS).create("child", { metadata: { ownerReferences: [owner] } });
    const calls = async (declare: (op: Operator, fail: () => never) => void): Promise<void> => {
      const count = await callsInAMinute(world, declare);
      assert.ok(count > 40 && count < 160, `${count} calls`);
      await objects.delete("one");
    };
    await calls((op, fail) => op.reconcile(Example, { id: "shape" }, fail));
    await calls((op, fail) =>
      op.reconcile(Example, { id: "plain", backoff: 0 }, () => {
        try {
          fail();
        } catch {
          throw new Error("not yet");
        }
      })
    );
    await calls((op, fail) => op.on.child(Example, Plain, { id: "follow" }, fail));
    await calls((op, fail) => op.every("check", { interval: 1000 }, fail));
  });

  scenario.virtual("[N42] so do startup handlers", async (world) => {
    const op = operator();
    const times: number[] = [];
    op.on.event(Example, () => {});
    op.on.startup(() => {
      times.push(world.host.clock.monotonic());
      if (times.length < 30) throw new TemporaryError("not yet", { delay: 0 });
    });
    const running = await world.start(op);
    await running.advance(60);
    const pauses = times.slice(1).map((time, index) => Math.round((time - (times[index] ?? 0)) * 1000));
    assert.deepEqual(pauses.slice(0, 6), [0, 0, 0, 5, 10, 20]);
    assert.deepEqual([times.length, pauses.at(-1)], [30, 1000]);
    await running.stop();
  });
});
