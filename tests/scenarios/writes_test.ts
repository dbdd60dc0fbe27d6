import assert from "node:assert/strict";
import { lifecycles, operator, persistence, resource, TemporaryError } from "../../mod.ts";
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
import type { TimedWorld } from "../support/virtual_world.ts";

/** What was written, as "METHOD what's below the namespace". */
function writesOf(world: TimedWorld): string[] {
  return world.writes().map(({ method, path }) => `${method} ${path.replace(/^.*\/default\//, "")}`);
}

suite("writes", (scenario) => {
  scenario.timed(
    "[A141] a handler that succeeds at once costs one write, and leaves no record",
    async (world) => {
      const op = operator();
      op.on.create(Example, { id: "make" }, ({ patch }) => {
        patch.status.state = "made";
        return { done: true };
      });
      const running = await world.start(op);
      await new Objects(world).create("one");
      await running.advance(600);
      assert.deepEqual(writesOf(world), ["PATCH examples/one/status"]);
      assert.ok(world.writes().every(({ body }) => !body.includes("progress")));
      await running.stop();
    },
  );

  scenario(
    "[P6] a result of nulls alone is stored as an empty object, and takes members away from an earlier one",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      op.on.create(Example, { id: "nothing" }, () => ({ a: null, b: { c: null } }));
      const first = ({ reason }: { readonly reason: string }) =>
        reason === "create" ? { a: 1, b: 2 } : { a: null };
      op.on.create(Example, first);
      op.on.update(Example, first);
      const running = await world.start(op);
      await objects.create("one", { spec: { a: 1 } });
      const found = async () => statusOf(await objects.get("one")) ?? {};
      await world.until(async () => "nothing" in await found() && "first" in await found());
      assert.deepEqual(await found(), { nothing: { b: {} }, first: { a: 1, b: 2 } });
      await objects.patch("one", { spec: { a: 2 } });
      await world.until(async () => !("a" in ((await found()).first as Loose)));
      assert.deepEqual(await found(), { nothing: { b: {} }, first: { b: 2 } });
      await running.stop();
    },
  );

  scenario.timed(
    "a handler whose changes JSON cannot express has failed, and takes nobody else's changes with it",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      const circle: Loose = {};
      circle.self = circle;
      const calls: string[] = [];
      op.on.create(Example, { id: "first" }, ({ patch }) => void (patch.status.first = calls.push("first")));
      op.on.create(Example, { id: "broken", backoff: 5 }, ({ patch, retry }) => {
        calls.push("broken");
        patch.status.tried = retry;
        if (retry === 0) patch.status.odd = circle;
      });
      op.on.create(Example, { id: "last" }, ({ patch }) => void (patch.status.last = calls.push("last")));
      const running = await world.start(op);
      await objects.create("one");
      await running.advance(4);
      assert.deepEqual(statusOf(await objects.get("one")), { first: 1, last: 3 });
      const failed = running.logs.filter(({ message }) => message === "Handler failed temporarily");
      const { error } = failed[0]?.fields ?? {};
      assert.match(String(error), /"status\.odd\.self" into JSON: it is a circle/);
      assert.equal((error as Error).stack, String(error), "none of our own lines");
      await running.advance(60);
      assert.deepEqual(statusOf(await objects.get("one")), { first: 1, last: 3, tried: 1 });
      assert.deepEqual(calls, ["first", "broken", "last", "broken"]);
      await running.stop();
    },
  );

  scenario.timed(
    "so have reconciles, daemons and handlers of raw events that would write NaN",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      op.on.event(Example, { id: "raw" }, ({ patch, type }) => {
        if (type === "ADDED") patch.status.raw = NaN;
      });
      op.reconcile(Example, { id: "follow", backoff: 5 }, ({ patch, retry }) => {
        patch.status.followed = retry === 0 ? NaN : retry;
      });
      op.daemon(Example, { id: "watch", backoff: 7 }, ({ patch, retry }) => {
        patch.status.watched = retry === 0 ? NaN : retry;
      });
      const running = await world.start(op);
      await objects.create("one");
      await running.advance(60);
      assert.deepEqual(statusOf(await objects.get("one")), { followed: 1, watched: 1 });
      const failed = running.logs.filter(({ message }) => message.includes(" failed "));
      assert.deepEqual(failed.map(({ message, fields: { handler } }) => `${message}: ${handler}`).sort(), [
        "Daemon failed temporarily: watch",
        "Handler failed temporarily: follow",
        "Handler failed with an error that is ignored: raw",
      ]);
      await running.stop();
    },
  );

  scenario.timed("with persistence.status() it costs one", async (world) => {
    const objects = new Objects(world);
    const op = operator({ persistence: persistence.status() });
    let calls = 0;
    op.on.create(Example, { id: "make" }, ({ patch }) => {
      calls++;
      patch.status.state = "made";
    });
    const running = await world.start(op);
    const { metadata: { uid } } = await objects.create("one", { spec: { a: 1 } });
    await running.advance(600);
    assert.deepEqual(writesOf(world), ["PATCH examples/one/status"]);
    const of = `${world.namespace}/one/${uid}`;
    assert.deepEqual((await objects.get("one")).status, {
      state: "made",
      lotse: { "last-handled-configuration": `{"$lotse":{"format":1,"of":"${of}"},"spec":{"a":1}}` },
    });
    assert.equal(calls, 1);
    await running.stop();
  });

  scenario.timed("where the status is no subresource, it costs one", async (world) => {
    const op = operator();
    op.on.create(Plain, ({ patch }) => {
      patch.status.state = "made";
    });
    const running = await world.start(op);
    await new Objects(world, PLAINS).create("one");
    await running.advance(600);
    assert.deepEqual(writesOf(world), ["PATCH plains/one"]);
    await running.stop();
  });

  scenario.timed(
    "each cycle writes each part of an object at most once, whatever its handlers do",
    async (world) => {
      const op = operator({ lifecycle: lifecycles.allAtOnce });
      for (const id of ["a", "b", "c"]) {
        op.on.create(Example, { id }, ({ patch, retry, sub }) => {
          patch.status[id] = retry;
          patch.metadata.labels[id] = "yes";
          sub("part", () => ({ retry }));
          if (retry < 2) throw new TemporaryError("again", { delay: 10 });
          return { retry };
        });
      }
      op.on.event(Example, ({ patch }) => {
        patch.metadata.annotations["example.com/seen"] = "yes";
      });
      op.on.delete(Example, () => {});
      const running = await world.start(op);
      await new Objects(world).create("one");
      await running.settle();
      // The finalizer comes first, in a cycle of its own, together with what the event handler wants.
      assert.deepEqual(writesOf(world), [
        "PATCH examples/one",
        "PATCH examples/one",
        "PATCH examples/one/status",
      ]);
      for (let cycle = 1; cycle <= 2; cycle++) {
        world.requests.length = 0;
        await running.advance(10.5);
        assert.deepEqual(writesOf(world), ["PATCH examples/one/status"], `${cycle}`);
      }
      world.requests.length = 0;
      await running.advance(600);
      assert.deepEqual(writesOf(world), []);
      await running.stop();
    },
  );

  scenario.timed("a cycle that leaves nothing behind writes nothing", async (world) => {
    const objects = new Objects(world);
    const op = operator();
    op.on.event(Example, () => {});
    op.on.resume(Example, () => {});
    op.on.update(Example, { field: "spec.a" }, () => {});
    await objects.create("one", { spec: { a: 1 } });
    const first = await world.start(op);
    await first.stop();
    world.requests.length = 0;
    const second = await world.start(op);
    await objects.patch("one", { status: { by: "another" } }, "status");
    await second.advance(600);
    assert.deepEqual(writesOf(world), []);
    await second.stop();
  });
});

