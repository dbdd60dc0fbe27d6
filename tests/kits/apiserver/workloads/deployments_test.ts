import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Answer, MERGE } from "../api.ts";
import { APPS, conditions, CORE, createLivingApi, type LivingApi, template, workload } from "./world.ts";

const ONE = `${APPS}/deployments/a`;

async function deploy(spec: object, nodes?: number): Promise<LivingApi> {
  const api = createLivingApi(nodes);
  await api.ok("POST", `${APPS}/deployments`, workload("a", spec));
  return api;
}

async function images(api: LivingApi): Promise<string[]> {
  return (await api.list(`${CORE}/pods`)).map(({ spec }) => spec.containers[0].image).sort();
}

describe("A Deployment", () => {
  it("has its Pods ready after a second, by way of a ReplicaSet", async () => {
    const api = await deploy({ replicas: 3 });
    await api.pass(0.5);
    const early = await api.ok("GET", ONE);
    assert.deepEqual(early.status.replicas, 3);
    assert.equal(early.status.readyReplicas, undefined);
    assert.deepEqual(conditions(early), [
      "Available=False MinimumReplicasUnavailable",
      "Progressing=True ReplicaSetUpdated",
    ]);
    await api.pass(0.5);
    const { metadata, status } = await api.ok("GET", ONE);
    const { conditions: found, ...counts } = status;
    assert.deepEqual(counts, {
      observedGeneration: 1,
      replicas: 3,
      updatedReplicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      terminatingReplicas: 0,
    });
    assert.deepEqual(conditions({ status: { conditions: found } }), [
      "Available=True MinimumReplicasAvailable",
      "Progressing=True NewReplicaSetAvailable",
    ]);
    assert.equal(metadata.annotations["deployment.kubernetes.io/revision"], "1");
    const [set] = await api.list(`${APPS}/replicasets`);
    const hash = set.metadata.labels["pod-template-hash"];
    assert.equal(set.metadata.name, `a-${hash}`);
    assert.equal(set.metadata.ownerReferences[0].uid, metadata.uid);
    for (const pod of await api.list(`${CORE}/pods`)) {
      assert.equal(pod.metadata.ownerReferences[0].uid, set.metadata.uid);
      assert.equal(pod.metadata.labels["pod-template-hash"], hash);
      assert.ok(pod.metadata.name.startsWith(`${set.metadata.name}-`));
    }
  });

  it("rolls out a new template within its limits, and keeps the old ReplicaSet", async () => {
    const api = await deploy({
      replicas: 4,
      strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } },
    });
    await api.pass(1);
    await api.ok("PATCH", ONE, { spec: { template: template("a", "j") } }, MERGE);
    let steps = 0;
    for (; steps < 20; steps++) {
      await api.pass(0.5);
      const { status } = await api.ok("GET", ONE);
      assert.ok(status.replicas <= 5 && (status.availableReplicas ?? 0) >= 3, JSON.stringify(status));
      if (status.updatedReplicas === 4 && status.replicas === 4 && status.availableReplicas === 4) break;
    }
    assert.ok(steps > 1 && steps < 20);
    await api.pass(2);
    assert.deepEqual(await images(api), ["j", "j", "j", "j"]);
    const sets = await api.list(`${APPS}/replicasets`);
    assert.deepEqual(sets.map(({ spec }) => spec.replicas).sort(), [0, 4]);
    const { metadata } = await api.ok("GET", ONE);
    assert.equal(metadata.annotations["deployment.kubernetes.io/revision"], "2");
  });

  it("goes back to an old template with the old ReplicaSet, as a new revision", async () => {
    const api = await deploy({ replicas: 1 });
    await api.pass(2);
    await api.ok("PATCH", ONE, { spec: { template: template("a", "j") } }, MERGE);
    await api.pass(5);
    await api.ok("PATCH", ONE, { spec: { template: template("a", "i") } }, MERGE);
    await api.pass(5);
    assert.deepEqual(await images(api), ["i"]);
    const sets = await api.list(`${APPS}/replicasets`);
    const revisions = sets.map(({ metadata }) => metadata.annotations["deployment.kubernetes.io/revision"]);
    assert.deepEqual(revisions.sort(), ["2", "3"]);
  });

  it("keeps only so many old ReplicaSets", async () => {
    const api = await deploy({ replicas: 1, revisionHistoryLimit: 1 });
    for (const image of ["j", "k", "l"]) {
      await api.pass(5);
      await api.ok("PATCH", ONE, { spec: { template: template("a", image) } }, MERGE);
    }
    await api.pass(5);
    assert.equal((await api.list(`${APPS}/replicasets`)).length, 2);
  });

  it("ends all old Pods before it makes new ones, where it is recreated", async () => {
    const api = await deploy({ replicas: 2, strategy: { type: "Recreate" } });
    await api.pass(1);
    await api.ok("PATCH", ONE, { spec: { template: template("a", "j") } }, MERGE);
    const seen = new Set<string>();
    for (let i = 0; i < 20; i++) {
      await api.pass(0.25);
      seen.add((await images(api)).join(""));
    }
    assert.deepEqual([...seen], ["ii", "jj"]);
  });

  it("is scaled, through its scale as well, and with that its Pods", async () => {
    const api = await deploy({ replicas: 1 });
    await api.pass(1);
    await api.ok("PATCH", `${ONE}/scale`, { spec: { replicas: 3 } }, MERGE);
    await api.pass(1);
    assert.equal((await api.ok("GET", ONE)).status.readyReplicas, 3);
    await api.ok("PATCH", ONE, { spec: { replicas: 0 } }, MERGE);
    await api.pass(2);
    assert.equal((await api.list(`${CORE}/pods`)).length, 0);
    assert.deepEqual((await api.ok("GET", `${ONE}/scale`)).status.replicas, 0);
  });

  it("changes nothing while it is paused, but how many Pods there are", async () => {
    const api = await deploy({ replicas: 1 });
    await api.pass(1);
    await api.ok("PATCH", ONE, { spec: { paused: true, replicas: 2, template: template("a", "j") } }, MERGE);
    await api.pass(3);
    assert.deepEqual(await images(api), ["i", "i"]);
    assert.ok(conditions(await api.ok("GET", ONE)).includes("Progressing=Unknown DeploymentPaused"));
    await api.ok("PATCH", ONE, { spec: { paused: false } }, MERGE);
    await api.pass(6);
    assert.deepEqual(await images(api), ["j", "j"]);
  });

  it("says that it is too late, when nobody makes its Pods ready in time", async () => {
    const api = await deploy({ replicas: 1, progressDeadlineSeconds: 30 }, 0);
    await api.pass(29);
    assert.ok(conditions(await api.ok("GET", ONE)).includes("Progressing=True ReplicaSetUpdated"));
    await api.pass(5);
    assert.ok(conditions(await api.ok("GET", ONE)).includes("Progressing=False ProgressDeadlineExceeded"));
  });

  it("counts Pods as available only after they were ready for so long", async () => {
    const api = await deploy({ replicas: 1, minReadySeconds: 10 });
    await api.pass(9);
    const early = (await api.ok("GET", ONE)).status;
    assert.deepEqual([early.readyReplicas, early.availableReplicas], [1, undefined]);
    await api.pass(3);
    assert.equal((await api.ok("GET", ONE)).status.availableReplicas, 1);
  });

  it("takes everything with it when it goes", async () => {
    const api = await deploy({ replicas: 2 });
    await api.pass(1);
    await api.ok("DELETE", ONE);
    await api.pass(3);
    assert.deepEqual([await api.list(`${APPS}/replicasets`), await api.list(`${CORE}/pods`)], [[], []]);
  });
});

