/** Workloads, as controllers alone make them: nobody starts Pods but the scenario, which plays the kubelet. */

import assert from "node:assert/strict";
import { type Answer, MERGE, type Session } from "../session.ts";
import type { Scenario } from "./scenario.ts";

const template = (app: string, image = "i"): Answer => ({
  metadata: { labels: { app } },
  spec: { automountServiceAccountToken: false, containers: [{ name: "c", image }] },
});

const HASHES = {
  line:
    /pod-template-hash|Pods "|replica ?[sS]et|ReplicaSet|controller-revision-hash|Revision|metadata\.name\b/,
  because: "the hash of a template is another one",
};
const COUNTS = { line: /resourceVersion|managedFields/, because: "controllers write as often as they like" };

async function pods(api: Session, namespace: string): Promise<Answer[]> {
  const { body } = await api.peek("GET", `/api/v1/namespaces/${namespace}/pods`);
  return body.items.filter(({ metadata }: Answer) => metadata.deletionTimestamp === undefined);
}

async function readyAll(api: Session, namespace: string): Promise<void> {
  for (const { metadata } of await pods(api, namespace)) {
    const conditions = [{ type: "Ready", status: "True", lastTransitionTime: new Date(0).toISOString() }];
    const path = `/api/v1/namespaces/${namespace}/pods/${metadata.name}/status`;
    await api.peek("PATCH", path, { status: { phase: "Running", conditions } }, MERGE);
  }
}

