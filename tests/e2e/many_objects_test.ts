/**
 * Very many objects of one kind on a real API server, which an earlier run has handled: a new one starts.
 *
 * OBJECTS says how many: 20,000 each night, by .ci/nightly.
 */

import assert from "node:assert/strict";
import process from "node:process";
import { describe, it } from "node:test";
import type { Client } from "../../lib/client/client.ts";
import type { KubeObject } from "../../lib/model/object.ts";
import { type Operator, operator, persistence } from "../../mod.ts";
import type { Persistence } from "../../lib/public/persistence.ts";
import { findControlPlane } from "../control_plane/control_plane.ts";
import { heap } from "../support/heap.ts";
import { RealPlace } from "../support/real_world.ts";
import { Example, EXAMPLES, Objects, type World } from "../support/worlds.ts";

const COUNT = Number(process.env["OBJECTS"] ?? 300);
const WRITERS = 16;
const PAGE = COUNT > 5000 ? 500 : 100;
const CHANGED = 20;

/** What an object may cost in memory beside its own JSON of half a kilobyte. In bytes. */
const COST = 5_000;

/** Below, what is not the objects' weighs too much. */
const ENOUGH = 10_000;

describe(`An operator of ${COUNT} objects on a real server`, () => {
  it("sees each once at its start, by pages and by streams, writes nothing, and handles what changes", {
    skip: findControlPlane().reason ?? false,
    timeout: 120_000 + COUNT * 20,
  }, async () => {
    await using place = await RealPlace.open();
    const world = await place.world();
    await makeHandled(world);
    const before = await versionsOf(world);
    assert.equal(before.size, COUNT);
    for (const initialStreaming of [false, true]) {
      await using way = await world.proxy();
      const weight = await heap();
      const { op, seen, changed, indexed } = declare(initialStreaming);
      const running = await world.start(op);
      await untilFor(COUNT * 0.01, world, () => seen.length >= COUNT);
      await world.settle();
      assert.deepEqual([seen.length, new Set(seen).size], [COUNT, COUNT], "each is resumed once");
      assert.equal(indexed(), COUNT);
      const lists = way.proxy.seen.filter(({ verb }) => verb === "list").length;
      assert.equal(lists, initialStreaming ? 0 : Math.ceil(COUNT / PAGE));
      assert.deepEqual(way.proxy.seen.filter(({ method }) => method !== "GET"), [], "nothing is written");
      if (COUNT >= ENOUGH) {
        const cost = ((await heap()).size - weight.size) / COUNT;
        assert.ok(cost < COST, `${cost} bytes for each object`);
      }
      assert.deepEqual(await versionsOf(world), before, "nobody has touched them");
      const objects = new Objects(world);
      const names = [...before.keys()].slice(0, CHANGED);
      for (const name of names) await objects.patch(name, { spec: { by: String(initialStreaming) } });
      await world.until(() => changed.length >= CHANGED);
      await world.settle();
      assert.deepEqual(changed.toSorted(), names.toSorted(), "each change is handled once");
      await running.stop();
      for (const name of names) before.set(name, (await objects.get(name)).metadata.resourceVersion ?? "");
    }
  });
});

interface Declared {
  readonly op: Operator;
  readonly seen: string[];
  readonly changed: string[];
  /** How many objects are in the index. */
  readonly indexed: () => number;
}

function declare(initialStreaming: boolean, notes?: Persistence): Declared {
  const op = operator({ watching: { initialStreaming, chunkSize: PAGE }, persistence: notes });
  const seen: string[] = [];
  const changed: string[] = [];
  op.on.create(Example, { id: "make" }, () => {});
  op.on.resume(Example, { id: "see" }, ({ name }) => void seen.push(name));
  op.on.update(Example, { id: "change" }, ({ name }) => void changed.push(name));
  const names = op.index(Example, { id: "numbers" }, ({ name }) => ({ all: name }));
  return { op, seen, changed, indexed: () => names.get("all")?.length ?? 0 };
}

/** Makes objects with the notes of one that was handled. */
async function makeHandled(world: World): Promise<void> {
  const objects = new Objects(world);
  const running = await world.start(declare(false, persistence.annotations()).op);
  const spec = { n: 1, text: "x".repeat(100) };
  await objects.create("object-0", { spec });
  await world.until(async () => (await objects.get("object-0")).metadata.annotations !== undefined);
  await world.settle();
  await running.stop();
  const { metadata } = await objects.get("object-0");
  // As earlier releases have noted it, without the object's name: the uids of the others are not known before they are made.
  const annotations = Object.fromEntries(
    Object.entries(metadata.annotations ?? {}).map(([key, note]) => [key, note.replace(/,"of":"[^"]*"/, "")]),
  );
  let next = 1;
  await Promise.all(Array.from({ length: WRITERS }, async () => {
    while (next < COUNT) await objects.create(`object-${next++}`, { metadata: { annotations }, spec });
  }));
}

/** The version of each object. */
async function versionsOf(
  { client, namespace }: { client: Client; namespace: string },
): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const note = ({ metadata: { name = "", resourceVersion = "" } }: KubeObject): void =>
    void found.set(name, resourceVersion);
  for await (const { items } of client.list(EXAMPLES, { namespace })) items.forEach(note);
  return found;
}

/** Waits for as long as that many objects may take, in seconds. */
async function untilFor(seconds: number, world: World, condition: () => boolean): Promise<void> {
  const end = performance.now() + seconds * 1000;
  while (!condition() && performance.now() < end) await world.until(condition).catch(() => {});
  assert.ok(condition(), "not all objects were seen");
}