/** A kind whose schema knows hardly anything. */
const STRICTS = {
  group: "lotse.test",
  version: "v1",
  plural: "stricts",
  kind: "Strict",
  namespaced: true,
} as const;
const Strict = resource<Loose, Loose>(STRICTS);

async function makeStrict(world: TimedWorld): Promise<void> {
  const properties = {
    spec: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    status: { type: "object", properties: { known: { type: "string" } } },
  };
  await world.client.create({
    group: "apiextensions.k8s.io",
    version: "v1",
    plural: "customresourcedefinitions",
    namespaced: false,
  }, {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "stricts.lotse.test" },
    spec: {
      group: "lotse.test",
      scope: "Namespaced",
      names: { plural: "stricts", singular: "strict", kind: "Strict" },
      versions: [{
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", properties } },
        subresources: { status: {} },
      }],
    },
  });
  await world.host.clock.advance(2);
}

async function createStrict(world: TimedWorld, name: string, spec: Loose = {}): Promise<void> {
  await world.client.create(STRICTS, {
    apiVersion: "lotse.test/v1",
    kind: "Strict",
    metadata: { name, namespace: "default" },
    spec,
  });
}

const DROPPED =
  /^The server has not kept everything that was written: .*x-kubernetes-preserve-unknown-fields/;

