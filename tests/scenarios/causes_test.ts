import assert from "node:assert/strict";
import { operator, TemporaryError } from "../../mod.ts";
import { suite } from "../support/scenario.ts";
import { Example, FINALIZER, LAST_HANDLED, type Loose, notesOf, Objects, PLAINS } from "../support/worlds.ts";

suite("causes", (scenario) => {
  scenario(
    "[A100] a new object without notes calls creation handlers once, and is noted as handled",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      const calls: string[] = [];
      op.on.create(Example, function make({ name, reason, old, spec }) {
        calls.push(`${name} ${reason} ${old} ${spec.size}`);
      });
      op.on.update(Example, function change() {
        calls.push("update");
      });
      const running = await world.start(op);
      await objects.create("one", { spec: { size: 3 } });
      await world.until(async () => LAST_HANDLED in notesOf(await objects.get("one")));
      await world.settle();
      assert.deepEqual(calls, ["one create undefined 3"]);
      assert.deepEqual(Object.keys(notesOf(await objects.get("one"))), [LAST_HANDLED]);
      await running.stop();
    },
  );

  scenario(
    "[A101] an object that equals what was handled calls nothing and is not written to",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      let calls = 0;
      op.on.create(Example, () => void calls++);
      op.on.update(Example, () => void calls++);
      const running = await world.start(op);
      await objects.create("one", { spec: { size: 3 } });
      await world.until(async () => LAST_HANDLED in notesOf(await objects.get("one")));
      await world.settle();
      const before = await objects.patch("one", { status: { seen: true } }, "status");
      await world.settle();
      assert.equal(calls, 1);
      assert.equal((await objects.get("one")).metadata.resourceVersion, before.metadata.resourceVersion);
      await running.stop();
    },
  );

  scenario("[A102] a changed essence calls update handlers with the difference", async (world) => {
    const objects = new Objects(world);
    const op = operator();
    const diffs: unknown[] = [];
    op.on.update(Example, function change({ diff, reason }) {
      diffs.push([reason, ...diff.map(({ op, path, old, new: now }) => [op, path.join("."), old, now])]);
    });
    const running = await world.start(op);
    await objects.create("one", { spec: { size: 3, gone: 1 } });
    await world.until(async () => LAST_HANDLED in notesOf(await objects.get("one")));
    await objects.patch("one", { spec: { size: 4, gone: null } });
    await world.until(() => diffs.length > 0);
    await world.settle();
    assert.deepEqual(diffs, [[
      "update",
      ["remove", "spec.gone", 1, undefined],
      ["change", "spec.size", 3, 4],
    ]]);
    await running.stop();
  });

  scenario(
    "[A97] a deleted object without finalizer calls no change handler, also none that was to be called again",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      const calls: string[] = [];
      op.on.create(Example, ({ name, retry }) => {
        calls.push(`create ${name} ${retry}`);
        if (retry === 0) throw new TemporaryError("again", { delay: name === "one" ? 1 : 1.5 });
      });
      op.on.update(Example, () => void calls.push("update"));
      op.on.event(Example, ({ type, name }) => void calls.push(`${type} ${name}`));
      const running = await world.start(op);
      await objects.create("one");
      await world.until(async () => Object.keys(notesOf(await objects.get("one"))).length > 0);
      calls.length = 0;
      await objects.delete("one");
      await world.until(() => calls.includes("DELETED one"));
      await objects.create("later");
      await world.until(() => calls.includes("create later 1"));
      const ofOne = calls.filter((call) => !call.includes(" later") && call !== "MODIFIED one");
      assert.deepEqual(ofOne, ["DELETED one"]);
      await running.stop();
    },
  );

  scenario.timed("[A97] nothing is written to an object that has gone", async (world) => {
    const objects = new Objects(world);
    const op = operator();
    op.on.create(Example, () => {
      throw new TemporaryError("not yet", { delay: 10 });
    });
    const running = await world.start(op);
    await objects.create("one");
    await running.settle();
    const before = world.writes().length;
    await objects.delete("one");
    await running.advance(600);
    assert.equal(world.writes().length, before);
    await running.stop();
  });

  scenario("[A98] an object that is being deleted and not held by us is left alone", async (world) => {
    const objects = new Objects(world);
    await objects.create("one", { metadata: { finalizers: ["other.example.com/hold"] } });
    await objects.delete("one");
    const before = await objects.get("one");
    const op = operator();
    const calls: string[] = [];
    op.on.create(Example, () => void calls.push("create"));
    op.on.delete(Example, () => void calls.push("delete"));
    op.on.resume(Example, () => void calls.push("resume"));
    const running = await world.start(op);
    assert.deepEqual(calls, []);
    assert.equal((await objects.get("one")).metadata.resourceVersion, before.metadata.resourceVersion);
    await running.stop();
    await objects.patch("one", { metadata: { finalizers: null } });
  });

  scenario(
    "[A99] an object that is being deleted and held by us calls deletion handlers, then goes",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      const calls: string[] = [];
      op.on.delete(Example, function clean({ reason, body }) {
        calls.push(`${reason} ${body.metadata.finalizers}`);
      });
      const running = await world.start(op);
      await objects.create("one");
      await world.until(async () => LAST_HANDLED in notesOf(await objects.get("one")));
      await objects.delete("one");
      await world.until(async () => await objects.find("one") === undefined);
      assert.deepEqual(calls, [`delete ${FINALIZER}`]);
      await running.stop();
    },
  );

  scenario.virtual(
    "[A103] a deletion timestamp of null means that the object is not being deleted",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      const calls: string[] = [];
      op.on.create(Example, ({ reason }) => void calls.push(reason));
      op.on.delete(Example, { optional: true }, ({ reason }) => void calls.push(reason));
      world.intercept = (request, { path }) =>
        path.includes("watch=true") && path.includes("/examples") ? nulled(world, request) : undefined;
      const running = await world.start(op);
      await objects.create("one");
      await running.until(() => calls.length > 0);
      assert.deepEqual(calls, ["create"]);
      await running.stop();
    },
  );

  scenario(
    "[A104] objects that were handled before the start call resumption handlers, and are not written to",
    async (world) => {
      const objects = new Objects(world);
      const first = operator();
      first.on.create(Example, () => {});
      const before = await world.start(first);
      await objects.create("one", { spec: { size: 1 } });
      await world.until(async () => LAST_HANDLED in notesOf(await objects.get("one")));
      await before.stop();
      const { resourceVersion } = (await objects.get("one")).metadata;
      const op = operator();
      const calls: string[] = [];
      op.on.create(Example, () => void calls.push("create"));
      op.on.update(Example, () => void calls.push("update"));
      op.on.resume(Example, ({ reason, diff }) => void calls.push(`${reason} ${diff.length}`));
      const running = await world.start(op);
      assert.deepEqual(calls, ["resume 0"]);
      assert.equal((await objects.get("one")).metadata.resourceVersion, resourceVersion);
      await running.stop();
    },
  );

  scenario.virtual("[A105] an object that is listed again is not resumed again", async (world) => {
    const objects = new Objects(world);
    const op = operator();
    let created = 0;
    let resumed = 0;
    op.on.create(Example, () => void created++);
    op.on.resume(Example, () => void resumed++);
    await (await world.start(op)).stop();
    await objects.create("one");
    await (await world.start(op)).stop();
    const running = await world.start(op);
    assert.deepEqual([created, resumed], [1, 1]);
    const listings = (): number => world.requests.filter(isListing).length;
    const before = listings();
    // The version that the watch has seen must be too old when it comes back.
    world.server.closeWatches();
    await objects.create("two");
    await new Objects(world, PLAINS).create("other");
    world.server.compact();
    await running.until(() => created === 2);
    assert.ok(listings() > before, "the objects must have been listed again");
    assert.equal(resumed, 1);
    await running.stop();
  });

  scenario(
    "[A106] an object that changed while nobody ran is resumed and updated, for the reason of the update",
    async (world) => {
      const objects = new Objects(world);
      const first = operator();
      first.on.create(Example, () => {});
      const before = await world.start(first);
      await objects.create("one", { spec: { size: 1 } });
      await world.until(async () => LAST_HANDLED in notesOf(await objects.get("one")));
      await before.stop();
      await objects.patch("one", { spec: { size: 2 } });
      const op = operator();
      const calls: string[] = [];
      op.on.resume(Example, ({ reason }) => void calls.push(`resume for ${reason}`));
      op.on.update(Example, ({ reason }) => void calls.push(`update for ${reason}`));
      const running = await world.start(op);
      await world.until(() => calls.length === 2);
      assert.deepEqual(calls, ["resume for update", "update for update"]);
      await running.stop();
    },
  );

  scenario(
    "[A107] an object that was created while nobody ran is created, and never resumed",
    async (world) => {
      const objects = new Objects(world);
      await objects.create("one");
      const op = operator();
      const calls: string[] = [];
      op.on.resume(Example, () => void calls.push("resume"));
      op.on.create(Example, () => void calls.push("create"));
      const running = await world.start(op);
      await world.until(async () => LAST_HANDLED in notesOf(await objects.get("one")));
      await objects.patch("one", { metadata: { labels: { a: "b" } } });
      await world.settle();
      assert.deepEqual(calls, ["create"]);
      await running.stop();
    },
  );

  scenario.virtual(
    "[A108] an object that was first seen by an event is not resumed by a later listing",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      let created = 0;
      let resumed = 0;
      op.on.create(Example, () => void created++);
      op.on.resume(Example, () => void resumed++);
      await (await world.start(op)).stop();
      await objects.create("one");
      await objects.create("two");
      await (await world.start(op)).stop();
      assert.deepEqual([created, resumed], [2, 0]);
      let isHiding = true;
      world.intercept = (request, seen) =>
        isHiding && isListing(seen) ? without(world, request, "one") : undefined;
      world.requests.length = 0;
      op.settings.watching.initialStreaming = false;
      const running = await world.start(op);
      isHiding = false;
      await objects.patch("one", { status: { seen: true } }, "status");
      await running.settle();
      assert.deepEqual([created, resumed], [2, 1], "two was listed");
      world.server.closeWatches();
      await new Objects(world, PLAINS).create("other");
      world.server.compact();
      await running.advance(30);
      assert.equal(world.requests.filter(isListing).length, 2);
      await objects.patch("one", { status: { seen: "again" } }, "status");
      await running.advance(30);
      assert.deepEqual([created, resumed], [2, 1]);
      await running.stop();
    },
  );

  scenario(
    "[A109] of objects that are being deleted, only resumption handlers with `deleted` take part",
    async (world) => {
      const objects = new Objects(world);
      await objects.create("one", { metadata: { finalizers: [FINALIZER] } });
      await objects.delete("one");
      const op = operator();
      const calls: string[] = [];
      op.on.delete(Example, ({ reason }) => void calls.push(`delete for ${reason}`));
      op.on.resume(Example, { id: "no" }, () => void calls.push("resume"));
      op.on.resume(
        Example,
        { id: "yes", deleted: true },
        ({ reason }) => void calls.push(`resume for ${reason}`),
      );
      const running = await world.start(op);
      await world.until(async () => await objects.find("one") === undefined);
      assert.deepEqual(calls.sort(), ["delete for delete", "resume for delete"]);
      await running.stop();
    },
  );
});

