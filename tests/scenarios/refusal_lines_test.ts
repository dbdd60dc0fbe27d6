/** What the log says of a write that the server refuses, and of one that stands. */

import assert from "node:assert/strict";
import { operator } from "../../mod.ts";
import { suite } from "../support/scenario.ts";
import { Example, LAST_HANDLED, type Loose, notesOf, Objects, type Running } from "../support/worlds.ts";

/** Lines about handlers that have ended, and about writes. */
function linesOf({ logs }: Running): readonly string[] {
  return logs.filter(({ level }) => level !== "debug").map(({ message }) => message)
    .filter((message) => /succeeded|failed|refuses|processed/.test(message));
}

suite("a write that the server refuses", (scenario) => {
  for (const manner of ["create", "reconcile", "timer"] as const) {
    scenario(
      `is one line, with the field, what was sent and the place of the handler: ${manner}`,
      async (world) => {
        const objects = new Objects(world);
        const op = operator({ execution: { defaultBackoff: 0.2 } });
        const label = (
          { patch, retry }: { patch: { metadata: unknown; status: Loose }; retry?: number },
        ): void => {
          patch.metadata = { labels: { "not a label": "!" } };
          patch.status.retry = retry ?? 0;
        };
        if (manner === "create") op.on.create(Example, { id: "wrong", retries: 1 }, label);
        if (manner === "reconcile") op.reconcile(Example, { id: "wrong" }, label);
        if (manner === "timer") op.timer(Example, { id: "wrong", interval: 3600, retries: 1 }, label);
        const running = await world.start(op);
        await objects.create("one", { spec: { a: 1 } });
        await world.until(() => running.logs.some(({ message }) => message.includes("failed")));
        await world.settle();
        const told = running.logs.filter(({ message }) => /succeeded|failed|refuses/.test(message));
        for (const { message, fields } of told) {
          assert.match(
            message,
            /^(Handler|Timer) failed (temporarily|permanently)$/,
          );
          const { handler, error, sent, declared, stack } = fields;
          assert.equal(handler, "wrong");
          assert.match((error as Error).message, /The server refuses what was written/);
          assert.match((error as Error).message, /metadata\.labels/);
          assert.deepEqual({ ...sent as Loose }, { "metadata.labels": { "not a label": "!" } });
          assert.match(String(declared), /refusal_lines_test\.ts:\d+/);
          assert.equal(stack, false, "one line");
        }
        assert.ok(told.length > 0);
        await running.stop();
      },
    );
  }

  scenario("of a handler of raw events is told as its failure, and no success is told", async (world) => {
    const objects = new Objects(world);
    const op = operator();
    op.on.event(Example, { id: "wrong" }, ({ patch, type }) => {
      if (type !== "DELETED") patch.metadata = { labels: { "not a label": "!" } };
    });
    const running = await world.start(op);
    await objects.create("one", { spec: { a: 1 } });
    await world.until(() => linesOf(running).length > 0);
    await world.settle();
    for (const line of linesOf(running)) assert.equal(line, "Handler failed with an error that is ignored");
    await running.stop();
  });

  scenario("is told where the attempt had failed by itself", async (world) => {
    const objects = new Objects(world);
    const op = operator();
    op.on.create(Example, { id: "wrong", errors: "permanent" }, ({ patch }) => {
      patch.metadata = { labels: { "not a label": "!" } };
      throw new Error("oops");
    });
    const running = await world.start(op);
    await objects.create("one", { spec: { a: 1 } });
    await world.until(() => linesOf(running).some((line) => line.startsWith("The server refuses")));
    assert.deepEqual(linesOf(running).slice(0, 2), [
      "Handler failed permanently",
      "The server refuses the patch as invalid: it is dropped (mend the handler or the schema)",
    ]);
    await running.stop();
  });
});

suite("a success", (scenario) => {
  scenario("is said when its write stands, and before its cause is said to be processed", async (world) => {
    const objects = new Objects(world);
    const op = operator();
    op.on.create(Example, { id: "make" }, ({ patch }) => void (patch.status.made = true));
    op.on.create(Example, { id: "look" }, () => {});
    op.on.delete(Example, { id: "drop" }, ({ patch }) => void (patch.status.dropped = true));
    const running = await world.start(op);
    await objects.create("one", { spec: { a: 1 } });
    await world.until(async () => LAST_HANDLED in notesOf(await objects.get("one")));
    await world.until(() => linesOf(running).length === 3);
    await objects.delete("one");
    await world.until(async () => await objects.find("one") === undefined);
    await world.until(() => linesOf(running).length === 5);
    await world.settle();
    assert.deepEqual(linesOf(running), [
      "Handler succeeded",
      "Handler succeeded",
      "Creation is processed",
      "Handler succeeded",
      "Deletion is processed",
    ]);
    await running.stop();
  });

  scenario.virtual("is not said while its write is kept, and once when it stands", async (world) => {
    const objects = new Objects(world);
    const op = operator();
    op.on.create(Example, { id: "make" }, ({ patch }) => void (patch.status.made = true));
    let refused = 0;
    world.intercept = (_, { method }) =>
      method === "PATCH" && refused++ < 3 ? new Response("no", { status: 403 }) : undefined;
    const running = await world.start(op);
    await objects.create("one", { spec: { a: 1 } });
    await world.until(() => refused >= 3);
    assert.deepEqual(linesOf(running).filter((line) => /succeeded|processed/.test(line)), []);
    await running.advance(600);
    assert.deepEqual(linesOf(running).filter((line) => /succeeded|processed/.test(line)), [
      "Handler succeeded",
      "Creation is processed",
    ]);
    await running.stop();
  });
});
