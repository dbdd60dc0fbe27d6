import assert from "node:assert/strict";
import { operator, type Patch, PermanentError, TemporaryError } from "../../mod.ts";
import { suite } from "../support/scenario.ts";
import { Example, LAST_HANDLED, type Loose, notesOf, Objects, statusOf } from "../support/worlds.ts";
import type { KubeObject } from "../../mod.ts";

const CIRCLE: Record<string, unknown> = {};
CIRCLE.self = CIRCLE;

/** Patches that can never be written. */
const SPOILT: Readonly<Record<string, (patch: Patch) => void>> = {
  "is invalid": (patch) => void (patch.spec.value = "invalid"),
  "has a function that throws": (patch) =>
    void patch.fns.push((body) => {
      Object.assign(body.spec ?? {}, { value: 1 });
      throw new Error("broken");
    }),
  "is no JSON": (patch) => void (patch.spec.value = CIRCLE),
};

/** How timers count their runs on the object. */
const WAYS_TO_COUNT: Record<string, (patch: Patch, runs: number) => void> = {
  "into the spec": (patch, runs) => patch.merge({ spec: { count: runs } }),
  "by functions": (patch, runs) =>
    void patch.fns.push((body) => {
      body.metadata.labels = { ...body.metadata.labels, [`run-${runs}`]: "yes" };
    }),
};

