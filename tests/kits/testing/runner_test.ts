import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { apiServer } from "../../../lib/kits/apiserver/mod.ts";
import { Runner, start } from "../../../lib/kits/testing/runner.ts";
import { virtualHost } from "../../../lib/runtime/virtual/host.ts";
import { kinds, operator, PermanentError } from "../../../mod.ts";

function newMap(name: string): object {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "default" } };
}

describe("start()", () => {
  it("runs an operator, whose clock the test winds", async () => {
    const cluster = apiServer({ host: virtualHost() });
    const op = operator();
    const calls: number[] = [];
    op.on.create(kinds.ConfigMap, { id: "make" }, async ({ signal }) => {
      await cluster.host.clock.sleep(3600, signal);
      calls.push(1);
    });
    await using runner = await start(op, { cluster });
    await runner.api.create(kinds.ConfigMap, newMap("a"));
    await runner.advance(3599);
    assert.equal(calls.length, 0);
    await runner.until(() => calls.length === 1);
    assert.ok(runner.isRunning);
    assert.ok(runner.messages("info").includes("Handler succeeded"));
    assert.equal(runner.messages("error").length, 0);
    await runner.stop();
    assert.equal(runner.isRunning, false);
  });

  it("[B323] stops an operator gracefully when its block is left", async () => {
    const cluster = apiServer({ host: virtualHost() });
    const op = operator();
    const steps: string[] = [];
    op.daemon(kinds.ConfigMap, async ({ stopped }) => {
      await stopped.wait(1e9);
      steps.push("daemon");
    });
    op.on.cleanup(() => void steps.push("cleanup"));
    let left: Runner | undefined;
    {
      await using runner = await start(op, { cluster });
      left = runner;
      await runner.api.create(kinds.ConfigMap, newMap("a"));
      await runner.settle();
      assert.deepEqual([runner.isRunning, runner.exitCode, steps.length], [true, undefined, 0]);
    }
    assert.deepEqual([left.isRunning, left.exitCode, left.failure], [false, 0, undefined]);
    assert.deepEqual(steps, ["daemon", "cleanup"]);
  });

  it("[B321] throws what the operator failed with when its block is left, unless it is not to", async () => {
    const cluster = apiServer({ host: virtualHost() });
    const op = operator();
    op.on.startup({ id: "load" }, () => {
      throw new PermanentError("there is no such file");
    });
    const leave = async (reraise?: boolean): Promise<Runner> => {
      await using runner = new Runner(op, { cluster, reraise });
      await cluster.host.clock.settle();
      return runner;
    };
    await assert.rejects(leave(), /handler "load" failed: there is no such file/);
    const runner = await leave(false);
    assert.equal(runner.exitCode, 1);
    assert.match(String(runner.failure), /there is no such file/);
  });

  it("waits for the end as long as it is told to", async () => {
    const cluster = apiServer({ host: virtualHost() });
    const op = operator();
    op.on.cleanup(({ signal }) => cluster.host.clock.sleep(100, signal));
    const runner = await start(op, { cluster, timeout: 10 });
    await assert.rejects(runner.stop());
    await runner.advance(100);
    assert.equal(runner.exitCode, 0);
  });

  it("records lines from the level on, and what the operator fails with", async () => {
    const host = virtualHost();
    const fetch = (): Response => new Response('{"kind":"Status","code":403}', { status: 403 });
    const op = operator();
    op.on.event(kinds.ConfigMap, () => {});
    await assert.rejects(async () => {
      await using runner = await start(op, { cluster: { host, fetch }, level: "error" });
      await runner.advance(3600);
    }, { name: "ApiError" });
  });

  it("gives up waiting for what does not come", async () => {
    const cluster = apiServer({ host: virtualHost() });
    await using runner = await start(operator(), { cluster });
    await assert.rejects(runner.until(() => false, { within: 60 }), Error);
  });
});
