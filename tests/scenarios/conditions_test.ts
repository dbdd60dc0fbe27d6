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

  scenario.timed(
    "[N6.3] of a condition that changes, the fields that differ are written, and nothing else",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      op.on.update(Example, function judge({ conditions, spec, patch, meta }) {
        conditions.set("Good", true, { reason: "Judged", message: `${spec.words}` });
        patch.status.observedGeneration = meta.generation;
      });
      const running = await world.start(op);
      const entry = (type: string) => ({
        type,
        status: "True",
        reason: "Judged",
        message: "",
        lastTransitionTime: "2026-01-01T00:00:00Z",
        observedGeneration: 1,
      });
      await objects.create("scalar", { spec: { words: "" } });
      await objects.patch("scalar", { status: { conditions: [entry("Other"), entry("Good")] } }, "status");
      await world.settle();
      world.requests.length = 0;
      await objects.patch("scalar", { spec: { words: "changed" } });
      await world.until(async () => (await objects.get("scalar")).status?.observedGeneration === 2);
      await world.settle();
      const bodies = world.writes().map(({ body }) => JSON.parse(body) as unknown).filter(Array.isArray);
      assert.deepEqual(bodies.map(([, ...operations]) => operations), [[
        { op: "replace", path: "/status/conditions/1/message", value: "changed" },
        { op: "replace", path: "/status/conditions/1/observedGeneration", value: 2 },
      ]]);
      const { conditions } = (await objects.get("scalar")).status ?? {};
      assert.deepEqual(conditions, [entry("Other"), {
        ...entry("Good"),
        message: "changed",
        observedGeneration: 2,
      }]);
      await running.stop();
    },
  );
});