suite("schemas that drop what is written", (scenario) => {
  scenario.timed(
    "[A216] fields of the status that the server drops are said once per kind, with what to do; nothing loops",
    async (world) => {
      await makeStrict(world);
      const op = operator();
      let calls = 0;
      op.on.create(Strict, { id: "make" }, ({ patch }) => {
        calls++;
        patch.status.known = "x";
        patch.status.phase = "Ready";
        patch.metadata.annotations["example.com/gone"] = null;
        patch.metadata.labels = {};
        return { deep: { er: 1 } };
      });
      const running = await world.start(op);
      for (const name of ["one", "two"]) await createStrict(world, name);
      await running.advance(3600);
      assert.equal(calls, 2);
      const warnings = running.logs.filter(({ message }) => DROPPED.test(message));
      assert.deepEqual(warnings.map(({ fields }) => fields), [
        { kind: "stricts.v1.lotse.test", fields: ["status.phase", "status.make"] },
      ]);
      assert.equal(world.writes().length, 4);
      await running.stop();
    },
  );

  scenario.timed(
    "notes that the server drops are kept in memory: handlers run once, retries come when they are due",
    async (world) => {
      await makeStrict(world);
      const op = operator({ persistence: persistence.status() });
      const calls: string[] = [];
      op.on.create(Strict, { id: "make" }, ({ name, retry }) => {
        calls.push(`make ${name} ${retry}`);
        if (name === "slow" && retry < 2) throw new TemporaryError("again", { delay: 100 });
      });
      op.on.update(Strict, { id: "change" }, ({ name, old, new: now }) => {
        calls.push(`change ${name} ${old?.spec?.a} ${now?.spec?.a}`);
      });
      const running = await world.start(op);
      for (const name of ["quick", "slow"]) await createStrict(world, name, { a: 1 });
      await running.advance(99);
      assert.deepEqual(calls, ["make quick 0", "make slow 0"]);
      await running.advance(3600);
      assert.deepEqual(calls.slice(2), ["make slow 1", "make slow 2"]);
      const address = { name: "quick", namespace: "default" };
      await world.client.patch(STRICTS, address, { type: "merge", body: { spec: { a: 2 } } });
      await running.advance(3600);
      assert.deepEqual(calls.slice(4), ["change quick 1 2"]);
      const warnings = running.logs.filter(({ message }) => DROPPED.test(message));
      assert.deepEqual(warnings.map(({ fields }) => fields.fields), [["status.lotse"]]);
      assert.ok(world.writes().length < 10, `${world.writes().length} writes`);
      await running.stop();
    },
  );
});

suite("objects without handlers", (scenario) => {
  scenario(
    "[A72] [A73] an object that nothing matches is left alone in silence; once it matches, it is created",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      const calls: string[] = [];
      const labels = { wanted: "yes" };
      op.on.create(Example, { labels }, () => void calls.push("create"));
      op.on.update(Example, { labels }, () => void calls.push("update"));
      const running = await world.start(op);
      const before = await objects.create("one", { spec: { a: 1 } });
      await objects.patch("one", { status: { x: 1 } }, "status");
      await world.settle();
      const after = await objects.get("one");
      assert.equal(Number(after.metadata.generation), Number(before.metadata.generation));
      assert.deepEqual(notesOf(after), {});
      const lines = running.logs.filter(({ reference, level }) =>
        reference?.name === "one" && level !== "debug"
      );
      assert.deepEqual(lines, []);
      await objects.patch("one", { metadata: { labels } });
      await world.until(async () => LAST_HANDLED in notesOf(await objects.get("one")));
      assert.deepEqual(calls, ["create"]);
      await running.stop();
    },
  );

  scenario.timed(
    "[A70] [G9] a filter that throws is that handler's failure only, and is said once",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      const calls: string[] = [];
      op.on.event(Example, () => void calls.push("event"));
      op.on.create(Example, {
        id: "broken",
        when: () => {
          throw new Error("on purpose");
        },
      }, () => void calls.push("broken"));
      op.on.create(Example, { id: "whole" }, () => void calls.push("whole"));
      const running = await world.start(op);
      await objects.create("one", { spec: { a: 1 } });
      await objects.patch("one", { spec: { a: 2 } });
      await running.settle();
      assert.ok(calls.includes("event") && calls.includes("whole") && !calls.includes("broken"));
      const said = running.messages("error").filter((message) => message.startsWith("Filter failed"));
      assert.equal(said.length, 1);
      await running.stop();
    },
  );

  scenario(
    "[A96] [G16] a new handler on a field of the status makes no object look changed",
    async (world) => {
      const objects = new Objects(world);
      const calls: string[] = [];
      const before = operator();
      before.on.update(Example, { id: "any" }, () => void calls.push("any"));
      const first = await world.start(before);
      await objects.create("one", { spec: { a: 1 } });
      await objects.patch("one", { status: { phase: "Old" } }, "status");
      await world.until(async () => LAST_HANDLED in notesOf(await objects.get("one")));
      await first.stop();
      const after = operator();
      after.on.update(Example, { id: "any" }, () => void calls.push("any"));
      after.on.field(Example, "status.phase", { id: "phase" }, ({ old, new: now }) => {
        calls.push(`phase ${old} ${now}`);
      });
      const second = await world.start(after);
      await world.settle();
      assert.equal(calls.length, 0);
      await objects.patch("one", { status: { phase: "New" } }, "status");
      await world.until(() => calls.includes("phase Old New"));
      await second.stop();
    },
  );
});