export const WORKLOADS: readonly Scenario[] = [
  {
    name: "makes the Pods of a Deployment, and says when they are there",
    accepted: [HASHES, COUNTS],
    async run(api) {
      const namespace = "deployed";
      await api.namespace(namespace);
      const path = `/apis/apps/v1/namespaces/${namespace}/deployments`;
      await api.ok("POST", path, {
        metadata: { name: "a" },
        spec: { replicas: 2, selector: { matchLabels: { app: "a" } }, template: template("a") },
      });
      const status = async () => (await api.peek("GET", `${path}/a`)).body.status ?? {};
      await api.until(async () => (await pods(api, namespace)).length === 2, "two Pods");
      await api.until(async () => (await status()).replicas === 2, "both are counted");
      await api.pause(1);
      api.note("deployment", await status());
      await readyAll(api, namespace);
      await api.until(async () => (await status()).availableReplicas === 2, "both are available");
      await api.pause(1);
      api.note("deployment", await status());
      const { body } = await api.peek("GET", `/apis/apps/v1/namespaces/${namespace}/replicasets`);
      assert.equal(body.items.length, 1);
      api.note("replica set", body.items[0].status);
      await api.ok("PATCH", `${path}/a`, { spec: { replicas: 1 } }, MERGE);
      await api.until(async () => (await pods(api, namespace)).length === 1, "one Pod");
      await api.until(async () => (await status()).replicas === 1, "one is counted");
      await api.pause(1);
      api.note("scaled", await status());
    },
  },
  {
    name: "makes the Pods of a ReplicationController, by the labels of its template",
    accepted: [HASHES, COUNTS],
    async run(api) {
      const namespace = "replicated";
      await api.namespace(namespace);
      const path = `/api/v1/namespaces/${namespace}/replicationcontrollers`;
      const created = await api.ok("POST", path, {
        metadata: { name: "a" },
        spec: { replicas: 2, template: template("a") },
      });
      assert.deepEqual([created.spec.selector, created.metadata.labels], [{ app: "a" }, { app: "a" }]);
      await api.until(async () => (await pods(api, namespace)).length === 2, "two Pods");
      const status = async () => (await api.peek("GET", `${path}/a`)).body.status ?? {};
      await api.until(async () => (await status()).replicas === 2, "both are counted");
      await readyAll(api, namespace);
      await api.until(async () => (await status()).availableReplicas === 2, "both are available");
      await api.pause(1);
      api.note("status", await status());
      await api.ok("PATCH", `${path}/a`, { spec: { replicas: 1 } }, MERGE);
      await api.until(async () => (await pods(api, namespace)).length === 1, "one Pod");
      // NB: unlike all other kinds, this one leaves its Pods behind, unless it is told otherwise.
      await api.peek("DELETE", `${path}/a`);
      await api.until(async () => (await api.peek("GET", `${path}/a`)).code === 404, "it is gone");
      const [orphan] = await pods(api, namespace);
      assert.equal(orphan.metadata.ownerReferences, undefined);
      await api.ok("POST", path, { metadata: { name: "b" }, spec: { replicas: 1, template: template("b") } });
      await api.until(async () => (await pods(api, namespace)).length === 2, "one more Pod");
      await api.ok("DELETE", `${path}/b?propagationPolicy=Background`);
      await api.until(async () => (await pods(api, namespace)).length === 1, "only the orphan is left");
    },
  },
  {
    name: "rolls out a Deployment step by step",
    accepted: [HASHES, COUNTS],
    async run(api) {
      const namespace = "rolled";
      await api.namespace(namespace);
      const path = `/apis/apps/v1/namespaces/${namespace}/deployments`;
      await api.ok("POST", path, {
        metadata: { name: "a" },
        spec: {
          replicas: 2,
          selector: { matchLabels: { app: "a" } },
          template: template("a"),
          strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
        },
      });
      await api.until(async () => (await pods(api, namespace)).length === 2, "two Pods");
      await readyAll(api, namespace);
      const status = async () => (await api.peek("GET", `${path}/a`)).body.status ?? {};
      await api.until(async () => (await status()).availableReplicas === 2, "both are available");
      await api.ok("PATCH", `${path}/a`, { spec: { template: template("a", "j") } }, MERGE);
      await api.until(async () => (await pods(api, namespace)).length === 3, "one more Pod");
      await api.until(async () => (await status()).updatedReplicas === 1, "one is new");
      await api.pause(1);
      api.note("begun", await status());
      for (let i = 0; i < 3; i++) {
        await readyAll(api, namespace);
        await api.pause(1.5);
      }
      await api.until(async () => {
        await readyAll(api, namespace);
        const { updatedReplicas, replicas, availableReplicas } = await status();
        return updatedReplicas === 2 && replicas === 2 && availableReplicas === 2;
      }, "it is rolled out");
      await api.pause(1);
      api.note("ended", await status());
      const { body } = await api.peek("GET", `/apis/apps/v1/namespaces/${namespace}/replicasets`);
      const revisions = body.items.map(({ metadata, spec }: Answer) => [
        metadata.annotations["deployment.kubernetes.io/revision"],
        spec.replicas,
      ]);
      assert.deepEqual(revisions.sort(), [["1", 0], ["2", 2]]);
    },
  },
  {
    name: "makes the Pods of a StatefulSet in order, with their claims",
    accepted: [HASHES, COUNTS],
    async run(api) {
      const namespace = "ordered";
      await api.namespace(namespace);
      const path = `/apis/apps/v1/namespaces/${namespace}/statefulsets`;
      await api.ok("POST", path, {
        metadata: { name: "a" },
        spec: {
          replicas: 2,
          serviceName: "a",
          selector: { matchLabels: { app: "a" } },
          template: template("a"),
          volumeClaimTemplates: [{
            metadata: { name: "data" },
            spec: {
              storageClassName: "none",
              accessModes: ["ReadWriteOnce"],
              resources: { requests: { storage: "1Gi" } },
            },
          }],
        },
      });
      const status = async () => (await api.peek("GET", `${path}/a`)).body.status ?? {};
      await api.until(async () => (await pods(api, namespace)).length === 1, "one Pod");
      await api.pause(1);
      assert.equal((await pods(api, namespace)).length, 1);
      api.note("first", await status());
      await readyAll(api, namespace);
      await api.until(async () => (await pods(api, namespace)).length === 2, "two Pods");
      await readyAll(api, namespace);
      await api.until(async () => (await status()).availableReplicas === 2, "both are available");
      await api.pause(1);
      api.note("both", await status());
      const [, second] = await pods(api, namespace);
      api.note("pod", [
        second.metadata.name,
        second.metadata.labels,
        second.spec.volumes,
        second.spec.hostname,
      ]);
      const claims = await api.peek("GET", `/api/v1/namespaces/${namespace}/persistentvolumeclaims`);
      assert.deepEqual(claims.body.items.map(({ metadata }: Answer) => metadata.name), [
        "data-a-0",
        "data-a-1",
      ]);
      await api.ok("PATCH", `${path}/a`, { spec: { replicas: 1 } }, MERGE);
      await api.until(async () => (await pods(api, namespace)).length === 1, "one Pod is left");
    },
  },
  {
    name: "completes a Job when its Pods have ended",
    accepted: [HASHES, COUNTS],
    async run(api) {
      const namespace = "completed";
      await api.namespace(namespace);
      const path = `/apis/batch/v1/namespaces/${namespace}/jobs`;
      const spec = { ...template("a").spec, restartPolicy: "Never" };
      await api.ok("POST", path, { metadata: { name: "a" }, spec: { template: { spec } } });
      const status = async () => (await api.peek("GET", `${path}/a`)).body.status ?? {};
      await api.until(async () => (await pods(api, namespace)).length === 1, "a Pod");
      await api.until(async () => (await status()).active === 1, "it is counted");
      await api.pause(1);
      api.note("running", await status());
      const [pod] = await pods(api, namespace);
      await api.peek(
        "PATCH",
        `/api/v1/namespaces/${namespace}/pods/${pod.metadata.name}/status`,
        { status: { phase: "Succeeded" } },
        MERGE,
      );
      await api.until(async () => (await status()).completionTime !== undefined, "it is complete");
      await api.pause(1);
      api.note("complete", await status());
    },
  },
  {
    name: "counts no Pods of a DaemonSet without nodes",
    async run(api) {
      await api.namespace("daemons");
      const path = "/apis/apps/v1/namespaces/daemons/daemonsets";
      await api.ok("POST", path, {
        metadata: { name: "a" },
        spec: { selector: { matchLabels: { app: "a" } }, template: template("a") },
      });
      const status = async () => (await api.peek("GET", `${path}/a`)).body.status ?? {};
      await api.until(async () => (await status()).observedGeneration === 1, "it was looked at");
      api.note("status", await status());
    },
  },
];
