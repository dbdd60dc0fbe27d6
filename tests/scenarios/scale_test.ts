/**
 * Clusters with very many kinds and namespaces: what is not asked for must cost nothing.
 */

import assert from "node:assert/strict";
import { operator } from "../../mod.ts";
import { suite } from "../support/scenario.ts";
import { sized } from "../support/size.ts";
import type { VirtualWorld } from "../support/virtual_world.ts";
import { definitionOf, Example, EXAMPLES } from "../support/worlds.ts";

const DEFINITIONS = {
  group: "apiextensions.k8s.io",
  version: "v1",
  plural: "customresourcedefinitions",
  namespaced: false,
} as const;

const NAMESPACES = { group: "", version: "v1", plural: "namespaces", namespaced: false } as const;

const GROUPS = 20;
const KINDS = sized({ short: 200, full: 2000 });
const NAMESPACE_COUNT = sized({ short: 50, full: 500 });

/** Makes so many kinds more, in 20 groups. */
async function makeManyKinds(world: VirtualWorld, { from, to }: { from: number; to: number }): Promise<void> {
  for (let index = from; index < to; index++) {
    const group = `g${index % GROUPS}.scale.test`;
    const kind = { ...EXAMPLES, group, plural: `many${index}s`, kind: `Many${index}` };
    await world.client.create(DEFINITIONS, definitionOf(kind));
  }
  await world.host.clock.advance(10);
}

/** Hides aggregated discovery, as servers before 1.26 did not have it. */
function hideAggregated(world: VirtualWorld): void {
  world.intercept = (request) => {
    if (!/^\/apis?$/.test(new URL(request.url).pathname)) return undefined;
    const headers = new Headers(request.headers);
    headers.set("accept", "application/json");
    return world.server.fetch(new Request(request.url, { headers }));
  };
}

/** The paths that an operator for three kinds asks for until it has seen all there is. */
async function startPaths(
  world: VirtualWorld,
  { kinds, initialStreaming }: { readonly kinds: readonly string[]; readonly initialStreaming: boolean },
): Promise<string[]> {
  world.requests.length = 0;
  const op = operator({ watching: { initialStreaming } });
  for (const kind of kinds) op.on.create(kind, { id: `create-${kind}` }, () => {});
  const running = await world.start(op);
  await running.settle();
  const paths = world.requests.map(({ method, path }) => `${method} ${path}`);
  await running.stop();
  return paths;
}

const NAMED = ["examples.lotse.test", "plains.lotse.test", "many3s.g3.scale.test"];
const UNNAMED = ["examples", "plains", "many3s"];

suite(`Very many kinds (${KINDS})`, (scenario) => {
  for (const initialStreaming of [true, false]) {
    for (const aggregated of [true, false]) {
      const title = `${initialStreaming ? "streamed lists" : "pages"}, ${
        aggregated ? "aggregated discovery" : "discovery by groups"
      }`;
      scenario.virtual(
        `cost an operator for three of them no more than four requests at its start (${title})`,
        async (world) => {
          if (!aggregated) hideAggregated(world);
          await makeManyKinds(world, { from: 0, to: 20 });
          const forms = aggregated ? [NAMED, UNNAMED] : [NAMED];
          const few: number[] = [];
          for (const kinds of forms) few.push((await startPaths(world, { kinds, initialStreaming })).length);
          await makeManyKinds(world, { from: 20, to: KINDS });
          for (const [index, kinds] of forms.entries()) {
            const paths = await startPaths(world, { kinds, initialStreaming });
            const extra = paths.length - (few[index] ?? 0);
            assert.ok(extra <= 4, `${extra} more requests: ${paths.join(", ")}`);
          }
        },
      );
    }
  }

  scenario.virtual("come without their schemas", async (world) => {
    const accepted: (string | null)[] = [];
    world.intercept = (request) => {
      if (/\/customresourcedefinitions(\?|$)/.test(request.url)) accepted.push(request.headers.get("accept"));
      return undefined;
    };
    for (const initialStreaming of [true, false]) await startPaths(world, { kinds: NAMED, initialStreaming });
    assert.ok(accepted.length >= 3);
    for (const accept of accepted) assert.match(String(accept), /as=PartialObjectMetadata/);
  });
});

