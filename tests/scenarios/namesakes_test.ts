/**
 * Objects that go, and others that come under their names: what is meant for the one must not land on the other.
 */

import assert from "node:assert/strict";
import { operator } from "../../mod.ts";
import { suite } from "../support/scenario.ts";
import { hangUp, stream, WATCHES } from "../support/faulty_proxy.ts";
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

suite("An object that has gone, which the watch has not said yet", (scenario) => {
  scenario("is not handled any more, whoever wakes it", async (world: World) => {
    await using place = await world.proxy();
    const { proxy } = place;
    const op = operator({ networking: { errorBackoffs: [0.2, 0.2] } });
    const objects = new Objects(world);
    const calls: string[] = [];
    op.on.event(Example, { id: "notice" }, ({ type }) => void (type === "DELETED" && calls.push("gone")));
    op.on.create(Example, { id: "make" }, () => void calls.push("make"));
    op.on.delete(Example, { id: "remove" }, () => void calls.push("remove"));
    // It wakes its object when it has ended.
    op.daemon(Example, { id: "guard" }, async ({ stopped }) => {
      await stopped.wait();
    });
    const running = await world.start(op);
    await objects.create("a");
    await world.until(() => calls.includes("make"));
    await world.settle();
    // The last write is done, but nobody learns of it: the answer is lost, and so are the watches for a while.
    proxy.inject(({ method }) => method === "PATCH", async (_passing, forward) => {
      proxy.inject(WATCHES, hangUp(), 3);
      place.breakAll();
      await forward();
      throw new Error("reset");
    });
    // Its own connection may break, too: it is sent again when time passes.
    const deleted = objects.delete("a").catch(() => {});
    await world.until(() => calls.includes("gone"));
    await deleted;
    await world.settle();
    assert.deepEqual(calls, ["make", "remove", "gone"]);
    await running.stop();
  });

  scenario.virtual("is not handled any more, whatever the watch shows of its last state", async (world) => {
    await using place = await world.proxy();
    const { proxy } = place;
    const { clock } = world.host;
    const op = operator();
    const objects = new Objects(world);
    const calls: string[] = [];
    let isHeld = (_line: string): boolean => false;
    const held = stream(async function* (chunks) {
      for await (const chunk of chunks) {
        for (const line of new TextDecoder().decode(chunk).split(/(?<=\n)/)) {
          while (isHeld(line)) await clock.sleep(0.1);
          yield new TextEncoder().encode(line);
        }
      }
    });
    proxy.inject(WATCHES, held, Infinity);
    op.on.event(Example, { id: "notice" }, ({ type }) => void calls.push(`${type}`));
    op.on.update(Example, { id: "change" }, async ({ patch }) => {
      isHeld = () => true;
      // The answer to the handler's own write says that the object is being deleted.
      await objects.delete("a");
      patch.status["done"] = true;
    });
    op.on.delete(Example, { id: "remove" }, () => {
      calls.push("remove");
      // While the finalizer is taken off, the watch shows the object with it, under the version that it has to the end.
      proxy.inject(({ method }) => method === "PATCH", async (_passing, forward) => {
        const response = await forward();
        isHeld = (line) => line.includes('"DELETED"');
        await clock.sleep(1);
        return response;
      });
    });
    op.daemon(Example, { id: "guard" }, async ({ stopped }) => {
      await stopped.wait();
    });
    const running = await world.start(op);
    await objects.create("a", { spec: { n: 0 } });
    await clock.advance(5);
    await objects.patch("a", { spec: { n: 1 } });
    await clock.advance(5);
    assert.equal(calls.at(-1), "MODIFIED");
    isHeld = () => false;
    await clock.advance(5);
    assert.equal(calls.at(-1), "DELETED");
    assert.equal(calls.filter((call) => call === "remove").length, 1);
    assert.ok(calls.indexOf("remove") < calls.lastIndexOf("MODIFIED"));
    await running.stop();
  });
});
