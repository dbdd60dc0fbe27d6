import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { start, testCluster } from "../../../lib/kits/testing/mod.ts";
import { child } from "../../../lib/public/children.ts";
import type { Address } from "../../../lib/operator/api.ts";
import {
  kinds,
  operator,
  PermanentError,
  resource,
  type ResourceType,
  TemporaryError,
} from "../../../mod.ts";

const SHIP_DEFINITION = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "ships.example.com" },
  spec: {
    group: "example.com",
    scope: "Cluster",
    names: { plural: "ships", kind: "Ship" },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
  },
};
const ONE = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "one" } };

describe("Runner.until()", () => {
  it("resolves to what the condition returns, once it is true; what it throws counts as not yet", async () => {
    await using cluster = await testCluster();
    await using run = await start(operator(), { cluster });
    cluster.host.clock.after(60, () => void run.apply(ONE));
    const found = await run.until(() => run.api.get(kinds.ConfigMap, { name: "one", namespace: "default" }));
    assert.equal(found.metadata.name, "one");
    assert.equal(cluster.host.clock.monotonic(), 60);
  });

  it("says what the condition returned or threw, and how much time has passed", async () => {
    await using cluster = await testCluster();
    await using run = await start(operator(), { cluster });
    await assert.rejects(
      run.until(() => 0, { within: 60 }),
      /not as expected within 60 s:\nThe last time it returned 0/,
    );
    const missing = () => run.api.get(kinds.ConfigMap, { name: "one", namespace: "default" });
    await assert.rejects(run.until(missing), /The last time it threw ApiError: .*configmaps "one" not found/);
  });

  it("waits for an object to be as expected, and resolves to it; or to be gone", async () => {
    await using cluster = await testCluster();
    const op = operator();
    op.on.create(kinds.ConfigMap, async ({ patch, clock }) => {
      await clock.sleep(30);
      patch.meta.labels.hot = "yes";
    });
    await using run = await start(op, { cluster });
    await run.apply(ONE);
    const hot = await run.until(kinds.ConfigMap, "one", { metadata: { labels: { hot: /^y/ } } });
    assert.equal(hot.metadata.labels?.hot, "yes");
    await run.until(kinds.ConfigMap, "default/one", ({ metadata }) => metadata.labels?.hot);
    await run.api.delete(kinds.ConfigMap, { name: "one", namespace: "default" });
    await run.until(kinds.ConfigMap, { namespace: "default", name: "one" }, "gone");
  });

  it("waits for what the function of an object promises", async () => {
    await using cluster = await testCluster();
    await using run = await start(operator(), { cluster });
    await run.apply(ONE);
    const never = run.until(kinds.ConfigMap, "one", () => Promise.resolve(false), { within: 1 });
    await assert.rejects(never, /the function returned false for/);
    await run.until(kinds.ConfigMap, "one", () => Promise.resolve(true));
  });

  it("says in what the object differs, what happened to it, what runs, and what was logged", async () => {
    await using cluster = await testCluster();
    const op = operator();
    const when = ({ name }: { readonly name: string }) => name === "one";
    op.on.create(kinds.ConfigMap, { id: "heat", when }, () => {
      throw new TemporaryError("no fire", { delay: 1000 });
    });
    op.on.update(kinds.ConfigMap, { id: "cool" }, () => {});
    op.daemon(kinds.ConfigMap, { id: "guard", when }, ({ stopped }) => stopped.wait(1e9));
    await using run = await start(op, { cluster });
    await run.apply(ONE);
    const expected = { metadata: { labels: { hot: "yes" } }, data: null };
    const error = await run.until(kinds.ConfigMap, "one", expected, { within: 2500 }).then(
      () => undefined,
      (error: Error) => error,
    );
    const lines = error?.message.split("\n") ?? [];
    assert.deepEqual(lines.slice(0, 3), [
      'ConfigMap "default/one" is not as expected within 2500 s:',
      '  metadata.labels is absent, not {"hot":"yes"}',
      'What happened to ConfigMap "default/one":',
    ]);
    const text = lines.join("\n");
    assert.match(text, /\+1000 s retry, create; heat: TemporaryError: no fire; /);
    assert.match(text, /\+1000 s retry, create; .*; waits until \+2000 s \(retry\)/);
    assert.match(text, /cool: not called, its reason does not match/);
    assert.match(text, /Running:\n {2}daemon "guard" of ConfigMap "default\/one", for [\d.]+ s/);
    assert.match(
      text,
      /\+2000 s \[default\/one\] Handler failed temporarily handler="heat" .*: TemporaryError: no fire/,
    );
    assert.match(text, /the next timer is due \d+ s after the start/);
  });

  it("says which children a handler waits for", async () => {
    await using cluster = await testCluster();
    const op = operator();
    op.on.create(kinds.ConfigMap, async function host({ children }) {
      await children({ account: child(kinds.ServiceAccount, {}, { ready: () => "it has no token" }) });
    });
    await using run = await start(op, { cluster });
    await run.apply(ONE);
    const waits = run.until(kinds.ConfigMap, "one", { data: { done: "yes" } }, { within: 60 });
    await assert.rejects(waits, /\nHandler "host" waits: .*account.*it has no token/);
  });

  it("says so where nothing was logged, and where the object is not there", async () => {
    await using cluster = await testCluster();
    await using run = await start(operator(), { cluster });
    const error = { message: /one" is not as expected .*\n {2}it is not there\nNothing was logged/ };
    await assert.rejects(run.until(kinds.ConfigMap, "one", {}), error);
  });

  it("finds cluster-scoped objects by their names", async () => {
    await using cluster = await testCluster({ manifests: SHIP_DEFINITION });
    const op = operator();
    op.on.create(kinds.Namespace, ({ patch }) => void (patch.meta.labels.seen = "yes"));
    await using run = await start(op, { cluster });
    await run.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: "team-a" } });
    const found = await run.until(kinds.Namespace, "team-a", { metadata: { labels: { seen: "yes" } } });
    assert.equal(found.metadata.name, "team-a");
    await run.api.delete(kinds.Namespace, { name: "team-a" });
    await run.until(kinds.Namespace, { name: "team-a" }, "gone");
    // A kind of the test's own says nothing of its scope: its definition does.
    const Ship = resource({ group: "example.com", version: "v1", plural: "ships" });
    await run.apply({ apiVersion: "example.com/v1", kind: "Ship", metadata: { name: "ada" } });
    await run.until(Ship, "ada", { kind: "Ship" });
    const vain = run.until(Ship, "ada", { metadata: { labels: { seen: "yes" } } }, { within: 1 });
    await assert.rejects(vain, /^Error: ships "ada" is not as expected within 1 s:/);
  });

  it("says at once that no object has such an address", async () => {
    await using cluster = await testCluster();
    await using run = await start(operator(), { cluster });
    const before = cluster.host.clock.monotonic();
    const addresses: [ResourceType<unknown, unknown>, string | Address, RegExp][] = [
      [kinds.Namespace, "default/team-a", /in namespace "default": it is cluster-scoped/],
      [kinds.Namespace, { namespace: "default", name: "team-a" }, /it is cluster-scoped/],
      [kinds.ConfigMap, { name: "one" }, /"one": its namespace is missing/],
      [kinds.ConfigMap, "", /Cannot wait for configmaps: the second argument is "name"/],
    ];
    for (const [kind, which, message] of addresses) {
      await assert.rejects(run.until(kind, which, "gone"), { name: "TypeError", message });
    }
    assert.equal(cluster.host.clock.monotonic(), before);
  });

  it("says at once that no object can be as expected", async () => {
    await using cluster = await testCluster();
    await using run = await start(operator(), { cluster });
    // Runners of tests strip types.
    for (const expected of [undefined, null, "Gone", 1, Promise.resolve(true), /x/, []]) {
      const wrong = run.until(kinds.ConfigMap, "one", expected as "gone");
      await assert.rejects(wrong, {
        name: "TypeError",
        message: /expect a part of the object, a function of it/,
      });
    }
    const other = run.until(kinds.ConfigMap, "one", { metadata: { name: "two" } });
    await assert.rejects(other, /its metadata\.name is never "two"/);
    const elsewhere = run.until(kinds.ConfigMap, "a/one", { metadata: { namespace: "b" } });
    await assert.rejects(elsewhere, /its metadata\.namespace is never "b"/);
    await assert.rejects(run.until("configmaps" as never, "one", "gone"), /the first argument is a kind/);
  });

  it("gives up after real seconds while an operator is busy, and says how to wait for longer", async () => {
    await using cluster = await testCluster();
    const op = operator();
    // A handler that computes, every second.
    op.timer(kinds.ConfigMap, { interval: 1 }, () => {
      for (const end = performance.now() + 20; performance.now() < end;);
    });
    await using run = await start(op, { cluster });
    await run.apply(ONE);
    await assert.rejects(
      run.until(kinds.ConfigMap, "one", { data: { never: "yes" } }),
      /not as expected within \d{2,3}(\.\d+)? s:\n {2}data is absent[^]*give `within` to wait for longer/,
    );
  });

  it("throws what the operator fails with meanwhile", async () => {
    await using cluster = await testCluster();
    const op = operator();
    op.on.startup({ id: "load" }, async ({ clock }) => {
      await clock.sleep(5);
      throw new PermanentError("broken");
    });
    const run = await start(op, { cluster });
    await assert.rejects(run.until(() => false), { name: "ActivityError", message: /"load" failed: broken/ });
    assert.equal(run.exitCode, 1);
  });
});
