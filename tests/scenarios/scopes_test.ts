/**
 * Which kinds and namespaces are served, as they come and go.
 */

import assert from "node:assert/strict";
import { EVERYTHING, type SelectorTerm } from "../../lib/model/selector.ts";
import { operator } from "../../mod.ts";
import { resource } from "../../lib/registry/resource.ts";
import { suite } from "../support/scenario.ts";
import type { TimedWorld } from "../support/virtual_world.ts";
import {
  definitionOf,
  Example,
  EXAMPLES,
  type Loose,
  Objects,
  PLAINS,
  statusOf,
  type World,
} from "../support/worlds.ts";

const NAMESPACES = { group: "", version: "v1", plural: "namespaces", namespaced: false } as const;
const DEFINITIONS = {
  group: "apiextensions.k8s.io",
  version: "v1",
  plural: "customresourcedefinitions",
  namespaced: false,
} as const;

/** As far as a test changes it. */
interface Definition {
  readonly spec: { readonly versions: readonly object[] };
}

async function makeNamespace(
  { client }: World,
  name: string,
  more: Record<string, unknown> = {},
): Promise<void> {
  await client.create(NAMESPACES, { apiVersion: "v1", kind: "Namespace", metadata: { name, ...more } });
}

async function makeExample({ client }: World, namespace: string, name: string): Promise<void> {
  await client.create(EXAMPLES, {
    apiVersion: "lotse.test/v1",
    kind: "Example",
    metadata: { name, namespace },
    spec: {},
  });
}

function recorder(options: Parameters<typeof operator>[0] = {}) {
  const op = operator(options);
  const handled: string[] = [];
  op.on.create(Example, { id: "make" }, ({ namespace, name }) => void handled.push(`${namespace}/${name}`));
  return { op, handled };
}

/** The namespaces in which objects of the kind are watched; "" is all of them. */
function watched(world: TimedWorld): string[] {
  const found = new Set<string>();
  for (const { path } of world.requests) {
    const match = /^\/apis\/lotse\.test\/v1\/(?:namespaces\/([^/]+)\/)?examples\?.*watch=true/.exec(path);
    if (match) found.add(match[1] ?? "");
  }
  return [...found].sort();
}

