/** Objects that were handled before the operator starts: which have a first turn, and which have none. */

import assert from "node:assert/strict";
import { type Operator, operator, persistence } from "../../mod.ts";
import { suite } from "../support/scenario.ts";
import { Example, FINALIZER, LAST_HANDLED, notesOf, Objects, type World } from "../support/worlds.ts";

/** An operator with handlers of creations, updates and deletions, and the list of their calls. */
function observed(): { readonly op: Operator; readonly calls: string[] } {
  // The scenarios write annotations over.
  const op = operator({ persistence: persistence.annotations() });
  const calls: string[] = [];
  op.on.create(Example, { id: "make" }, ({ name }) => void calls.push(`create ${name}`));
  op.on.update(Example, { id: "change" }, ({ name }) => void calls.push(`update ${name}`));
  op.on.delete(Example, { id: "drop" }, ({ name }) => void calls.push(`delete ${name}`));
  return { op, calls };
}

const isHandled = async (objects: Objects, name: string): Promise<boolean> =>
  LAST_HANDLED in notesOf(await objects.get(name));

async function makeAll(world: World, names: readonly string[]): Promise<Objects> {
  const objects = new Objects(world);
  const { op } = observed();
  const running = await world.start(op);
  for (const name of names) await objects.create(name, { spec: { size: 1 } });
  for (const name of names) await world.until(() => isHandled(objects, name));
  await world.settle();
  await running.stop();
  return objects;
}

suite("objects that were handled before the operator starts", (scenario) => {
  scenario(
    "[N44.1] have a first turn if they are not as their notes say, and none if they are",
    async (world) => {
      const objects = await makeAll(world, [
        "same",
        "changed",
        "record",
        "bare",
        "garbage",
        "paused",
        "leaving",
      ]);
      const note = async (name: string, notes: object): Promise<void> => {
        await objects.patch(name, { metadata: { annotations: notes } });
      };
      await objects.patch("changed", { spec: { size: 2 } });
      await note("record", { "lotse.dev/make": JSON.stringify({ purpose: "update", retries: 1 }) });
      await objects.patch("bare", { metadata: { finalizers: null } });
      await note("garbage", { [LAST_HANDLED]: "{" });
      await note("paused", { "lotse.dev/pause": "until=2100-01-01T00:00:00Z" });
      await objects.delete("leaving");
      await objects.create("new", { spec: { size: 1 } });
      const { op, calls } = observed();
      const running = await world.start(op);
      await world.until(async () => await objects.find("leaving") === undefined);
      await world.until(async () =>
        (await objects.get("bare")).metadata.finalizers?.includes(FINALIZER) === true
      );
      await world.until(async () => !("lotse.dev/make" in notesOf(await objects.get("record"))));
      await world.until(() => calls.length >= 4);
      await world.settle();
      assert.deepEqual(calls.sort(), ["create garbage", "create new", "delete leaving", "update changed"]);
      const looked = async (name: string) => op.ledger.of(await objects.get(name)) !== undefined;
      for (const name of ["changed", "record", "bare", "garbage", "paused", "new"]) {
        assert.ok(await looked(name), name);
      }
      assert.equal(await looked("same"), false);
      await running.stop();
    },
  );

  scenario("[N44.1] are handled from then on as if they had had one", async (world) => {
    const objects = await makeAll(world, ["one", "two", "three"]);
    const { op, calls } = observed();
    const running = await world.start(op);
    await world.settle();
    assert.equal(calls.length, 0);
    await objects.patch("one", { status: { count: 1 } }, "status");
    const before = (await objects.get("one")).metadata.resourceVersion;
    await objects.patch("two", { metadata: { annotations: { [LAST_HANDLED]: null } } });
    await world.until(() => isHandled(objects, "two"));
    await objects.patch("three", { spec: { size: 2 } });
    await world.until(() => calls.includes("update three"));
    await objects.delete("three");
    await world.until(() => calls.includes("delete three"));
    await world.settle();
    assert.deepEqual(calls, ["update three", "delete three"]);
    const one = await objects.get("one");
    assert.equal(one.metadata.resourceVersion, before);
    assert.equal(op.ledger.of(one), undefined, "a turn about a status that no handler looks at");
    await running.stop();
  });

  scenario(
    "[N44.1] all have one where a handler resumes them or is given an object to filter by",
    async (world) => {
      const objects = await makeAll(world, ["one"]);
      for (const more of ["resume", "when", "field"] as const) {
        const { op, calls } = observed();
        if (more === "resume") op.on.resume(Example, { id: "resume" }, () => void calls.push("resume"));
        if (more === "when") op.on.update(Example, { id: "when", when: () => true }, () => {});
        // The notes do not say yet what the field was when the object was handled.
        if (more === "field") op.on.field(Example, "status.phase", () => void calls.push("field"));
        const running = await world.start(op);
        await world.until(async () => op.ledger.of(await objects.get("one")) !== undefined);
        await world.settle();
        assert.deepEqual(calls, more === "resume" ? ["resume"] : []);
        await running.stop();
      }
    },
  );
});
