/**
 * Objects that go, and others that come under their names: what is meant for the one must not land on the other.
 */

import assert from "node:assert/strict";
import { operator } from "../../lib/operator/operator.ts";
import { suite } from "../support/scenario.ts";
import { Example, notesOf, Objects, Plain, PLAINS, type World } from "../support/worlds.ts";

suite("What is meant for an object that has gone", (scenario) => {
  for (const [title, kind] of [["with a status of its own", Example], ["without", Plain]] as const) {
    scenario(`does not land on its namesake, ${title}`, async (world: World) => {
      const op = operator();
      const objects = kind === Plain ? new Objects(world, PLAINS) : new Objects(world);
      const calls: string[] = [];
      op.on.create(kind, { id: "make" }, async ({ spec, patch }) => {
        calls.push(String(spec["n"]));
        if (spec["n"] !== 1) return;
        await objects.delete("a");
        await objects.create("a", { spec: { n: 2 } });
        patch.status["of"] = "the first";
        patch.metadata.annotations["of"] = "the first";
      });
      const running = await world.start(op);
      await objects.create("a", { spec: { n: 1 } });
      await world.until(() => calls.length === 2);
      await world.settle();
      const object = await objects.get("a");
      assert.deepEqual(calls, ["1", "2"]);
      assert.equal(object.metadata.annotations?.["of"], undefined);
      assert.equal(object.status?.["of"], undefined);
      assert.ok(Object.keys(notesOf(object)).length > 0, "its own creation was handled");
      await running.stop();
    });
  }
});