suite("Scopes:", (scenario) => {
  scenario.timed(
    "[B186] only the groups of handlers and those that every operator needs are asked for",
    async (world) => {
      const { op } = recorder();
      const running = await world.start(op);
      await running.advance(60);
      const asked = new Set(world.requests.map(({ path }) => /^\/apis\/([^/?]+)/.exec(path)?.[1] ?? "core"));
      const wanted = ["apiextensions.k8s.io", "core", "kopf.dev", "lotse.test", "zalando.org"];
      assert.deepEqual([...asked].filter((group) => !wanted.includes(group)), []);
      assert.ok(asked.has("lotse.test"));
      const lists = world.requests.filter(({ path }) => /^\/apis\/?(\?|$)/.test(path));
      assert.equal(lists.length, 1, "their names are asked for once: are there groups of peering?");
      await running.stop();
    },
  );

  scenario(
    "[B208] [B209] a namespace that matches is served when it comes, and no more when it goes",
    async (world) => {
      const prefix = world.namespace;
      const { op, handled } = recorder();
      await makeNamespace(world, `${prefix}-1`);
      await makeExample(world, `${prefix}-1`, "a");
      const running = await world.start(op, { scope: [`${prefix}-*,!*-test`] });
      await world.until(() => handled.includes(`${prefix}-1/a`), 5);
      await makeNamespace(world, `${prefix}-5`);
      await makeNamespace(world, `${prefix}-test`);
      await makeExample(world, `${prefix}-5`, "b");
      await makeExample(world, `${prefix}-test`, "c");
      await world.until(() => handled.includes(`${prefix}-5/b`), 5);
      await world.settle();
      assert.deepEqual(handled, [`${prefix}-1/a`, `${prefix}-5/b`]);
      await running.stop();
    },
  );

  scenario.virtual(
    "[B209] [B213] streams of a namespace end with it, those of the cluster's kinds are one and go on",
    async (world) => {
      const { op } = recorder();
      const seen: string[] = [];
      op.on.event("namespaces", { id: "see" }, ({ name }) => void seen.push(name));
      await makeNamespace(world, "ns1");
      await makeNamespace(world, "ns5");
      const running = await world.start(op, { scope: ["ns*"] });
      assert.deepEqual(watched(world), ["ns1", "ns5"]);
      await world.client.delete(NAMESPACES, { name: "ns5" });
      await world.host.clock.advance(5);
      world.requests.length = 0;
      world.host.network.breakAll();
      await world.host.clock.advance(5);
      assert.deepEqual(watched(world), ["ns1"]);
      seen.length = 0;
      await makeNamespace(world, "other");
      await running.settle();
      assert.equal(seen.filter((name) => name === "other").length, 1);
      await running.stop();
    },
  );

  scenario.timed(
    "[B210] a namespace that is being deleted is served while something in it is waited for",
    async (world) => {
      for (const [conditions, expected] of [[[], true], [["True"], true], [["False"], false]] as const) {
        const { op, handled } = recorder();
        const name = `ending-${expected}-${conditions.length}`;
        await makeNamespace(world, name, { finalizers: [] });
        await world.client.patch(NAMESPACES, { name }, {
          type: "merge",
          body: { metadata: { finalizers: ["x.test/hold"] } },
        });
        const running = await world.start(op, { scope: [`${name}*`] });
        await world.client.delete(NAMESPACES, { name });
        const status = { conditions: conditions.map((each) => ({ type: "Waits", status: each })) };
        await world.client.patch(NAMESPACES, { name, subresource: "status" }, {
          type: "merge",
          body: { status },
        });
        await running.settle();
        const isTold = (message: string): boolean => running.messages("debug").includes(message);
        const [held, left] = [
          "Namespace is being deleted, but is still served",
          "Namespace is served no more",
        ];
        if (conditions.length > 0) await world.until(() => isTold(expected ? held : left));
        world.requests.length = 0;
        world.host.network.breakAll();
        await world.host.clock.advance(5);
        assert.deepEqual(watched(world).includes(name), expected, `conditions: ${conditions}`);
        assert.deepEqual([isTold(held), isTold(left)], [expected && conditions.length > 0, !expected]);
        assert.deepEqual(handled, []);
        await running.stop();
        await world.client.patch(NAMESPACES, { name }, {
          type: "merge",
          body: { metadata: { finalizers: null } },
        });
      }
    },
  );

  for (const initialStreaming of [true, false]) {
    scenario.timed(
      `[B211] without the right to list namespaces only exact names are served, until it is given (streaming: ${initialStreaming})`,
      async (world) => {
        let isAllowed = false;
        world.intercept = (request) =>
          !isAllowed && new URL(request.url).pathname === "/api/v1/namespaces"
            ? new Response("no", { status: 403 })
            : undefined;
        const { op, handled } = recorder({
          watching: { initialStreaming },
          networking: { errorBackoffs: [] },
        });
        const [named, matched] = initialStreaming ? ["a1", "b1"] : ["c1", "d1"];
        for (const name of [named, matched]) {
          await makeNamespace(world, name);
          await makeExample(world, name, "x");
        }
        const running = await world.start(op, { scope: [named, `${matched[0]}*`] });
        await world.host.clock.advance(5);
        assert.deepEqual(handled, [`${named}/x`]);
        assert.equal(
          running.messages("warn").filter((text) => text.startsWith("Namespaces cannot be watched")).length,
          1,
        );
        isAllowed = true;
        await world.until(() => handled.includes(`${matched}/x`), 60);
        await running.stop();
      },
    );
  }

  scenario.timed(
    "[B212] no namespaces are asked for where the whole cluster is served, or names only",
    async (world) => {
      for (const options of [{ scope: "cluster" as const }, { scope: ["default"] }]) {
        world.requests.length = 0;
        const { op } = recorder();
        const running = await world.start(op, options);
        assert.deepEqual(world.requests.filter(({ path }) => /^\/api\/v1\/namespaces(\?|$)/.test(path)), []);
        await running.stop();
      }
    },
  );

  scenario.timed("[C6] namespaces are listed in pages, and served after the last one", async (world) => {
    for (const name of ["paged-1", "paged-2"]) {
      await makeNamespace(world, name);
      await makeExample(world, name, "x");
    }
    const { op, handled } = recorder({ watching: { chunkSize: 1, initialStreaming: false } });
    const running = await world.start(op, { scope: ["paged-*"] });
    const pages = world.requests.filter(({ path }) => /^\/api\/v1\/namespaces\?limit=1/.test(path));
    assert.ok(pages.length >= 2 && pages.slice(1).every(({ path }) => path.includes("continue=")));
    assert.deepEqual(handled.sort(), ["paged-1/x", "paged-2/x"]);
    await running.stop();
  });

  scenario.timed(
    "[C17] [C19] label, field and shard selectors go with each list and watch of their kinds",
    async (world) => {
      const [lower, all] = ["0x8000000000000000", "0x10000000000000000"].map((end) =>
        `shardRange(object.metadata.uid, '0x0000000000000000', '${end}')`
      ) as [string, string];
      const selectors = {
        labelSelectors: new Map<SelectorTerm, string>([["examples", "b=1"], ["examples.lotse.test", "a=1"], [
          EVERYTHING,
          "b=1",
        ]]),
        fieldSelectors: { examples: "metadata.name!=x" },
        shardSelectors: new Map<SelectorTerm, string>([["examples", all], [EVERYTHING, lower]]),
      };
      const objects = new Objects(world);
      const labels = { a: "1", b: "1" };
      await objects.create("wanted", { metadata: { labels } });
      await objects.create("x", { metadata: { labels } });
      await objects.create("unlabelled", { metadata: { labels: { a: "1" } } });
      const { op, handled } = recorder({ watching: { ...selectors, initialStreaming: false, chunkSize: 1 } });
      op.on.event("plains", { id: "see" }, () => {});
      const running = await world.start(op);
      const queries = (kind: string): URLSearchParams[] =>
        world.requests.filter(({ path }) => path.includes(`/${kind}?`)).map(({ path }) =>
          new URL(path, "http://x").searchParams
        );
      await objects.create("late", { metadata: { labels } });
      await objects.create("late-and-unlabelled");
      await world.until(() => handled.length === 2, 5);
      await running.settle();
      assert.deepEqual(handled, ["default/wanted", "default/late"]);
      assert.ok(queries("examples").length >= 2);
      for (const query of queries("examples")) {
        assert.equal(query.get("labelSelector"), "a=1,b=1");
        assert.equal(query.get("fieldSelector"), "metadata.name!=x");
        assert.equal(query.get("shardSelector"), all);
      }
      for (const query of queries("plains")) {
        assert.equal(query.get("labelSelector"), "b=1");
        assert.equal(query.get("shardSelector"), lower);
      }
      for (const query of queries("customresourcedefinitions")) {
        assert.equal(query.get("labelSelector"), null);
      }
      await running.stop();
    },
  );

  scenario(
    "an object that leaves the server's selector is no more served, but has not been deleted; it may come back",
    async (world) => {
      const objects = new Objects(world);
      const op = operator({ watching: { labelSelectors: { examples: "shown=yes" } } });
      const told: string[] = [];
      const names = op.index(Example, { id: "names" }, ({ name }) => ({ all: name }));
      op.on.create(Example, { id: "make" }, () => void told.push("made"));
      op.on.delete(Example, { id: "unmake" }, () => void told.push("unmade"));
      op.daemon(Example, { id: "watch" }, async ({ stopped }) => {
        told.push("begun");
        await stopped.wait();
        told.push([...stopped.reasons].filter((reason) => !reason.startsWith("DAEMON")).join());
      });
      const running = await world.start(op);
      assert.equal(
        running.logs.filter(({ message }) => message.startsWith("Deletion handlers are not called")).length,
        1,
      );
      await objects.create("one", { metadata: { labels: { shown: "yes" } } });
      await world.until(() => told.length === 2, 5);
      assert.deepEqual([told.splice(0).toSorted(), names.get("all")], [["begun", "made"], ["one"]]);
      await objects.patch("one", { metadata: { labels: { shown: "no" } } });
      await world.until(() => told.length === 1, 5);
      await world.settle();
      assert.deepEqual([told.splice(0), names.get("all")], [["FILTERS_MISMATCH"], undefined]);
      assert.ok(
        running.logs.some(({ level, message }) =>
          level === "debug" && message.startsWith("Object left the selector")
        ),
      );
      await objects.patch("one", { metadata: { labels: { shown: "yes" } } });
      await world.until(() => told.length === 1, 5);
      await world.settle();
      assert.deepEqual([told.splice(0), names.get("all")], [["begun"], ["one"]]);
      await objects.delete("one");
      await world.until(async () => told.length === 2 && await objects.find("one") === undefined, 10);
      assert.deepEqual(told.toSorted(), ["RESOURCE_DELETED", "unmade"]);
      await running.stop();
    },
  );

  scenario.timed("[C18] a field selector on namespaces decides which of them are served", async (world) => {
    for (const name of ["field-1", "field-2"]) {
      await makeNamespace(world, name);
      await makeExample(world, name, "x");
    }
    const { op, handled } = recorder({
      watching: { fieldSelectors: { namespaces: "metadata.name=field-2" } },
    });
    const running = await world.start(op, { scope: ["*"] });
    assert.deepEqual([watched(world), handled], [["field-2"], ["field-2/x"]]);
    const asked = world.requests.filter(({ path }) => /^\/api\/v1\/namespaces\?/.test(path));
    assert.ok(
      asked.length > 0 && asked.every(({ path }) => path.includes("fieldSelector=metadata.name%3Dfield-2")),
    );
    await running.stop();
  });
});

