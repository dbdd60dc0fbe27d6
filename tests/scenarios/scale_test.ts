/**
 * Clusters with very many kinds and namespaces: what is not asked for must cost nothing.
 */

import assert from "node:assert/strict";
import { operator } from "../../lib/operator/operator.ts";
import { suite } from "../support/scenario.ts";
import type { VirtualWorld } from "../support/virtual_world.ts";
import { definitionOf, EXAMPLES } from "../support/worlds.ts";

const DEFINITIONS = {
  group: "apiextensions.k8s.io",
  version: "v1",
  plural: "customresourcedefinitions",
  namespaced: false,
} as const;

const GROUPS = 20;

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

suite("Two thousand kinds", (scenario) => {
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
          await makeManyKinds(world, { from: 20, to: 2000 });
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
      if (request.url.includes("customresourcedefinitions")) accepted.push(request.headers.get("accept"));
      return undefined;
    };
    for (const initialStreaming of [true, false]) await startPaths(world, { kinds: NAMED, initialStreaming });
    assert.ok(accepted.length >= 3);
    for (const accept of accepted) assert.match(String(accept), /as=PartialObjectMetadata/);
  });
});
