import assert from "node:assert/strict";
import { operator, persistence, TemporaryError } from "../../mod.ts";
import { suite } from "../support/scenario.ts";
import { Example, FINALIZER, LAST_HANDLED, Objects } from "../support/worlds.ts";

const KOPF = "kopf.zalando.org/";

suite("persistence", (scenario) => {
  scenario(
    "[A187] Kopf's wake-up note is removed together with what is written next, and none is ever made",
    async (world) => {
      const objects = new Objects(world);
      const op = operator({ persistence: persistence.kopf() });
      let calls = 0;
      op.on.create(Example, { id: "make" }, () => {
        if (calls++ === 0) throw new TemporaryError("again", { delay: 6 });
      });
      const record = {
        started: "2026-01-01T00:00:00.000000+00:00",
        purpose: "create",
        retries: 1,
        success: false,
        failure: false,
      };
      await objects.create("one", {
        metadata: {
          annotations: {
            [`${KOPF}touch-dummy`]: "2026-01-01T00:00:00.000000+00:00",
            [`${KOPF}make`]: JSON.stringify(record),
          },
        },
      });
      const running = await world.start(op);
      await world.until(async () =>
        !(`${KOPF}touch-dummy` in ((await objects.get("one")).metadata.annotations ?? {}))
      );
      assert.equal(calls, 1);
      const before = (await objects.get("one")).metadata.resourceVersion;
      await world.settle();
      if (world.place === "in the process") {
        assert.equal((await objects.get("one")).metadata.resourceVersion, before);
      }
      await world.until(async () =>
        `${KOPF}last-handled-configuration` in ((await objects.get("one")).metadata.annotations ?? {})
      );
      assert.equal(calls, 2);
      await running.stop();
    },
  );

  scenario.timed("[A187] Kopf's wake-up note costs no request of its own", async (world) => {
    const objects = new Objects(world);
    const op = operator({ persistence: persistence.kopf() });
    op.on.create(Example, { id: "make" }, ({ retry }) => {
      if (retry === 0) throw new TemporaryError("again", { delay: 10 });
    });
    await objects.create("one", { metadata: { annotations: { [`${KOPF}touch-dummy`]: "2026-01-01" } } });
    const running = await world.start(op);
    await running.advance(60);
    const bodies = world.writes().map(({ body }) => body);
    assert.equal(bodies.length, 2, "the attempt, and the conclusion");
    assert.match(bodies[0] ?? "", /"kopf\.zalando\.org\/touch-dummy":null/);
    assert.match(bodies[0] ?? "", /"kopf\.zalando\.org\/make":/);
    assert.ok(!bodies.slice(1).some((body) => body.includes("touch")), "and it never comes back");
    await running.stop();
  });

  scenario(
    "notes move from Kopf's place to ours: nobody is called again, and the finalizer stays",
    async (world) => {
      const objects = new Objects(world);
      const calls: string[] = [];
      function makeOperator(notes: ReturnType<typeof persistence.kopf>): ReturnType<typeof operator> {
        const op = operator({ persistence: notes });
        op.on.create(Example, { id: "make" }, ({ name }) => void calls.push(`make ${name}`));
        op.on.update(Example, { id: "change" }, ({ name }) => void calls.push(`change ${name}`));
        op.on.delete(Example, { id: "drop" }, ({ name }) => void calls.push(`drop ${name}`));
        return op;
      }
      const annotationsOf = async (name: string): Promise<Record<string, string>> =>
        (await objects.get(name)).metadata.annotations ?? {};
      const first = await world.start(makeOperator(persistence.kopf()));
      await objects.create("one", { spec: { value: 1 } });
      await world.until(async () => `${KOPF}last-handled-configuration` in await annotationsOf("one"));
      await first.stop();
      const second = await world.start(
        makeOperator(persistence.migrate({ to: persistence.annotations(), from: [persistence.kopf()] })),
      );
      assert.deepEqual(calls, ["make one"]);
      await objects.patch("one", { spec: { value: 2 } });
      await world.until(async () => LAST_HANDLED in await annotationsOf("one"));
      assert.deepEqual(calls, ["make one", "change one"]);
      assert.deepEqual((await objects.get("one")).metadata.finalizers, [persistence.kopf().finalizer]);
      await second.stop();
      const third = await world.start(
        makeOperator(persistence.migrate({ to: persistence.annotations(), from: [persistence.kopf()] })),
      );
      await objects.delete("one");
      await world.until(async () => await objects.find("one") === undefined);
      assert.deepEqual(calls, ["make one", "change one", "drop one"]);
      await third.stop();
    },
  );

  scenario.virtual("what is odd about how notes are kept is said once, at the start", async (world) => {
    const op = operator({
      persistence: persistence.annotations({ prefix: `${"long.".repeat(40)}example.com` }),
    });
    op.on.create(Example, () => {});
    const running = await world.start(op);
    const warnings = running.messages("warn").filter((message) => message.includes("prefix of the notes"));
    assert.equal(warnings.length, 1);
    await running.stop();
  });

  scenario.virtual("an id whose record would take another note's place is refused", (_world) => {
    for (const notes of [persistence.annotations(), persistence.kopf()]) {
      for (const id of ["last-handled-configuration", "kopf-managed", "touch-dummy"]) {
        const op = operator({ persistence: notes });
        assert.throws(
          () => op.on.create(Example, { id }, () => {}),
          new RegExp(`Cannot register a handler with the id "${id}": another note is stored under`),
        );
      }
    }
    // There they are in a field of their own.
    operator({ persistence: persistence.status() }).on.create(
      Example,
      { id: "last-handled-configuration" },
      () => {},
    );
    assert.equal(persistence.annotations().finalizer, FINALIZER);
    return Promise.resolve();
  });
});