suite("Kinds", (scenario) => {
  scenario("[B197] that are only indexed are watched, and in the index", async (world) => {
    const op = operator();
    op.index("examples.lotse.test", { id: "sizes" }, ({ name, spec }) => ({ [name]: spec["size"] }));
    const seen: unknown[] = [];
    op.on.event("plains.lotse.test", { id: "see" }, ({ indices }) => {
      seen.push([...indices["sizes"]?.get("indexed") ?? []]);
    });
    const examples = new Objects(world);
    const plains = new Objects(world, PLAINS);
    await examples.create("indexed", { spec: { size: 1 } });
    await plains.create("looker");
    const running = await world.start(op);
    await world.until(() => seen.length > 0, 5);
    assert.deepEqual(seen.at(-1), [1]);
    await examples.patch("indexed", { spec: { size: 2 } });
    await world.settle();
    await plains.patch("looker", { spec: { look: "again" } });
    await world.until(() => JSON.stringify(seen.at(-1)) === "[2]", 5);
    assert.ok(!("annotations" in (await examples.get("indexed")).metadata), "nothing is written");
    await running.stop();
  });

  scenario.timed("[B202] are the same in all forms of their selectors", async (world) => {
    const op = operator();
    const seen = new Set<string>();
    const note = (form: string) => ({ resource }: { readonly resource: { readonly plural: string } }): void =>
      void seen.add(`${form}: ${resource.plural}`);
    op.on.event("deployments.v1.apps", { id: "one" }, note("name.version.group"));
    op.on.event("deployments.apps", { id: "two" }, note("name.group"));
    op.on.event("deployments.apps/v1", { id: "three" }, note("name.group/version"));
    op.on.event(resource({ kind: "Deployment" }), { id: "four" }, note("kind"));
    const running = await world.start(op);
    await world.client.create({ group: "apps", version: "v1", plural: "deployments", namespaced: true }, {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "d", namespace: "default" },
      spec: {
        selector: { matchLabels: { a: "b" } },
        template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } },
      },
    });
    await running.settle();
    assert.deepEqual([...seen].sort(), [
      "kind: deployments",
      "name.group/version: deployments",
      "name.group: deployments",
      "name.version.group: deployments",
    ]);
    const streams = world.requests.filter(({ path }) => /\/deployments\?.*watch=true/.test(path));
    assert.equal(streams.length, 1, "however many handlers");
    await running.stop();
  });

  scenario.timed(
    "[C10] [C11] an object that is as it was handled is resumed once, though lists come again",
    async (world) => {
      const { op } = recorder();
      const resumed: string[] = [];
      op.on.resume(Example, { id: "go-on" }, ({ name }) => void resumed.push(name));
      const first = await world.start(op);
      await makeExample(world, "default", "e");
      await first.settle();
      await first.stop();
      resumed.length = 0;
      await using place = await world.proxy();
      const second = await world.start(op);
      assert.deepEqual(resumed, ["e"]);
      const scans = (): number =>
        world.requests.filter(({ path }) =>
          path.startsWith("/apis/lotse.test/v1") && !path.includes("examples")
        ).length;
      const before = scans();
      place.proxy.inject(({ query }) => query.has("watch"), () => new Response("gone", { status: 410 }), 2);
      place.breakAll();
      await world.host.clock.advance(5);
      assert.ok(
        world.requests.filter(({ path }) => path.includes("sendInitialEvents")).length >= 4,
        "both sets come anew",
      );
      assert.equal(scans(), before, "definitions that are known are no news");
      assert.deepEqual(resumed, ["e"]);
      await world.client.patch(DEFINITIONS, { name: "plains.lotse.test" }, {
        type: "merge",
        body: { metadata: { labels: { touched: "yes" } } },
      });
      await second.settle();
      assert.ok(scans() > before, "a change is news");
      await second.stop();
    },
  );

  scenario.alone(
    "whose versions change are watched in the version that is preferred by then, and nothing is made twice",
    async (world) => {
      const movers = { ...PLAINS, plural: "movers", kind: "Mover" };
      const definition = definitionOf(movers) as { spec: { versions: { name: string }[] } };
      const [first] = definition.spec.versions;
      await world.client.create(DEFINITIONS, definition);
      await world.until(async () => {
        const served = await world.client.discovery.refresh("lotse.test");
        return served.some(({ plural }) => plural === "movers");
      });
      const make = async (version: string, name: string): Promise<void> => {
        const metadata = { name, namespace: world.namespace };
        const object = { apiVersion: `lotse.test/${version}`, kind: "Mover", metadata, spec: { size: 1 } };
        await world.client.create({ ...movers, version }, object);
      };
      const op = operator();
      const made: string[] = [];
      const changed: string[] = [];
      op.on.create("movers.lotse.test", { id: "make" }, ({ name, resource: { version } }) => {
        made.push(`${name} ${version}`);
      });
      const ends: string[] = [];
      op.on.event("movers.lotse.test", { id: "see" }, ({ type, name }) => {
        if (type === "DELETED") ends.push(name);
      });
      op.daemon("movers.lotse.test", { id: "stay" }, async ({ name, stopped, resource: { version } }) => {
        await stopped.wait();
        if (name === "old") ends.push(`${version} ${[...stopped.reasons][0]}`);
      });
      op.on.update("movers.lotse.test", { id: "change" }, ({ name, resource: { version } }) => {
        changed.push(`${name} ${version}`);
      });
      await make("v1", "old");
      const running = await world.start(op);
      await world.until(() => made.length === 1, 5);
      const versions = [{ ...first, name: "v2" }, { ...first, storage: false, served: false }];
      const body = { spec: { versions } };
      await world.client.patch(DEFINITIONS, { name: "movers.lotse.test" }, { type: "merge", body });
      await world.until(() => make("v2", "new").then(() => true, () => false), 30);
      await world.until(() => made.length === 2, 30);
      const address = { name: "old", namespace: world.namespace };
      const change = { type: "merge", body: { spec: { size: 2 } } } as const;
      await world.client.patch({ ...movers, version: "v2" }, address, change);
      await world.until(() => changed.length === 1, 5);
      await world.settle();
      assert.deepEqual([made, changed, ends], [["old v1", "new v2"], ["old v2"], ["v1 FILTERS_MISMATCH"]]);
      await world.client.delete({ ...movers, version: "v2" }, address);
      await world.until(() => ends.length === 3, 5);
      assert.deepEqual(ends.slice(1).sort(), ["old", "v2 RESOURCE_DELETED"]);
      // NB: with a finalizer on it, its definition could not go.
      await world.client.delete({ ...movers, version: "v2" }, { name: "new", namespace: world.namespace });
      await world.until(() => ends.includes("new"), 5);
      await running.stop();
    },
  );

  scenario.timed(
    "[B199] [B200] that come are served without a restart, and those that go are not watched any more",
    async (world) => {
      const arrivals = { ...PLAINS, plural: "arrivals", kind: "Arrival" };
      const { op, handled } = recorder();
      const made: string[] = [];
      op.on.create("arrivals", { id: "make" }, ({ name }) => void made.push(name));
      const running = await world.start(op);
      assert.deepEqual(running.messages("warn").length, 1);
      await world.client.create(DEFINITIONS, definitionOf(arrivals));
      await world.host.clock.advance(5);
      const metadata = { name: "p", namespace: "default" };
      const object = { apiVersion: "lotse.test/v1", kind: "Arrival", metadata };
      // NB: on a real server it takes a moment until a definition is served, and that is told.
      await world.until(() => world.client.create(arrivals, object).then(() => true, () => false), 5);
      await world.host.clock.advance(5);
      await world.until(() => made.includes("p"), 5);
      world.requests.length = 0;
      await world.client.delete(DEFINITIONS, { name: "arrivals.lotse.test" });
      await world.until(
        async () =>
          !await world.client.discovery.refresh("lotse.test").then((served) =>
            served.some(({ plural }) => plural === "arrivals")
          ),
        30,
      );
      await world.host.clock.advance(30);
      assert.deepEqual(world.requests.filter(({ path }) => path.includes("/examples?")), [], "others go on");
      world.requests.length = 0;
      await world.host.clock.advance(300);
      assert.deepEqual(world.requests.filter(({ path }) => path.includes("/arrivals?")), []);
      await makeExample(world, "default", "e");
      await world.until(() => handled.includes("default/e"), 5);
      await running.stop();
    },
  );

  scenario.timed("[B201] that come are not noticed where scanning is disabled", async (world) => {
    const strangers = { ...PLAINS, plural: "strangers", kind: "Stranger" };
    const op = operator({ scanning: { disabled: true } });
    op.on.create("strangers", { id: "make" }, () => {});
    const running = await world.start(op);
    world.requests.length = 0;
    await world.client.create(DEFINITIONS, definitionOf(strangers));
    await world.until(
      async () =>
        (await world.client.discovery.refresh("lotse.test")).some(({ plural }) => plural === "strangers"),
      5,
    );
    await world.host.clock.advance(60);
    assert.deepEqual(world.requests, []);
    await running.stop();
  });

  scenario.virtual("whose group breaks for a while are watched on, and found again", async (world) => {
    const { op, handled } = recorder();
    const running = await world.start(op);
    world.intercept = (request) =>
      /^\/apis(\/lotse\.test(\/v1)?)?$/.test(new URL(request.url).pathname)
        ? new Response("broken", { status: 503 })
        : undefined;
    await world.client.patch(DEFINITIONS, { name: "plains.lotse.test" }, {
      type: "merge",
      body: { metadata: { labels: { touched: "yes" } } },
    });
    await world.host.clock.advance(20);
    await makeExample(world, "default", "e");
    await world.until(() => handled.includes("default/e"), 5);
    world.intercept = undefined;
    world.requests.length = 0;
    await world.host.clock.advance(60);
    assert.ok(world.requests.some(({ path }) => path.startsWith("/apis/lotse.test")), "it is asked again");
    await running.stop();
  });

  scenario.virtual(
    "[N46] that get or lose the subresource of their status are written to as they are, though discovery tells it later",
    async (world) => {
      const op = operator();
      op.on.create("plains.lotse.test", { id: "tell" }, ({ patch }) => void (patch.status["told"] = "yes"));
      const running = await world.start(op);
      const path = "/apis/lotse.test/v1";
      const objects = new Objects(world, PLAINS);
      for (const [name, subresources] of [["one", { status: {} }], ["two", null]] as const) {
        const { body } = await world.client.transport.request({ method: "GET", path });
        const before = JSON.stringify(body);
        world.intercept = ({ method, url }) =>
          method === "GET" && new URL(url).pathname === path
            ? new Response(before, { headers: { "content-type": "application/json" } })
            : undefined;
        const version = { ...(definitionOf(PLAINS) as Definition).spec.versions[0], subresources };
        await world.client.patch(DEFINITIONS, { name: "plains.lotse.test" }, {
          type: "merge",
          body: { spec: { versions: [version] } },
        });
        await world.host.clock.advance(0.5);
        world.intercept = undefined;
        await world.host.clock.advance(10);
        await objects.create(name);
        await running.settle();
        assert.deepEqual(statusOf(await objects.get(name)), { told: "yes" }, name);
      }
      world.requests.length = 0;
      await world.host.clock.advance(60);
      assert.deepEqual(world.requests.filter(({ path }) => path.startsWith("/apis/lotse.test/v1?")), []);
      await running.stop();
    },
  );

  scenario(
    "[N47] whose definition gets a field are seen with it, whoever sets it at once; what did not change wakes nobody",
    async (world) => {
      const growers = { ...PLAINS, plural: "growers", kind: "Grower" };
      const { group, version, kind } = growers;
      const schemaWith = (...fields: string[]): object => {
        const properties = Object.fromEntries(fields.map((field) => [field, { type: "integer" }]));
        const spec = { type: "object", properties };
        return { openAPIV3Schema: { type: "object", properties: { spec } } };
      };
      const definition = definitionOf(growers) as Definition;
      const define = (schema: object): object => {
        const versions = [{ ...definition.spec.versions[0], schema }];
        return { ...definition, spec: { ...definition.spec, versions } };
      };
      await world.client.create(DEFINITIONS, define(schemaWith("a")));
      const make = (name: string): Promise<unknown> => {
        const metadata = { name, namespace: world.namespace };
        return world.client.create(growers, {
          apiVersion: `${group}/${version}`,
          kind,
          metadata,
          spec: { a: 1 },
        });
      };
      await world.until(() => make("one").then(() => true, () => false));
      await make("two");
      const op = operator();
      const seen: string[] = [];
      op.reconcile(resource<Loose>({ ...growers }), { id: "see" }, ({ name, spec, conditions }) => {
        seen.push(`${name} ${JSON.stringify(spec)}`);
        conditions.set("Ready", true, { reason: "Seen" });
      });
      const running = await world.start(op);
      await world.until(() => seen.length === 2);
      await world.client.patch(DEFINITIONS, { name: `growers.${group}` }, {
        type: "merge",
        body: { spec: { versions: [{ ...definition.spec.versions[0], schema: schemaWith("a", "b") }] } },
      });
      const set = async (): Promise<boolean> => {
        const { spec } = await world.client.patch(growers, { namespace: world.namespace, name: "one" }, {
          type: "merge",
          body: { spec: { b: 2 } },
        });
        return (spec as Loose)["b"] === 2;
      };
      await world.until(set);
      await world.until(() => seen.includes('one {"a":1,"b":2}'));
      assert.equal(seen.filter((each) => each.startsWith("two")).length, 1);
      await running.stop();
    },
  );

  scenario.virtual(
    "[N47] are listed anew when their definition has changed, and not for a label on it",
    async (world) => {
      const { op } = recorder();
      const running = await world.start(op);
      const isList = ({ path }: { path: string }): boolean =>
        /\/examples\?/.test(path) && (!path.includes("watch=true") || path.includes("sendInitialEvents"));
      const lists = (): number => world.requests.filter(isList).length;
      const change = async (body: object): Promise<void> => {
        world.requests.length = 0;
        await world.client.patch(DEFINITIONS, { name: "examples.lotse.test" }, { type: "merge", body });
        await world.host.clock.advance(3);
      };
      await change({ metadata: { labels: { touched: "yes" } } });
      assert.equal(lists(), 0);
      await change({ spec: { names: { shortNames: ["exs"] } } });
      assert.equal(lists(), 1);
      await running.stop();
    },
  );

  scenario.virtual(
    "that came while nobody watched definitions are found when they are listed again",
    async (world) => {
      await using place = await world.proxy();
      await world.client.delete(DEFINITIONS, { name: "plains.lotse.test" });
      await world.host.clock.advance(5);
      const op = operator();
      const plains: string[] = [];
      op.on.event("plains", { id: "see" }, ({ name }) => void plains.push(name));
      const running = await world.start(op);
      place.proxy.inject(
        ({ path }) => path.endsWith("/customresourcedefinitions"),
        () => new Response("gone", { status: 410 }),
        2,
      );
      place.breakAll();
      await world.client.create(DEFINITIONS, definitionOf(PLAINS));
      await world.host.clock.advance(10);
      await world.client.create(PLAINS, {
        apiVersion: "lotse.test/v1",
        kind: "Plain",
        metadata: { name: "p", namespace: "default" },
      });
      await world.until(() => plains.includes("p"), 30);
      await running.stop();
    },
  );

  for (const isListed of [true, false]) {
    scenario.virtual(
      `[B199] that come ${
        isListed ? "unseen " : ""
      }while discovery cannot be reached are served as soon as it can`,
      async (world) => {
        await using place = await world.proxy();
        await world.client.delete(DEFINITIONS, { name: "plains.lotse.test" });
        await world.host.clock.advance(5);
        const op = operator();
        const plains: string[] = [];
        op.on.create("plains", { id: "make" }, ({ name }) => void plains.push(name));
        const running = await world.start(op);
        world.intercept = ({ method, url }) => {
          if (method !== "GET" || new URL(url).pathname !== "/apis/lotse.test") return undefined;
          throw Object.assign(new Error("The connection was reset"), { code: "ECONNRESET" });
        };
        if (isListed) {
          const isList = ({ path }: { path: string }): boolean => path.endsWith("/customresourcedefinitions");
          place.proxy.inject(isList, () => new Response("gone", { status: 410 }), 2);
          place.breakAll();
        }
        await world.client.create(DEFINITIONS, definitionOf(PLAINS));
        await world.host.clock.advance(20);
        assert.ok(running.messages("warn").some((message) => message.startsWith("Cannot look up the kinds")));
        world.intercept = undefined;
        const metadata = { name: "p", namespace: "default" };
        await world.until(async () => {
          await world.client.create(PLAINS, { apiVersion: "lotse.test/v1", kind: "Plain", metadata })
            .catch(() => {});
          return plains.includes("p");
        }, 60);
        // Nothing that is told of definitions later is lost.
        await world.client.delete(DEFINITIONS, { name: "plains.lotse.test" });
        await world.host.clock.advance(30);
        world.requests.length = 0;
        await world.host.clock.advance(300);
        assert.deepEqual(world.requests.filter(({ path }) => path.includes("/plains?")), []);
        await running.stop();
      },
    );
  }
});
