import assert from "node:assert/strict";
import { type Operator, operator } from "../../mod.ts";
import { makeVersionsOpaque } from "../support/opaque_versions.ts";
import { suite } from "../support/scenario.ts";
import { Example, FINALIZER, LAST_HANDLED, notesOf, Objects } from "../support/worlds.ts";

/** An operator whose calls are noted. */
function makeOperator(calls: string[], consistencyTimeout = 5): Operator {
  const op = operator({ persistence: { consistencyTimeout } });
  op.on.event(Example, ({ type, spec }) => void calls.push(`event ${type} ${spec.value}`));
  op.on.create(Example, ({ spec }) => void calls.push(`create ${spec.value}`));
  op.on.update(Example, ({ spec }) => void calls.push(`update ${spec.value}`));
  return op;
}

const changesOf = (calls: readonly string[]): string[] => calls.filter((call) => !call.startsWith("event"));

suite("consistency after own writes", (scenario) => {
  scenario.virtual("[A189] that takes no time at all", async (world) => {
    const calls: string[] = [];
    const running = await world.start(makeOperator(calls));
    await new Objects(world).create("one", { spec: { value: 1 } });
    await running.settle();
    assert.deepEqual(calls.slice(0, 2), ["event ADDED 1", "create 1"]);
    await running.stop();
  });

  scenario(
    "[A189] where nothing was written before, an event is handled by all handlers at once",
    async (world) => {
      const objects = new Objects(world);
      const calls: string[] = [];
      const running = await world.start(makeOperator(calls));
      await objects.create("one", { spec: { value: 1 } });
      await world.until(() => calls.includes("create 1"));
      assert.deepEqual(calls.slice(0, 2), ["event ADDED 1", "create 1"]);
      await world.until(async () => LAST_HANDLED in notesOf(await objects.get("one")));
      await world.settle();
      assert.deepEqual(changesOf(calls), ["create 1"]);
      await running.stop();
    },
  );

  scenario.virtual(
    "[A195] [A192] old events that come after a write are passed over, until the one of the write has come",
    async (world) => {
      const objects = new Objects(world);
      const lag = makeVersionsOpaque(world, "examples");
      const calls: string[] = [];
      const running = await world.start(makeOperator(calls));
      lag.isHolding = true;
      await objects.create("one", { spec: { value: 1 } });
      await objects.patch("one", { status: { a: "b" } }, "status");
      await running.settle();
      lag.release();
      await running.settle();
      assert.deepEqual(calls, ["event ADDED 1", "create 1"]);
      await objects.patch("one", { spec: { value: 2 } });
      await running.settle();
      assert.equal(lag.held.length, 3, "another's status, our note, the value");
      lag.release();
      await running.settle();
      assert.deepEqual(changesOf(calls), ["create 1"], "the state with that status has no note yet");
      lag.release();
      lag.release();
      await running.settle();
      assert.deepEqual(changesOf(calls), ["create 1", "update 2"]);
      assert.equal(
        calls.filter((call) => call.startsWith("event")).length,
        4,
        "raw events all come, at once",
      );
      await running.stop();
    },
  );

  scenario.virtual(
    "[A191] where the event of a write does not come, and nothing newer, the state is handled at the deadline",
    async (world) => {
      const objects = new Objects(world);
      const lag = makeVersionsOpaque(world, "examples");
      const calls: string[] = [];
      const running = await world.start(makeOperator(calls));
      lag.isHolding = true;
      await objects.create("one", { spec: { value: 1 } });
      await running.settle();
      lag.release();
      await running.settle();
      lag.drop();
      await objects.patch("one", { spec: { value: 2 } });
      await running.settle();
      lag.release();
      await running.advance(4);
      assert.deepEqual(calls, ["event ADDED 1", "create 1", "event MODIFIED 2"]);
      await running.advance(2);
      assert.deepEqual(changesOf(calls), ["create 1", "update 2"]);
      await running.stop();
    },
  );

  scenario.virtual(
    "[A191] [A193] indexes show what an event brings at once, while changes wait for the deadline",
    async (world) => {
      const objects = new Objects(world);
      const lag = makeVersionsOpaque(world, "examples");
      const calls: string[] = [];
      const op = makeOperator(calls);
      const index = op.index(Example, { id: "values" }, ({ name, spec }) => ({ [name]: spec.value }));
      const running = await world.start(op);
      lag.isHolding = true;
      await objects.create("one", { spec: { value: 1 } });
      await running.settle();
      lag.release();
      await running.settle();
      lag.drop();
      await objects.patch("one", { spec: { value: 2 } });
      await running.settle();
      lag.release();
      await running.settle();
      assert.deepEqual([[...index.get("one") ?? []], changesOf(calls)], [[2], ["create 1"]]);
      await running.advance(6);
      assert.deepEqual(changesOf(calls), ["create 1", "update 2"]);
      await running.stop();
    },
  );

  scenario.virtual(
    "[A190] when the deadline is over, an event is handled by all handlers at once",
    async (world) => {
      const objects = new Objects(world);
      const lag = makeVersionsOpaque(world, "examples");
      const calls: string[] = [];
      const running = await world.start(makeOperator(calls));
      lag.isHolding = true;
      await objects.create("one", { spec: { value: 1 } });
      await running.settle();
      lag.release();
      await running.settle();
      lag.drop();
      lag.isHolding = false;
      await running.advance(6);
      await objects.patch("one", { spec: { value: 2 } });
      await running.settle();
      assert.deepEqual(calls.slice(0, 4), ["event ADDED 1", "create 1", "event MODIFIED 2", "update 2"]);
      await running.stop();
    },
  );

  scenario.virtual(
    "[A194] a deletion is not waited with, even if the event of a write is missing",
    async (world) => {
      const objects = new Objects(world);
      const lag = makeVersionsOpaque(world, "examples");
      const calls: string[] = [];
      const op = makeOperator(calls);
      op.on.delete(Example, { optional: true }, () => void calls.push("delete"));
      const running = await world.start(op);
      lag.isHolding = true;
      await objects.create("one", { spec: { value: 1 } });
      await running.settle();
      lag.release();
      await running.settle();
      lag.drop();
      lag.isHolding = false;
      await objects.delete("one");
      await running.settle();
      assert.ok(calls.includes("event DELETED 1"));
      assert.ok(running.logs.some(({ message }) => message === "Object has gone"));
      await running.stop();
    },
  );

  scenario.virtual("[A193] an operator with event handlers only never waits", async (world) => {
    const objects = new Objects(world);
    const lag = makeVersionsOpaque(world, "examples");
    const seen: unknown[] = [];
    const op = operator();
    op.on.event(Example, ({ spec, patch }) => {
      seen.push(spec.value);
      patch.status.seen = spec.value;
    });
    const running = await world.start(op);
    lag.isHolding = true;
    await objects.create("one", { spec: { value: 1 } });
    await running.settle();
    lag.release();
    await running.settle();
    await objects.patch("one", { spec: { value: 2 } });
    await running.settle();
    lag.drop();
    lag.release();
    await running.settle();
    assert.deepEqual(seen, [1, 2]);
    assert.deepEqual((await objects.get("one")).status, { seen: 2 });
    await running.stop();
  });

  scenario(
    "[A196] removing the last finalizer of a dying object is not waited for: its DELETED ends it",
    async (world) => {
      const objects = new Objects(world);
      const calls: string[] = [];
      const op = makeOperator(calls);
      op.on.delete(Example, { id: "delete" }, () => void calls.push("delete"));
      op.on.delete(Example, { id: "also", optional: true }, () => void calls.push("also"));
      const running = await world.start(op);
      await objects.create("one", { spec: { value: 1 } });
      await world.until(async () => LAST_HANDLED in notesOf(await objects.get("one")));
      assert.deepEqual((await objects.get("one")).metadata.finalizers, [FINALIZER]);
      await objects.delete("one");
      await world.until(() => running.logs.some(({ message }) => message === "Object has gone"));
      await world.settle();
      assert.deepEqual(changesOf(calls), ["create 1", "delete", "also"]);
      assert.equal(running.logs.some(({ level }) => level === "error" || level === "warn"), false);
      await running.stop();
    },
  );

  scenario.virtual(
    "[A213] functions that lost against another writer come first: handlers see what they have done",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      const calls: unknown[] = [];
      op.on.create(Example, ({ patch }) => {
        patch.fns.push((body) => {
          const spec = body.spec as { count?: number };
          spec.count = (spec.count ?? 0) + 1;
        });
      });
      let isRacing = true;
      world.intercept = async (request) => {
        const isJsonPatch = request.headers.get("content-type") === "application/json-patch+json";
        if (isJsonPatch && isRacing) {
          isRacing = false;
          await objects.patch("one", { spec: { by: "another" } });
        }
        return await world.server.fetch(request);
      };
      op.on.update(Example, ({ spec }) => void calls.push({ ...spec }));
      const running = await world.start(op);
      await objects.create("one", { spec: {} });
      await running.settle();
      assert.deepEqual((await objects.get("one")).spec, { by: "another", count: 1 });
      assert.equal(isRacing, false);
      assert.deepEqual(calls, [{ by: "another", count: 1 }]);
      await running.stop();
    },
  );

  scenario.virtual(
    "[A213] they are tried again on the newest object, not on the one of the last event",
    async (world) => {
      const objects = new Objects(world);
      const lag = makeVersionsOpaque(world, "examples");
      const { intercept } = world;
      const op = operator();
      op.on.create(Example, ({ patch }) => {
        patch.fns.push((body) => {
          body.spec = { ...body.spec as object, done: true };
        });
      });
      let isRacing = true;
      world.intercept = async (request, seen) => {
        if (isRacing && seen.body.startsWith("[")) {
          isRacing = false;
          await objects.patch("one", { spec: { by: "another" } });
        }
        return await intercept?.(request, seen) ?? await world.server.fetch(request);
      };
      const running = await world.start(op);
      lag.isHolding = true;
      await objects.create("one", { spec: {} });
      await running.settle();
      lag.release();
      await running.settle();
      assert.deepEqual((await objects.get("one")).spec, { by: "another", done: true });
      assert.equal(world.writes().filter(({ body }) => body.startsWith("[")).length, 2, "one lost, one won");
      await running.stop();
    },
  );
});
