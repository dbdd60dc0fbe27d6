import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Runner, start, testCluster, virtualHost } from "../../../lib/kits/testing/mod.ts";
import {
  AdmissionError,
  type JsonObject,
  kinds,
  operator,
  PermanentError,
  TemporaryError,
  webhookServer,
} from "../../../mod.ts";

function newMap(name: string): JsonObject {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "default" } };
}

/** Each namespace has a ConfigMap of its own, which no test is about. */
function isOurs({ name }: { readonly name: string }): boolean {
  return name !== "kube-root-ca.crt";
}

describe("start()", () => {
  it("runs an operator, whose clock the test winds", async () => {
    await using cluster = await testCluster();
    const op = operator();
    const calls: number[] = [];
    op.on.create(kinds.ConfigMap, { id: "make" }, async ({ signal, clock }) => {
      await clock.sleep(3600, signal);
      calls.push(1);
    });
    await using run = await start(op, { cluster });
    await run.api.create(kinds.ConfigMap, newMap("a"));
    await run.advance(3599);
    assert.equal(calls.length, 0);
    await run.until(() => calls.length === 1);
    assert.ok(run.isRunning);
    assert.ok(run.messages("info").includes("Handler succeeded"));
    assert.equal(run.messages("error").length, 0);
    await run.stop();
    assert.equal(run.isRunning, false);
  });

  it("[B323] stops an operator gracefully when its block is left", async () => {
    await using cluster = await testCluster();
    const op = operator();
    const steps: string[] = [];
    op.daemon(kinds.ConfigMap, { when: isOurs }, async ({ stopped }) => {
      await stopped.wait(1e9);
      steps.push("daemon");
    });
    op.on.cleanup(() => void steps.push("cleanup"));
    let left: Runner | undefined;
    {
      await using run = await start(op, { cluster });
      left = run;
      await run.api.create(kinds.ConfigMap, newMap("a"));
      await run.settle();
      assert.deepEqual([run.isRunning, run.exitCode, steps.length], [true, undefined, 0]);
    }
    assert.deepEqual([left.isRunning, left.exitCode, left.failure], [false, 0, undefined]);
    assert.deepEqual(steps, ["daemon", "cleanup"]);
  });

  it("[B321] throws what the operator failed with when its block is left, unless it is not to", async () => {
    await using cluster = await testCluster();
    const op = operator();
    op.on.startup({ id: "load" }, () => {
      throw new PermanentError("there is no such file");
    });
    const leave = async (reraise?: boolean): Promise<Runner> => {
      await using run = new Runner(op, { cluster, reraise });
      await cluster.host.clock.settle();
      return run;
    };
    await assert.rejects(leave(), /handler "load" failed: there is no such file/);
    const run = await leave(false);
    assert.equal(run.exitCode, 1);
    assert.match(String(run.failure), /there is no such file/);
  });

  it("remembers only the newest lines and calls of very many, and says so", async () => {
    await using cluster = await testCluster();
    const op = operator();
    op.timer(kinds.ConfigMap, { id: "tick", interval: 1 }, () => {});
    await using run = await start(op, { cluster, remembered: 100 });
    await run.api.create(kinds.ConfigMap, newMap("a"));
    await run.advance(1000);
    for (const { length } of [run.logs, run.calls]) assert.ok(length >= 50 && length <= 101, `${length}`);
    const [oldest] = run.logs;
    assert.equal(oldest?.logger, "lotse.testing");
    assert.match(
      `${oldest?.message} ${oldest?.fields["forgotten"]}`,
      /^The oldest are forgotten.* \d+ (log lines|calls)$/,
    );
    assert.match(run.logs.at(-1)?.message ?? "", /Timer/, "the newest are there");
  });

  it("shows what a test fails with where some of its waits go on", async () => {
    await using cluster = await testCluster();
    const op = operator();
    op.daemon(kinds.ConfigMap, async ({ stopped }) => void await stopped.wait(1e9));
    const test = async () => {
      await using run = await start(op, { cluster });
      await run.api.create(kinds.ConfigMap, newMap("a"));
      const waits = [run.until(kinds.ConfigMap, "a", { data: { x: "1" } }, { within: 60 })];
      await Promise.all([...waits, run.advance(10)]);
    };
    await assert.rejects(test(), { name: "Error", message: /^Cannot wind the clock: somebody else is/ });
  });

  it("refuses to start without a cluster, and options that cannot be", async () => {
    await using cluster = await testCluster();
    const refused = async (options: object, message: RegExp): Promise<void> => {
      const started = start(operator(), options as Parameters<typeof start>[1]);
      await assert.rejects(started, { name: "TypeError", message });
    };
    await refused({}, /^Cannot start without a cluster: give `cluster` what testCluster\(\) resolves to$/);
    await refused({ cluster: testCluster() }, /^Cannot start without a cluster/);
    await refused(
      { cluster, globals: ["timer"] },
      /^Cannot take over "timer": known are timers, Date, fetch$/,
    );
    await refused({ cluster, level: "trace" }, /"trace": known are debug, info, warn, error$/);
    await refused({ cluster, timeout: "10s" }, /^Cannot start with `timeout` 10s: it is a number above 0$/);
    await refused({ cluster, remembered: 0 }, /^Cannot start with `remembered` 0/);
  });

  it("waits for the end as long as it is told to", async () => {
    await using cluster = await testCluster();
    const op = operator();
    op.on.cleanup(({ signal, clock }) => clock.sleep(100, signal));
    const run = await start(op, { cluster, timeout: 10 });
    await assert.rejects(run.stop());
    await run.advance(100);
    assert.equal(run.exitCode, 0);
  });

  it("records lines from the level on, and what the operator fails with", async () => {
    const host = virtualHost();
    const fetch = (): Response => new Response('{"kind":"Status","code":403}', { status: 403 });
    const op = operator();
    op.on.event(kinds.ConfigMap, () => {});
    await assert.rejects(async () => {
      await using run = await start(op, { cluster: { host, fetch }, level: "error" });
      await run.advance(3600);
    }, { name: "ApiError" });
  });

  it("runs an operator as a user, who may do what that user's roles say", async () => {
    await using cluster = await testCluster({ rbac: true, manifests: newMap("one") });
    const op = operator();
    const seen: string[] = [];
    op.on.event(kinds.ConfigMap, ({ name }) => void seen.push(name));
    const user = "system:serviceaccount:default:operator";
    await using run = await start(op, { cluster, user, scope: ["default"] });
    const refused = /"system:serviceaccount:default:operator" cannot list resource "configmaps"/;
    await assert.rejects(run.until(() => seen.includes("one"), { within: 60 }), refused);
    await cluster.apply(`
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: { name: operator }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view }
subjects: [{ kind: ServiceAccount, namespace: default, name: operator }]
`);
    await run.until(() => seen.includes("one"));
  });

  it("lets the cluster call the operator's webhooks", async () => {
    await using cluster = await testCluster();
    const server = webhookServer({ addr: "127.0.0.1" });
    const op = operator({ admission: { server, managed: "hooks.example.com" } });
    op.on.mutate(kinds.ConfigMap, function fill({ patch }) {
      patch.metadata.labels.seen = "yes";
    });
    op.on.validate(kinds.ConfigMap, function check({ name }) {
      if (name === "bad") throw new AdmissionError("Not that one");
    });
    await using run = await start(op, { cluster });
    const made = await run.api.create(kinds.ConfigMap, newMap("a"));
    assert.deepEqual(made.metadata.labels, { seen: "yes" });
    await assert.rejects(run.api.create(kinds.ConfigMap, newMap("bad")), /Not that one/);
  });
});

