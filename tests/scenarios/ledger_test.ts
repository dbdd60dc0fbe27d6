import assert from "node:assert/strict";
import { lifecycles, operator, TemporaryError } from "../../mod.ts";
import type { LedgerEntry } from "../../lib/engines/ledger.ts";
import { suite } from "../support/scenario.ts";
import { Example, LAST_HANDLED, notesOf, Objects } from "../support/worlds.ts";

/** What matters of an entry, without times. */
function summary({ wake, events, changed, reason, diff, handlers, written }: LedgerEntry): unknown {
  const shown = handlers.map(({ id, mismatch, outcome }) => `${id}: ${mismatch ?? outcome}`);
  return { wake, events, changed, reason, diff, handlers: shown, written };
}

suite("the ledger", (scenario) => {
  scenario("tells what woke an object, which handlers matched, and what was written", async (world) => {
    const objects = new Objects(world);
    const op = operator({ lifecycle: lifecycles.allAtOnce });
    op.on.create(Example, function make({ patch }) {
      patch.status.state = "made";
    });
    op.on.update(Example, { labels: { tier: "gold" } }, function polish() {});
    op.on.field(Example, "spec.size", function scale({ patch, new: size }) {
      patch.status.size = size;
    });
    op.on.field(Example, "spec.color", function paint() {});
    const running = await world.start(op);
    const object = await objects.create("one", { spec: { size: 1 } });
    await world.until(async () => LAST_HANDLED in notesOf(await objects.get("one")));
    await world.settle();
    await objects.patch("one", { spec: { size: 2 } });
    await world.until(async () => (await objects.get("one")).status?.size === 2);
    await world.settle();
    const entries = op.ledger.of(object)?.entries ?? [];
    const [created] = entries;
    assert.ok(created !== undefined);
    assert.deepEqual(summary(created), {
      wake: "event",
      events: ["ADDED"],
      changed: [],
      reason: "create",
      diff: [],
      handlers: ["make: success", "polish: reason", "scale/spec.size: success", "paint/spec.color: field"],
      written: ["status.state", "status.size"],
    });
    assert.ok(created.writes > 0);
    const updated = entries.find(({ reason }) => reason === "update");
    assert.ok(updated !== undefined);
    assert.deepEqual(summary(updated), {
      wake: "event",
      events: ["MODIFIED"],
      changed: ["spec.size"],
      reason: "update",
      diff: ["spec.size"],
      handlers: ["make: reason", "polish: labels", "scale/spec.size: success", "paint/spec.color: field"],
      written: ["status.size"],
    });
    assert.equal(
      op.ledger.of({ metadata: { name: "one", namespace: world.namespace } })?.reference.uid,
      object.metadata.uid,
    );
    assert.equal(op.ledger.of({ metadata: { name: "none" } }), undefined);
    await running.stop();
    assert.ok(op.ledger.of(object) !== undefined, "it outlives the run");
  });

  scenario.virtual("tells what failed, and what an object waits for", async (world) => {
    const objects = new Objects(world);
    const op = operator();
    op.on.create(Example, function wait() {
      throw new TemporaryError("Not yet", { delay: 30 });
    });
    const running = await world.start(op);
    const object = await objects.create("one");
    await running.settle();
    const entry = op.ledger.of(object)?.entries.at(-1);
    const { clock } = world.host;
    assert.deepEqual(entry?.waits, {
      until: clock.now() + 30_000,
      due: clock.monotonic() + 30,
      wake: "retry",
    });
    const failed = op.ledger.of(object)?.entries.flatMap(({ handlers }) => handlers).find(({ error }) =>
      error
    );
    assert.deepEqual(failed, { id: "wait", outcome: "retry", error: "TemporaryError: Not yet" });
    world.intercept = (request) =>
      request.method === "PATCH" ? new Response("{}", { status: 400 }) : undefined;
    await running.advance(31);
    assert.match(
      op.ledger.of(object)?.entries.at(-1)?.error ?? "",
      /^Error: The server refuses what was written: .*: 400/,
    );
    await running.stop();
  });

  scenario.virtual("tells what daemons and timers wrote, the latest write of each", async (world) => {
    const objects = new Objects(world);
    const op = operator();
    op.daemon(Example, function watch({ patch }) {
      patch.status.watched = true;
    });
    op.timer(Example, { interval: 10 }, function stamp({ patch, runtime }) {
      patch.status.time = String(world.host.clock.now() + runtime);
    });
    const running = await world.start(op);
    const object = await objects.create("one");
    await running.advance(65);
    const entries = op.ledger.of(object)?.entries ?? [];
    const told = entries.filter(({ wake }) => wake === "daemon" || wake === "timer");
    assert.deepEqual(
      told.map(({ wake, handlers, written, writes }) => ({ wake, handlers, written, writes })),
      [
        { wake: "daemon", handlers: [{ id: "watch" }], written: ["status.watched"], writes: 1 },
        { wake: "timer", handlers: [{ id: "stamp" }], written: ["status.time"], writes: 1 },
      ],
    );
    assert.ok((told[1]?.time ?? 0) > world.host.clock.now() - 10_000, "it is the latest one");
    await running.stop();
  });

  scenario.virtual("tells that an object has gone", async (world) => {
    const objects = new Objects(world);
    const op = operator();
    op.on.create(Example, () => {});
    const running = await world.start(op);
    const object = await objects.create("one");
    await running.settle();
    await objects.delete("one");
    await running.settle();
    assert.equal(op.ledger.of(object)?.entries.at(-1)?.gone, true);
    await running.stop();
  });
});