/** Makes so many namespaces with an object in each, and one that does not match. */
async function makeManyNamespaces(world: VirtualWorld, count: number): Promise<void> {
  const names = [...Array(count).keys()].map((index) => `many-${index}`);
  for (const name of [...names, "other"]) {
    await world.client.create(NAMESPACES, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
    await makeExample(world, name, "first");
  }
}

async function makeExample(world: VirtualWorld, namespace: string, name: string): Promise<void> {
  const object = { apiVersion: "lotse.test/v1", kind: "Example", metadata: { name, namespace }, spec: {} };
  await world.client.create(EXAMPLES, object);
}

/** Refuses what concerns the kind in the whole cluster. */
function forbid(world: VirtualWorld, isForbidden: () => boolean): void {
  world.intercept = (request) =>
    isForbidden() && new URL(request.url).pathname === "/apis/lotse.test/v1/examples"
      ? Response.json({ kind: "Status", code: 403, message: "no" }, { status: 403 })
      : undefined;
}

function recorder(options: Parameters<typeof operator>[0] = {}) {
  const op = operator(options);
  const made: string[] = [];
  const gone: string[] = [];
  op.on.create(Example, { id: "make" }, ({ namespace, name }) => void made.push(`${namespace}/${name}`));
  op.on.event(Example, { id: "see" }, ({ namespace, name, type }) => {
    if (type === "DELETED") gone.push(`${namespace}/${name}`);
  });
  return { op, made, gone };
}

/** The watches of the kind that are asked for: "" is the whole cluster. */
function watches(world: VirtualWorld): string[] {
  return world.requests.flatMap(({ path }) => {
    const match = /^\/apis\/lotse\.test\/v1\/(?:namespaces\/([^/]+)\/)?examples\?.*watch=true/.exec(path);
    return match ? [match[1] ?? ""] : [];
  });
}

suite(`Very many namespaces by a pattern (${NAMESPACE_COUNT})`, (scenario) => {
  for (const initialStreaming of [true, false]) {
    const title = initialStreaming ? "streamed lists" : "pages";
    scenario.virtual(`are one watch where rights allow (${title})`, async (world) => {
      await makeManyNamespaces(world, NAMESPACE_COUNT);
      const { op, made, gone } = recorder({ watching: { initialStreaming } });
      const running = await world.start(op, { scope: ["many-*"] });
      await running.settle();
      assert.deepEqual(watches(world), [""]);
      assert.equal(new Set(made).size, NAMESPACE_COUNT);
      assert.ok(!made.includes("other/first"));
      await world.client.create(NAMESPACES, {
        apiVersion: "v1",
        kind: "Namespace",
        metadata: { name: "many-new" },
      });
      await makeExample(world, "many-new", "x");
      await makeExample(world, "other", "x");
      await world.client.delete(EXAMPLES, { namespace: "many-3", name: "first" });
      await world.until(() => made.includes("many-new/x") && gone.includes("many-3/first"), 5);
      assert.deepEqual(gone, ["many-3/first"]);
      assert.equal(made.length, NAMESPACE_COUNT + 1);
      assert.deepEqual(watches(world), [""]);
      await running.stop();
    });

    scenario.virtual(
      `are a watch each where rights do not, and none is starved (${title})`,
      async (world) => {
        await makeManyNamespaces(world, NAMESPACE_COUNT);
        forbid(world, () => true);
        const { op, made } = recorder({ watching: { initialStreaming }, networking: { requestLimit: 4 } });
        const running = await world.start(op, { scope: ["many-*"] });
        await running.settle();
        assert.equal(new Set(watches(world).filter((name) => name !== "")).size, NAMESPACE_COUNT);
        assert.equal(new Set(made).size, NAMESPACE_COUNT);
        for (let index = 0; index < NAMESPACE_COUNT; index++) {
          await makeExample(world, `many-${index}`, "second");
        }
        await world.until(() => made.length === 2 * NAMESPACE_COUNT, 5);
        assert.equal(new Set(made).size, 2 * NAMESPACE_COUNT);
        await running.stop();
      },
    );
  }

  scenario.virtual(
    "are served through rights that come and go, and nothing is missed or told twice",
    async (world) => {
      await makeManyNamespaces(world, 12);
      let isForbidden = true;
      forbid(world, () => isForbidden);
      const { op, made, gone } = recorder();
      const running = await world.start(op, { scope: ["many-*"] });
      await running.settle();
      assert.equal(made.length, 12);
      isForbidden = false;
      world.requests.length = 0;
      await world.host.clock.advance(130);
      assert.deepEqual(watches(world).filter((name) => name !== "").length, 0);
      assert.ok(watches(world).includes(""), "one stream serves them all now");
      await makeExample(world, "many-1", "second");
      await world.client.delete(EXAMPLES, { namespace: "many-2", name: "first" });
      await world.until(() => made.length === 13 && gone.length === 1, 5);
      isForbidden = true;
      world.requests.length = 0;
      world.host.network.breakAll();
      await world.client.delete(EXAMPLES, { namespace: "many-3", name: "first" });
      await world.host.clock.advance(60);
      assert.equal(new Set(watches(world).filter((name) => name !== "")).size, 12);
      await makeExample(world, "many-4", "second");
      await makeExample(world, "other", "second");
      await world.until(() => made.length === 14 && gone.length === 2, 5);
      await world.host.clock.advance(700);
      assert.deepEqual(gone, ["many-2/first", "many-3/first"]);
      assert.equal(new Set(made).size, 14);
      assert.equal(made.length, 14);
      await running.stop();
    },
  );

  scenario.virtual("that are fewer than the setting says are a watch each", async (world) => {
    await makeManyNamespaces(world, 3);
    for (const [clusterwideFrom, expected] of [[4, 3], [3, 1], [null, 3]] as const) {
      world.requests.length = 0;
      const { op } = recorder({ scanning: { clusterwideFrom } });
      const running = await world.start(op, { scope: ["many-*"] });
      await running.settle();
      assert.equal(new Set(watches(world)).size, expected, `from ${clusterwideFrom}`);
      await running.stop();
    }
  });
});
