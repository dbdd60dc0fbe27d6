import assert from "node:assert/strict";
import { operator, PermanentError, PRESENT } from "../../mod.ts";
import { suite } from "../support/scenario.ts";
import { Example, notesOf, Objects, Plain, PLAINS, statusOf } from "../support/worlds.ts";

suite("filters", (scenario) => {
  scenario.virtual("[A57] a predicate is not asked about objects of other kinds", async (world) => {
    const op = operator();
    const asked: string[] = [];
    function ask(kind: string): () => boolean {
      return () => {
        asked.push(kind);
        return true;
      };
    }
    op.on.create(Example, { id: "a", when: ask("Example") }, () => {});
    op.on.event(Example, { id: "b", labels: { x: ask("Example") } }, () => {});
    op.on.create(Plain, { id: "c", when: ask("Plain"), field: "spec.x", value: ask("Plain") }, () => {});
    op.on.event(Plain, { id: "d", annotations: { x: ask("Plain") } }, () => {});
    const running = await world.start(op);
    await new Objects(world).create("one", { spec: { x: 1 } });
    await running.settle();
    assert.deepEqual([...new Set(asked)], ["Example"]);
    await new Objects(world, PLAINS).create("two", { spec: { x: 1 } });
    await running.settle();
    assert.ok(asked.includes("Plain"));
    await running.stop();
  });

  scenario.virtual(
    "[A70] a handler whose filter throws is left out, with one complaint per object; the others are called",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      const calls: string[] = [];
      op.on.event(Example, { id: "event" }, ({ name }) => void calls.push(`event ${name}`));
      op.on.create(Example, {
        id: "broken",
        when: () => {
          throw new RangeError("What?");
        },
      }, () => void calls.push("broken"));
      op.on.create(Example, { id: "sound" }, ({ name }) => void calls.push(`sound ${name}`));
      const running = await world.start(op);
      await objects.create("one");
      await running.settle();
      assert.deepEqual([...new Set(calls)], ["event one", "sound one"]);
      await objects.patch("one", { metadata: { labels: { a: "b" } } });
      await objects.create("two");
      await running.settle();
      const complaints = running.logs.filter(({ message }) => message.startsWith("Filter failed"));
      assert.deepEqual(
        complaints.map(({ level, fields, reference }) => [
          level,
          fields.handler,
          (fields.error as Error).message,
          reference?.name,
        ]),
        [["error", "broken", "What?", "one"], ["error", "broken", "What?", "two"]],
      );
      await running.stop();
    },
  );

  scenario(
    "[A72] an object that no handler could want is not written to, nor logged about",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      op.on.create(Example, { id: "create", labels: { mine: PRESENT } }, () => {});
      op.on.update(Example, { id: "update", field: "spec.mine" }, () => {});
      op.on.delete(Example, { id: "delete", when: ({ name }) => name === "mine" }, () => {});
      const running = await world.start(op);
      const { metadata } = await objects.create("one", { spec: { size: 1 } });
      await objects.create("mine");
      await world.until(async () => (await objects.get("mine")).metadata.finalizers !== undefined);
      await world.settle();
      const after = await objects.get("one");
      assert.equal(after.metadata.resourceVersion, metadata.resourceVersion);
      assert.deepEqual(running.logs.filter(({ reference }) => reference?.name === "one"), []);
      assert.ok(running.logs.some(({ reference }) => reference?.name === "mine"));
      await running.stop();
    },
  );

  scenario("[A73] an object that begins to match is created, not updated", async (world) => {
    const objects = new Objects(world);
    const op = operator();
    const calls: unknown[] = [];
    op.on.create(Example, { labels: { mine: "yes" } }, ({ old, spec }) => void calls.push([old, spec.size]));
    op.on.update(Example, { labels: { mine: "yes" } }, () => void calls.push("update"));
    const running = await world.start(op);
    await objects.create("one", { spec: { size: 1 } });
    await world.settle();
    await objects.patch("one", { spec: { size: 2 } });
    await world.settle();
    assert.deepEqual(calls, []);
    await objects.patch("one", { metadata: { labels: { mine: "yes" } } });
    await world.until(() => calls.length > 0);
    await world.settle();
    assert.deepEqual(calls, [[undefined, 2]]);
    await running.stop();
  });

  scenario(
    "[A96] a new handler of a status field does not make objects look changed that were handled before",
    async (world) => {
      const objects = new Objects(world);
      const calls: unknown[] = [];
      const before = operator();
      before.on.create(Example, () => {});
      const first = await world.start(before);
      await objects.create("one");
      await world.until(async () => Object.keys(notesOf(await objects.get("one"))).length > 0);
      await world.settle();
      await objects.patch("one", { status: { phase: "Old" } }, "status");
      await first.stop();
      const after = operator();
      after.on.create(Example, () => {});
      after.on.update(Example, () => void calls.push("update"));
      after.on.field(Example, "status.phase", ({ old, new: now }) => void calls.push([old, now]));
      const second = await world.start(after);
      await world.settle();
      assert.deepEqual(calls, []);
      await objects.patch("one", { status: { phase: "New" } }, "status");
      await world.until(() => calls.length > 1);
      assert.deepEqual(calls, ["update", ["Old", "New"]]);
      await second.stop();
    },
  );

  scenario(
    "[A223] what a handler has put into its patch is written, even if it then fails",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      op.on.create(Example, ({ patch }) => {
        patch.status.phase = "Failed";
        patch.fns.push((body) => {
          body.metadata.labels = { failed: "yes" };
        });
        throw new PermanentError("no");
      });
      const running = await world.start(op);
      await objects.create("one");
      await world.until(async () => (await objects.get("one")).metadata.labels?.failed === "yes");
      assert.deepEqual(statusOf(await objects.get("one")), { phase: "Failed" });
      await running.stop();
    },
  );
});
