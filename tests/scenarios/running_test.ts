import assert from "node:assert/strict";
import { operator, PermanentError, TemporaryError } from "../../mod.ts";
import { createLogger, type LogRecord } from "../../lib/runtime/logging.ts";
import { errorEvent, type Fault, refuse, WATCHES } from "../support/faulty_proxy.ts";
import { withoutToken } from "../support/judged.ts";
import { makePeeringKinds, Meeting } from "../support/meeting.ts";
import { ask, LIVENESS } from "../support/probing.ts";
import { suite } from "../support/scenario.ts";
import { Example, LAST_HANDLED, notesOf, Objects } from "../support/worlds.ts";

const refusal = (): Response => Response.json({ kind: "Status", code: 422 }, { status: 422 });

suite("running", (scenario) => {
  scenario.virtual(
    "[B245] an object whose cycles fail pauses longer and longer, begins anew after a success, and holds up no other",
    async (world) => {
      const objects = new Objects(world);
      const op = operator({ networking: { errorBackoffs: [] }, queueing: { errorDelays: [1, 2] } });
      op.on.create(Example, () => {});
      op.on.update(Example, () => {});
      let isBroken = true;
      world.intercept = (_, { method, path }) =>
        isBroken && method === "PATCH" && path.includes("/bad") ? refusal() : undefined;
      const running = await world.start(op);
      const pauses = (): unknown[] =>
        running.logs.filter(({ message }) => message === "Reconcile failed").map(({ fields }) =>
          fields.retryIn
        );
      await objects.create("bad", { spec: { value: 0 } });
      for (const value of [1, 2, 3, 4]) {
        await running.advance(1.2);
        await objects.patch("bad", { spec: { value } });
      }
      await objects.create("good");
      await running.settle();
      assert.ok(LAST_HANDLED in notesOf(await objects.get("good")), "the other one is handled at once");
      const failed = pauses();
      assert.deepEqual(failed.slice(0, 3), [1, 2, 2]);
      assert.ok(failed.length <= 4, "events do not shorten the pauses");
      isBroken = false;
      await running.advance(10);
      isBroken = true;
      await objects.patch("bad", { spec: { value: 5 } });
      await running.settle();
      assert.equal(pauses().at(-1), 1);
      await running.stop();
    },
  );

  scenario.virtual("while the server cannot be reached, it is not asked about peering", async (world) => {
    const op = operator();
    op.on.create(Example, () => {});
    let isOut = true;
    world.intercept = () => isOut ? Promise.reject(new Error("nobody listens")) : undefined;
    const running = world.start(op);
    await world.host.clock.advance(20);
    const asked = world.requests.map(({ path }) => path);
    assert.ok(asked.length > 2, asked.join());
    const isAboutPeering = (path: string): boolean => path === "/apis" || /kopf|zalando/.test(path);
    assert.deepEqual(asked.filter(isAboutPeering), []);
    isOut = false;
    await world.host.clock.advance(120);
    await (await running).stop();
    assert.ok(world.requests.some(({ path }) => isAboutPeering(path)));
  });

  scenario.virtual("[B250] a reason to stop is logged, and the run ends without an error", async (world) => {
    const { host } = world;
    const logs: LogRecord[] = [];
    const logger = createLogger({ level: "info", write: (record) => logs.push(record) }, host.clock);
    for (const reason of ["the rollout begins", undefined]) {
      const op = operator();
      op.on.event(Example, () => {});
      const controller = new AbortController();
      host.network.route("https://stop.test", (request) => world.server.fetch(request));
      const run = op.run({
        host,
        logger,
        signal: controller.signal,
        credentials: { server: "https://stop.test" },
      });
      await host.clock.settle();
      controller.abort(reason);
      await host.clock.advance(1);
      await run;
    }
    const lines = logs.filter(({ message }) => message === "Operator is stopping");
    assert.deepEqual(lines.map(({ fields }) => fields), [{ reason: "the rollout begins" }, {}]);
  });

  scenario.virtual(
    "[B251] [C29] when a part of the operator fails, the rest stops in order, and the run ends with that error",
    async (world) => {
      const { host } = world;
      const objects = new Objects(world);
      const steps: string[] = [];
      let token = "good";
      let isSealed = false;
      let watches = 0;
      host.network.route("https://login.test", (request) => {
        if (request.headers.get("authorization") !== `Bearer ${token}`) {
          return Response.json({ kind: "Status", code: 401 }, { status: 401 });
        }
        if (request.url.includes("watch=")) watches++;
        return world.server.fetch(withoutToken(request));
      });
      const op = operator();
      op.on.login(function vault() {
        if (isSealed) throw new PermanentError("the vault is sealed");
        return { server: "https://login.test", token: "good" };
      });
      op.on.event(Example, ({ name }) => {
        if (!steps.includes(`event ${name}`)) steps.push(`event ${name}`);
      });
      op.daemon(Example, async ({ stopped }) => {
        await stopped.wait(1e9);
        steps.push(`daemon ${[...stopped.reasons].includes("OPERATOR_EXITING")}`);
      });
      op.on.cleanup(async () => {
        steps.push("cleanup");
        // Now streams could go on, if there were any.
        isSealed = false;
        token = "good";
        watches = 0;
        await objects.create("late");
        await host.clock.sleep(60);
      });
      let failure: unknown;
      op.run({ host, logger: createLogger({ level: "error", write() {} }, host.clock) })
        .catch((error: unknown) => failure = error);
      await objects.create("one");
      await host.clock.advance(1);
      assert.deepEqual(steps, ["event one"]);
      isSealed = true;
      token = "other";
      host.network.breakAll();
      await world.until(() => failure !== undefined);
      assert.match(String(failure), /the vault is sealed/);
      assert.deepEqual(steps, ["event one", "daemon true", "cleanup"]);
      assert.equal(watches, 0, "streams have stopped before the cleanup");
    },
  );

  scenario.virtual(
    "[C28] a stream that ends without an error is opened anew, and the operator goes on",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      const names: string[] = [];
      op.on.event(Example, ({ name }) => void names.push(name));
      const running = await world.start(op);
      for (const name of ["one", "two", "three"]) {
        world.requests.length = 0;
        world.server.closeWatches();
        await running.advance(5);
        const paths = world.requests.map(({ path }) => path).filter((path) => path.includes("/examples"));
        assert.equal(paths.length, 1, "one stream, and nothing else");
        assert.match(paths[0] ?? "", /[?&]watch=(true|1)&?/);
        assert.doesNotMatch(paths[0] ?? "", /sendInitialEvents/);
        await objects.create(name);
        await running.advance(1);
      }
      assert.deepEqual(names, ["one", "two", "three"]);
      assert.deepEqual([running.isRunning, running.messages("error")], [true, []]);
      await running.stop();
    },
  );

  const broken: readonly [title: string, fault: Fault][] = [
    ["ERROR 666 in its stream", errorEvent(666)],
    ["HTTP 404", refuse(404)],
    ["HTTP 410", refuse(410)],
  ];
  for (const [title, fault] of broken) {
    scenario.virtual(
      `[C27] [D1] a watch that meets ${title} is opened again and again, readiness tells, and the operator goes on`,
      async (world) => {
        const objects = new Objects(world);
        const op = operator();
        const names: string[] = [];
        op.on.create(Example, ({ name }) => void names.push(name));
        await using place = await world.proxy();
        const running = await world.start(op, { liveness: LIVENESS });
        assert.deepEqual(await ask(world, "/readyz"), [200, "ok"]);
        place.proxy.inject(WATCHES, fault, Infinity);
        place.breakAll();
        await objects.create("one");
        await running.advance(60);
        assert.ok(place.proxy.struck >= 3 && place.proxy.struck <= 36, `${place.proxy.struck} attempts`);
        const [status, text] = await ask(world, "/readyz?verbose");
        assert.equal(status, 503);
        assert.match(
          text,
          /^\[-\]watch examples\.v1\.lotse\.test failed: no stream for \d+ s: .*(404|410|666)/m,
        );
        assert.deepEqual(await ask(world, "/livez"), [200, "ok"]);
        place.proxy.clear();
        await objects.create("two");
        await running.until(() => names.length === 2, { within: 46 });
        await running.advance(1);
        assert.deepEqual(await ask(world, "/readyz"), [200, "ok"]);
        assert.deepEqual([names, running.isRunning], [["one", "two"], true]);
        await running.stop();
      },
    );
  }

  scenario.virtual(
    "[C27] [D1] a worker that crashes is started again with what it was at, and the operator goes on",
    async (world) => {
      const objects = new Objects(world);
      let crashes = 0;
      // What is asked after a failure, and fails itself: nobody is left to catch that.
      const errorDelays = Object.assign([1], {
        [Symbol.iterator](): ArrayIterator<number> {
          crashes++;
          throw new Error("the delays are gone");
        },
      });
      const op = operator({ networking: { errorBackoffs: [] } });
      op.on.startup(({ settings }) => void (settings.queueing.errorDelays = errorDelays));
      const events: string[] = [];
      const made: string[] = [];
      op.on.event(Example, ({ type, name }) => void events.push(`${type} ${name}`));
      op.on.create(Example, ({ name }) => void made.push(name));
      const running = await world.start(op, { liveness: LIVENESS });
      world.intercept = (_, { method, path }) =>
        crashes < 3 && method === "PATCH" && path.includes("/bad") ? refusal() : undefined;
      await objects.create("bad");
      await objects.create("good");
      await running.settle();
      assert.deepEqual([made, crashes], [["bad", "good"], 1]);
      assert.ok(running.messages("error").includes("Task failed"));
      assert.deepEqual(await ask(world, "/readyz"), [200, "ok"]);
      await running.advance(10);
      assert.equal(crashes, 3);
      assert.ok(LAST_HANDLED in notesOf(await objects.get("bad")), "it is handled at last");
      assert.ok(LAST_HANDLED in notesOf(await objects.get("good")));
      assert.deepEqual(events.filter((event) => event.endsWith("good")), ["ADDED good", "MODIFIED good"]);
      assert.deepEqual([made, running.isRunning], [["bad", "good"], true]);
      await running.stop();
    },
  );

  scenario.virtual(
    "[C27] [D1] a peering record that cannot be renewed is tried again and again, readiness tells, and the operator goes on",
    async (world) => {
      await makePeeringKinds(world);
      const meeting = await new Meeting(world.client, { namespace: "default" }).create();
      const objects = new Objects(world);
      const op = operator({ networking: { errorBackoffs: [1, 1] } });
      const made: string[] = [];
      op.on.create(Example, ({ name }) => void made.push(name));
      const running = await world.start(op, { scope: ["default"], identity: "me", liveness: LIVENESS });
      const before = await meeting.records();
      let refusals = 0;
      let isBroken = true;
      world.intercept = (_, { method, path }) => {
        if (!isBroken || method !== "PATCH" || !path.includes("kopfpeerings")) return undefined;
        refusals++;
        return Response.json({ kind: "Status", code: 500 }, { status: 500 });
      };
      await running.advance(60);
      assert.deepEqual([await meeting.records(), refusals >= 3], [before, true], "after its retries");
      await running.advance(60);
      await objects.create("one");
      await running.settle();
      const [status, text] = await ask(world, "/readyz?verbose");
      assert.equal(status, 503);
      assert.match(text, /^\[-\]peering failed: the own record expired \d+ s ago and cannot be renewed/m);
      assert.deepEqual([made, running.isRunning], [["one"], true]);
      isBroken = false;
      await running.advance(13);
      assert.notDeepEqual(await meeting.records(), before);
      assert.deepEqual(await ask(world, "/readyz"), [200, "ok"]);
      await running.stop();
    },
  );

  scenario(
    "[B326] of handlers that fail in all ways three end for good after one try each or three, and one succeeds after retries",
    async (world) => {
      const op = operator({ execution: { defaultBackoff: 1 } });
      const calls: Record<string, number> = {};
      const count = (name: string): number => calls[name] = (calls[name] ?? 0) + 1;
      op.on.create(Example, function instantly() {
        count("instantly");
        throw new PermanentError("it cannot be");
      });
      op.on.create(Example, function eventually({ retry }) {
        count("eventually");
        if (retry < 3) throw new TemporaryError("not yet", { delay: 1 });
      });
      op.on.create(Example, { retries: 3, backoff: 1 }, function patiently() {
        count("patiently");
        throw new Error("still broken");
      });
      op.on.create(Example, { errors: "permanent" }, function strictly() {
        count("strictly");
        throw new Error("once is enough");
      });
      const objects = new Objects(world);
      const running = await world.start(op);
      await objects.create("one");
      await world.until(async () => LAST_HANDLED in notesOf(await objects.find("one")));
      assert.deepEqual(calls, { instantly: 1, eventually: 4, patiently: 3, strictly: 1 });
      const linesOf = (message: string): unknown[] =>
        running.logs.filter((record) => record.message === message).map(({ fields }) => fields.handler);
      assert.deepEqual(linesOf("Handler succeeded"), ["eventually"]);
      assert.deepEqual(linesOf("Handler failed permanently").sort(), ["instantly", "patiently", "strictly"]);
      assert.deepEqual(Object.keys(notesOf(await objects.get("one"))), [LAST_HANDLED]);
      await running.stop();
    },
  );

  scenario.virtual("[B252] what ignores the end is left behind within seconds", async (world) => {
    const op = operator();
    let calls = 0;
    op.on.create(Example, { id: "deaf" }, () => {
      calls++;
      return new Promise(() => {});
    });
    await new Objects(world).create("one");
    const running = await world.start(op);
    assert.equal(calls, 1);
    const before = world.host.clock.now();
    await running.stop();
    assert.ok(world.host.clock.now() - before <= 5_000);
    assert.ok(running.messages("warn").some((message) => /left behind/.test(message)));
  });

  scenario.virtual(
    "[B257] with neither namespaces nor the whole cluster, the cluster is served, and a warning says so",
    async (world) => {
      const { host } = world;
      const names: string[] = [];
      const warningsOf = async (
        options: { scope?: string[] | "cluster" },
      ): Promise<unknown[]> => {
        const logs: LogRecord[] = [];
        const logger = createLogger({ level: "warn", write: (record) => logs.push(record) }, host.clock);
        const op = operator();
        op.on.event(Example, ({ name }) => void names.push(name));
        const controller = new AbortController();
        host.network.route("https://any.test", (request) => world.server.fetch(request));
        const credentials = { server: "https://any.test" };
        const run = op.run({ host, logger, credentials, signal: controller.signal, ...options });
        await host.clock.advance(1);
        controller.abort();
        await host.clock.advance(1);
        await run;
        return logs.map(({ message }) => message);
      };
      await new Objects(world).create("one");
      assert.deepEqual(await warningsOf({}), ["No namespaces are named: the whole cluster is served"]);
      assert.deepEqual(names, ["one"]);
      assert.deepEqual(await warningsOf({ scope: "cluster" }), []);
      assert.deepEqual(await warningsOf({ scope: ["default"] }), []);
    },
  );
});
