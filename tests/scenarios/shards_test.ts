/**
 * Operators that share a kind by server-side shards, on servers that apply them and on servers that ignore them.
 */

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { operator } from "../../mod.ts";
import { findControlPlane } from "../control_plane/control_plane.ts";
import { RealPlace } from "../support/real_world.ts";
import { suite } from "../support/scenario.ts";
import { Example, EXAMPLES, Objects, type World } from "../support/worlds.ts";

const SHARDS = [
  "shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')",
  "shardRange(object.metadata.uid, '0x8000000000000000', '0x10000000000000000')",
];

const CONFIG_MAPS = { group: "", version: "v1", plural: "configmaps", namespaced: true };

interface Told {
  readonly warnings: string[];
  /** What each of the operators has made. */
  readonly made: readonly string[][];
}

/** Runs two operators, each for a half of the objects: of those that were there, and of those that come. */
async function share(world: World, initialStreaming: boolean): Promise<Told> {
  const objects = new Objects(world);
  const names = [...Array(40).keys()].map((number) => `shared-${number}`);
  for (const name of names.slice(0, 20)) await objects.create(name);
  const made: string[][] = [];
  const gone: string[] = [];
  const runs = await Promise.all(SHARDS.map(async (shard) => {
    const op = operator({ watching: { shardSelectors: { examples: shard }, initialStreaming } });
    const mine: string[] = [];
    made.push(mine);
    op.on.create(Example, ({ name }) => void mine.push(name));
    op.on.event(Example, ({ type, name }) => {
      if (type === "DELETED") gone.push(name);
    });
    return await world.start(op, { standalone: true });
  }));
  for (const name of names.slice(20)) await objects.create(name);
  await world.until(() => made.flat().length >= 40, 10);
  await objects.delete("shared-0");
  await objects.delete("shared-30");
  await world.until(() => gone.length >= 2, 10);
  await world.settle();
  assert.deepEqual(made.flat().sort(), names.toSorted(), "each is handled once");
  assert.deepEqual(gone.sort(), ["shared-0", "shared-30"]);
  assert.ok(made.every((mine) => mine.length >= 5), `${made.map(({ length }) => length)}`);
  const warnings = runs.flatMap(({ logs }) =>
    logs.filter(({ level, message }) => level === "warn" && message.includes("shard")).map(({ message }) =>
      message
    )
  );
  for (const run of runs) await run.stop();
  return { made, warnings };
}

suite("Shards of a server that ignores them", (scenario) => {
  for (const streaming of [true, false]) {
    scenario(
      `are told apart by the operators, which say so (${streaming ? "streamed lists" : "pages"})`,
      async (world) => {
        const { warnings } = await share(world, streaming);
        assert.equal(warnings.length, 2);
        for (const warning of warnings) assert.match(warning, /^The server ignores the shard selector/);
      },
    );
  }
});

describe("Shards of a server that applies them", () => {
  const missing = findControlPlane().reason;
  let place: Promise<RealPlace> | undefined;
  after(async () => await (await place)?.[Symbol.asyncDispose]());

  for (const streaming of [true, false]) {
    it(
      `hold each object once, and none is fetched in vain (${streaming ? "streamed lists" : "pages"})`,
      { timeout: 180_000, skip: missing ?? false },
      async () => {
        place ??= RealPlace.open({ apiServerFlags: ["--feature-gates=ShardedListAndWatch=true"] });
        const world = await (await place).world();
        const { made, warnings } = await share(world, streaming);
        assert.deepEqual(warnings, []);
        // The server draws the line where we do.
        for (const [index, shardSelector] of SHARDS.entries()) {
          const { namespace } = world;
          const left = made[index]?.filter((name) => name !== "shared-0" && name !== "shared-30").sort();
          for await (
            const page of world.client.list(EXAMPLES, { namespace, shardSelector, chunkSize: null })
          ) {
            assert.deepEqual(page.items.map(({ metadata }) => metadata.name ?? "").sort(), left);
          }
          // NB: it says so of built-in kinds only (seen on 1.36.3).
          for await (const page of world.client.list(CONFIG_MAPS, { namespace, shardSelector })) {
            assert.equal(page.shard, shardSelector);
          }
        }
      },
    );
  }
});
