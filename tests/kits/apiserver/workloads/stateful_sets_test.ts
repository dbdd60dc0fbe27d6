import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { MERGE } from "../api.ts";
import { APPS, CORE, createLivingApi, type LivingApi, template, workload } from "./world.ts";

const ONE = `${APPS}/statefulsets/a`;
const CLAIM = {
  metadata: { name: "data" },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
};

async function make(spec: object): Promise<LivingApi> {
  const api = createLivingApi();
  await api.ok("POST", `${APPS}/statefulsets`, workload("a", { serviceName: "a", ...spec }));
  return api;
}

async function pods(api: LivingApi): Promise<string[]> {
  return (await api.list(`${CORE}/pods`)).map(({ metadata }) => metadata.name);
}

describe("A StatefulSet", () => {
  it("makes its Pods one after the other, each when the one before is ready", async () => {
    const api = await make({ replicas: 3 });
    await api.pass(0.5);
    assert.deepEqual(await pods(api), ["a-0"]);
    await api.pass(1);
    assert.deepEqual(await pods(api), ["a-0", "a-1"]);
    await api.pass(2);
    const { status } = await api.ok("GET", ONE);
    assert.deepEqual([status.replicas, status.readyReplicas, status.currentReplicas], [3, 3, 3]);
    assert.equal(status.currentRevision, status.updateRevision);
    const pod = await api.ok("GET", `${CORE}/pods/a-1`);
    assert.deepEqual([pod.spec.hostname, pod.spec.subdomain], ["a-1", "a"]);
    assert.equal(pod.metadata.labels["apps.kubernetes.io/pod-index"], "1");
  });

  it("makes all at once where it may, and begins where it is told", async () => {
    const api = await make({ replicas: 2, podManagementPolicy: "Parallel", ordinals: { start: 5 } });
    await api.pass(0.5);
    assert.deepEqual(await pods(api), ["a-5", "a-6"]);
  });

  it("goes down from the end, one by one, and keeps the claims", async () => {
    const api = await make({ replicas: 3, volumeClaimTemplates: [CLAIM] });
    await api.pass(5);
    await api.ok("PATCH", ONE, { spec: { replicas: 1 } }, MERGE);
    const seen: string[] = [];
    for (let i = 0; i < 12; i++) {
      await api.pass(0.5);
      const now = (await pods(api)).join(" ");
      if (seen.at(-1) !== now) seen.push(now);
    }
    assert.deepEqual(seen, ["a-0 a-1 a-2", "a-0 a-1", "a-0"]);
    const claims = await api.list(`${CORE}/persistentvolumeclaims`);
    assert.deepEqual(claims.map(({ metadata, status }) => `${metadata.name} ${status.phase}`), [
      "data-a-0 Bound",
      "data-a-1 Bound",
      "data-a-2 Bound",
    ]);
  });

  it("replaces Pods of an old template from the end, down to the partition", async () => {
    const api = await make({ replicas: 3, updateStrategy: { rollingUpdate: { partition: 1 } } });
    await api.pass(5);
    await api.ok("PATCH", ONE, { spec: { template: template("a", "j") } }, MERGE);
    await api.pass(10);
    const images = (await api.list(`${CORE}/pods`)).map(({ spec }) => spec.containers[0].image);
    assert.deepEqual(images, ["i", "j", "j"]);
    const { status } = await api.ok("GET", ONE);
    assert.deepEqual([status.currentReplicas, status.updatedReplicas], [1, 2]);
    assert.notEqual(status.currentRevision, status.updateRevision);
    await api.ok("PATCH", ONE, { spec: { updateStrategy: { rollingUpdate: { partition: 0 } } } }, MERGE);
    await api.pass(5);
    const after = (await api.ok("GET", ONE)).status;
    assert.deepEqual([after.currentRevision, after.updatedReplicas], [after.updateRevision, 3]);
  });

  it("makes a Pod of the same name again when it was deleted", async () => {
    const api = await make({ replicas: 1 });
    await api.pass(2);
    const before = await api.ok("GET", `${CORE}/pods/a-0`);
    await api.ok("DELETE", `${CORE}/pods/a-0`);
    await api.pass(4);
    const now = await api.ok("GET", `${CORE}/pods/a-0`);
    assert.notEqual(now.metadata.uid, before.metadata.uid);
    assert.equal(now.status.phase, "Running");
  });

  it("drops the claims of Pods that were scaled away, where it says so", async () => {
    const api = await make({
      replicas: 2,
      volumeClaimTemplates: [CLAIM],
      persistentVolumeClaimRetentionPolicy: { whenScaled: "Delete" },
    });
    await api.pass(5);
    await api.ok("PATCH", ONE, { spec: { replicas: 1 } }, MERGE);
    await api.pass(5);
    const claims = await api.list(`${CORE}/persistentvolumeclaims`);
    assert.deepEqual(claims.map(({ metadata }) => metadata.name), ["data-a-0"]);
    assert.equal((await api.list("/api/v1/persistentvolumes")).length, 1);
  });
});
