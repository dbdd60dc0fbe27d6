/**
 * What happens at the same moment: kinds and namespaces that go while their objects are known, retries that come due while
 * their object goes, an operator that stops while its handlers end.
 */

import assert from "node:assert/strict";
import { lifecycles, operator, TemporaryError } from "../../mod.ts";
import { suite } from "../support/scenario.ts";
import type { VirtualWorld } from "../support/virtual_world.ts";
import { definitionOf, Example, EXAMPLES, Objects, Plain, PLAINS, statusOf } from "../support/worlds.ts";

const NAMESPACES = { group: "", version: "v1", plural: "namespaces", namespaced: false } as const;
const DEFINITIONS = {
  group: "apiextensions.k8s.io",
  version: "v1",
  plural: "customresourcedefinitions",
  namespaced: false,
} as const;

async function makeNamespace({ client }: VirtualWorld, name: string): Promise<void> {
  await client.create(NAMESPACES, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
}

async function makeExample({ client }: VirtualWorld, namespace: string, name: string): Promise<void> {
  await client.create(EXAMPLES, {
    apiVersion: "lotse.test/v1",
    kind: "Example",
    metadata: { name, namespace },
    spec: {},
  });
}

/** The definition, with something else in its only version. */
async function redefine(world: VirtualWorld, change: Record<string, unknown>): Promise<void> {
  const { spec } = definitionOf(EXAMPLES) as { readonly spec: { readonly versions: readonly object[] } };
  const versions = [{ ...spec.versions[0], ...change }];
  const name = `${EXAMPLES.plural}.${EXAMPLES.group}`;
  await world.client.patch(DEFINITIONS, { name }, { type: "merge", body: { spec: { versions } } });
  await world.host.clock.advance(5);
}

suite("What is served no more", (scenario) => {
  scenario.virtual("takes nothing else out of the indexes of its kind", async (world) => {
    const op = operator();
    const names = op.index(
      Example,
      { id: "names" },
      ({ namespace, name }) => ({ [String(namespace)]: name }),
    );
    for (const namespace of ["ns-1", "ns-2"]) {
      await makeNamespace(world, namespace);
      await makeExample(world, namespace, "a");
    }
    const running = await world.start(op, { scope: ["ns-*"] });
    assert.deepEqual([...names.keys()].sort(), ["ns-1", "ns-2"]);
    await world.client.delete(EXAMPLES, { namespace: "ns-1", name: "a" });
    await world.client.delete(NAMESPACES, { name: "ns-1" });
    await world.host.clock.advance(5);
    assert.deepEqual([...names.keys()], ["ns-2"]);
    await running.stop();
  });

  scenario.virtual("takes its metrics with it: silence that nobody breaks is no alarm", async (world) => {
    const op = operator();
    op.on.event("plains", { id: "see" }, () => {});
    op.on.event(Example, { id: "see" }, () => {});
    const running = await world.start(op, { liveness: "http://localhost:8080/healthz" });
    const scrape = async () => {
      using connection = world.host.network.connect({ server: "http://localhost:8080" });
      const response = await connection.request({ method: "GET", path: "/metrics", headers: {} });
      return (await response.text()).split("\n").filter((line) => line.startsWith("lotse_watch_silence"))
        .sort();
    };
    assert.equal((await scrape()).length, 2);
    await world.client.delete(DEFINITIONS, { name: "plains.lotse.test" });
    await world.host.clock.advance(30);
    assert.deepEqual((await scrape()).map((line) => /kind="(.*?)"/.exec(line)?.[1]), ["examples.lotse.test"]);
    await running.stop();
  });

  scenario.virtual(
    "is noticed also if its definition went while nobody could watch definitions",
    async (world) => {
      const op = operator({ networking: { errorBackoffs: [] } });
      op.on.event("plains", { id: "see" }, () => {});
      op.on.event(Example, { id: "see" }, () => {});
      const running = await world.start(op);
      world.intercept = (request) =>
        new URL(request.url).pathname.endsWith("/customresourcedefinitions")
          ? new Response("no", { status: 403 })
          : undefined;
      world.host.network.breakAll();
      await world.host.clock.advance(5);
      await world.client.delete(DEFINITIONS, { name: "plains.lotse.test" });
      await world.host.clock.advance(5);
      world.intercept = undefined;
      await world.host.clock.advance(120);
      world.requests.length = 0;
      await world.host.clock.advance(300);
      assert.deepEqual(world.requests.filter(({ path }) => path.includes("/plains?")), []);
      await running.stop();
    },
  );

  scenario.virtual("takes its objects' daemons, timers, retries and indexes with it", async (world) => {
    const op = operator();
    let ticks = 0;
    let calls = 0;
    let isOver = false;
    op.timer(Example, { id: "tick", interval: 1 }, () => void ticks++);
    op.daemon(Example, { id: "guard" }, async ({ stopped }) => {
      await stopped.wait(Infinity);
      isOver = true;
    });
    op.on.create(Example, { id: "make" }, () => {
      calls++;
      throw new TemporaryError("not yet", { delay: 10 });
    });
    const names = op.index(Example, { id: "names" }, ({ name }) => ({ [String(name)]: 1 }));
    await new Objects(world).create("a");
    const running = await world.start(op);
    await world.host.clock.advance(5);
    assert.ok(ticks > 0 && calls === 1 && names.size === 1);
    await redefine(world, { served: false });
    // It could come back in another version.
    await world.host.clock.advance(2);
    const before = ticks;
    await world.host.clock.advance(60);
    assert.deepEqual({ ticks, calls, isOver, left: names.size }, {
      ticks: before,
      calls: 1,
      isOver: true,
      left: 0,
    });
    await running.stop();
  });
});

suite("That every kind has been listed", (scenario) => {
  scenario.virtual("is told once, whatever comes and goes afterwards", async (world) => {
    const op = operator();
    let told = 0;
    op.on.create(Example, { id: "make" }, () => {});
    const running = await world.start(op, { synced: () => void told++ });
    for (const value of ["1", "2", "3"]) {
      const body = { metadata: { labels: { value } } };
      await world.client.patch(DEFINITIONS, { name: "plains.lotse.test" }, { type: "merge", body });
      await world.host.clock.advance(5);
    }
    assert.equal(told, 1);
    await running.stop();
  });
});

suite("A kind whose definition is deleted", (scenario) => {
  scenario("is served until its last object has gone, finalizers and all", async (world) => {
    const name = "passings.lotse.test";
    const kind = { ...PLAINS, plural: "passings", kind: "Passing" } as const;
    const { client, namespace } = world;
    const isDefined = () => client.get(DEFINITIONS, { name }).then(() => true, () => false);
    const calls: string[] = [];
    const op = operator();
    op.on.delete("passings", { id: "bye" }, ({ retry }) => {
      calls.push(`bye ${retry}`);
      if (retry < 2) throw new TemporaryError("not yet", { delay: 0.5 });
    });
    const { spec, ...rest } = definitionOf(PLAINS) as { spec: Record<string, unknown> };
    const names = { plural: kind.plural, singular: "passing", kind: kind.kind };
    await client.create(DEFINITIONS, { ...rest, metadata: { name }, spec: { ...spec, names } });
    const object = { apiVersion: "lotse.test/v1", kind: kind.kind, metadata: { name: "a", namespace } };
    await world.until(() => client.create(kind, object).then(() => true, () => false));
    const running = await world.start(op);
    const isHeld = async () => (await client.get(kind, object.metadata)).metadata.finalizers !== undefined;
    await world.until(isHeld);
    await client.delete(DEFINITIONS, { name });
    await world.until(async () => !await isDefined());
    assert.deepEqual(calls, ["bye 0", "bye 1", "bye 2"]);
    await running.stop();
  });
});

suite("A kind that discovery knows late", (scenario) => {
  scenario.virtual("is served as soon as discovery knows it, and no longer than that", async (world) => {
    const name = "plains.lotse.test";
    const { client, host } = world;
    await client.delete(DEFINITIONS, { name });
    await host.clock.advance(5);
    const op = operator();
    const seen: string[] = [];
    op.on.event(Plain, { id: "see" }, ({ name }) => void seen.push(name));
    op.on.event(Example, { id: "see" }, () => {});
    const running = await world.start(op);
    /** Lets discovery lag behind by three seconds. */
    async function late(change: () => Promise<unknown>): Promise<void> {
      const answers = new Map<string, string>();
      for (const path of ["/apis/lotse.test", "/apis/lotse.test/v1"]) {
        const answer = await world.server.fetch(new Request(`https://outside.test${path}`));
        answers.set(path, await answer.text());
      }
      const headers = { "content-type": "application/json" };
      world.intercept = (_, { path }) =>
        answers.has(path) ? new Response(answers.get(path), { headers }) : undefined;
      await change();
      await host.clock.advance(3);
      world.intercept = undefined;
      await host.clock.advance(10);
    }
    await late(() => client.create(DEFINITIONS, definitionOf(PLAINS)));
    await new Objects(world, PLAINS).create("a");
    await world.until(() => seen.includes("a"), 5);
    await late(() => client.delete(DEFINITIONS, { name }));
    world.requests.length = 0;
    await host.clock.advance(300);
    assert.deepEqual(world.requests.filter(({ path }) => path.includes("/plains?")), []);
    await running.stop();
  });
});

suite("A kind that is served in another version from now on", (scenario) => {
  for (const told of ["the old version", "nothing"] as const) {
    scenario.virtual(`is watched on while discovery tells of ${told}`, async (world) => {
      const { client, host } = world;
      const op = operator();
      const made: string[] = [];
      const ends: string[] = [];
      op.on.create("plains.lotse.test", { id: "make" }, ({ name, resource: { version } }) => {
        made.push(`${name} ${version}`);
      });
      op.daemon("plains.lotse.test", { id: "stay" }, async ({ stopped }) => {
        await stopped.wait();
        ends.push([...stopped.reasons].join());
      });
      const running = await world.start(op);
      await new Objects(world, PLAINS).create("old");
      await running.settle();
      const answers = new Map<string, string>();
      for (const path of ["/apis/lotse.test", "/apis/lotse.test/v1"]) {
        const answer = await world.server.fetch(new Request(`https://outside.test${path}`));
        const body = await answer.json() as { resources?: { name: string }[] };
        if (told === "nothing") {
          body.resources = body.resources?.filter(({ name }) => !name.startsWith("plains"));
        }
        answers.set(path, JSON.stringify(body));
      }
      const headers = { "content-type": "application/json" };
      world.intercept = (_, { path }) =>
        answers.has(path) ? new Response(answers.get(path), { headers }) : undefined;
      const { spec: { versions: [first] } } = definitionOf(PLAINS) as { spec: { versions: object[] } };
      const versions = [{ ...first, name: "v2" }, { ...first, storage: false, served: false }];
      const name = "plains.lotse.test";
      await client.patch(DEFINITIONS, { name }, { type: "merge", body: { spec: { versions } } });
      await host.clock.advance(1);
      assert.deepEqual(ends, []);
      world.intercept = undefined;
      await host.clock.advance(30);
      await new Objects(world, { ...PLAINS, version: "v2" } as unknown as typeof PLAINS).create("new");
      await running.settle();
      assert.deepEqual([made, ends], [["old v1", "new v2"], ["FILTERS_MISMATCH"]]);
      await running.stop();
    });
  }
});

suite("A kind that changes while it is served", (scenario) => {
  for (const isSubresource of [true, false]) {
    const title = isSubresource ? "gets a status subresource" : "loses its status subresource";
    scenario.virtual(`and ${title} is written as it is now`, async (world) => {
      const kind = isSubresource ? { subresources: null } : { subresources: { status: {} } };
      const objects = new Objects(world);
      await redefine(world, kind);
      const op = operator();
      const calls: string[] = [];
      op.on.create(Example, { id: "make" }, ({ name, patch }) => {
        calls.push(name);
        patch.status["made"] = name;
      });
      op.on.update(Example, { id: "mend" }, ({ name, patch }) => {
        calls.push(name);
        patch.status["mended"] = name;
      });
      const running = await world.start(op);
      await objects.create("a");
      await running.settle();
      await redefine(world, isSubresource ? { subresources: { status: {} } } : { subresources: null });
      await objects.create("b");
      await objects.patch("a", { spec: { value: 1 } });
      await world.host.clock.advance(5);
      assert.deepEqual(statusOf(await objects.get("a")), { made: "a", mended: "a" });
      assert.deepEqual(statusOf(await objects.get("b")), { made: "b" });
      await objects.patch("b", { metadata: { labels: { touched: "yes" } } });
      await world.host.clock.advance(5);
      assert.deepEqual(calls.sort(), ["a", "a", "b", "b"]);
      await running.stop();
    });
  }
});

suite("An operator that stops", (scenario) => {
  scenario.virtual("keeps what handlers have done when they end because of it", async (world) => {
    const objects = new Objects(world);
    const calls: string[] = [];
    const make = () => {
      const op = operator();
      op.on.create(Example, { id: "make" }, async ({ signal, patch, retry }) => {
        calls.push(`make ${retry}`);
        const { promise, resolve } = Promise.withResolvers<void>();
        signal.addEventListener("abort", () => resolve());
        if (calls.length === 1) await promise;
        patch.status["half"] = "done";
      });
      return op;
    };
    const first = await world.start(make());
    await objects.create("a");
    await world.until(() => calls.length === 1, 5);
    await first.stop();
    assert.deepEqual(statusOf(await objects.get("a")), { half: "done" });
    const second = await world.start(make());
    await second.settle();
    assert.deepEqual(calls, ["make 0"]);
    await second.stop();
  });

  scenario.virtual("keeps what has succeeded beside what it interrupts", async (world) => {
    const objects = new Objects(world);
    const calls: string[] = [];
    const make = (isLast: boolean) => {
      const op = operator({ lifecycle: lifecycles.allAtOnce });
      op.on.create(Example, { id: "first" }, ({ patch }) => {
        calls.push("first");
        patch.status["first"] = "done";
      });
      op.on.create(Example, { id: "second" }, async ({ signal, retry }) => {
        calls.push(`second ${retry}`);
        if (isLast) return;
        await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
      });
      return op;
    };
    const first = await world.start(make(false));
    await objects.create("a");
    await world.until(() => calls.length === 2, 5);
    await first.stop();
    assert.deepEqual(statusOf(await objects.get("a")), { first: "done" });
    const second = await world.start(make(true));
    await second.settle();
    assert.deepEqual(calls, ["first", "second 0", "second 0"]);
    await second.stop();
  });

  scenario.virtual("says which objects have handlers that do not stop", async (world) => {
    const op = operator();
    op.on.create(Example, { id: "make" }, async () => await new Promise(() => {}));
    const running = await world.start(op);
    await new Objects(world).create("a");
    await world.host.clock.advance(5);
    await running.stop();
    const [told] = running.logs.filter(({ message }) => message.startsWith("Some handlers do not stop"));
    assert.deepEqual(told?.fields, { objects: ["examples.v1.lotse.test default/a"], background: 0 });
  });

  scenario.virtual("does not wait for a server that does not answer", async (world) => {
    const op = operator();
    op.on.create(Example, { id: "make" }, () => {});
    const running = await world.start(op);
    const isDiscovery = /^\/apis(\/lotse\.test(\/v1)?)?$/;
    world.intercept = (request) =>
      isDiscovery.test(new URL(request.url).pathname) ? new Promise<Response>(() => {}) : undefined;
    await world.client.delete(DEFINITIONS, { name: `${PLAINS.plural}.${PLAINS.group}` });
    await world.host.clock.advance(1);
    const begun = world.host.clock.monotonic();
    await running.stop();
    assert.ok(world.host.clock.monotonic() - begun < 10);
  });

  scenario.virtual("begins nothing new for those that wait for a worker", async (world) => {
    const objects = new Objects(world);
    const op = operator({ queueing: { workerLimit: 1 } });
    const calls: string[] = [];
    op.on.create(Example, { id: "make" }, async ({ name, signal }) => {
      calls.push(name);
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
    });
    const running = await world.start(op);
    for (const name of ["a", "b", "c"]) await objects.create(name);
    await world.until(() => calls.length === 1, 5);
    await running.stop();
    assert.deepEqual(calls, ["a"]);
  });
});

suite("An object that goes", (scenario) => {
  scenario.virtual("is not handled again by a retry that comes due meanwhile", async (world) => {
    const objects = new Objects(world);
    const op = operator();
    const calls: string[] = [];
    op.on.create(Example, { id: "make" }, ({ retry }) => {
      calls.push(`make ${retry}`);
      throw new TemporaryError("not yet", { delay: 10 });
    });
    op.on.event(Example, { id: "see" }, async ({ type }) => {
      if (type === "DELETED") await world.host.clock.sleep(60);
    });
    const running = await world.start(op);
    await objects.create("a");
    await world.host.clock.advance(5);
    await objects.delete("a");
    await world.host.clock.advance(120);
    assert.deepEqual(calls, ["make 0"]);
    await running.stop();
  });

  scenario.virtual("takes its daemons with it, even while it is throttled", async (world) => {
    const objects = new Objects(world);
    const op = operator({ queueing: { errorDelays: [600] }, networking: { errorBackoffs: [] } });
    let ticks = 0;
    op.timer(Example, { id: "tick", interval: 1, labels: { x: "y" } }, () => void ticks++);
    op.on.update(Example, { id: "mend" }, ({ patch }) => void (patch.status["x"] = 1));
    const running = await world.start(op);
    await objects.create("a", { metadata: { labels: { x: "y" } } });
    await world.host.clock.advance(5);
    world.intercept = (request) =>
      request.method === "PATCH" ? new Response("broken", { status: 501 }) : undefined;
    await objects.patch("a", { spec: { value: 1 } });
    await world.host.clock.advance(5);
    await objects.patch("a", { metadata: { finalizers: null } });
    await objects.delete("a");
    await world.host.clock.advance(5);
    const before = ticks;
    await world.host.clock.advance(60);
    assert.equal(ticks, before);
    await running.stop();
  });
});

suite("A function in a patch", (scenario) => {
  scenario.virtual("that throws fails its handler's attempt, and holds nothing else up", async (world) => {
    const objects = new Objects(world);
    const op = operator();
    const calls: string[] = [];
    op.on.create(Example, { id: "make", backoff: 10 }, ({ patch, retry }) => {
      calls.push("make");
      patch.status["made"] = true;
      patch.fns.push(() => {
        if (retry === 0) throw new Error("broken");
      });
    });
    op.on.update(Example, { id: "mend" }, () => void calls.push("mend"));
    const running = await world.start(op);
    await objects.create("a");
    await world.host.clock.advance(30);
    await objects.patch("a", { spec: { value: 1 } });
    await world.host.clock.advance(30);
    assert.deepEqual(calls, ["make", "make", "mend"]);
    assert.deepEqual(statusOf(await objects.get("a")), { made: true });
    assert.equal(running.messages("error").length, 1);
    await running.stop();
  });
});
