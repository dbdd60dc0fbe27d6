import assert from "node:assert/strict";
import { it } from "node:test";
import { operator, PermanentError } from "../../mod.ts";
import { suite } from "../support/scenario.ts";
import { Example, FINALIZER, Objects } from "../support/worlds.ts";

suite("deletion handlers that give up", (scenario) => {
  scenario(
    '[N43] with `onFailure: "keep"` the object stays, over restarts too, until it is changed and the handler succeeds',
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      let calls = 0;
      let isMended = false;
      op.on.delete(Example, { id: "wipe", onFailure: "keep" }, () => {
        calls++;
        if (!isMended) throw new PermanentError("cannot be wiped");
      });
      op.on.delete(Example, { id: "tell" }, () => {});
      const first = await world.start(op);
      await objects.create("one");
      await world.until(async () =>
        (await objects.get("one")).metadata.finalizers?.includes(FINALIZER) === true
      );
      await objects.delete("one");
      await world.until(() => calls === 1);
      await world.settle();
      assert.deepEqual((await objects.get("one")).metadata.finalizers, [FINALIZER]);
      const warnings = () => first.logs.filter(({ message }) => message.startsWith("The object is kept"));
      assert.deepEqual(warnings().map(({ level, fields }) => [level, fields.handlers]), [["warn", ["wipe"]]]);
      await first.stop();

      const second = await world.start(op);
      await world.settle();
      assert.equal(calls, 1, "it has given up");
      assert.notEqual(await objects.find("one"), undefined);
      isMended = true;
      await objects.patch("one", { metadata: { annotations: { again: "please" } } });
      await world.until(async () => await objects.find("one") === undefined);
      assert.equal(calls, 2);
      await second.stop();
    },
  );

  scenario("[N43] without it the object goes", async (world) => {
    const objects = new Objects(world);
    const op = operator();
    op.on.delete(Example, { id: "wipe" }, () => {
      throw new PermanentError("cannot be wiped");
    });
    const running = await world.start(op);
    await objects.create("one");
    await world.until(async () =>
      (await objects.get("one")).metadata.finalizers?.includes(FINALIZER) === true
    );
    await objects.delete("one");
    await world.until(async () => await objects.find("one") === undefined);
    await running.stop();
  });

  it("[N43] the option is refused where it means nothing", () => {
    const op = operator();
    const keep = { onFailure: "keep" } as const;
    assert.throws(
      () => op.on.delete(Example, { id: "a", optional: true, ...keep }, () => {}),
      /keeps nothing back/,
    );
    assert.throws(
      () => op.on.delete(Example, { id: "b", onFailure: "no" as "keep" }, () => {}),
      /"release" or "keep"/,
    );
    // @ts-expect-error Only deletion handlers have it.
    assert.throws(() => op.on.create(Example, { id: "c", onFailure: "keep" }, () => {}), TypeError);
  });
});
