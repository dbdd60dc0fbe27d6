import assert from "node:assert/strict";
import { adopt } from "../../lib/public/hierarchies.ts";
import { operator, resource } from "../../mod.ts";
import { type Child, own } from "../../lib/public/hierarchies.ts";
import { suite } from "../support/scenario.ts";
import { Example, Objects } from "../support/worlds.ts";

const CONFIG_MAPS = { group: "", version: "v1", plural: "configmaps", kind: "ConfigMap", namespaced: true };
const ConfigMap = resource(CONFIG_MAPS);

suite("hierarchies", (scenario) => {
  scenario("[B310] a child that is adopted in a handler belongs to the handled object", async (world) => {
    const objects = new Objects(world);
    const op = operator();
    op.on.create(Example, async function make() {
      const child = { data: { a: "b" } };
      // Whatever is called or awaited in between.
      await Promise.resolve();
      adopt(child);
      await op.api.create(ConfigMap, child);
    });
    const running = await world.start(op);
    const owner = await objects.create("one", { metadata: { labels: { app: "shop" } } });
    const found = async () => {
      for await (const { items } of world.client.list(CONFIG_MAPS, { namespace: world.namespace })) {
        const item = items.find(({ metadata }) => metadata.generateName === "one-");
        if (item !== undefined) return item;
      }
    };
    await world.until(async () => (await found()) !== undefined);
    const { metadata } = (await found())!;
    assert.match(metadata.name ?? "", /^one-.+/);
    assert.equal(metadata.namespace, world.namespace);
    assert.deepEqual(metadata.labels, { app: "shop" });
    assert.deepEqual(metadata.ownerReferences, [{
      apiVersion: "lotse.test/v1",
      kind: "Example",
      name: "one",
      uid: owner.metadata.uid,
      controller: true,
      blockOwnerDeletion: true,
    }]);
    await running.stop();
  });

  scenario.virtual("handlers that run at the same time adopt for their own objects", async (world) => {
    const objects = new Objects(world);
    const op = operator();
    const children = new Map<string, Child>();
    const gate = Promise.withResolvers<void>();
    op.on.create(Example, { id: "make" }, async ({ name, sub }) => {
      await gate.promise;
      children.set(name, {});
      own(children.get(name));
      sub("part", () => {
        children.set(`${name}/part`, {});
        own(children.get(`${name}/part`));
      });
    });
    const running = await world.start(op);
    for (const name of ["one", "two"]) await objects.create(name);
    await running.settle();
    gate.resolve();
    await running.settle();
    assert.deepEqual(
      [...children].map(([name, { metadata }]) => [name, metadata?.ownerReferences?.[0]?.name]).sort(),
      [["one", "one"], ["one/part", "one"], ["two", "two"], ["two/part", "two"]],
    );
    await running.stop();
  });

  scenario.virtual("daemons and timers adopt for their objects too", async (world) => {
    const op = operator();
    const owners: unknown[] = [];
    function note(kind: string): void {
      const child: Child = {};
      adopt(child);
      owners.push([kind, child.metadata?.ownerReferences?.[0]?.name]);
    }
    op.daemon(Example, { id: "daemon" }, async ({ stopped }) => {
      await stopped.wait(5);
      note("daemon");
    });
    op.timer(Example, { id: "timer", interval: 60 }, () => note("timer"));
    const running = await world.start(op);
    await new Objects(world).create("one");
    await running.advance(10);
    assert.deepEqual(owners, [["timer", "one"], ["daemon", "one"]]);
    await running.stop();
  });

  scenario.virtual("a handler that owns a child in another namespace is warned", async (world) => {
    const op = operator();
    op.on.create(Example, function make() {
      own({ metadata: { name: "child", namespace: "elsewhere" } });
    });
    const running = await world.start(op);
    await new Objects(world).create("one");
    await running.settle();
    const [warning, ...more] = running.logs.filter(({ level }) => level === "warn");
    assert.match(warning?.message ?? "", /another namespace/);
    assert.deepEqual(warning?.fields, { child: "elsewhere/child", owner: "default/one" });
    assert.equal(more.length, 0);
    await running.stop();
  });
});
