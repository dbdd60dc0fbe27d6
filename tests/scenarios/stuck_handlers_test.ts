import assert from "node:assert/strict";
import { operator } from "../../mod.ts";
import { ask, LIVENESS } from "../support/probing.ts";
import { suite } from "../support/scenario.ts";
import { Example, Objects, Plain, PLAINS } from "../support/worlds.ts";

const STUCK = "Handler has not ended: is something never settled in it? (see execution.warnAfter)";
const STARVED = /^All workers are held by handlers that have not ended/;
const BLOCKED = /^The event loop was blocked/;

suite("Handlers that never end", (scenario) => {
  scenario.virtual(
    "a handler that never settles is named in the log after a minute, and again each time that its age has doubled",
    async (world) => {
      const op = operator();
      const done = Promise.withResolvers<void>();
      op.on.create(Example, async function forgets() {
        await done.promise;
      });
      op.on.create(Plain, function quick() {});
      op.daemon(Plain, async function lives({ stopped }) {
        await stopped.wait();
      });
      const running = await world.start(op, { liveness: LIVENESS });
      await new Objects(world).create("db-1");
      await new Objects(world).create("db-2");
      await new Objects(world, PLAINS).create("other");
      await running.advance(59);
      const warnings = () => running.logs.filter(({ message }) => message === STUCK);
      assert.deepEqual(warnings(), []);
      assert.deepEqual((await ask(world, "/readyz?verbose"))[1].match(/.*handlers.*/)?.[0], "[+]handlers ok");
      await running.advance(2);
      assert.deepEqual(warnings().map(({ level, fields }) => [level, fields?.handler, fields?.seconds]), [
        ["warn", "forgets", 60],
        ["warn", "forgets", 60],
      ]);
      assert.deepEqual(warnings().map(({ reference }) => reference?.name), ["db-1", "db-2"]);
      const [status, text] = await ask(world, "/readyz?verbose");
      assert.equal(status, 200);
      const said =
        "[+]handlers ok: running: forgets of examples default/db-1 for 61 s, forgets of examples default/db-2 for 61 s";
      assert.ok(text.includes(said), text);
      const [, metrics] = await ask(world, "/metrics");
      assert.match(metrics, /^lotse_handlers_stuck\{handler="forgets"\} 2$/m);
      await running.advance(1000);
      assert.equal(warnings().length, 10, "after 60, 120, 240, 480 and 960 seconds");
      done.resolve();
      await running.settle();
      assert.doesNotMatch((await ask(world, "/metrics"))[1], /^lotse_handlers_stuck\{/m);
      await running.advance(10_000);
      assert.equal(warnings().length, 10);
      await running.stop();
    },
  );

  scenario.virtual("is named once, too, where a sum of times is not exact", async (world) => {
    const op = operator();
    const done = Promise.withResolvers<void>();
    op.on.create(Example, async function forgets() {
      await done.promise;
    });
    const running = await world.start(op);
    const { clock } = world.host;
    // Of some times, 60 s later are a hair less than 60 s later, in binary fractions.
    while ((Math.round(clock.monotonic() * 1000) + 60_000) / 1000 - clock.monotonic() >= 60) {
      await running.advance(0.001);
    }
    await new Objects(world).create("db-1");
    await running.advance(61);
    assert.equal(running.logs.filter(({ message }) => message === STUCK).length, 1);
    done.resolve();
    await running.stop();
  });

  scenario.virtual("the time is a setting, and null says nothing ever", async (world) => {
    for (const [warnAfter, expected] of [[5, 1], [null, 0]] as const) {
      const op = operator({ execution: { warnAfter } });
      const done = Promise.withResolvers<void>();
      op.on.startup({ id: "waits" }, () => done.promise);
      const running = world.start(op);
      await world.host.clock.advance(9);
      done.resolve();
      const runner = await running;
      const warnings = runner.logs.filter(({ message }) => message === STUCK.replace("Handler", "Activity"));
      assert.deepEqual(warnings.map(({ fields }) => fields?.handler), expected === 1 ? ["waits"] : []);
      await runner.stop();
    }
  });

  scenario.virtual(
    "with workerLimit, an operator whose workers are all stuck says so, and is not ready while others wait",
    async (world) => {
      const op = operator({ queueing: { workerLimit: 2 } });
      const done = Promise.withResolvers<void>();
      const handled: string[] = [];
      op.on.create(Example, async function forgets({ name }) {
        if (name.startsWith("stuck")) await done.promise;
        handled.push(name);
      });
      const objects = new Objects(world);
      const running = await world.start(op, { liveness: LIVENESS });
      for (const name of ["stuck-1", "stuck-2"]) await objects.create(name);
      await running.advance(70);
      const errors = () => running.logs.filter(({ message }) => STARVED.test(message));
      assert.deepEqual(errors(), [], "nobody waits");
      assert.equal((await ask(world, "/readyz"))[0], 200);
      await objects.create("waits");
      await running.advance(60);
      assert.deepEqual(errors().map(({ level, fields }) => [level, fields]), [["error", {
        handlers: ["forgets of examples default/stuck-1", "forgets of examples default/stuck-2"],
        objects: 1,
      }]]);
      const [status, text] = await ask(world, "/readyz?verbose");
      assert.equal(status, 503);
      assert.match(
        text,
        /\[-\]handlers failed: all workers are held .*, objects that wait: 1 \(running: forgets/,
      );
      await running.advance(600);
      assert.equal(errors().length, 1, "once, as long as it lasts");
      done.resolve();
      await running.settle();
      assert.deepEqual(handled.sort(), ["stuck-1", "stuck-2", "waits"]);
      assert.equal((await ask(world, "/readyz"))[0], 200);
      await running.stop();
    },
  );

  scenario.virtual(
    "an event loop that was blocked for more than a second is logged with the handler that ran",
    async (world) => {
      const { process } = world.host;
      const op = operator();
      const done = Promise.withResolvers<void>();
      op.on.create(Plain, async function waits() {
        await done.promise;
      });
      op.on.create(Example, async function computes({ name }) {
        if (name === "late") await world.host.clock.sleep(1);
        process.block(name === "short" ? 0.7 : 3);
      });
      const blocks = () => running.logs.filter(({ message }) => BLOCKED.test(message));
      const objects = new Objects(world);
      const running = await world.start(op);
      await objects.create("short");
      await running.advance(5);
      assert.deepEqual(blocks(), []);
      await objects.create("db-1");
      await running.advance(5);
      const [first] = blocks();
      assert.deepEqual(first?.fields, { handler: "computes", seconds: 3, cpu: 3 });
      assert.deepEqual([first?.level, first?.reference?.name], ["warn", "db-1"]);
      await objects.create("late");
      await running.advance(5);
      assert.deepEqual(blocks().at(-1)?.fields.handler, "computes", "after it has waited, too");
      await new Objects(world, PLAINS).create("other");
      await running.settle();
      process.block(2);
      await running.advance(5);
      assert.equal(blocks().length, 3);
      done.resolve();
      await running.stop();
    },
  );
});
