import assert from "node:assert/strict";
import { kinds, operator, type Patch } from "../../mod.ts";
import { textSink } from "../../lib/runtime/log_format.ts";
import type { LogRecord } from "../../lib/runtime/logging.ts";
import { suite } from "../support/scenario.ts";
import { Example, LAST_HANDLED, notesOf, Objects } from "../support/worlds.ts";

suite("handlers", (scenario) => {
  scenario(
    "[A124] event handlers are called once per event, with its type and the raw event",
    async (world) => {
      const objects = new Objects(world);
      await objects.create("zero");
      const op = operator();
      const calls: string[] = [];
      op.on.event(Example, ({ type, name, event }) => {
        assert.equal(event.type, type);
        calls.push(`${event.type} ${event.object.metadata.name} ${name}`);
      });
      const running = await world.start(op);
      await objects.create("one");
      await world.until(() => calls.length === 2);
      await objects.patch("one", { spec: { a: 1 } });
      await objects.patch("one", { spec: { a: 2 } });
      await objects.delete("one");
      await world.until(() => calls.length === 5);
      await world.settle();
      assert.deepEqual(calls, [
        "null zero zero",
        "ADDED one one",
        "MODIFIED one one",
        "MODIFIED one one",
        "DELETED one one",
      ]);
      await running.stop();
    },
  );

  scenario.timed(
    "[A125] an event handler that throws is logged, and the others are called",
    async (world) => {
      const op = operator();
      const calls: string[] = [];
      op.on.event(Example, function bad() {
        throw new Error("on purpose");
      });
      op.on.event(Example, function good() {
        calls.push("good");
      });
      const running = await world.start(op);
      await new Objects(world).create("one");
      await running.settle();
      assert.deepEqual(calls, ["good"]);
      const failures = running.logs.filter(({ level, fields }) =>
        level === "error" && fields.handler === "bad"
      );
      assert.equal(failures.length, 1);
      // NB: no longer than a silent stream is kept: after it all objects are told of again.
      await running.advance(65);
      assert.deepEqual(calls, ["good"], "nothing is retried");
      await running.stop();
    },
  );

  scenario("[A126] what an event handler returns goes into the status under its id", async (world) => {
    const objects = new Objects(world);
    const op = operator();
    op.on.event(Example, function look({ type }) {
      return type === "ADDED" ? { seen: true } : undefined;
    });
    const running = await world.start(op);
    await objects.create("one");
    await world.until(async () => (await objects.get("one")).status !== undefined);
    assert.deepEqual((await objects.get("one")).status, { look: { seen: true } });
    await running.stop();
  });

  scenario.timed("[A127] `param` is handed over as it is", async (world) => {
    const op = operator();
    const params: unknown[] = [];
    const param = { any: "thing" };
    op.on.create(Example, { id: "a", param }, (args) => void params.push(args.param === param));
    op.on.create(Example, { id: "b" }, (args) => void params.push(args.param));
    op.on.event(Example, { param: 123 }, (args) => void params.push(args.param));
    const running = await world.start(op);
    await new Objects(world).create("one");
    await running.settle();
    assert.deepEqual([...new Set(params)], [123, true, undefined]);
    await running.stop();
  });

  scenario("[A128] a field handler sees the field's values and a diff relative to it", async (world) => {
    const objects = new Objects(world);
    const op = operator();
    const calls: unknown[] = [];
    op.on.field(
      Example,
      "spec.nested",
      { old: (value) => value !== undefined },
      ({ old, new: now, diff, reason }) => {
        calls.push({ reason, old, now, diff: diff.map((item) => [...item]) });
      },
    );
    const running = await world.start(op);
    await objects.create("one", { spec: { nested: { a: 1, b: 2 }, other: 1 } });
    await world.until(async () => LAST_HANDLED in notesOf(await objects.get("one")));
    await objects.patch("one", { spec: { nested: { a: 3 }, other: 2 } });
    await world.until(() => calls.length > 0);
    await world.settle();
    assert.deepEqual(calls, [{
      reason: "update",
      old: { a: 1, b: 2 },
      now: { a: 3, b: 2 },
      diff: [["change", ["a"], 1, 3]],
    }]);
    await running.stop();
  });

  scenario(
    "[A129] on creation a field handler sees nothing before, and the field as added",
    async (world) => {
      const op = operator();
      const calls: unknown[] = [];
      op.on.field(Example, "spec.size", ({ old, new: now, diff, reason }) => {
        calls.push({ reason, old, now, diff: diff.map((item) => [...item]) });
      });
      const running = await world.start(op);
      await new Objects(world).create("one", { spec: { size: 5 } });
      await world.until(() => calls.length > 0);
      const [call] = calls as { diff: unknown[][] }[];
      assert.deepEqual(call, { reason: "create", old: undefined, now: 5, diff: call?.diff });
      assert.equal(call?.diff.length, 1);
      assert.deepEqual([call?.diff[0]?.[0], call?.diff[0]?.[1], call?.diff[0]?.[3]], ["add", [], 5]);
      await running.stop();
    },
  );

  scenario(
    "[A130] whole-object handlers get the essence as `new`, and the whole object as `body`",
    async (world) => {
      const op = operator();
      const calls: unknown[] = [];
      op.on.create(Example, ({ new: now, body, old, diff }) => {
        calls.push(now);
        assert.equal(old, undefined);
        assert.equal(body.kind, "Example");
        assert.equal(typeof body.metadata.resourceVersion, "string");
        assert.deepEqual(diff.map(({ op: operation, path }) => [operation, path]), [["add", []]]);
      });
      const running = await world.start(op);
      await new Objects(world).create("one", { spec: { size: 5 }, metadata: { labels: { a: "b" } } });
      await world.until(() => calls.length > 0);
      assert.deepEqual(calls, [{ spec: { size: 5 }, metadata: { labels: { a: "b" } } }]);
      await running.stop();
    },
  );

  scenario.timed("[A134] log lines about an object carry its reference", async (world) => {
    const op = operator();
    op.on.create(Example, ({ logger }) => logger.info("Hello", { a: 1 }));
    op.on.event(Example, ({ logger }) => logger.info("Seen"));
    const running = await world.start(op);
    const { metadata } = await new Objects(world).create("one");
    await running.settle();
    for (const message of ["Hello", "Seen", "Handler succeeded"]) {
      const line = running.logs.find((record) => record.message === message);
      assert.deepEqual(line?.reference, {
        apiVersion: "lotse.test/v1",
        kind: "Example",
        name: "one",
        namespace: "default",
        uid: metadata.uid,
      }, message);
      assert.match(textOf(line), new RegExp(`^\\[default/one\\] ${message}`));
    }
    await running.stop();
  });

  scenario.timed("[A134] of objects without a namespace, log lines begin with the name", async (world) => {
    const op = operator();
    op.on.create(kinds.Namespace, ({ logger }) => logger.info("Hello"));
    const running = await world.start(op);
    await world.client.create({ group: "", version: "v1", plural: "namespaces", namespaced: false }, {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: "one" },
    });
    await running.settle();
    const line = running.logs.find(({ message, reference }) =>
      message === "Hello" && reference?.name === "one"
    );
    assert.match(textOf(line), /^\[one\] Hello/);
    await running.stop();
  });

  scenario.timed(
    "[A135] a difference is logged at debug before it is handled; none is not",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      op.on.create(Example, () => {});
      op.on.update(Example, () => {});
      const running = await world.start(op);
      await objects.create("one", { spec: { size: 1 } });
      await running.settle();
      assert.equal(running.messages("debug").includes("Essence differs"), false, "nothing to differ from");
      await objects.patch("one", { spec: { size: 2 } });
      await running.settle();
      const line = running.logs.find(({ message }) => message === "Essence differs");
      assert.equal(line?.level, "debug");
      assert.match(JSON.stringify(line?.fields.diff), /"size"/);
      await running.stop();
      let resumed = 0;
      op.on.resume(Example, () => void resumed++);
      const second = await world.start(op);
      assert.equal(resumed, 1);
      assert.equal(second.messages("debug").includes("Essence differs"), false, "nothing that differs");
      await second.stop();
    },
  );

  scenario.timed(
    "[A136] what one handler keeps in `memo` the others of the same object see, and nobody else",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      const seen: unknown[] = [];
      op.on.create(Example, ({ memo, name }) => {
        memo.token = `of ${name}`;
      });
      op.on.update(Example, ({ memo }) => void seen.push(memo.token));
      const running = await world.start(op);
      for (const name of ["one", "two"]) await objects.create(name);
      await running.settle();
      for (const name of ["one", "two"]) await objects.patch(name, { spec: { a: 1 } });
      await running.settle();
      assert.deepEqual(seen, ["of one", "of two"]);
      await running.stop();
    },
  );

  scenario.timed("[A137] an object's memo begins as a shallow copy of the operator's", async (world) => {
    const objects = new Objects(world);
    const shared: string[] = [];
    const op = operator({ memo: { shared, own: "start" } });
    const seen: unknown[] = [];
    op.on.create(Example, ({ memo, name }) => {
      shared.push(name);
      seen.push([memo.shared === shared, memo.own]);
      memo.own = name;
    });
    const running = await world.start(op);
    await objects.create("one");
    await objects.create("two");
    await running.settle();
    assert.deepEqual(seen, [[true, "start"], [true, "start"]]);
    assert.deepEqual(op.memo, { shared: ["one", "two"], own: "start" });
    await running.stop();
  });

  scenario.timed(
    "[A133] views of an object without stanzas are empty, and it stays as it is",
    async (world) => {
      const op = operator();
      const seen: unknown[] = [];
      op.on.create(Example, ({ spec, status, labels, annotations, body }) => {
        seen.push([spec, status, labels, annotations, "spec" in body, "status" in body]);
      });
      const running = await world.start(op);
      await new Objects(world).create("one");
      await running.settle();
      assert.deepEqual(seen, [[{}, {}, {}, {}, false, false]]);
      await running.stop();
    },
  );

  scenario.timed("handlers cannot change the object itself, only its patch", async (world) => {
    const op = operator();
    const errors: unknown[] = [];
    op.on.create(Example, ({ spec }) => {
      try {
        (spec as { size: number }).size = 2;
      } catch (error) {
        errors.push(error instanceof TypeError);
      }
    });
    const running = await world.start(op);
    await new Objects(world).create("one", { spec: { size: 1 } });
    await running.settle();
    assert.deepEqual(errors, [true]);
    await running.stop();
  });

  scenario.timed(
    "[A139] of three handlers under `asap`, the first cycle notes one as finished and two as waiting, in one patch",
    async (world) => {
      const op = operator();
      for (const id of ["h1", "h2", "h3"]) op.on.create(Example, { id }, () => {});
      const running = await world.start(op);
      await new Objects(world).create("one");
      await running.settle();
      const [first] = world.writes();
      const { status } = JSON.parse(first?.body ?? "{}") as {
        status: { lotse: { progress: Record<string, { success: boolean }> } };
      };
      const records = Object.entries(status.lotse.progress).map((
        [id, { success }],
      ) => [id, success === true]);
      assert.deepEqual(records.sort(), [["h1", true], ["h2", false], ["h3", false]]);
      await running.stop();
    },
  );

  scenario.timed(
    "[A140] when the last handler has finished, all records go and the state is noted, in one patch",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      for (const id of ["h1", "h2", "h3"]) op.on.create(Example, { id }, () => {});
      const running = await world.start(op);
      await objects.create("one");
      await running.settle();
      assert.equal(world.writes().length, 3);
      const last = JSON.parse(world.writes().at(-1)?.body ?? "{}") as {
        status: { lotse: Record<string, unknown> };
      };
      const { "last-handled-configuration": noted, ...records } = last.status.lotse;
      assert.equal(typeof noted, "string");
      assert.deepEqual(records, { progress: null });
      assert.deepEqual(Object.keys(notesOf(await objects.get("one"))), [LAST_HANDLED]);
      await running.stop();
    },
  );

  scenario.timed(
    "a handler that patches the status costs one write, and the object's own events cause nothing more",
    async (world) => {
      const op = operator();
      op.on.create(
        Example,
        ({ patch }: { patch: Patch<Record<string, unknown>, Record<string, unknown>> }) => {
          patch.status.state = "Ready";
        },
      );
      const running = await world.start(op);
      await new Objects(world).create("one");
      await running.settle();
      await running.advance(3600);
      assert.deepEqual(world.writes().map(({ method, path }) => [method, path.replace(/^.*examples/, "")]), [
        ["PATCH", "/one/status"],
      ]);
      await running.stop();
    },
  );
});

/** What the operator's log shows of a record. */
function textOf(record: LogRecord | undefined): string {
  let text = "";
  const sink = textSink({ format: "plain", level: "debug", write: (line) => void (text += line) });
  if (record !== undefined) sink.write(record);
  return text;
}
