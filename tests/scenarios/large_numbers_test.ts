import assert from "node:assert/strict";
import { operator, persistence } from "../../mod.ts";
import { formatJson } from "../../lib/runtime/json.ts";
import { suite } from "../support/scenario.ts";
import {
  Example,
  LAST_HANDLED,
  type Loose,
  notesOf,
  Objects,
  Plain,
  PLAINS,
  statusOf,
} from "../support/worlds.ts";

/** As a number, all four are 9007199254740992 or 9007199254740996. */
const [EVEN, ODD, NEXT] = [9007199254740992n, 9007199254740993n, 9007199254740995n];

suite("integers beyond 2^53", (scenario) => {
  scenario(
    "[P4] are the same after reading, handling and writing, in results, patches, functions, children and notes",
    async (world) => {
      const objects = new Objects(world);
      const plains = new Objects(world, PLAINS);
      const op = operator();
      op.on.create(Example, { id: "make" }, async ({ spec, patch, body }) => {
        assert.deepEqual(structuredClone(body).spec, spec);
        patch.status.copy = spec.large;
        patch.status.list = spec.list;
        patch.fns.push(({ status }) => {
          (status as Loose).next = (spec.large as bigint) + 2n;
        });
        await op.api.apply(Plain, {
          metadata: { name: "child", namespace: world.namespace },
          spec: { a: spec.large },
        });
        return { sum: (spec.large as bigint) * 2n, small: 5n };
      });
      const running = await world.start(op);
      const spec = { large: ODD, list: [{ x: -NEXT, y: 1.5 }], small: 5, zero: 0n };
      await objects.create("one", { spec });
      await world.until(async () => LAST_HANDLED in notesOf(await objects.get("one")));
      const one = await objects.get("one");
      assert.deepEqual(one.spec, { ...spec, zero: 0 });
      assert.deepEqual(statusOf(one), {
        copy: ODD,
        list: spec.list,
        next: NEXT,
        make: { sum: 2n * ODD, small: 5 },
      });
      assert.equal(
        notesOf(one)[LAST_HANDLED],
        formatJson({
          $lotse: { format: 1, of: `${world.namespace}/one/${one.metadata.uid}` },
          spec: { large: ODD, list: [{ x: -NEXT, y: 1.5 }], small: 5, zero: 0 },
        }),
      );
      assert.deepEqual((await plains.get("child")).spec, { a: ODD });
      await running.stop();
    },
  );

  for (
    const [notes, storage] of [["our", persistence.annotations()], ["Kopf's", persistence.kopf()]] as const
  ) {
    scenario(`[P4] that change into one another are seen, once, with ${notes} notes`, async (world) => {
      const objects = new Objects(world);
      const op = operator({ persistence: storage });
      const calls: unknown[] = [];
      op.on.create(Example, () => void calls.push("create"));
      op.on.update(Example, ({ diff }) => void calls.push(...diff.map((item) => [...item])));
      op.on.field(Example, "spec.large", { id: "odd", new: ODD }, () => void calls.push("odd"));
      await objects.create("one", { spec: { large: EVEN } });
      const first = await world.start(op);
      await world.until(() => calls.length === 1);
      await world.settle();
      await objects.patch("one", { spec: { large: ODD } });
      await world.until(() => calls.length === 3);
      await world.settle();
      await first.stop();
      const second = await world.start(op);
      await world.settle();
      assert.deepEqual(calls, ["create", ["change", ["spec", "large"], EVEN, ODD], "odd"]);
      await second.stop();
    });
  }

  scenario.virtual("[P4] are written in logs, and cost nothing where there are none", async (world) => {
    const objects = new Objects(world);
    const op = operator();
    op.on.create(Example, ({ logger, spec }) => logger.info("Seen", { spec }));
    const running = await world.start(op);
    await objects.create("one", { spec: { large: ODD } });
    await running.settle();
    const [line] = running.logs.filter(({ message }) => message === "Seen");
    assert.deepEqual(line?.fields.spec, { large: ODD });
    // A merge patch that says what is there is not sent.
    const before = world.writes().length;
    await objects.patch("one", { metadata: { labels: { a: "b" } } });
    await running.settle();
    assert.ok(world.writes().slice(before).every(({ body }) => !body.includes('"spec":')));
    await running.stop();
  });
});