suite("progress", (scenario) => {
  scenario(
    "[A164] [G1] a handler that had finished runs again on a change made before the cause completes",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      const calls: string[] = [];
      let isReady = false;
      op.on.update(Example, { id: "h1" }, ({ spec }) => void calls.push(`h1 ${spec.value}`));
      op.on.update(Example, { id: "h2" }, ({ spec }) => {
        calls.push(`h2 ${spec.value}`);
        if (!isReady) throw new TemporaryError("not yet", { delay: 1 });
      });
      const running = await world.start(op);
      await objects.create("one", { spec: { value: "v" } });
      await world.until(async () => LAST_HANDLED in notesOf(await objects.get("one")));
      await objects.patch("one", { spec: { value: "A" } });
      await world.until(() => calls.includes("h2 A"));
      await objects.patch("one", { spec: { value: "B" } });
      isReady = true;
      await world.until(async () => (notesOf(await objects.get("one"))[LAST_HANDLED] ?? "").includes('"B"'));
      await world.settle();
      assert.deepEqual(calls.filter((call) => call.startsWith("h1")), ["h1 A", "h1 B"]);
      assert.ok(calls.includes("h2 B"));
      assert.deepEqual(Object.keys(notesOf(await objects.get("one"))), [LAST_HANDLED]);
      await running.stop();
    },
  );

  scenario.timed("[G1] a handler's own patch does not make it run again", async (world) => {
    const objects = new Objects(world);
    const op = operator();
    const calls: string[] = [];
    op.on.create(Example, { id: "h1" }, ({ patch }) => {
      calls.push("h1");
      patch.spec.made = "by h1";
      patch.fns.push((body) => {
        body.metadata.labels = { ...body.metadata.labels, also: "h1" };
      });
    });
    op.on.create(Example, { id: "h2" }, ({ spec }) => void calls.push(`h2 ${spec.made}`));
    const running = await world.start(op);
    await objects.create("one", { spec: {} });
    await running.settle();
    assert.deepEqual(calls, ["h1", "h2 by h1"]);
    await running.stop();
  });

  scenario(
    "[G1] what handlers write calls none of them again, however often they write it",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      const calls: string[] = [];
      for (const id of ["h1", "h2", "h3"]) {
        op.on.create(Example, { id }, ({ patch }) => {
          calls.push(id);
          patch.metadata.annotations[`example.com/${id}`] = `call ${calls.length}`;
        });
      }
      op.on.field(Example, "metadata.annotations", { id: "f" }, () => void calls.push("f"));
      const running = await world.start(op);
      await objects.create("one", {});
      await world.until(() => calls.includes("f"));
      await world.settle();
      assert.deepEqual(calls, ["h1", "h2", "h3", "f"]);
      await running.stop();
    },
  );

  scenario.timed("[G1] what a handler writes does not call others' sub-handlers again", async (world) => {
    const objects = new Objects(world);
    const op = operator();
    const calls: string[] = [];
    op.on.create(Example, { id: "parent" }, ({ sub }) => {
      sub("a", () => void calls.push("a"));
      sub("b", ({ retry }) => {
        calls.push("b");
        if (retry === 0) throw new TemporaryError("not yet", { delay: 10 });
      });
    });
    op.on.create(Example, { id: "writer" }, ({ patch, spec }) => {
      calls.push("writer");
      patch.spec.written = `${spec.value} and more`;
    });
    const running = await world.start(op);
    await objects.create("one", { spec: { value: "v" } });
    await running.advance(30);
    assert.deepEqual(calls, ["a", "b", "writer", "b"]);
    // It is what others write that does.
    calls.length = 0;
    await objects.create("two", { spec: { value: "v" } });
    await running.advance(2);
    await objects.patch("two", { spec: { value: "w" } });
    await running.advance(30);
    assert.deepEqual(calls.toSorted(), ["a", "a", "b", "b", "writer", "writer"]);
    await running.stop();
  });

  for (const [way, write] of Object.entries(WAYS_TO_COUNT)) {
    scenario.timed(`[G1] what timers write ${way} calls no finished handler again`, async (world) => {
      const objects = new Objects(world);
      const op = operator();
      const calls: string[] = [];
      let runs = 0;
      op.on.create(Example, { id: "done" }, () => void calls.push("done"));
      op.on.field(Example, "spec.count", { id: "field" }, () => void calls.push("field"));
      op.on.create(Example, { id: "parent" }, ({ sub }) => {
        sub("a", () => void calls.push("a"));
        sub("b", async ({ retry, signal, clock }) => {
          if (retry === 0) await clock.sleep(3, signal); // the timer writes beside it, too
          if (retry < 3) throw new TemporaryError("not yet", { delay: 4 });
        });
      });
      op.timer(Example, { interval: 1, id: "counter" }, ({ patch, body }) => {
        if (!(LAST_HANDLED in notesOf(body))) write(patch, ++runs);
      });
      const running = await world.start(op);
      await objects.create("one", { spec: { value: "v", count: 0 } });
      await running.advance(30);
      assert.ok(runs > 10, `${runs} runs`);
      assert.deepEqual(calls, ["done", "field", "a"]);
      assert.deepEqual(Object.keys(notesOf(await objects.get("one"))), [LAST_HANDLED]);
      await running.stop();
    });
  }

  scenario.timed("[G1] changes by others count although timers write beside them", async (world) => {
    const objects = new Objects(world);
    const op = operator();
    const calls: unknown[] = [];
    let runs = 0;
    op.on.create(Example, { id: "done" }, ({ spec }) => void calls.push(spec.value));
    op.on.create(Example, { id: "slow" }, ({ retry }) => {
      if (retry === 0) throw new TemporaryError("not yet", { delay: 20 });
    });
    op.timer(Example, { interval: 1, id: "counter" }, ({ patch }) => {
      runs++;
      patch.merge({ spec: { count: runs } });
    });
    const running = await world.start(op);
    await objects.create("one", { spec: { value: "A" } });
    await running.advance(5);
    await objects.patch("one", { spec: { value: "B" } });
    await running.advance(5);
    await objects.patch("one", { spec: { value: "A" } });
    await running.advance(20);
    assert.deepEqual(calls, ["A", "B", "A"]);
    await running.stop();
  });

  scenario.timed(
    "[G1] [G3] a handler whose patch could not be written at once is not called again",
    async (world) => {
      const objects = new Objects(world);
      const op = operator({ networking: { errorBackoffs: [] } });
      const calls: string[] = [];
      op.on.create(Example, { id: "h1" }, ({ patch }) => {
        calls.push("h1");
        patch.spec.made = `call ${calls.length}`;
      });
      op.on.create(Example, { id: "h2" }, () => void calls.push("h2"));
      op.on.create(Example, { id: "h3" }, () => void calls.push("h3"));
      const running = await world.start(op);
      let refusals = 0;
      world.intercept = (_, { method, path }) =>
        method === "PATCH" && path.includes("/one") && refusals++ < 2
          ? Response.json({ kind: "Status", code: 500 }, { status: 500 })
          : undefined;
      await objects.create("one", { spec: {} });
      await running.advance(120);
      assert.deepEqual(calls, ["h1", "h2", "h3"]);
      assert.equal((await objects.get("one")).spec?.made, "call 1");
      assert.deepEqual(Object.keys(notesOf(await objects.get("one"))), [LAST_HANDLED]);
      await running.stop();
    },
  );

  for (const [title, spoil] of Object.entries(SPOILT)) {
    const name = `[P1] a handler whose patch ${title} is called again, and those beside it are not`;
    scenario.timed(name, async (world) => {
      const objects = new Objects(world);
      const op = operator({ networking: { errorBackoffs: [] } });
      const calls: string[] = [];
      op.on.create(Example, { id: "h1" }, ({ patch }) => {
        calls.push("h1");
        if (calls.length === 1) spoil(patch);
      });
      op.on.create(Example, { id: "h2" }, () => void calls.push("h2"));
      op.on.create(Example, { id: "h3" }, () => void calls.push("h3"));
      const running = await world.start(op);
      world.intercept = async (request, { method, path }) => {
        const isRefused = method === "PATCH" && path.includes("/one") &&
          (await request.clone().text()).includes("invalid");
        return isRefused ? Response.json({ kind: "Status", code: 422 }, { status: 422 }) : undefined;
      };
      await objects.create("one", { spec: {} });
      await running.advance(120);
      assert.deepEqual(calls, ["h1", "h2", "h3", "h1"]);
      assert.deepEqual(Object.keys(notesOf(await objects.get("one"))), [LAST_HANDLED]);
      assert.equal(running.messages("error").length, 1);
      await running.stop();
    });
  }

  scenario(
    "[A163] [G2] an update that is taken back leaves no records behind, and the next one runs all handlers",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      const calls: string[] = [];
      op.on.update(Example, { id: "h1" }, ({ spec }) => void calls.push(`h1 ${spec.value}`));
      op.on.update(Example, { id: "h2" }, ({ spec }) => {
        if (spec.value === "A") throw new TemporaryError("never on A", { delay: 3600 });
        calls.push(`h2 ${spec.value}`);
      });
      const running = await world.start(op);
      await objects.create("one", { spec: { value: "v" } });
      await world.until(async () => LAST_HANDLED in notesOf(await objects.get("one")));
      await objects.patch("one", { spec: { value: "A" } });
      await world.until(async () => "lotse.dev/h2" in notesOf(await objects.get("one")));
      await objects.patch("one", { spec: { value: "v" } });
      await world.until(async () => !("lotse.dev/h1" in notesOf(await objects.get("one"))));
      assert.deepEqual(Object.keys(notesOf(await objects.get("one"))), [LAST_HANDLED]);
      await objects.patch("one", { spec: { value: "B" } });
      await world.until(() => calls.includes("h2 B"));
      assert.deepEqual(calls, ["h1 A", "h1 B", "h2 B"]);
      await running.stop();
    },
  );

  scenario.timed(
    "[A206] [G3] when a write fails, it is tried again without a new event, and the handler is not repeated",
    async (world) => {
      const objects = new Objects(world);
      const op = operator({ networking: { errorBackoffs: [] }, queueing: { errorDelays: [5, 10] } });
      let calls = 0;
      op.on.create(Example, function make({ patch }) {
        calls++;
        patch.status.state = "made";
        return { result: 1 };
      });
      let refusals = 3;
      world.intercept = (_, { method }) => method === "PATCH" && refusals-- > 0 ? refusal(403) : undefined;
      const running = await world.start(op);
      await objects.create("one");
      await running.advance(4);
      assert.equal(statusOf(await objects.get("one")), undefined);
      await running.advance(60);
      assert.equal(calls, 1);
      assert.deepEqual(statusOf(await objects.get("one")), { state: "made", make: { result: 1 } });
      assert.deepEqual(Object.keys(notesOf(await objects.get("one"))), [LAST_HANDLED]);
      const failures = running.logs.filter(({ message }) => message === "Reconcile failed");
      assert.deepEqual(failures.map(({ fields }) => fields.retryIn), [5, 10, 10]);
      await running.stop();
    },
  );

  scenario.timed(
    "[G3] a handler that succeeded before a failed write does run again if the object changed meanwhile",
    async (world) => {
      const objects = new Objects(world);
      const op = operator({ networking: { errorBackoffs: [] }, queueing: { errorDelays: [5] } });
      const calls: unknown[] = [];
      op.on.create(Example, function make({ spec }) {
        calls.push(spec.value);
      });
      let refusals = 1;
      world.intercept = (_, { method }) => method === "PATCH" && refusals-- > 0 ? refusal(500) : undefined;
      const running = await world.start(op);
      await objects.create("one", { spec: { value: 1 } });
      await running.settle();
      await objects.patch("one", { spec: { value: 2 } });
      await running.advance(60);
      assert.deepEqual(calls, [1, 2]);
      await running.stop();
    },
  );

  scenario.timed(
    "[A205] [G4] without error delays, errors are logged all the same, and the object is tried again",
    async (world) => {
      const objects = new Objects(world);
      const op = operator({ networking: { errorBackoffs: [] }, queueing: { errorDelays: [] } });
      op.on.create(Example, () => {});
      let refusals = 1;
      world.intercept = (_, { method }) => method === "PATCH" && refusals-- > 0 ? refusal(500) : undefined;
      const running = await world.start(op);
      await objects.create("one");
      await running.settle();
      assert.ok(running.messages("error").includes("Reconcile failed"));
      await running.advance(61);
      assert.deepEqual(Object.keys(notesOf(await objects.get("one"))), [LAST_HANDLED]);
      await running.stop();
    },
  );

  scenario.timed(
    "[A165] a permanent error is not retried, and the state counts as handled",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      let calls = 0;
      op.on.create(Example, function make() {
        calls++;
        throw new PermanentError("no way");
      });
      const running = await world.start(op);
      await objects.create("one", { spec: { size: 1 } });
      await running.advance(3600);
      assert.equal(calls, 1);
      assert.match(notesOf(await objects.get("one"))[LAST_HANDLED] ?? "", /"size":1/);
      assert.ok(running.messages("error").includes("Handler failed permanently"));
      await running.stop();
    },
  );

  scenario.timed(
    "[A168] arbitrary errors are retried after the default backoff, exactly",
    async (world) => {
      for (const [index, defaultBackoff] of [0, 30, 60].entries()) {
        const op = operator({ execution: { defaultBackoff } });
        const times: number[] = [];
        op.on.create(Example, { id: `make${index}`, labels: { test: `t${index}` } }, () => {
          times.push(world.host.clock.monotonic());
          if (times.length < 3) throw new Error("again");
        });
        const running = await world.start(op);
        await new Objects(world).create(`one${index}`, { metadata: { labels: { test: `t${index}` } } });
        await running.advance(3600);
        const [first = NaN] = times;
        assert.deepEqual(times.map((time) => Math.round((time - first) * 1000) / 1000), [
          0,
          defaultBackoff,
          2 * defaultBackoff,
        ]);
        await running.stop();
      }
    },
  );

  scenario.timed(
    "[A173] with 3 retries a handler that always fails is called exactly 3 times, with retry 0, 1 and 2",
    async (world) => {
      const op = operator();
      const retries: number[] = [];
      op.on.create(Example, { retries: 3 }, ({ retry }) => {
        retries.push(retry);
        throw new TemporaryError("again", { delay: 10 });
      });
      const running = await world.start(op);
      await new Objects(world).create("one");
      await running.advance(3600);
      assert.deepEqual(retries, [0, 1, 2]);
      await running.stop();
    },
  );

  scenario.timed(
    "[A175] a handler that runs longer than its timeout is aborted, and fails",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      const reasons: unknown[] = [];
      op.on.create(Example, { timeout: 10 }, async ({ signal }) => {
        await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
        reasons.push((signal.reason as Error).name);
        return { late: true };
      });
      const running = await world.start(op);
      await objects.create("one");
      await running.advance(9);
      assert.deepEqual(reasons, []);
      await running.advance(2);
      assert.deepEqual(reasons, ["HandlerTimeoutError"]);
      const said = running.logs.filter(({ level }) => level === "warn" || level === "error");
      assert.deepEqual(said.map(({ message }) => message).sort(), [
        "Handler ended after its timeout; its result is dropped",
        "Handler failed permanently",
      ]);
      assert.equal(statusOf(await objects.get("one")), undefined);
      await running.advance(3600);
      assert.deepEqual(Object.keys(notesOf(await objects.get("one"))), [LAST_HANDLED]);
      await running.stop();
    },
  );

  scenario.timed("a handler that never returns holds up its own object only", async (world) => {
    const objects = new Objects(world);
    const op = operator();
    const done: string[] = [];
    op.on.create(Example, async ({ name }) => {
      if (name === "stuck") await new Promise(() => {});
      done.push(name);
    });
    const running = await world.start(op);
    await objects.create("stuck");
    await objects.create("other");
    await running.advance(3600);
    assert.deepEqual(done, ["other"]);
    await running.stop();
  });

  scenario.timed(
    "a handler that throws a string is retried, and the log says what it threw",
    async (world) => {
      const op = operator();
      let calls = 0;
      op.on.create(Example, () => {
        if (calls++ === 0) throw "a plain string";
      });
      const running = await world.start(op);
      await new Objects(world).create("one");
      await running.advance(61);
      assert.equal(calls, 2);
      const failure = running.logs.find(({ message }) => message === "Handler failed temporarily");
      assert.match(String(failure?.fields.error), /"a plain string" was thrown/);
      await running.stop();
    },
  );

  scenario("attempts are counted over restarts", async (world) => {
    const objects = new Objects(world);
    const retries: number[] = [];
    function makeOperator(): ReturnType<typeof operator> {
      const op = operator();
      op.on.create(Example, { id: "make" }, ({ retry }) => {
        retries.push(retry);
        if (retry < 3) throw new TemporaryError("again", { delay: retry === 1 ? 1.5 : 0.1 });
      });
      return op;
    }
    const first = await world.start(makeOperator());
    await objects.create("one");
    await world.until(async () => recordOf(await objects.get("one"))?.retries === 2);
    await first.stop();
    const second = await world.start(makeOperator());
    await world.until(async () => LAST_HANDLED in notesOf(await objects.get("one")));
    assert.deepEqual(retries, [0, 1, 2, 3]);
    await second.stop();
  });

  scenario.timed(
    "[A151] when the deletion begins, records of the creation are superseded and purged",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      const calls: string[] = [];
      op.on.create(Example, { id: "done" }, () => {});
      op.on.create(Example, { id: "stuck" }, () => {
        throw new TemporaryError("never", { delay: 3600 });
      });
      op.on.delete(Example, { id: "clean" }, () => void calls.push("clean"));
      const running = await world.start(op);
      const hold = "other.example.com/hold";
      await objects.create("one", { metadata: { finalizers: [hold] } });
      await running.settle();
      await objects.delete("one");
      await running.settle();
      assert.deepEqual(calls, ["clean"]);
      const line = running.logs.find(({ message }) => message === "An earlier cause is superseded");
      assert.deepEqual(line?.fields, { reason: "delete", succeeded: 1, failed: 0, unfinished: 1 });
      assert.deepEqual(Object.keys(notesOf(await objects.get("one"))), [LAST_HANDLED]);
      await running.stop();
    },
  );

  scenario.timed(
    "garbage in our annotations is reported once, counts as absent, and other objects are handled",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      const calls: string[] = [];
      op.on.create(Example, { id: "make" }, ({ name }) => void calls.push(name));
      await objects.create("bad", {
        metadata: {
          annotations: { [LAST_HANDLED]: "{not json", "lotse.dev/make": '{"retries":"many","success":[]' },
        },
      });
      const running = await world.start(op);
      await objects.create("good");
      await running.settle();
      assert.deepEqual(calls.sort(), ["bad", "good"]);
      assert.ok(running.messages("warn").includes("Cannot read a note on the object: it counts as absent"));
      assert.deepEqual(Object.keys(notesOf(await objects.get("bad"))), [LAST_HANDLED]);
      await running.stop();
    },
  );
});

function recordOf(object: KubeObject<Loose, Loose>): { retries?: number } | undefined {
  const text = notesOf(object)["lotse.dev/make"];
  return text === undefined ? undefined : JSON.parse(text) as { retries?: number };
}

function refusal(code: number): Response {
  const status = { kind: "Status", apiVersion: "v1", status: "Failure", code, message: "refused on purpose" };
  return new Response(JSON.stringify(status), {
    status: code,
    headers: { "content-type": "application/json" },
  });
}
