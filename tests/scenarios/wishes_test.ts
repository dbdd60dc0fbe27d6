import assert from "node:assert/strict";
import { lifecycles, type Operator, operator, TemporaryError } from "../../mod.ts";
import { suite } from "../support/scenario.ts";
import { Example, Objects } from "../support/worlds.ts";

function wished(text: string | null): { metadata: { annotations: Record<string, string | null> } } {
  return { metadata: { annotations: { "lotse.dev/reconcile-now": text } } };
}

suite("wishes about one object", (scenario) => {
  scenario.timed(
    "[N29.7] `reconcile-now` has planned attempts made at once, and reconciles called, once for each text",
    async (world) => {
      const objects = new Objects(world);
      const calls: string[] = [];
      const op = operator({ lifecycle: lifecycles.asap });
      for (const id of ["mount", "format"]) {
        op.on.create(Example, { id }, ({ retry }) => {
          calls.push(`${id} ${retry}`);
          throw new TemporaryError("Not yet", { delay: 3600 });
        });
      }
      const running = await world.start(op);
      await objects.create("one");
      await running.advance(10);
      assert.deepEqual(calls.splice(0).sort(), ["format 0", "mount 0"]);
      await objects.patch("one", wished("a"));
      await running.advance(10);
      assert.deepEqual(calls.splice(0).sort(), ["format 1", "mount 1"]);
      await objects.patch("one", { metadata: { labels: { other: "change" } } });
      await running.advance(10);
      await objects.patch("one", wished("a"));
      await running.advance(10);
      assert.deepEqual(calls.splice(0), [], "the same text is no new wish");
      await objects.patch("one", wished("b"));
      await running.advance(10);
      assert.deepEqual(calls.splice(0).sort(), ["format 2", "mount 2"]);
      await running.stop();
    },
  );

  scenario.virtual("[N29.7] a text that was heeded by an earlier process is no new wish", async (world) => {
    const objects = new Objects(world);
    const calls: string[] = [];
    const declare = (): Operator => {
      const op = operator();
      op.on.create(Example, { id: "make" }, ({ name }) => void calls.push(name));
      op.on.update(Example, { id: "amend" }, ({ retry }) => {
        calls.push(`amend ${retry}`);
        throw new TemporaryError("Not yet", { delay: 3600 });
      });
      return op;
    };
    const first = await world.start(declare());
    await objects.create("one", wished("a"));
    await first.advance(5);
    await objects.patch("one", { spec: { size: 2 } });
    await first.advance(5);
    await first.stop();
    assert.deepEqual(calls.splice(0), ["one", "amend 0"]);
    const second = await world.start(declare());
    await second.advance(5);
    await objects.patch("one", { status: { phase: "x" } }, "status");
    await second.advance(5);
    assert.deepEqual(calls.splice(0), []);
    await objects.patch("one", wished("b"));
    await second.advance(5);
    assert.deepEqual(calls, ["amend 1"]);
    await second.stop();
  });

  scenario(
    "[N29.7] a reconcile is told of the wish, and a text that was there before is none",
    async (world) => {
      const objects = new Objects(world);
      const reasons: unknown[] = [];
      const op = operator();
      op.reconcile(Example, { id: "keep" }, ({ reasons: all }) => void reasons.push(...all));
      await objects.create("one", wished("before"));
      const running = await world.start(op);
      await world.until(() => reasons.length > 0);
      await world.settle();
      assert.deepEqual(reasons.splice(0).map((each) => (each as { kind: string }).kind), ["start"]);
      await objects.patch("one", wished("now"));
      await world.until(() => reasons.length > 0);
      await world.settle();
      assert.ok(
        reasons.some((each) => (each as { reason?: string }).reason === "reconcile-now"),
        JSON.stringify(reasons),
      );
      await running.stop();
    },
  );

  scenario.virtual(
    "[N29.8] `log-level: debug` shows all lines of one object, and of no other",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      op.on.create(Example, { id: "make" }, ({ logger }) => logger.debug("Looking at the volume"));
      const running = await world.start(op, { level: "info" });
      await objects.create("one", { metadata: { annotations: { "lotse.dev/log-level": "debug" } } });
      await objects.create("two", { metadata: { annotations: { "lotse.dev/log-level": "warn" } } });
      await running.advance(5);
      const told = running.logs.filter(({ message }) => message === "Looking at the volume");
      assert.deepEqual(told.map(({ level, reference }) => [level, reference?.name]), [["info", "one"]]);
      assert.ok(
        running.logs.some(({ message, reference }) =>
          message === "Handler invoked" && reference?.name === "one"
        ),
      );
      await running.stop();
    },
  );
});
