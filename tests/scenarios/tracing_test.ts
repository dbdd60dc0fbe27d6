import assert from "node:assert/strict";
import { SpanStatusCode, trace } from "@opentelemetry/api";
import { kinds, operator, TemporaryError } from "../../mod.ts";
import { textSink } from "../../lib/runtime/log_format.ts";
import { isTraced } from "../../lib/runtime/context.ts";
import { suite } from "../support/scenario.ts";
import { SpanRecorder } from "../support/spans.ts";
import { Example, Objects } from "../support/worlds.ts";

suite("traces", (scenario) => {
  scenario("[N12] a reconcile, its handlers, and their requests are one trace", async (world) => {
    using recorder = new SpanRecorder();
    const objects = new Objects(world);
    const op = operator();
    op.on.create(Example, async function make({ name, namespace, patch }) {
      const own = trace.getTracer("own").startSpan("own");
      await op.api.create(kinds.ConfigMap, { metadata: { name, namespace }, data: {} });
      own.end();
      patch.status.state = "made";
    });
    const running = await world.start(op);
    await objects.create("one");
    await world.until(async () => (await objects.get("one")).status?.state === "made");
    await world.settle();
    await running.stop();
    const [make, ...others] = recorder.named("lotse.handler make");
    assert.ok(make !== undefined && others.length === 0);
    assert.deepEqual(recorder.around(make), ["lotse.reconcile"]);
    const { "lotse.retry": retry, "k8s.resource": kind, ...names } = make.attributes;
    assert.deepEqual({ retry, kind, ...names }, {
      ...{ retry: 0, kind: "examples.v1.lotse.test" },
      ...{ "lotse.handler": "make", "k8s.object.name": "one", "k8s.namespace.name": world.namespace },
    });
    const [request] = recorder.named("lotse.request create configmaps");
    assert.deepEqual(request && recorder.around(request), ["lotse.handler make", "lotse.reconcile"]);
    assert.equal(request?.attributes["http.response.status_code"], 201);
    const patches = recorder.named("lotse.request patch examples");
    assert.ok(patches.length > 0);
    assert.ok(patches.every((each) => recorder.around(each).join() === "lotse.reconcile"));
    assert.deepEqual(recorder.named("own").map((each) => recorder.around(each)[0]), ["lotse.handler make"]);
    assert.deepEqual(recorder.spans.filter(({ ends }) => ends !== 1), [], "each span ends once");
  });

  scenario.virtual("[N12] requests carry the context of their span on", async (world) => {
    using recorder = new SpanRecorder();
    const seen = new Map<string, string | null>();
    world.intercept = ({ method, headers }, { path }) => {
      seen.set(`${method} ${path.replace(/\?.*/, "")}`, headers.get("traceparent"));
      return undefined;
    };
    const op = operator();
    op.on.create(Example, function make({ patch }) {
      patch.status.state = "made";
    });
    const running = await world.start(op);
    await new Objects(world).create("one");
    await running.settle();
    await running.stop();
    const [patch] = recorder.named("lotse.request patch examples").slice(-1);
    const path = "/apis/lotse.test/v1/namespaces/default/examples/one/status";
    assert.equal(seen.get(`PATCH ${path}`), `00-${patch?.traceId}-${patch?.id}-01`);
    assert.ok([...seen.values()].every((value) => value !== null));
  });

  scenario.virtual(
    "[N12] spans say what has failed, also of daemons, timers and activities",
    async (world) => {
      using recorder = new SpanRecorder();
      const op = operator();
      op.on.startup(function prepare({ retry }) {
        if (retry === 0) throw new TemporaryError("Not yet", { delay: 1 });
      });
      op.daemon(Example, function watch() {});
      op.timer(Example, { interval: 10 }, function look({ patch }) {
        patch.status.time = String(world.host.clock.now());
      });
      const running = await world.start(op);
      await running.advance(1);
      await new Objects(world).create("one");
      await running.advance(15);
      await running.stop();
      const [first, second, ...more] = recorder.named("lotse.handler prepare");
      assert.deepEqual(more, []);
      assert.deepEqual(first?.status, { code: SpanStatusCode.ERROR, message: "Not yet" });
      assert.equal(first?.exceptions.length, 1);
      assert.equal(second?.status, undefined);
      assert.equal(recorder.named("lotse.handler watch").length, 1);
      const looks = recorder.named("lotse.handler look");
      assert.deepEqual(looks.map(({ attributes }) => attributes["k8s.object.name"]), ["one", "one"]);
      assert.deepEqual(recorder.spans.filter(({ ends }) => ends !== 1).map(({ name }) => name), []);
    },
  );

  scenario.virtual(
    "[N12] lines of handlers have the ids of their span and of their turn, as JSON, too",
    async (world) => {
      using recorder = new SpanRecorder();
      const op = operator();
      op.on.create(Example, function make({ logger }) {
        logger.info("Making");
      });
      const running = await world.start(op);
      await new Objects(world).create("one");
      await running.settle();
      await running.stop();
      const [span] = recorder.named("lotse.handler make");
      const record = running.logs.find(({ message }) => message === "Making");
      const lines: string[] = [];
      textSink({ format: "json", level: "debug", write: (text) => void lines.push(text) }).write(
        record ?? assert.fail("no line"),
      );
      const line = JSON.parse(lines[0] ?? "");
      assert.deepEqual([line.trace_id, line.span_id], [span?.traceId, span?.id]);
      const turn = running.logs.filter(({ context }) => context?.["reconcile"] === line.reconcile);
      assert.ok(
        line.reconcile !== undefined && turn.length > 1,
        "the framework's lines of the turn have it, too",
      );
    },
  );

  scenario.virtual("[N12] without an SDK nothing is traced, and requests carry nothing", async (world) => {
    trace.disable();
    const headers: (string | null)[] = [];
    world.intercept = (request) => {
      headers.push(request.headers.get("traceparent"));
      return undefined;
    };
    const op = operator();
    op.on.create(Example, () => {});
    const running = await world.start(op);
    await new Objects(world).create("one");
    await running.settle();
    await running.stop();
    assert.equal(isTraced(), false);
    assert.ok(headers.length > 0 && headers.every((value) => value === null));
  });
});
