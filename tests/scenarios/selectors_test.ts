import assert from "node:assert/strict";
import { currentHost } from "../../lib/runtime/current_host.ts";
import { EVERYTHING, operator } from "../../mod.ts";
import { suite } from "../support/scenario.ts";
import type { TimedWorld, VirtualWorld } from "../support/virtual_world.ts";
import { Example, EXAMPLES, Objects } from "../support/worlds.ts";

const DEFINITIONS = {
  group: "apiextensions.k8s.io",
  version: "v1",
  plural: "customresourcedefinitions",
  namespaced: false,
};

/** A kind that is called like the one of all scenarios, in another group. */
const NAMESAKES = { ...EXAMPLES, group: "other.test" };

async function define(world: TimedWorld, { group, version, plural, kind } = NAMESAKES): Promise<void> {
  const open = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  await world.client.create(DEFINITIONS, {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural, singular: kind.toLowerCase(), kind },
      versions: [{ name: version, served: true, storage: true, schema: { openAPIV3Schema: open } }],
    },
  });
  await world.host.clock.advance(1);
  // NB: a real server tells of all groups a little later than it serves the kind.
  for (let attempt = 0;; attempt++) {
    const known = await world.client.discovery.refresh();
    if (known.some((each) => each.group === group && each.plural === plural)) return;
    assert.ok(attempt < 200, `discovery must tell of ${plural}.${group}`);
    await currentHost().clock.sleep(0.05);
  }
}

async function createNamesake(world: TimedWorld, name: string): Promise<void> {
  await world.client.create(NAMESAKES, {
    apiVersion: "other.test/v1",
    kind: "Example",
    metadata: { name, namespace: "default" },
  });
}

/** Makes the server say that the kind of all scenarios can do only this. */
function limitVerbs(world: VirtualWorld, verbs: readonly string[]): void {
  world.intercept = (request, { path }) => {
    if (!/^\/apis(\/|$)/.test(path) || path.includes("/examples") || request.method !== "GET") {
      return undefined;
    }
    return world.server.fetch(request).then(async (response) => {
      if (!response.headers.get("content-type")?.includes("json")) return response;
      const text = await response.text();
      const changed = JSON.parse(text, (key, value) => {
        const isOurs = value?.name === "examples" || value?.resource === "examples";
        return isOurs && key !== "names" && Array.isArray(value.verbs) ? { ...value, verbs } : value;
      });
      return new Response(JSON.stringify(changed), response);
    });
  };
}

suite("selectors", (scenario) => {
  scenario.timed(
    "[A41] [B192] a selector that names kinds of two groups is not served, with a warning; others of these kinds are",
    async (world) => {
      await define(world);
      const op = operator();
      const calls: string[] = [];
      op.on.create("examples", { id: "vague" }, () => void calls.push("vague"));
      op.on.create(Example, { id: "exact" }, ({ name }) => void calls.push(`exact ${name}`));
      const running = await world.start(op);
      await new Objects(world).create("one");
      await createNamesake(world, "two");
      await running.advance(60);
      assert.deepEqual(calls, ["exact one"]);
      const other = world.requests.filter(({ path }) => path.startsWith("/apis/other.test/v1/"));
      assert.deepEqual(other, [], "nothing is asked of the other group");
      const warnings = running.logs.filter(({ level }) => level === "warn");
      assert.deepEqual(warnings.map(({ message, fields }) => [message, fields]), [[
        "The selector is ambiguous: its handlers are not served (name the group)",
        { selector: "examples", kinds: ["examples.v1.lotse.test", "examples.v1.other.test"] },
      ]]);
      await running.stop();
    },
  );

  scenario.virtual("[A42] [B193] EVERYTHING takes kinds of all groups, without a warning", async (world) => {
    await define(world);
    const op = operator();
    const names: string[] = [];
    op.on.event(EVERYTHING, ({ resource, name }) => {
      if (resource.plural === "examples") names.push(`${resource.group}/${name}`);
    });
    const running = await world.start(op);
    await new Objects(world).create("one");
    await createNamesake(world, "two");
    await running.settle();
    assert.deepEqual([...new Set(names)].sort(), ["lotse.test/one", "other.test/two"]);
    assert.deepEqual(running.messages("warn").filter((message) => message.includes("ambiguous")), []);
    await running.stop();
  });

  scenario.timed(
    "[A43] [B194] a selector that matches nothing is warned about; it works when the kind comes",
    async (world) => {
      const op = operator();
      const names: string[] = [];
      op.on.create("examples.other.test", { id: "late" }, ({ name }) => void names.push(name));
      op.on.create(Example, { id: "early" }, ({ name }) => void names.push(name));
      const running = await world.start(op);
      const [warning] = running.logs.filter(({ level }) => level === "warn");
      assert.match(warning?.message ?? "", /^Nothing matches the selector yet/);
      assert.deepEqual(warning?.fields, { selector: "examples.other.test" });
      await new Objects(world).create("one");
      await running.settle();
      assert.deepEqual(names, ["one"]);
      await define(world);
      await createNamesake(world, "two");
      await running.advance(5);
      assert.deepEqual(names, ["one", "two"]);
      await running.stop();
    },
  );

  scenario.virtual(
    "[A44] [B195] a kind that cannot be listed and watched is not, with a warning",
    async (world) => {
      limitVerbs(world, ["get", "list", "patch", "create"]);
      const op = operator();
      op.on.event(Example, () => {});
      const running = await world.start(op);
      assert.deepEqual(running.messages("warn"), [
        "The kind cannot be watched: its handlers are not served",
      ]);
      assert.deepEqual(world.requests.filter(({ path }) => path.includes("/examples")), []);
      await running.stop();
    },
  );

  scenario.virtual(
    "[A45] [B196] change handlers of a kind that cannot be patched are not served, with a warning; raw events are",
    async (world) => {
      limitVerbs(world, ["get", "list", "watch", "create"]);
      const op = operator();
      const calls: string[] = [];
      op.on.create(Example, { id: "create" }, () => void calls.push("create"));
      const running = await world.start(op);
      await new Objects(world).create("one");
      await running.settle();
      assert.equal(calls.length, 0);
      assert.match(running.messages("warn").join(), /^The kind cannot be patched/);
      await running.stop();
      op.on.event(Example, () => void calls.push("event"));
      const second = await world.start(op);
      assert.deepEqual(calls, ["event"]);
      await second.stop();
    },
  );

  scenario.virtual(
    "[A48] a kind that vanishes is no longer watched; those of other groups go on",
    async (world) => {
      await define(world);
      const op = operator();
      const names: string[] = [];
      op.on.create("examples.other.test", { id: "a" }, ({ name }) => void names.push(name));
      op.on.create(Example, { id: "b" }, ({ name }) => void names.push(name));
      const running = await world.start(op);
      await createNamesake(world, "two");
      await running.settle();
      await world.client.delete(DEFINITIONS, { name: "examples.other.test" });
      await running.advance(5);
      world.requests.length = 0;
      await running.advance(600);
      await new Objects(world).create("one");
      await running.settle();
      assert.deepEqual(names, ["two", "one"]);
      assert.deepEqual(world.requests.filter(({ path }) => path.includes("/other.test/v1/examples")), []);
      await running.stop();
    },
  );
});
