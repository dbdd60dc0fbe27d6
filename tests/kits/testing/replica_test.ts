import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { start, testCluster } from "../../../lib/kits/testing/mod.ts";
import { type JsonObject, kinds, operator } from "../../../mod.ts";

function newMap(name: string): JsonObject {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "default" }, data: { a: "1" } };
}

const when = ({ name }: { readonly name: string }): boolean => name !== "kube-root-ca.crt";

/** An operator that notes which of its replicas was called. */
function counting(shards = 1) {
  return () => {
    const op = operator({ replicas: { shards } });
    op.on.create(kinds.ConfigMap, { id: "make", when }, () => {});
    op.on.update(kinds.ConfigMap, { id: "change", when }, () => {});
    op.on.resume(kinds.ConfigMap, { id: "resume", when }, () => {});
    return op;
  };
}

describe("start(), with replicas", () => {
  it("[N28.1] has one replica handle each object, and another one take over when that is killed", async () => {
    await using cluster = await testCluster();
    await using run = await start(counting(), { cluster, replicas: 3 });
    await run.until(() => run.messages().includes("Shard taken"));
    for (let number = 0; number < 10; number++) await run.api.create(kinds.ConfigMap, newMap(`m${number}`));
    await run.until(() => run.calls.length === 10);
    await run.advance(30);
    assert.equal(run.calls.length, 10, "each creation is handled once");
    const holder = run.replicas.findIndex(({ calls }) => calls.length > 0);
    assert.equal(run.replicas[holder]?.calls.length, 10);
    run.replicas[holder]?.kill();
    await run.api.patch(kinds.ConfigMap, { name: "m1", namespace: "default" }, { data: { a: "2" } });
    const changed = () => run.calls.filter(({ handler }) => handler === "change").length;
    await run.until(() => changed() === 1, { within: 20 });
    await run.advance(30);
    assert.equal(changed(), 1);
    const resumed = run.calls.filter(({ handler }) => handler === "resume");
    assert.equal(resumed.length, 10, "each object is resumed once by the next holder");
  });

  it("adds replicas, as a rolling update does, and sets the clocks of each alone", async () => {
    await using cluster = await testCluster();
    await using run = await start(counting(), { cluster, replicas: 1 });
    await run.until(() => run.messages().includes("Shard taken"));
    const added = run.addReplica();
    assert.equal(run.replicas[1], added);
    await run.advance(10);
    added.stepClock(-7200);
    run.replicas[0]?.stepClock(7200);
    run.replicas[0]?.stop();
    await run.until(() => run.replicas[0]?.isRunning === false);
    await run.api.create(kinds.ConfigMap, newMap("m1"));
    await run.until(() => added.calls.length === 1, { within: 2 });
    await using single = await start(operator(), { cluster });
    assert.throws(() => single.addReplica(), /without replicas/);
  });
});