function isListing({ method, path }: { readonly method: string; readonly path: string }): boolean {
  return method === "GET" && path.includes("/examples?") &&
    (!path.includes("watch=true") || path.includes("sendInitialEvents=true"));
}

/** The listing, without the object. */
async function without(
  world: { readonly server: { fetch(request: Request): Promise<Response> } },
  request: Request,
  name: string,
): Promise<Response> {
  const response = await world.server.fetch(request);
  const { items, ...list } = await response.json() as { items: { metadata: Loose }[] };
  return new Response(
    JSON.stringify({ ...list, items: items.filter(({ metadata }) => metadata.name !== name) }),
    response,
  );
}

/** The watch's objects, with a deletion timestamp that is there and null. */
async function nulled(
  world: { readonly server: { fetch(request: Request): Promise<Response> } },
  request: Request,
): Promise<Response> {
  const response = await world.server.fetch(request);
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  const transform = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      const lines = decoder.decode(chunk).split("\n").filter((line) => line !== "").map((line) => {
        const event = JSON.parse(line) as { object: { metadata: Loose } };
        event.object.metadata.deletionTimestamp = null;
        return `${JSON.stringify(event)}\n`;
      });
      controller.enqueue(encoder.encode(lines.join("")));
    },
  });
  return new Response(response.body?.pipeThrough(transform), response);
}
