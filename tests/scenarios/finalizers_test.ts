import assert from "node:assert/strict";
import { operator } from "../../mod.ts";
import { suite } from "../support/scenario.ts";
import type { Seen } from "../support/virtual_world.ts";
import { Example, FINALIZER, LAST_HANDLED, notesOf, Objects } from "../support/worlds.ts";

suite("finalizers", (scenario) => {
  scenario.timed(
    "[A110] with a deletion handler the first write adds the finalizer only, before any handler runs",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      const order: string[] = [];
      op.on.create(Example, () => void order.push("create"));
      op.on.delete(Example, () => {});
      world.intercept = (_, { method, body }) => {
        if (method === "PATCH") order.push(body.includes(FINALIZER) ? "finalizer" : "other");
        return undefined;
      };
      const running = await world.start(op);
      await objects.create("one", { metadata: { finalizers: ["other.example.com/hold"] } });
      await running.settle();
      assert.deepEqual(order, ["finalizer", "create", "other"]);
      const [first] = world.writes();
      const { metadata, ...rest } = parse(first);
      assert.deepEqual(metadata?.finalizers, ["other.example.com/hold", FINALIZER]);
      assert.equal(
        typeof metadata?.resourceVersion,
        "string",
        "it must not overwrite what others have added meanwhile",
      );
      assert.deepEqual(rest, {});
      await running.stop();
    },
  );

  scenario("[N45] a deletion handler may take others' finalizers off with ours", async (world) => {
    const objects = new Objects(world);
    const op = operator();
    op.on.delete(Example, ({ meta, patch }) => {
      patch.metadata.finalizers = meta.finalizers?.filter((each) => each !== "other.example.com/hold");
    });
    const running = await world.start(op);
    await objects.create("one", { metadata: { finalizers: ["other.example.com/hold", "lotse.test/kept"] } });
    await world.until(async () =>
      (await objects.get("one")).metadata.finalizers?.includes(FINALIZER) === true
    );
    await objects.delete("one");
    await world.until(async () =>
      (await objects.get("one")).metadata.finalizers?.includes(FINALIZER) === false
    );
    await world.settle();
    assert.deepEqual((await objects.get("one")).metadata.finalizers, ["lotse.test/kept"]);
    await objects.patch("one", { metadata: { finalizers: null } });
    await running.stop();
  });

  scenario("[A111] once the finalizer is there, creation handlers are called", async (world) => {
    const objects = new Objects(world);
    const op = operator();
    const seen: unknown[] = [];
    op.on.create(Example, ({ meta }) => void seen.push([...meta.finalizers ?? []]));
    op.on.delete(Example, () => {});
    const running = await world.start(op);
    await objects.create("one");
    await world.until(() => seen.length > 0);
    assert.deepEqual(seen, [[FINALIZER]]);
    await running.stop();
  });

  scenario("[A112] optional deletion handlers alone put no finalizer on objects", async (world) => {
    const objects = new Objects(world);
    const op = operator();
    op.on.delete(Example, { optional: true }, () => {});
    const running = await world.start(op);
    await objects.create("one");
    await world.settle();
    assert.equal((await objects.get("one")).metadata.finalizers, undefined);
    await running.stop();
  });

  scenario(
    "[A113] optional deletion handlers are called once, best effort, and a leftover finalizer goes",
    async (world) => {
      const objects = new Objects(world);
      const hold = "other.example.com/hold";
      await objects.create("one", { metadata: { finalizers: [FINALIZER, hold] } });
      await objects.delete("one");
      const op = operator();
      let calls = 0;
      op.on.delete(Example, { optional: true }, () => {
        calls++;
        throw new Error("does not matter");
      });
      const running = await world.start(op);
      await world.until(async () => (await objects.get("one")).metadata.finalizers?.join() === hold);
      await objects.patch("one", { metadata: { labels: { a: "b" } } });
      await world.settle();
      await objects.patch("one", { metadata: { finalizers: null } });
      await world.until(async () => await objects.find("one") === undefined);
      assert.equal(calls, 1);
      await running.stop();
    },
  );

  scenario(
    "[A115] when no deletion handler wants a live object any more, its finalizer goes",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      op.on.delete(Example, { labels: { keep: "yes" } }, () => {});
      const running = await world.start(op);
      await objects.create("one", { metadata: { labels: { keep: "yes" } } });
      await world.until(async () =>
        (await objects.get("one")).metadata.finalizers?.includes(FINALIZER) === true
      );
      await objects.patch("one", { metadata: { labels: { keep: "no" } } });
      await world.until(async () => (await objects.get("one")).metadata.finalizers === undefined);
      await running.stop();
    },
  );

  scenario.timed(
    "an object that waits for a deletion handler that is no more is spoken of once, and an optional one lets it go",
    async (world) => {
      const objects = new Objects(world);
      const before = operator();
      before.on.delete(Example, () => {});
      const first = await world.start(before);
      for (const name of ["one", "two"]) await objects.create(name);
      await first.settle();
      await first.stop();

      const watching = operator();
      watching.on.event(Example, () => {});
      const second = await world.start(watching);
      for (const name of ["one", "two"]) await objects.delete(name);
      await second.advance(59);
      assert.deepEqual(second.messages("warn"), [], "another operator may be about to do it");
      await second.advance(120);
      const [warning = "", ...others] = second.messages("warn");
      assert.match(
        warning,
        /^The object is to be deleted, but holds our finalizer, and no handler here takes it off/,
      );
      assert.deepEqual(others, []);
      assert.deepEqual((await objects.get("one")).metadata.finalizers, [FINALIZER]);
      await second.stop();

      const freeing = operator();
      freeing.on.delete(Example, { optional: true }, () => {});
      const third = await world.start(freeing);
      await third.settle();
      assert.equal(await objects.find("one"), undefined);
      assert.equal(await objects.find("two"), undefined);
      await third.stop();
    },
  );

  scenario("[A116] removing our finalizer leaves those of others in their places", async (world) => {
    const objects = new Objects(world);
    const before = "a.example.com/hold";
    const after = "b.example.com/hold";
    await objects.create("one", { metadata: { finalizers: [before, FINALIZER, after] } });
    const op = operator();
    op.on.delete(Example, () => {});
    const running = await world.start(op);
    await objects.delete("one");
    await world.until(async () => (await objects.get("one")).metadata.finalizers?.length === 2);
    assert.deepEqual((await objects.get("one")).metadata.finalizers, [before, after]);
    await running.stop();
    await objects.patch("one", { metadata: { finalizers: null } });
  });

  scenario.timed(
    "[A119] after deletion handlers, what they wrote goes out first, and the finalizer goes with the fresh version",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      op.on.delete(Example, ({ patch }) => {
        patch.status.state = "Deleted";
      });
      const running = await world.start(op);
      await objects.create("one", { metadata: { finalizers: ["other.example.com/hold"] } });
      await running.settle();
      world.requests.length = 0;
      await objects.delete("one");
      await running.settle();
      const [status, main, ...rest] = world.writes();
      assert.deepEqual(rest, []);
      assert.match(status?.path ?? "", /\/status$/);
      assert.deepEqual((parse(status) as { status?: unknown }).status, { state: "Deleted" });
      assert.deepEqual(parse(main).metadata?.finalizers, ["other.example.com/hold"]);
      const object = await objects.get("one");
      assert.ok(
        Number(parse(main).metadata?.resourceVersion) === Number(object.metadata.resourceVersion) - 1,
      );
      await running.stop();
    },
  );

  scenario.timed(
    "[A120] while one of two deletion handlers is unfinished, the finalizer stays",
    async (world) => {
      const objects = new Objects(world);
      const op = operator({ lifecycle: (handlers) => handlers.slice(0, 1) });
      const held: boolean[] = [];
      const release = Promise.withResolvers<void>();
      op.on.delete(Example, { id: "first" }, () => {});
      op.on.delete(Example, { id: "second" }, async ({ body }) => {
        held.push(body.metadata.finalizers?.includes(FINALIZER) === true);
        await release.promise;
      });
      const running = await world.start(op);
      await objects.create("one");
      await running.settle();
      await objects.delete("one");
      await running.settle();
      assert.deepEqual(held, [true]);
      const record = JSON.parse(notesOf(await objects.get("one"))["lotse.dev/first"] ?? "{}") as {
        success?: boolean;
      };
      assert.equal(record.success, true);
      release.resolve();
      await running.settle();
      assert.equal(await objects.find("one"), undefined);
      await running.stop();
    },
  );

  scenario("[A121] a change together with a deletion is handled as the deletion", async (world) => {
    const objects = new Objects(world);
    const op = operator();
    const calls: string[] = [];
    op.on.update(Example, () => void calls.push("update"));
    op.on.delete(Example, ({ diff }) => void calls.push(`delete ${diff.length}`));
    const first = await world.start(op);
    const hold = "other.example.com/hold";
    await objects.create("one", { spec: { size: 1 }, metadata: { finalizers: [hold] } });
    await world.until(async () => LAST_HANDLED in notesOf(await objects.get("one")));
    await world.settle();
    await first.stop();
    await objects.patch("one", { spec: { size: 2 } });
    await objects.delete("one");
    const second = await world.start(op);
    await world.until(async () => (await objects.get("one")).metadata.finalizers?.length === 1);
    assert.deepEqual(calls, ["delete 1"]);
    assert.match(notesOf(await objects.get("one"))[LAST_HANDLED] ?? "", /"size":2/);
    await second.stop();
    await objects.patch("one", { metadata: { finalizers: null } });
  });

  scenario.virtual(
    "[A122] nothing is written to an object that has gone, even if its last state holds our finalizer",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      const calls: string[] = [];
      op.on.delete(Example, () => void calls.push("delete"));
      op.on.event(Example, { id: "look" }, ({ type, patch, meta }) => {
        if (type !== "DELETED") return;
        calls.push(`gone with ${meta.finalizers}`);
        patch.status.state = "gone";
      });
      world.intercept = (request, { path }) =>
        path.includes("watch=true") && path.includes("/examples") ? stillHeld(world, request) : undefined;
      const running = await world.start(op);
      await objects.create("one");
      await running.settle();
      world.requests.length = 0;
      // Finalizers are taken away by force, and the object with them.
      await objects.patch("one", { metadata: { finalizers: null } });
      await objects.delete("one");
      await running.settle();
      await running.advance(600);
      assert.deepEqual(calls, [`gone with ${FINALIZER}`]);
      assert.deepEqual(world.writes(), []);
      await running.stop();
    },
  );

  scenario("[A123] where no handler is for the cause, the state is noted without a report", async (world) => {
    const objects = new Objects(world);
    const op = operator();
    op.on.update(Example, () => {});
    const running = await world.start(op);
    await objects.create("one", { spec: { size: 1 } });
    await world.until(async () => LAST_HANDLED in notesOf(await objects.get("one")));
    assert.deepEqual(Object.keys(notesOf(await objects.get("one"))), [LAST_HANDLED]);
    assert.deepEqual(running.logs.filter(({ message }) => message.endsWith("is processed")), []);
    await running.stop();
  });
});

/** The watch's events, where what has gone holds our finalizer, and all that was before has not come through. */
async function stillHeld(
  world: { readonly server: { fetch(request: Request): Promise<Response> } },
  request: Request,
): Promise<Response> {
  const response = await world.server.fetch(request);
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  const transform = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      const lines = decoder.decode(chunk).split("\n").filter((line) => line !== "").flatMap((line) => {
        const event = JSON.parse(line) as { type: string; object: { metadata: Record<string, unknown> } };
        if (event.type === "MODIFIED" && event.object.metadata.finalizers === undefined) return [];
        if (event.type === "DELETED") {
          Object.assign(event.object.metadata, {
            finalizers: [FINALIZER],
            deletionTimestamp: "2026-01-01T00:00:00Z",
          });
        }
        return [`${JSON.stringify(event)}\n`];
      });
      controller.enqueue(encoder.encode(lines.join("")));
    },
  });
  return new Response(response.body?.pipeThrough(transform), response);
}

function parse(seen: Seen | undefined): { metadata?: Record<string, unknown>; [key: string]: unknown } {
  return JSON.parse(seen?.body ?? "{}") as { metadata?: Record<string, unknown> };
}
