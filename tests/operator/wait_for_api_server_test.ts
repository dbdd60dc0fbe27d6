import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { apiServer } from "../../lib/kits/apiserver/mod.ts";
import { createLogger, type LogRecord } from "../../lib/runtime/logging.ts";
import { type VirtualHost, virtualHost } from "../../lib/runtime/virtual/host.ts";
import { kinds, operator, type OperatorOptions } from "../../mod.ts";

const SERVER = "https://api.test";

interface Options extends OperatorOptions {
  readonly isCore?: boolean;
}

class Attempt {
  readonly host: VirtualHost;
  readonly controller = new AbortController();
  readonly logs: LogRecord[] = [];
  isReady = false;
  result: { readonly error?: unknown } | undefined;

  /** What the run failed with. */
  get failure(): unknown {
    return this.result?.error;
  }

  constructor(env: Record<string, string>, { isCore = false, ...options }: Options = {}) {
    this.host = virtualHost({ env });
    const op = operator(options);
    op.on.event(kinds.Deployment, () => {});
    if (isCore) op.on.event(kinds.ConfigMap, () => {});
    const logger = createLogger(
      { level: "debug", write: (record) => this.logs.push(record) },
      this.host.clock,
    );
    op.run({
      ...{ host: this.host, logger, signal: this.controller.signal },
      credentials: { server: SERVER },
      ready: () => this.isReady = true,
    }).then(() => this.result = {}, (error: unknown) => this.result = { error });
  }
}

const POD = { KUBERNETES_SERVICE_HOST: "10.0.0.1" };

describe("An operator whose API server cannot be reached", () => {
  it("ends after the usual attempts, and says what to look at", async () => {
    const attempt = new Attempt({});
    await attempt.host.clock.advance(53);
    assert.equal(attempt.result, undefined);
    const warnings = attempt.logs.filter(({ message }) => message.includes("cannot be reached yet"));
    assert.ok(warnings.length >= 3);
    assert.deepEqual([warnings[0]?.level, warnings[0]?.fields.server], ["warn", SERVER]);
    await attempt.host.clock.advance(10);
    const { failure: error } = attempt;
    assert.ok(error instanceof Error);
    assert.match(error.message, /^Cannot reach the API server "https:\/\/api\.test": .*kubeconfig's context/);
    assert.equal((error.cause as { code?: string }).code, "ECONNREFUSED");
  });

  it("tells pauses in whole milliseconds", async () => {
    const { host, logs } = new Attempt({});
    host.network.route(SERVER, async () => {
      await host.clock.sleep(0.0606);
      return await Promise.reject(Object.assign(new Error("reset"), { code: "ECONNRESET" }));
    });
    await host.clock.advance(20);
    const delays = logs.flatMap(({ fields }) => fields.delay === undefined ? [] : [String(fields.delay)]);
    assert.ok(delays.length >= 3 && delays.every((delay) => delay.length <= "12.345".length), String(delays));
  });

  it("ends at once where there are no other attempts", async () => {
    const attempt = new Attempt({}, { networking: { errorBackoffs: [] } });
    await attempt.host.clock.advance(4);
    assert.match(String(attempt.result?.error), /Cannot reach the API server/);
  });

  it("says so when nothing comes back, and asks once more at least", async () => {
    const attempt = new Attempt({});
    const { host, logs } = attempt;
    const cluster = apiServer({ host });
    let isDead = true;
    host.network.route(
      SERVER,
      (request) => isDead ? new Promise<Response>(() => {}) : cluster.fetch(request),
    );
    await host.clock.advance(9);
    assert.deepEqual(logs.filter(({ level }) => level === "warn"), []);
    await host.clock.advance(2);
    const [told, ...others] = logs.filter(({ level }) => level === "warn");
    assert.deepEqual([told?.message, told?.fields.server], ["The API server has not answered yet", SERVER]);
    assert.deepEqual(others, []);
    isDead = false;
    await host.clock.advance(70);
    assert.equal(attempt.isReady, true);
    attempt.controller.abort();
    await host.clock.advance(5);
    assert.deepEqual(attempt.result, {});
  });

  it("keeps trying in a pod, and serves when it comes", async () => {
    const attempt = new Attempt(POD);
    const { host } = attempt;
    await host.clock.advance(3600);
    assert.deepEqual([attempt.result, attempt.isReady], [undefined, false]);
    const cluster = apiServer({ host });
    host.network.route(SERVER, (request) => cluster.fetch(request));
    await host.clock.advance(31);
    assert.equal(attempt.isReady, true);
    attempt.controller.abort();
    await host.clock.advance(5);
    assert.deepEqual(attempt.result, {});
  });

  it("ends at once when it is told to stop", async () => {
    const attempt = new Attempt(POD);
    await attempt.host.clock.advance(100.5);
    attempt.controller.abort();
    await attempt.host.clock.advance(0.1);
    assert.deepEqual(attempt.result, {});
    const { length } = attempt.logs;
    await attempt.host.clock.advance(3600);
    assert.equal(attempt.logs.length, length, "nothing goes on");
  });

  it("ends at once with an answer that no waiting mends", async () => {
    const attempt = new Attempt(POD, { isCore: true });
    attempt.host.network.route(
      SERVER,
      () => new Response('{"kind":"Status","code":403}', { status: 403 }),
    );
    await attempt.host.clock.advance(40);
    assert.equal((attempt.result?.error as { name?: string }).name, "ApiError");
  });
});
