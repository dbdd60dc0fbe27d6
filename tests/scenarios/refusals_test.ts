import assert from "node:assert/strict";
import { kinds, operator } from "../../mod.ts";
import type { KubeObject } from "../../lib/model/object.ts";
import { ownerReference } from "../../lib/model/references.ts";
import { suite } from "../support/scenario.ts";
import { Example, LAST_HANDLED, type Loose, notesOf, Objects, type Running } from "../support/worlds.ts";

const CONFIG_MAPS = { group: "", version: "v1", plural: "configmaps", namespaced: true };

/** The server calls that invalid, and says which field it is. */
const WRONG = { "not a label": "!" };

function errorsOf({ logs }: Running, text: RegExp): string[] {
  const lines = logs.filter(({ level, message }) => level === "error" && text.test(message));
  return lines.map(({ fields: { error } }) => error instanceof Error ? error.message : "");
}

suite("refused writes", (scenario) => {
  scenario(
    "[P1] an attempt whose write is refused has failed: it is repeated after its backoff, and nothing is noted before",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      const calls: string[] = [];
      op.on.create(Example, { id: "quiet" }, () => void calls.push("quiet"));
      op.on.create(Example, { id: "wrong", backoff: 0.2 }, ({ patch, retry }) => {
        calls.push(`wrong ${retry}`);
        patch.spec.attempt = retry;
        if (retry < 2) patch.metadata = { labels: WRONG };
      });
      const running = await world.start(op);
      await objects.create("one", { spec: { a: 1 } });
      await world.until(async () => LAST_HANDLED in notesOf(await objects.get("one")));
      assert.deepEqual(calls, ["quiet", "wrong 0", "wrong 1", "wrong 2"]);
      const errors = errorsOf(running, /^Handler failed temporarily/);
      assert.equal(errors.length, 2);
      assert.match(errors[0] ?? "", /metadata\.labels/);
      assert.deepEqual((await objects.get("one")).spec, { a: 1, attempt: 2 });
      await objects.delete("one");
      await running.stop();
    },
  );

  scenario(
    "[P1] a handler whose writes are refused as often as it may be tried has failed for good",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      let calls = 0;
      op.on.create(Example, { id: "wrong", backoff: 0.1, retries: 3 }, ({ patch }) => {
        calls++;
        patch.metadata = { labels: WRONG };
      });
      const running = await world.start(op);
      await objects.create("one", { spec: { a: 1 } });
      await world.until(async () => LAST_HANDLED in notesOf(await objects.get("one")));
      assert.equal(calls, 3);
      assert.match(errorsOf(running, /^Handler failed permanently/).join(), /metadata\.labels/);
      await objects.delete("one");
      await running.stop();
    },
  );

  scenario(
    "[P1] a deletion handler whose write is refused holds the object until it succeeds",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      const calls: number[] = [];
      op.on.delete(Example, { id: "leave", backoff: 0.2 }, ({ patch, retry }) => {
        calls.push(retry);
        if (retry === 0) patch.metadata = { labels: WRONG };
      });
      const running = await world.start(op);
      await objects.create("one");
      await world.until(async () => ((await objects.get("one")).metadata.finalizers ?? []).length > 0);
      await objects.delete("one");
      await world.until(async () => await objects.find("one") === undefined);
      assert.deepEqual(calls, [0, 1]);
      await running.stop();
    },
  );

  scenario("[P1] a timer whose write is refused runs again after its backoff", async (world) => {
    const objects = new Objects(world);
    const op = operator();
    const calls: number[] = [];
    op.timer(Example, { id: "tick", interval: 3600, backoff: 0.2 }, ({ patch, retry }) => {
      calls.push(retry);
      patch.status.ticks = retry;
      if (retry === 0) patch.metadata = { labels: WRONG };
    });
    const running = await world.start(op);
    await objects.create("one");
    await world.until(async () => (await objects.get("one")).status?.ticks === 1);
    assert.deepEqual(calls, [0, 1]);
    assert.match(errorsOf(running, /^Timer failed temporarily/).join(), /metadata\.labels/);
    await objects.delete("one");
    await running.stop();
  });

  scenario(
    "[P1] a handler of children whose write is refused is called again after its backoff",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      const calls: string[] = [];
      op.on.child(
        Example,
        kinds.ConfigMap,
        { id: "follow", backoff: 0.2 },
        ({ patch, retry, type, child }) => {
          calls.push(`${type} ${child.metadata.name} ${retry}`);
          patch.status.attempt = retry;
          if (retry === 0) patch.metadata = { labels: WRONG };
        },
      );
      const running = await world.start(op);
      const owner = await objects.create("one", { spec: { a: 1 } });
      const ownerReferences = [ownerReference(owner)];
      await world.client.create(CONFIG_MAPS, {
        metadata: { name: "theirs", namespace: world.namespace, ownerReferences },
        data: {},
      });
      await world.until(async () => (await objects.get("one")).status?.attempt === 1);
      await world.settle();
      assert.deepEqual(calls, ["ADDED theirs 0", "ADDED theirs 1"]);
      assert.match(errorsOf(running, /^Handler failed temporarily/).join(), /metadata\.labels/);
      await objects.delete("one");
      await running.stop();
    },
  );

  scenario(
    "[P3] functions whose result is refused are no endless loop: their handler has failed, and the object can be deleted",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      let calls = 0;
      op.on.create(Example, { id: "wrong", backoff: 3600 }, ({ patch }) => {
        calls++;
        patch.fns.push((body: KubeObject<Loose, Loose>) => {
          body.metadata.labels = { ...body.metadata.labels, ...WRONG };
        });
      });
      op.on.delete(Example, { id: "leave" }, () => {});
      const running = await world.start(op);
      await objects.create("one", { spec: { a: 1 } });
      await world.until(() => errorsOf(running, /^Handler failed temporarily/).length > 0);
      await world.settle();
      assert.equal(calls, 1);
      const [error = ""] = errorsOf(running, /^Handler failed temporarily/);
      assert.match(error, /metadata\.labels/);
      assert.ok(!(LAST_HANDLED in notesOf(await objects.get("one"))), "it is not handled");
      await objects.delete("one");
      await world.until(async () => await objects.find("one") === undefined);
      await running.stop();
    },
  );

  scenario(
    "[P3] functions that lose every race are tried five times, then their handler has failed",
    async (world) => {
      const objects = new Objects(world);
      await using place = await world.proxy();
      const { proxy } = place;
      const isJsonPatch = ({ method, path }: { readonly method: string; readonly path: string }): boolean =>
        method === "PATCH" && path.endsWith("/one");
      const op = operator();
      const calls: number[] = [];
      op.on.create(Example, { id: "count", backoff: 0.2 }, ({ patch, retry }) => {
        calls.push(retry);
        patch.fns.push((body: KubeObject<Loose, Loose>) =>
          void (body.spec = { ...body.spec, counted: retry })
        );
      });
      const running = await world.start(op);
      const refused = { kind: "Status", code: 409, message: "the object has been modified" };
      proxy.inject(isJsonPatch, () => Response.json(refused, { status: 409 }), 5);
      await objects.create("one", { spec: { a: 1 } });
      await world.until(async () => LAST_HANDLED in notesOf(await objects.get("one")));
      assert.deepEqual([calls, proxy.waiting], [[0, 1], 0]);
      assert.deepEqual((await objects.get("one")).spec, { a: 1, counted: 1 });
      await objects.delete("one");
      await running.stop();
    },
  );

  scenario(
    "[P2] an answer 404 from something in between is no end of the object: its write is repeated",
    async (world) => {
      const objects = new Objects(world);
      await using place = await world.proxy();
      const { proxy } = place;
      const op = operator({ queueing: { errorDelays: [0.2] } });
      let calls = 0;
      op.on.create(Example, { id: "make" }, ({ patch }) => {
        calls++;
        patch.status.made = true;
      });
      const running = await world.start(op);
      proxy.inject(
        ({ method, path }) => method === "PATCH" && path.endsWith("/one/status"),
        () => new Response("no such page", { status: 404 }),
      );
      await objects.create("one", { spec: { a: 1 } });
      await world.until(async () => LAST_HANDLED in notesOf(await objects.get("one")));
      assert.equal((await objects.get("one")).status?.made, true);
      assert.equal(calls, 1, "what has succeeded is not repeated");
      await objects.delete("one");
      await running.stop();
    },
  );

  scenario(
    "[P2] an object that goes while its handler runs is not written to, and nothing is repeated",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      const gone = Promise.withResolvers<void>();
      let calls = 0;
      op.on.create(Example, { id: "make" }, async ({ patch }) => {
        calls++;
        await gone.promise;
        patch.status.made = true;
      });
      const running = await world.start(op);
      await objects.create("one", { spec: { a: 1 } });
      await world.until(() => calls === 1);
      await objects.delete("one");
      await world.until(async () => await objects.find("one") === undefined);
      gone.resolve();
      await world.settle();
      assert.deepEqual([calls, errorsOf(running, /./)], [1, []]);
      await running.stop();
    },
  );
});
