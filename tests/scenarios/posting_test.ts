import assert from "node:assert/strict";
import { type Operator, operator } from "../../mod.ts";
import type { KubeObject } from "../../lib/model/object.ts";
import { suite } from "../support/scenario.ts";
import { Example, Objects, type World } from "../support/worlds.ts";

const NEW_EVENTS = { group: "events.k8s.io", version: "v1", plural: "events", namespaced: true };

/** Events of the world's namespace, each as "type reason message"; with the object, the oldest first. */
async function eventsIn({ client, namespace }: World): Promise<KubeObject[]> {
  const found: KubeObject[] = [];
  for await (const page of client.list(NEW_EVENTS, { namespace })) found.push(...page.items);
  return found.filter(({ reportingController }) => reportingController === "lotse");
}

async function texts(world: World): Promise<string[]> {
  const events = await eventsIn(world);
  return events.map(({ type, reason, note }) => `${type} ${reason} ${note ?? ""}`.trim()).sort();
}

async function refusal(run: () => void): Promise<unknown> {
  try {
    await run();
  } catch (error) {
    return error;
  }
}

suite("posting", (scenario) => {
  scenario("[B295] [B301] events are posted about each of the objects, in its namespace", async (world) => {
    const objects = new Objects(world);
    const op = operator();
    op.on.create(Example, function greet({ body, name }) {
      if (name !== "second") return;
      const other = {
        apiVersion: body.apiVersion,
        kind: body.kind,
        metadata: { name: "third", namespace: world.namespace },
      };
      op.events.normal([body, [other, null]], { reason: "Greeted", message: "Hello" });
    });
    const running = await world.start(op);
    const object = await objects.create("second");
    await world.until(async () => (await eventsIn(world)).length === 2);
    const events = await eventsIn(world);
    assert.deepEqual(await texts(world), ["Normal Greeted Hello", "Normal Greeted Hello"]);
    const regarding = events.map((event) =>
      event.regarding as { name: string; uid?: string; namespace: string }
    );
    assert.deepEqual(regarding.map(({ name }) => name).sort(), ["second", "third"]);
    assert.equal(regarding.find(({ name }) => name === "second")?.uid, object.metadata.uid);
    assert.deepEqual([...new Set(regarding.map(({ namespace }) => namespace))], [world.namespace]);
    for (const { metadata } of events) assert.match(metadata.name ?? "", /^lotse-event-[0-9a-f]{12}$/);
    await running.stop();
  });

  for (const api of ["events.k8s.io/v1", "v1"] as const) {
    scenario(`[N14] an event said again is counted on the first one, in ${api}`, async (world) => {
      const op = operator({ posting: { api } });
      op.on.event(Example, ({ body }) => op.events.warning(body, { reason: "Again", message: "and again" }));
      const running = await world.start(op);
      const objects = new Objects(world);
      await objects.create("one");
      for (let size = 1; size <= 3; size++) await objects.patch("one", { spec: { size } });
      await world.until(async () => {
        const [event] = await eventsIn(world);
        const series = event?.series as { count?: number } | undefined;
        return (api === "v1" ? event?.deprecatedCount : series?.count) === 4;
      });
      assert.deepEqual(await texts(world), ["Warning Again and again"]);
      await running.stop();
    });
  }

  scenario(
    "[B297] [B298] [A269] errors are events of their own, in the core API with their own type",
    async (world) => {
      const op = operator({ posting: { api: "v1" } });
      op.on.create(Example, ({ body }) => {
        op.events.error(body, new RangeError("too many"));
        op.events.error(body, new RangeError("too many"), { reason: "Own", message: "Sorry:" });
        op.events.normal(body, { reason: "Long", message: `${"a".repeat(1000)}${"z".repeat(1000)}` });
        op.events.post(body, { type: "Normal", reason: "Silenced", message: "" });
        op.settings.posting.enabled = false;
        op.events.normal(body, { reason: "Silent" });
        op.events.warning(body, { reason: "Silent" });
        op.events.post(body, { type: "Normal", reason: "Silent" });
        op.events.error(body, new Error("Silent"));
        op.settings.posting.enabled = true;
      });
      const running = await world.start(op);
      await new Objects(world).create("one");
      await world.until(async () => (await eventsIn(world)).length >= 4);
      await world.settle();
      assert.deepEqual(await texts(world), [
        "Error Own Sorry: too many",
        "Error RangeError too many",
        `Normal Long ${"a".repeat(511)}...${"z".repeat(510)}`,
        "Normal Silenced",
      ]);
      await running.stop();
    },
  );

  scenario.virtual("[B308] warnings obey the switch, too", async (world) => {
    const op = operator({ posting: { enabled: false } });
    op.on.create(Example, ({ body }) => op.events.warning(body, { reason: "Nothing" }));
    const running = await world.start(op);
    await new Objects(world).create("one");
    await running.advance(60);
    assert.deepEqual(await texts(world), []);
    await running.stop();
  });

  scenario.virtual("[B302] the level decides what is posted, but not about plain events", async (world) => {
    const op = operator({ posting: { level: "warn" } });
    op.on.create(Example, ({ body }) => {
      op.events.normal(body, { reason: "Info" });
      op.events.warning(body, { reason: "Warned" });
      op.events.post(body, { type: "Normal", reason: "Plain" });
    });
    const running = await world.start(op);
    await new Objects(world).create("one");
    await running.settle();
    assert.deepEqual(await texts(world), ["Normal Plain", "Warning Warned"]);
    await running.stop();
  });

  scenario("[B303] log lines of handlers become events where the settings say so", async (world) => {
    const objects = new Objects(world);
    const declare = (op: Operator) => {
      op.on.create(Example, function make({ logger }) {
        logger.debug("Chatter");
        logger.info("Made", { size: 3 });
      });
      op.on.event(Example, ({ logger }) => logger.warn("Raw"));
    };
    const quiet = operator();
    declare(quiet);
    const first = await world.start(quiet);
    await objects.create("one");
    await world.settle();
    assert.deepEqual(await texts(world), []);
    await first.stop();
    const loud = operator({ posting: { loggers: true } });
    declare(loud);
    const second = await world.start(loud);
    await objects.create("two");
    await world.until(async () => (await eventsIn(world)).length >= 3);
    await world.settle();
    assert.deepEqual(await texts(world), [
      "Normal Logging Creation is processed succeeded=1 failed=0 unfinished=0",
      "Normal Logging Handler succeeded handler=make",
      "Normal Logging Made size=3",
    ]);
    await second.stop();
  });

  scenario.virtual(
    "[C25] a log line is posted for twelve seconds, then dropped with a warning",
    async (world) => {
      const op = operator({ posting: { loggers: true } });
      op.on.create(Example, ({ logger }) => logger.warn("Only this"));
      op.settings.posting.level = "warn";
      const times: number[] = [];
      world.intercept = (_, { path }) => {
        if (!path.includes("/events")) return;
        times.push(world.host.clock.now() / 1000);
        return Response.json({ kind: "Status", code: 500 }, { status: 500 });
      };
      const running = await world.start(op);
      await new Objects(world).create("one");
      await running.advance(11.9);
      const isWarned = () => running.messages("warn").filter((text) => text.startsWith("Cannot post")).length;
      assert.deepEqual([times.length, isWarned()], [5, 0]);
      await running.advance(60);
      assert.deepEqual([times.length, isWarned()], [6, 1]);
      assert.equal((times[5] ?? 0) - (times[0] ?? 0), 12);
      await running.stop();
    },
  );

  scenario("[B304] events are posted by operators that run, and by no others", async (world) => {
    const op = operator();
    let body: KubeObject | undefined;
    op.on.event(Example, (args) => void (body = args.body as KubeObject));
    assert.ok(await refusal(() => op.events.normal({}, { reason: "Early" })) instanceof ReferenceError);
    const running = await world.start(op);
    await new Objects(world).create("one");
    await world.until(() => body !== undefined);
    op.events.normal(body, { reason: "InTime" });
    await world.until(async () => (await texts(world)).includes("Normal InTime"));
    await running.stop();
    assert.ok(await refusal(() => op.events.normal(body, { reason: "Late" })) instanceof ReferenceError);
    assert.ok(
      await refusal(() => operator().events.normal(body, { reason: "Never" })) instanceof ReferenceError,
    );
  });

  scenario.virtual("[B309] an events API that does not answer holds nothing up", async (world) => {
    const op = operator({ posting: { defaultBackoffs: [] } });
    const calls: string[] = [];
    op.on.create(Example, ({ body, name }) => {
      op.events.normal(body, { reason: "Unheard" });
      calls.push(name);
    });
    world.intercept = (_, { path }) => path.includes("/events") ? new Promise<Response>(() => {}) : undefined;
    const running = await world.start(op);
    await new Objects(world).create("one");
    await running.settle();
    await running.advance(301);
    assert.ok(running.messages("warn").some((text) => text.startsWith("Cannot post an event")));
    await new Objects(world).create("two");
    await running.settle();
    assert.deepEqual(calls, ["one", "two"]);
    assert.ok(running.isRunning);
    await running.stop();
  });

  for (const status of [403, 555]) {
    scenario.virtual(
      `[B300] a server that answers ${status} to events for minutes costs one warning, and no handler`,
      async (world) => {
        const op = operator();
        const calls: number[] = [];
        op.on.update(Example, ({ body, spec }) => {
          calls.push(spec.size as number);
          op.events.normal(body, { reason: `Size${spec.size}` });
        });
        world.intercept = (_, { path }) =>
          path.includes("/events") ? Response.json({ kind: "Status", code: status }, { status }) : undefined;
        const objects = new Objects(world);
        await objects.create("one");
        const running = await world.start(op);
        for (let size = 1; size <= 20; size++) {
          await objects.patch("one", { spec: { size } });
          await running.advance(30);
        }
        assert.equal(calls.length, 20);
        const loud = running.logs.filter(({ level, logger }) =>
          level !== "debug" && logger === "lotse.posting"
        );
        assert.deepEqual(loud.map(({ level }) => level), ["warn"]);
        await running.stop();
      },
    );
  }
});