describe("Runner.calls", () => {
  it("tells of each call, its reason and its end; handled() of those that went well", async () => {
    await using cluster = await testCluster();
    const op = operator();
    op.on.create(kinds.ConfigMap, { id: "make", when: isOurs }, ({ retry }) => {
      if (retry === 0) throw new TemporaryError("not yet", { delay: 10 });
    });
    op.on.event(kinds.ConfigMap, { id: "look" }, () => {});
    op.on.startup({ id: "begin" }, () => {});
    op.daemon(kinds.ConfigMap, { id: "guard" }, ({ stopped }) => stopped.wait(1e9));
    await using run = await start(op, { cluster });
    await run.apply(newMap("one"));
    await run.advance(9);
    assert.deepEqual(run.handled("one").includes("make"), false);
    await run.advance(1);
    assert.ok(run.handled("one").includes("make"));
    assert.ok(run.handled({ namespace: "default", name: "one" }).includes("look"));
    assert.deepEqual(run.handled("other/one"), []);
    const made = run.calls.filter(({ handler }) => handler === "make");
    assert.deepEqual(
      made.map(({ type, reason, retry, outcome, error, seconds }) => [
        ...[type, reason, retry, outcome, error?.message, seconds],
      ]),
      [
        ["Handler", "create", 0, "retry", "not yet", 0],
        ["Handler", "create", 1, "success", undefined, 0],
      ],
    );
    assert.equal(made[1]!.time - made[0]!.time, 10_000);
    assert.deepEqual(made[0]?.object?.name, "one");
    const [begin] = run.calls;
    assert.deepEqual([begin?.handler, begin?.type, begin?.object], ["begin", "Activity", undefined]);
    assert.equal(run.calls.find(({ handler }) => handler === "guard")?.outcome, undefined);
    assert.ok(run.ledger.of({ metadata: { name: "one" } })?.entries.length);
  });
});

