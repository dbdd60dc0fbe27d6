import assert from "node:assert/strict";
import type { Condition } from "../../mod.ts";
import { operator } from "../../mod.ts";
import { suite } from "../support/scenario.ts";
import { Example, Objects } from "../support/worlds.ts";

suite("conditions", (scenario) => {
  scenario("[N6.1] what a handler, a timer and a daemon set at the same time all stays", async (world) => {
    const objects = new Objects(world);
    const op = operator();
    const gate = Promise.withResolvers<void>();
    const waiting = new Set<string>();
    const together = async (name: string): Promise<void> => {
      if (waiting.add(name).size === 3) gate.resolve();
      await gate.promise;
    };
    op.on.create(Example, async function make({ conditions }) {
      await together("handler");
      conditions.set("Made", true, { reason: "Done" });
    });
    op.timer(Example, async function tick({ conditions }) {
      await together("timer");
      conditions.set("Ticking", true, { reason: "Done" });
    });
    op.daemon(Example, async function watch({ conditions }) {
      await together("daemon");
      conditions.set("Watched", "Unknown", { reason: "Done" });
    });
    const running = await world.start(op);
    await objects.create("one");
    const conditionsOf = async (): Promise<Condition[]> =>
      ((await objects.get("one")).status?.conditions ?? []) as Condition[];
    await world.until(async () => (await conditionsOf()).length === 3);
    const found = (await conditionsOf()).map((
      { type, status, observedGeneration },
    ) => [type, status, observedGeneration]);
    assert.deepEqual(found.sort(), [["Made", "True", 1], ["Ticking", "True", 1], ["Watched", "Unknown", 1]]);
    await running.stop();
  });

  scenario(
    "[N6.2] a condition that is as it was is not written, and its time moves with its status",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      const seen: [string, string | undefined][] = [];
      op.on.field(Example, "spec.good", function judge({ conditions, spec, uid }) {
        conditions.set("Good", spec.good !== "no", { reason: "Judged" });
        seen.push([uid, conditions.get("Good")?.status]);
      });
      const running = await world.start(op);
      await objects.create("one", { spec: { good: "yes" } });
      const timeOf = async (): Promise<string> => {
        const [condition] = ((await objects.get("one")).status?.conditions ?? []) as Condition[];
        return `${condition?.status} ${condition?.observedGeneration} ${condition?.lastTransitionTime}`;
      };
      await world.until(async () => (await timeOf()).startsWith("True 1"));
      const [, , time] = (await timeOf()).split(" ");
      await objects.patch("one", { spec: { good: "very" } });
      await world.until(async () => (await timeOf()).startsWith("True 2"));
      assert.equal(await timeOf(), `True 2 ${time}`);
      await objects.patch("one", { spec: { good: "no" } });
      await world.until(async () => (await timeOf()).startsWith("False 3"));
      assert.deepEqual(seen.map(([, status]) => status), ["True", "True", "False"]);
      await running.stop();
    },
  );
});
