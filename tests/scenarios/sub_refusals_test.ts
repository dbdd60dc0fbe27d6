/** Writes of sub-handlers that the server refuses, at once or after it could not be reached. */

import assert from "node:assert/strict";
import { lifecycles, operator } from "../../mod.ts";
import { suite } from "../support/scenario.ts";
import { Example, LAST_HANDLED, notesOf, Objects } from "../support/worlds.ts";

suite("a refused write of a sub-handler", (scenario) => {
  for (const kept of [0, 2]) {
    const when = kept === 0 ? "at once" : "after it was kept twice";
    scenario.virtual(`has that part tried again, and no other one: ${when}`, async (world) => {
      const objects = new Objects(world);
      const op = operator({ lifecycle: lifecycles.allAtOnce, execution: { defaultBackoff: 5 } });
      const calls: string[] = [];
      op.on.create(Example, { id: "parent" }, async ({ sub }) => {
        sub("wrong", { retries: 3 }, ({ patch, retry }) => {
          calls.push(`wrong ${retry}`);
          if (retry === 0) patch.metadata = { labels: { "not a label": "!" } };
        });
        sub("right", () => void calls.push("right"));
        const outcomes = await sub.run();
        return outcomes.map(({ id, kind }) => `${id} ${kind}`).join();
      });
      let failures = 0;
      world.intercept = (_, { method }) =>
        method === "PATCH" && failures++ < kept ? new Response("no", { status: 503 }) : undefined;
      const running = await world.start(op);
      await objects.create("one", { spec: { a: 1 } });
      await running.advance(600);
      const object = await objects.get("one");
      assert.ok(LAST_HANDLED in notesOf(object));
      assert.deepEqual(calls.filter((call) => call.startsWith("wrong")), ["wrong 0", "wrong 1"]);
      assert.equal(object.status?.parent, "wrong success,right success");
      const failed = running.logs.filter(({ message }) => message === "Handler failed temporarily");
      assert.ok(failed.some(({ fields: { handler } }) => handler === "parent/wrong"));
      await running.stop();
    });
  }
});