describe("A ReplicaSet", () => {
  it("replaces Pods that go, and adopts and releases by its labels", async () => {
    const api = createLivingApi();
    await api.ok("POST", `${CORE}/pods`, {
      metadata: { name: "lone", labels: { app: "a" } },
      spec: template("a").spec,
    });
    await api.ok("POST", `${APPS}/replicasets`, workload("a", { replicas: 2 }));
    await api.pass(2);
    const names = (pods: Answer[]) => pods.map(({ metadata }) => metadata.name);
    const pods = await api.list(`${CORE}/pods`);
    assert.equal(pods.length, 2);
    assert.ok(names(pods).includes("lone"));
    await api.ok("PATCH", `${CORE}/pods/lone`, { metadata: { labels: { app: "b" } } }, MERGE);
    await api.pass(2);
    const lone = await api.ok("GET", `${CORE}/pods/lone`);
    assert.equal(lone.metadata.ownerReferences, undefined);
    assert.equal((await api.list(`${CORE}/pods`)).length, 3);
    assert.equal((await api.ok("GET", `${APPS}/replicasets/a`)).status.readyReplicas, 2);
  });

  it("is told by a webhook that refuses, and tries again", async () => {
    const api = createLivingApi();
    await api.ok("POST", "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations", {
      metadata: { name: "refuse" },
      webhooks: [{
        name: "refuse.example.com",
        admissionReviewVersions: ["v1"],
        sideEffects: "None",
        clientConfig: { url: "https://nobody.test:1/", caBundle: "" },
        rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["pods"] }],
      }],
    });
    await api.ok("POST", `${APPS}/replicasets`, workload("a", { replicas: 1 }));
    await api.pass(10);
    assert.equal((await api.list(`${CORE}/pods`)).length, 0);
    await api.ok(
      "DELETE",
      "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/refuse",
    );
    await api.pass(60);
    assert.equal((await api.list(`${CORE}/pods`)).length, 1);
  });
});