describe("Runner.snapshot()", () => {
  it("shows objects without what differs from run to run", async () => {
    const op = operator();
    op.on.create(kinds.ConfigMap, { id: "make", when: isOurs }, async ({ body, name }) => {
      const metadata = { name: `${name}-child`, namespace: "default" };
      await op.api.apply(kinds.Secret, { metadata, stringData: { a: "1" } }, { owner: body });
    });
    const take = async (seed: number): Promise<object> => {
      await using cluster = await testCluster({ seed, rbac: true });
      await using run = await start(op, { cluster });
      await run.apply(newMap("one"));
      await run.settle();
      return await run.snapshot(kinds.Secret, kinds.ConfigMap);
    };
    const snapshot = await take(1);
    assert.deepEqual(Object.keys(snapshot), ["ConfigMap default/one", "Secret default/one-child"]);
    assert.deepEqual(snapshot, await take(2));
    assert.doesNotMatch(JSON.stringify(snapshot), /uid|resourceVersion|managedFields|creationTimestamp/);
  });
});

describe("globals of handlers", () => {
  const op = operator();
  op.on.create(kinds.ConfigMap, { id: "make" }, async ({ patch }) => {
    await new Promise((resolve) => setTimeout(resolve, 60_000));
    patch.meta.annotations.at = new Date().toISOString();
    const response = await fetch("https://kubernetes.default.svc/api/v1/namespaces/default");
    patch.meta.annotations.of = (await response.json()).kind;
  });

  it("are the run's where the test asks for it", async () => {
    await using cluster = await testCluster();
    await using run = await start(op, { cluster, globals: true });
    await run.apply(newMap("one"));
    await run.advance(59);
    assert.deepEqual(run.handled("one"), []);
    const annotations = { at: "2026-01-01T00:01:00.000Z", of: "Namespace" };
    await run.until(kinds.ConfigMap, "one", { metadata: { annotations } });
    assert.deepEqual(run.handled("one"), ["make"]);
  });

  it("are told of where they are not, and a handler waits for real time", async () => {
    const op = operator();
    const left = Promise.withResolvers<void>();
    op.on.create(kinds.ConfigMap, { id: "make" }, async () => {
      const timer = setTimeout(left.resolve, 60_000);
      await left.promise;
      clearTimeout(timer);
    });
    await using cluster = await testCluster();
    await using run = await start(op, { cluster });
    await run.apply(newMap("one"));
    await run.settle();
    const [line] = run.logs.filter(({ logger }) => logger === "lotse.testing");
    assert.match(
      line?.message ?? "",
      /Handler "make" uses setTimeout\(\), whose time the test does not wind/,
    );
    await assert.rejects(run.until(() => run.handled("one").length > 0), /globals: true/);
    left.resolve();
    await run.settle();
  });
});
