import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { callWith } from "../support/handler_calls.ts";
import type { AttemptEnd, AttemptStart, Subject } from "../../lib/execution/observer.ts";
import { handleStrayErrors, RecentCalls } from "../../lib/operator/stray_errors.ts";
import { createLogger, type LogRecord } from "../../lib/runtime/logging.ts";
import { virtualHost } from "../../lib/runtime/virtual/host.ts";
import type { Resource } from "../../lib/model/resource.ts";
import { operator } from "../../mod.ts";
import { virtualWorld } from "../support/virtual_world.ts";
import { Example, Objects } from "../support/worlds.ts";

describe("handleStrayErrors()", () => {
  it("logs with handler and object, counts, and stops for exceptions only, until it is disposed of", async () => {
    const host = virtualHost();
    const [logs, counted, stopped]: [LogRecord[], string[], unknown[]] = [[], [], []];
    const stray = handleStrayErrors({
      host,
      logger: createLogger({ level: "debug", write: (record) => logs.push(record) }, host.clock),
      observer: { strayError: (kind) => void counted.push(kind) },
      calls: undefined,
      onException: (error) => void stopped.push(error),
    });
    const [rejection, exception] = [new Error("one"), new Error("two")];
    const args = { namespace: "ns", name: "a" };
    await callWith(args, { id: "make", fn: () => host.process.stray(rejection, "rejection") });
    assert.deepEqual(stopped, []);
    host.process.stray(exception, "exception");
    assert.deepEqual(stopped, [exception]);
    assert.deepEqual(counted, ["rejection", "exception"]);
    assert.deepEqual(logs.map(({ level }) => level), ["error", "error"]);
    const { handler, namespace, name, error } = logs[0]!.fields;
    assert.deepEqual([handler, namespace, name, error], ["make", "ns", "a", rejection]);
    stray[Symbol.dispose]();
    assert.equal(host.process.stray(exception, "exception"), false);
  });
});

describe("RecentCalls", () => {
  const attempt = (handler: string): AttemptStart => ({
    noun: "Handler",
    handler,
    family: handler,
    retry: 0,
  });
  const subject = (name: string): Subject => ({
    key: name,
    resource: { group: "", version: "v1", plural: "pods", kind: "Pod", namespaced: true } as Resource,
    body: { metadata: { name, namespace: "ns" } },
  });

  it("names the call whose function is in the stack, if there is one such call", () => {
    const { clock } = virtualHost();
    const calls = new RecentCalls(clock);
    calls.attemptBegins(subject("a"), attempt("make/spec.size"));
    calls.attemptBegins(subject("b"), attempt("check"));
    const error = new Error("x");
    error.stack = "Error: x\n    at later (file:///a.ts:1:2)\n    at make (file:///a.ts:3:4)";
    assert.deepEqual(calls.suspect(error), { handler: "make/spec.size", namespace: "ns", name: "a" });
    calls.attemptBegins(subject("c"), attempt("make/spec.size"));
    assert.deepEqual(calls.suspect(error), {
      handlers: ["make/spec.size of pods ns/c", "make/spec.size of pods ns/a"],
    });
  });

  it("names all that it can have been, the newest first, for half a minute after their end", async () => {
    const { clock } = virtualHost();
    const calls = new RecentCalls(clock);
    assert.deepEqual(calls.suspect("nothing has run"), {});
    const [first, second] = [attempt("make"), attempt("check")];
    calls.attemptBegins(subject("a"), first);
    const end: AttemptEnd = { ...first, start: first, outcome: { kind: "success" }, seconds: 1 };
    calls.attemptEnds(subject("a"), end);
    calls.attemptBegins(undefined, second);
    assert.deepEqual(calls.suspect(new Error("x")), { handlers: ["make of pods ns/a", "check"] });
    await clock.advance(31);
    assert.deepEqual(calls.suspect(new Error("x")), { handlers: ["check"] });
  });
});

describe("An operator that handles stray errors", () => {
  it("[P11] goes on after rejections, and stops in order after an exception, which run() throws", async () => {
    const world = await virtualWorld();
    const op = operator();
    const seen: string[] = [];
    op.on.create(Example, ({ name }) => void seen.push(`created ${name}`));
    op.on.cleanup(() => void seen.push("cleanup"));
    const logs: LogRecord[] = [];
    const logger = createLogger({ level: "debug", write: (record) => logs.push(record) }, world.host.clock);
    const { host } = world;
    const credentials = { server: "https://outside.test" };
    const end = op.run({ host, logger, credentials, scope: "cluster", strayErrors: "handle" }).then(
      () => "well",
      (error: unknown) => error,
    );
    await host.clock.advance(1);
    host.process.stray(new Error("nobody awaits this"), "rejection");
    await new Objects(world).create("one");
    await host.clock.advance(1);
    assert.deepEqual(seen, ["created one"]);
    const fault = new Error("thrown out of a timer");
    host.process.stray(fault, "exception");
    await host.clock.advance(20);
    assert.equal(await end, fault);
    assert.deepEqual(seen, ["created one", "cleanup"]);
    assert.equal(host.process.stray(fault, "exception"), false, "nobody listens any more");
  });

  it("leaves them to the runtime unless it is told to", async () => {
    const world = await virtualWorld();
    const controller = new AbortController();
    const op = operator();
    const run = op.run({
      host: world.host,
      credentials: { server: "https://outside.test" },
      scope: "cluster",
      signal: controller.signal,
    });
    await world.host.clock.advance(1);
    assert.equal(world.host.process.stray(new Error("x"), "rejection"), false);
    controller.abort();
    await world.host.clock.advance(10);
    await run;
  });
});
