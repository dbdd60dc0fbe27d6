/** Objects that are kept as bytes: handlers, caches, indexes and daemons see what they see of parsed ones. */

import assert from "node:assert/strict";
import { canonicalJson } from "../../lib/model/json.ts";
import { operator } from "../../mod.ts";
import { suite } from "../support/scenario.ts";
import { Example, LAST_HANDLED, notesOf, Objects, type World } from "../support/worlds.ts";

/** More than stay parsed. */
const NAMES = Array.from({ length: 24 }, (_, number) => `object-${String(number).padStart(2, "0")}`);

/** Everything that an operator is told and sees in the life of some objects, across a restart. */
async function story(world: World, memory: "hot" | "cold"): Promise<unknown[]> {
  // Once each: how often an object is reconciled is a matter of what comes at once.
  const told = new Set<string>();
  const tell = (...what: unknown[]): void => void told.add(canonicalJson(what));
  const make = () => {
    const op = operator({ watching: { memory } });
    const byColour = op.index(Example, function byColour({ name, spec }) {
      return { [String(spec.colour)]: name };
    });
    op.on.create(Example, function create({ name, spec }) {
      tell("create", name, spec);
    });
    op.on.update(Example, function update({ name, old, new: now, diff, patch }) {
      patch.status.seen = now.spec?.size;
      tell("update", name, old.spec, now.spec, diff.map(({ op, path }) => [op, path]));
    });
    op.on.field(Example, { field: "spec.colour" }, function colour({ name, old, new: now }) {
      tell("colour", name, old, now);
    });
    op.reconcile(Example, function reconcile({ name, spec }) {
      tell("reconcile", name, spec.size);
    });
    op.on.delete(Example, function remove({ name, spec }) {
      tell("delete", name, spec.size);
    });
    op.daemon(Example, { labels: { watched: "yes" } }, async function follow({ name, body, stopped }) {
      await stopped.wait(1);
      tell("daemon", name, body.spec);
    });
    return { op, byColour, cache: op.cache(Example) };
  };
  const objects = new Objects(world);
  const isHandled = async (name: string): Promise<boolean> =>
    LAST_HANDLED in notesOf(await objects.get(name));
  const first = make();
  const before = await world.start(first.op);
  for (const [index, name] of NAMES.entries()) {
    await objects.create(name, {
      metadata: { labels: { watched: index === 0 ? "yes" : "no" } },
      spec: { size: index, colour: "red" },
    });
  }
  for (const name of NAMES) await world.until(() => isHandled(name));
  for (const name of NAMES) await objects.patch(name, { spec: { size: 100, list: [1, { a: null }] } });
  await objects.patch(NAMES[3]!, { spec: { colour: "blue" } });
  for (const name of NAMES) await world.until(async () => (await objects.get(name)).status?.seen === 100);
  await world.until(() => [...told].some((each) => each.startsWith('["daemon"')), 60);
  await world.settle();
  tell("cache", [...first.cache.list()].map(({ metadata, spec }) => [metadata.name, spec?.size]).sort());
  tell("index", [...first.byColour.get("blue") ?? []], [...first.byColour.get("red") ?? []].sort());
  await before.stop();
  await objects.patch(NAMES[5]!, { spec: { size: 7 } });
  const second = make();
  const after = await world.start(second.op);
  await world.until(async () => (await objects.get(NAMES[5]!)).status?.seen === 7);
  for (const name of NAMES) await objects.delete(name);
  for (const name of NAMES) await world.until(async () => await objects.find(name) === undefined);
  await world.settle();
  await after.stop();
  return [...told].sort();
}

suite("objects that are kept as bytes", (scenario) => {
  scenario("[N56.1] are handled, found and indexed as parsed ones are, across a restart", async (world) => {
    const hot = await story(world, "hot");
    const cold = await story(world, "cold");
    assert.deepEqual(cold, hot);
    assert.ok(hot.length > 4 * NAMES.length, `${hot.length} lines`);
  });
});
