import assert from "node:assert/strict";
import { lifecycles, operator, PermanentError, type Sub, TemporaryError } from "../../mod.ts";
import { suite } from "../support/scenario.ts";
import {
  Example,
  LAST_HANDLED,
  type Loose,
  notesOf,
  Objects,
  Plain,
  PLAINS,
  statusOf,
} from "../support/worlds.ts";

suite("sub-handlers", (scenario) => {
  scenario(
    "[A6] [A224] children run in order after their parent, under ids that begin with its own",
    async (world) => {
      const objects = new Objects(world);
      const op = operator({ lifecycle: lifecycles.allAtOnce });
      const calls: string[] = [];
      op.on.create(Example, function parent_fn({ sub }) {
        calls.push("parent");
        sub(function child_fn() {
          calls.push("child_fn");
          return 1;
        });
        sub("second", () => {
          calls.push("second");
          return 2;
        });
        return 0;
      });
      const running = await world.start(op);
      await objects.create("one");
      await world.until(async () => statusOf(await objects.get("one"))?.parent_fn !== undefined);
      await world.settle();
      assert.deepEqual(calls, ["parent", "child_fn", "second"]);
      const object = await objects.get("one");
      assert.deepEqual(statusOf(object), { "parent_fn/child_fn": 1, "parent_fn/second": 2, "parent_fn": 0 });
      assert.deepEqual(Object.keys(notesOf(object)), [LAST_HANDLED]);
      const succeeded = running.logs.filter(({ message }) => message === "Handler succeeded").map((
        { fields },
      ) => fields.handler);
      assert.deepEqual(succeeded, ["parent_fn/child_fn", "parent_fn/second", "parent_fn"]);
      await running.stop();
    },
  );

  scenario.timed("[A224] children are written together with their parent", async (world) => {
    const op = operator({ lifecycle: lifecycles.allAtOnce });
    op.on.create(Plain, { id: "parent" }, ({ sub }) => {
      for (const id of ["a", "b"]) sub(id, () => id);
      return 0;
    });
    const running = await world.start(op);
    await new Objects(world, PLAINS).create("one");
    await running.settle();
    const [write, ...others] = world.writes();
    assert.deepEqual(others, []);
    const { status, metadata } = JSON.parse(write?.body ?? "{}") as { status: Loose; metadata: Loose };
    assert.deepEqual(status, { "parent/a": "a", "parent/b": "b", parent: 0 });
    assert.deepEqual(Object.keys(metadata.annotations as Loose), [LAST_HANDLED]);
    await running.stop();
  });

  scenario.timed("[A225] grandchildren run depth first, under ids of all levels", async (world) => {
    const op = operator({ lifecycle: lifecycles.allAtOnce });
    const ids: unknown[] = [];
    op.on.create(Example, { id: "a" }, ({ sub }) => {
      sub("b", (args) => {
        args.sub("c", () => {});
      });
      sub("d", () => {});
    });
    const running = await world.start(op);
    await new Objects(world).create("one");
    await running.settle();
    for (const { message, fields } of running.logs) {
      if (message === "Handler succeeded") ids.push(fields.handler);
    }
    assert.deepEqual(ids, ["a/b/c", "a/b", "a/d", "a"]);
    await running.stop();
  });

  scenario.timed(
    "[A226] a child that fails temporarily keeps its parent waiting as long, and is remembered by it",
    async (world) => {
      const objects = new Objects(world);
      const op = operator({ lifecycle: lifecycles.allAtOnce });
      op.on.create(Example, { id: "parent" }, ({ sub }) => {
        sub("good", () => {});
        sub("bad", () => {
          throw new TemporaryError("later", { delay: 100 });
        });
      });
      const running = await world.start(op);
      await objects.create("one");
      await running.settle();
      const notes = notesOf(await objects.get("one"));
      const parent = JSON.parse(notes["lotse.dev/parent"] ?? "{}") as Loose;
      const bad = JSON.parse(notes["lotse.dev/parent.bad"] ?? "{}") as Loose;
      assert.deepEqual(parent.subrefs, ["parent/bad", "parent/good"]);
      const due = Date.parse(String(parent.delayed));
      assert.ok(Math.abs(due - Date.parse(String(bad.delayed))) < 100);
      assert.equal("message" in parent, false);
      await running.stop();
    },
  );

  scenario(
    "[A227] when its children have succeeded, the parent goes on after `run()`, and all records go",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      const calls: string[] = [];
      op.on.create(Example, { id: "parent" }, async ({ sub }) => {
        sub("child", ({ retry }) => {
          calls.push(`child ${retry}`);
          if (retry === 0) throw new TemporaryError("later", { delay: 0.2 });
        });
        await sub.run();
        calls.push("after");
        return "done";
      });
      const running = await world.start(op);
      await objects.create("one");
      await world.until(async () => (await objects.get("one")).status?.parent === "done");
      await world.settle();
      assert.deepEqual(calls, ["child 0", "child 1", "after"]);
      assert.deepEqual(Object.keys(notesOf(await objects.get("one"))), [LAST_HANDLED]);
      await running.stop();
    },
  );

  scenario.timed("[A228] a child that fails for good has finished: its parent succeeds", async (world) => {
    const objects = new Objects(world);
    const op = operator();
    op.on.create(Example, { id: "parent" }, ({ sub }) => {
      sub("child", () => {
        throw new PermanentError("never");
      });
      return "done";
    });
    const running = await world.start(op);
    await objects.create("one");
    await running.settle();
    assert.deepEqual(statusOf(await objects.get("one")), { parent: "done" });
    await running.stop();
  });

  scenario.timed(
    "[A229] a child that has finished is not repeated while its sibling is retried",
    async (world) => {
      const op = operator({ lifecycle: lifecycles.allAtOnce });
      const calls: string[] = [];
      op.on.create(Example, { id: "parent" }, ({ sub }) => {
        sub("good", () => void calls.push("good"));
        sub("bad", ({ retry }) => {
          calls.push("bad");
          if (retry < 2) throw new TemporaryError("later", { delay: 10 });
        });
      });
      const running = await world.start(op);
      await new Objects(world).create("one");
      await running.advance(60);
      assert.deepEqual(calls, ["good", "bad", "bad", "bad"]);
      await running.stop();
    },
  );

  scenario.timed("[A231] [G7] children do not use up their parent's retries", async (world) => {
    const op = operator();
    const calls: string[] = [];
    op.on.create(Example, { id: "parent", retries: 3 }, ({ sub, retry }) => {
      assert.equal(retry, 0);
      for (const id of ["a", "b", "c", "d", "e"]) sub(id, () => void calls.push(id));
    });
    const running = await world.start(op);
    await new Objects(world).create("one");
    await running.settle();
    assert.deepEqual(calls, ["a", "b", "c", "d", "e"]);
    assert.deepEqual(running.messages("error"), []);
    await running.stop();
  });

  scenario.timed("[A232] a child's field is absolute, whatever its parent's", async (world) => {
    const objects = new Objects(world);
    const op = operator({ lifecycle: lifecycles.allAtOnce });
    const calls: unknown[] = [];
    op.on.update(Example, { id: "parent", field: "spec" }, ({ sub }) => {
      sub("absolute", { field: "spec.field" }, ({ old, new: now }) => void calls.push([old, now]));
      sub("relative", { field: "field" }, () => void calls.push("relative"));
    });
    const running = await world.start(op);
    await objects.create("one", { spec: { field: 1, other: 1 } });
    await running.settle();
    await objects.patch("one", { spec: { field: 2 } });
    await running.settle();
    await objects.patch("one", { spec: { other: 2 } });
    await running.settle();
    assert.deepEqual(calls, [[1, 2]]);
    await running.stop();
  });

  scenario.timed(
    "[A11] old and new are refused for children of handlers that are not about a change",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      const errors: unknown[] = [];
      function declare({ sub, reason }: { readonly sub: Sub<Loose, Loose>; readonly reason: string }): void {
        try {
          sub("child", { field: "spec.a", old: 1 }, () => {});
        } catch (error) {
          errors.push([reason, error instanceof TypeError]);
        }
      }
      op.on.create(Example, { id: "create" }, declare);
      op.on.delete(Example, { id: "delete" }, declare);
      op.on.resume(Example, { id: "resume", deleted: true }, declare);
      await (await world.start(op)).stop();
      await objects.create("one");
      const first = await world.start(op);
      await first.stop();
      const second = await world.start(op);
      await objects.delete("one");
      await second.settle();
      assert.deepEqual(errors, [["create", true], ["resume", true], ["delete", true]]);
      await second.stop();
    },
  );

  scenario.timed("[A12] a sub-handler cannot be added when its handler has ended", async (world) => {
    const op = operator();
    let kept: Sub<Loose, Loose> | undefined;
    op.on.create(Example, ({ sub }) => {
      kept = sub;
    });
    const running = await world.start(op);
    await new Objects(world).create("one");
    await running.settle();
    assert.throws(() => kept?.("late", () => {}), ReferenceError);
    await running.stop();
  });
});
