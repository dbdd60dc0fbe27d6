/** Resumptions that become something else before they are over. */

import assert from "node:assert/strict";
import { type Operator, operator, TemporaryError } from "../../mod.ts";
import { suite } from "../support/scenario.ts";
import { Example, notesOf, Objects } from "../support/worlds.ts";

suite("Resumption", (scenario) => {
  scenario("goes on when the object is changed or deleted meanwhile, sub-handlers too", async (world) => {
    const objects = new Objects(world);
    const notes = async () => notesOf(await objects.get("one"));
    const record = async (key: string) => JSON.parse((await notes())[`lotse.dev/${key}`] ?? "{}");
    const calls: string[] = [];
    const first = await world.start(makeOperator(calls));
    await objects.create("one", { spec: { kept: 1, value: 1 } });
    await world.until(async () => "lotse.dev/last-handled-configuration" in await notes());
    await first.stop();
    const second = await world.start(makeOperator(calls));
    await world.until(async () => (await record("stuck.other")).retries === 1);
    await objects.patch("one", { spec: { value: 2 } });
    await world.until(() => calls.includes("change"));
    await world.settle();
    await objects.delete("one");
    await world.until(async () => (await record("clean")).retries === 1);
    await world.settle();
    assert.deepEqual(calls.sort(), ["change", "clean", "done", "other", "part"]);
    assert.equal((await record("stuck")).purpose, "delete");
    assert.equal((await record("stuck.other")).retries, 1);
    await second.stop();
    await objects.patch("one", { metadata: { finalizers: null } });
  });
});

function makeOperator(calls: string[]): Operator {
  const op = operator();
  const call = (what: string): void => void calls.push(what);
  op.on.create(Example, { id: "make" }, () => {});
  op.on.resume(Example, { id: "done", deleted: true, field: "spec.kept" }, () => call("done"));
  op.on.resume(Example, { id: "stuck", deleted: true }, async ({ sub }) => {
    sub("part", { field: "spec.kept" }, () => call("part"));
    sub("other", () => {
      call("other");
      throw new TemporaryError("never", { delay: 3600 });
    });
    await sub.run();
  });
  op.on.update(Example, { id: "change" }, () => call("change"));
  op.on.delete(Example, { id: "clean" }, () => {
    call("clean");
    throw new TemporaryError("not yet", { delay: 3600 });
  });
  return op;
}
