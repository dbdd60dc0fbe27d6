import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ObjectDaemons } from "../../../lib/handlers/background/object_daemons.ts";
import { testObject } from "./world.ts";

function make() {
  const object = new ObjectDaemons<{ onChange(): void }>(testObject("one"), 10);
  const told: string[] = [];
  const task = { onChange: () => void told.push("changed") };
  object.add(task);
  return { object, told, task };
}

describe("ObjectDaemons", () => {
  it("tells its tasks of a change, and begins the idle time anew; first sight and repetitions are none", () => {
    const { object, told } = make();
    for (const [essence, now] of [["a", 20], ["a", 30], ["b", 40]] as const) object.notice(essence, now);
    assert.deepEqual([told, object.changes, object.idleSince], [["changed"], 1, 40]);
  });

  it("remembers which tasks have ended: for good, or until the essence is another one", () => {
    const { object } = make();
    object.finish("done");
    assert.equal(object.awaitsChange, false);
    object.finish("failed", "a");
    assert.equal(object.awaitsChange, true);
    object.notice("a", 20);
    assert.deepEqual([object.hasFinished("done"), object.hasFinished("failed")], [true, true]);
    object.notice("b", 30);
    assert.deepEqual([object.hasFinished("done"), object.hasFinished("failed")], [true, false]);
  });

  it("makes another list of tasks for each change of it", () => {
    const { object, task } = make();
    const before = object.tasks;
    object.remove(task);
    assert.deepEqual([before, object.tasks], [[task], []]);
  });
});
