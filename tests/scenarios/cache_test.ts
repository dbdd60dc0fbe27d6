import assert from "node:assert/strict";
import { kinds, operator } from "../../mod.ts";
import { ownerReference } from "../../lib/model/references.ts";
import type { KubeObject } from "../../lib/model/object.ts";
import { suite } from "../support/scenario.ts";
import { Example, Objects, Plain, PLAINS, type World } from "../support/worlds.ts";

const CONFIG_MAPS = { group: "", version: "v1", plural: "configmaps", namespaced: true };

async function make(
  { client, namespace }: World,
  name: string,
  more: { owner?: KubeObject; labels?: object } = {},
) {
  const { owner, labels } = more;
  const metadata = { name, namespace, labels, ownerReferences: owner && [ownerReference(owner)] };
  await client.create(CONFIG_MAPS, { metadata, data: { first: name.slice(0, 1) } });
}

function namesOf(objects: readonly { readonly metadata: { readonly name?: string } }[]): string[] {
  return objects.map(({ metadata }) => metadata.name ?? "").sort();
}

suite("caches", (scenario) => {
  scenario("[N3.1] objects are found by name, labels, owner and keys, as they come and go", async (world) => {
    const objects = new Objects(world);
    const owner = await objects.create("owner");
    await make(world, "one", { owner, labels: { tier: "gold" } });
    const op = operator();
    const maps = op.cache(kinds.ConfigMap, {
      namespaces: [world.namespace],
      indexes: { first: ({ data }) => (data as { first?: string } | undefined)?.first },
    });
    op.on.create(Example, () => {});
    assert.deepEqual([maps.list(), maps.synced], [[], false]);
    const running = await world.start(op);
    await world.until(() => maps.synced);
    const { namespace } = world;
    assert.equal(maps.get({ namespace, name: "one" })?.metadata.name, "one");
    assert.equal(maps.get({ namespace, name: "none" }), undefined);
    await make(world, "two");
    await make(world, "other", { owner });
    await world.until(() => maps.get({ namespace, name: "other" }) !== undefined);
    assert.deepEqual(namesOf(maps.byOwner(owner)), ["one", "other"]);
    assert.deepEqual(namesOf(maps.by("first", "o")), ["one", "other"]);
    assert.deepEqual(namesOf(maps.list({ namespace, labels: { tier: "gold" } })), ["one"]);
    assert.deepEqual(namesOf(maps.list({ when: ({ metadata }) => metadata.name === "two" })), ["two"]);
    assert.throws(() => maps.by("second" as never, "o"), TypeError);
    await world.client.patch(CONFIG_MAPS, { namespace, name: "one" }, {
      type: "merge",
      body: { data: { first: "x" } },
    });
    await world.client.delete(CONFIG_MAPS, { namespace, name: "other" });
    await world.until(() => maps.by("first", "x").length === 1 && maps.byOwner(owner).length === 1);
    assert.deepEqual(namesOf(maps.by("first", "o")), []);
    await running.stop();
    assert.deepEqual([maps.list(), maps.synced], [[], false]);
  });

  scenario(
    "[N3.2] what a handler has written is there at the next line, and never an older state",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      const maps = op.cache(kinds.ConfigMap);
      const seen: unknown[] = [];
      const versions: number[] = [];
      op.reconcile(Example, async function follow({ name, namespace = "" }) {
        const look = (): unknown => (maps.get({ namespace, name })?.data as { a?: string } | undefined)?.a;
        await op.api.apply(kinds.ConfigMap, { metadata: { name, namespace }, data: { a: "1" } });
        seen.push(look());
        await op.api.patch(kinds.ConfigMap, { name, namespace }, { data: { a: "2" } });
        seen.push(look());
        const { metadata } = await op.api.get(kinds.ConfigMap, { name, namespace });
        await op.api.replace(kinds.ConfigMap, { metadata, data: { a: "3" } });
        seen.push(look());
      });
      const running = await world.start(op);
      await objects.create("one");
      await world.until(() => {
        const version = maps.get({ namespace: world.namespace, name: "one" })?.metadata.resourceVersion;
        if (version !== undefined) versions.push(Number(version));
        return seen.length === 3;
      });
      await world.settle();
      assert.deepEqual(seen, ["1", "2", "3"]);
      assert.deepEqual(versions, [...versions].sort((a, b) => a - b));
      await running.stop();
    },
  );

  scenario("[N3.3] objects are frozen: whoever changes one gets a TypeError", async (world) => {
    await make(world, "one");
    const op = operator();
    const maps = op.cache(kinds.ConfigMap);
    const running = await world.start(op);
    await world.until(() => maps.synced);
    const [object] = maps.list() as unknown as { metadata: { name: string }; data: { first: string } }[];
    assert.throws(() => {
      object!.data.first = "changed";
    }, TypeError);
    assert.throws(() => {
      object!.metadata.name = "changed";
    }, TypeError);
    await running.stop();
  });

  scenario.timed(
    "[N3.4] a kind is watched once; what one cache alone wants, the server selects",
    async (world) => {
      for (const name of ["gold", "lead"]) await make(world, name, { labels: { tier: name } });
      const op = operator();
      const gold = op.cache(kinds.ConfigMap, { labels: { tier: "gold" } });
      const running = await world.start(op);
      await world.until(() => gold.synced);
      const pathsOf = (): string[] =>
        world.requests.map(({ path }) => path).filter((path) => path.includes("configmaps"));
      assert.ok(pathsOf().every((path) => path.includes("labelSelector=tier%3Dgold")), String(pathsOf()));
      // Real clusters have objects of others, in other namespaces mostly.
      const { namespace } = world;
      assert.deepEqual(namesOf(gold.list({ namespace })), ["gold"]);
      await running.stop();
      world.requests.length = 0;
      const lead = op.cache(kinds.ConfigMap, { labels: { tier: "lead" } });
      const all = op.cache(kinds.ConfigMap, { fields: { "data.first": "g" } });
      const again = await world.start(op);
      await world.until(() => gold.synced);
      assert.equal(pathsOf().filter((path) => path.includes("watch=")).length, 1);
      assert.deepEqual([gold, lead, all].map((each) => namesOf(each.list({ namespace }))), [["gold"], [
        "lead",
      ], ["gold"]]);
      await again.stop();
    },
  );

  scenario.timed(
    "[N3.5] one cache alone may keep less of objects; with others beside it, the operator refuses to start",
    async (world) => {
      await make(world, "one");
      const op = operator();
      const bare = op.cache(kinds.ConfigMap, { metadataOnly: true });
      const running = await world.start(op);
      await world.until(() => bare.synced);
      const address = { namespace: world.namespace, name: "one" };
      assert.deepEqual([bare.get(address)?.metadata.name, bare.get(address)?.data], ["one", undefined]);
      await running.stop();
      op.on.event(kinds.ConfigMap, function see() {});
      await assert.rejects(() => world.start(op), {
        name: "TypeError",
        message: /"see" is for the same kind/,
      });
      const other = operator();
      const cut = other.cache(kinds.ConfigMap, {
        transform: ({ metadata }) => ({ metadata, data: { kept: "yes" } }),
      });
      const again = await world.start(other);
      await world.until(() => cut.synced);
      assert.deepEqual(cut.get(address)?.data, { kept: "yes" });
      await again.stop();
    },
  );

  scenario.timed(
    "[N3.6] handlers begin when what they look up is listed, or the server refuses that",
    async (world) => {
      const objects = new Objects(world);
      await objects.create("one");
      await world.client.create(PLAINS, {
        apiVersion: "lotse.test/v1",
        kind: "Plain",
        metadata: { name: "plain", namespace: world.namespace },
      });
      const op = operator();
      const plains = op.cache(Plain);
      const seen: unknown[] = [];
      op.reconcile(Example, () => void seen.push([plains.synced, plains.list().length]));
      const slow = Promise.withResolvers<void>();
      world.intercept = async (_, { path }) => {
        if (path.includes("/plains")) await slow.promise;
        return undefined;
      };
      const starting = world.start(op);
      await world.host.clock.advance(3);
      assert.deepEqual(seen, []);
      slow.resolve();
      const running = await starting;
      await world.until(() => seen.length === 1);
      assert.deepEqual(seen, [[true, 1]]);
      await running.stop();
      world.intercept = (_, { path }) =>
        path.includes("/plains?")
          ? Response.json({ kind: "Status", code: 403, reason: "Forbidden", message: "no" }, { status: 403 })
          : undefined;
      void world.start(op).catch(() => {});
      await world.until(() => seen.length === 2, 30);
      assert.deepEqual(seen[1], [false, 0]);
    },
  );
});
