import assert from "node:assert/strict";
import { operator } from "../../mod.ts";
import { suite } from "../support/scenario.ts";
import { Example, LAST_HANDLED, notesOf, Objects } from "../support/worlds.ts";

suite("events that change nothing that anybody looks at", (scenario) => {
  scenario("[N44] make no reconcile, and hide nothing that comes after them", async (world) => {
    const objects = new Objects(world);
    const op = operator();
    const called: string[] = [];
    op.on.create(Example, function make({ name }) {
      called.push(`make ${name}`);
    });
    op.on.field(Example, "status.wanted", function want({ new: wanted }) {
      called.push(`want ${wanted}`);
    });
    op.on.update(Example, { labels: { tier: "gold" }, field: "spec.size" }, function polish({ spec, body }) {
      called.push(`size ${spec.size} ${body.status?.count}`);
    });
    const running = await world.start(op);
    const object = await objects.create("one", { metadata: { labels: { tier: "gold" } }, spec: { size: 1 } });
    await world.until(async () => LAST_HANDLED in notesOf(await objects.get("one")));
    await world.settle();
    const looks = (): number => op.ledger.of(object)?.entries.filter(({ isPassed }) => !isPassed).length ?? 0;
    const passed = () => op.ledger.of(object)?.entries.filter(({ isPassed }) => isPassed) ?? [];
    const before = looks();
    for (const count of [1, 2, 3]) {
      await objects.patch("one", { status: { count } }, "status");
      await world.until(() => passed().at(-1)?.changed.includes("status.count") === true);
      await world.settle();
    }
    assert.deepEqual([looks(), passed().length], [before, 1], "the latest alone is kept");
    await objects.patch("one", { status: { wanted: "tea" } }, "status");
    await world.until(() => called.includes("want tea"));
    await world.settle();
    await objects.patch("one", { status: { count: 4 } }, "status");
    await world.settle();
    await objects.patch("one", { spec: { size: 2 } });
    await world.until(() => called.includes("size 2 4"));
    await world.settle();
    await objects.patch("one", { status: { count: 5 } }, "status");
    await world.settle();
    // Whoever takes our note away is seen.
    await objects.patch("one", { metadata: { annotations: { [LAST_HANDLED]: null } } });
    await world.until(async () => LAST_HANDLED in notesOf(await objects.get("one")));
    assert.deepEqual(called.slice(0, 4), ["make one", "want tea", "size 2 4"]);
    await running.stop();
  });

  scenario("[N44] are looked at where a function filters", async (world) => {
    const objects = new Objects(world);
    const op = operator();
    op.on.delete(Example, { when: ({ status }) => status.held === true }, function release() {});
    const running = await world.start(op);
    await objects.create("one");
    await world.settle();
    const isHeld = async () => (await objects.get("one")).metadata.finalizers?.length === 1;
    for (const held of [true, false, true]) {
      await objects.patch("one", { status: { held } }, "status");
      await world.until(async () => (await isHeld()) === held);
      await world.settle();
    }
    await running.stop();
  });

  scenario(
    "[N44] are looked at where a function filters by labels or annotations, as it sees the status",
    async (world) => {
      const objects = new Objects(world);
      for (const place of ["labels", "annotations"] as const) {
        const op = operator();
        const isHeld = (
          _value: unknown,
          { status }: { readonly status: { readonly held?: unknown } },
        ): boolean => status.held === true;
        op.on.delete(Example, { [place]: { tier: isHeld } } as object, function release() {});
        const running = await world.start(op);
        await objects.create(place, { metadata: { [place]: { tier: "gold" } } });
        await world.settle();
        const isTaken = async () => (await objects.get(place)).metadata.finalizers?.length === 1;
        for (const held of [true, false]) {
          await objects.patch(place, { status: { held } }, "status");
          await world.until(async () => (await isTaken()) === held);
          await world.settle();
        }
        await running.stop();
      }
    },
  );

  scenario("[N44] leave what a reconcile has planned as it was", async (world) => {
    const objects = new Objects(world);
    const op = operator();
    const called: string[] = [];
    op.reconcile(Example, function bring({ spec, status, reasons }) {
      called.push(`${reasons.map(({ kind }) => kind)} ${spec.size} ${status.count}`);
      return spec.size === 2 ? { requeueAfter: 1 } : undefined;
    });
    const running = await world.start(op);
    const object = await objects.create("one", { spec: { size: 1 } });
    await world.until(() => called.length === 1);
    await world.settle();
    await objects.patch("one", { status: { count: 1 } }, "status");
    await world.until(() => op.ledger.of(object)?.entries.at(-1)?.isPassed === true);
    await world.settle();
    assert.deepEqual(called, ["create 1 undefined"]);
    await objects.patch("one", { spec: { size: 2 } });
    await world.until(() => called.length >= 2);
    await objects.patch("one", { status: { count: 2 } }, "status");
    await world.until(() => called.includes("requeue 2 2"), 5);
    await running.stop();
  });
});
