/** The kinds that are only stored: what the server fills in, counts and refuses of each. */

import assert from "node:assert/strict";
import { type Answer, MERGE } from "../session.ts";
import type { Scenario } from "./scenario.ts";

interface StoredKind {
  /** What stands between the group's path and the name. */
  readonly path: string;
  readonly object: Answer;
  /** A change of it that is taken, as a merge patch. */
  readonly change: Answer;
  readonly status?: Answer;
}

/** Creates, reads, changes and deletes an object, and writes its status. */
function stores(name: string, kinds: readonly StoredKind[], accepted: Scenario["accepted"] = []): Scenario {
  return {
    name: `stores ${name}`,
    accepted,
    async run(api) {
      for (const { path, object, change, status } of kinds) {
        const created = await api.ok("POST", path, object);
        const one = `${path}/${created.metadata.name}`;
        await api.ok("GET", one);
        // Whoever else writes meanwhile wins, or not.
        await api.peek("PUT", one, created);
        const changed = await api.ok("PATCH", one, change, MERGE);
        assert.notEqual(changed.metadata.resourceVersion, created.metadata.resourceVersion);
        if (status !== undefined) {
          await api.ok("PATCH", `${one}/status`, { status }, MERGE);
          await api.ok("GET", one);
        }
        await api.refused(409, "POST", path, object);
        await api.ok("DELETE", one);
        await api.refused(404, "GET", one);
      }
    },
  };
}

const NAMESPACED = "/namespaces/default";
const label = { metadata: { labels: { more: "1" } } };

export const STORED_KINDS: readonly Scenario[] = [
  stores("autoscalers", [{
    path: `/apis/autoscaling/v2${NAMESPACED}/horizontalpodautoscalers`,
    object: {
      metadata: { name: "stored" },
      spec: {
        scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "nobody" },
        minReplicas: 2,
        maxReplicas: 4,
        metrics: [{
          type: "Resource",
          resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 70 } },
        }],
      },
    },
    change: { spec: { maxReplicas: 5 } },
  }], [
    { line: /\.status/, because: "the real controller writes the status" },
  ]),
  {
    name: "shows autoscalers in their older version",
    accepted: [{ line: /\.status|managedFields/, because: "the real controller writes the status" }],
    async run(api) {
      const old = `/apis/autoscaling/v1${NAMESPACED}/horizontalpodautoscalers`;
      const present = `/apis/autoscaling/v2${NAMESPACED}/horizontalpodautoscalers`;
      const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "nobody" };
      await api.ok("POST", old, {
        metadata: { name: "old" },
        spec: { scaleTargetRef, maxReplicas: 3, targetCPUUtilizationPercentage: 60 },
      });
      const { spec } = await api.ok("GET", `${present}/old`);
      assert.equal(spec.metrics[0].resource.target.averageUtilization, 60);
      await api.ok(
        "PATCH",
        `${old}/old`,
        { spec: { targetCPUUtilizationPercentage: 70, maxReplicas: 4 } },
        MERGE,
      );
      await api.ok("POST", old, { metadata: { name: "bare" }, spec: { scaleTargetRef, maxReplicas: 3 } });
      await api.refused(400, "POST", `${old}?fieldValidation=Strict`, {
        metadata: { name: "strict" },
        spec: { scaleTargetRef, maxReplicas: 3, metrics: [] },
      });
      await api.refused(422, "POST", old, { metadata: { name: "wrong" }, spec: { maxReplicas: 0 } });
      for (const name of ["old", "bare"]) await api.ok("DELETE", `${old}/${name}`);
    },
  },
  stores("endpoint slices, and fills in what they leave out", [{
    path: `/apis/discovery.k8s.io/v1${NAMESPACED}/endpointslices`,
    object: {
      metadata: { name: "stored" },
      addressType: "IPv4",
      endpoints: [{ addresses: ["10.1.2.3"], conditions: { ready: true } }],
      ports: [{ name: "http", port: 80 }],
    },
    change: { endpoints: [] },
  }], [{ line: /\.endpoints\b/, because: "an empty list is shown as one" }]),
  stores("storage classes, drivers and attachments", [
    {
      path: "/apis/storage.k8s.io/v1/storageclasses",
      object: { metadata: { name: "stored" }, provisioner: "example.com/p", parameters: { a: "1" } },
      change: { allowVolumeExpansion: true },
    },
    {
      path: "/apis/storage.k8s.io/v1/csidrivers",
      object: { metadata: { name: "stored.example.com" }, spec: { attachRequired: false } },
      change: label,
    },
    {
      path: "/apis/storage.k8s.io/v1/csinodes",
      object: { metadata: { name: "stored" }, spec: { drivers: [] } },
      change: label,
    },
    {
      path: `/apis/storage.k8s.io/v1${NAMESPACED}/csistoragecapacities`,
      object: { metadata: { name: "stored" }, storageClassName: "x", capacity: "1Gi" },
      change: { capacity: "2Gi" },
    },
  ], [{ line: /\.drivers\b/, because: "an empty list is shown as one" }]),
  stores("network policies, ingresses and their classes", [
    {
      path: "/apis/networking.k8s.io/v1/ingressclasses",
      object: { metadata: { name: "stored" }, spec: { controller: "example.com/c" } },
      change: label,
    },
    {
      path: `/apis/networking.k8s.io/v1${NAMESPACED}/ingresses`,
      object: {
        metadata: { name: "stored" },
        spec: {
          rules: [{
            host: "a.example.com",
            http: {
              paths: [{
                path: "/",
                pathType: "Prefix",
                backend: { service: { name: "s", port: { number: 80 } } },
              }],
            },
          }],
        },
      },
      change: { spec: { ingressClassName: "x" } },
      status: { loadBalancer: { ingress: [{ ip: "10.0.0.1" }] } },
    },
    {
      path: `/apis/networking.k8s.io/v1${NAMESPACED}/networkpolicies`,
      object: {
        metadata: { name: "stored" },
        spec: { podSelector: {}, ingress: [{ ports: [{ port: 80 }] }] },
      },
      change: { spec: { egress: [{}] } },
    },
  ]),
  stores("disruption budgets and priority classes", [
    {
      path: `/apis/policy/v1${NAMESPACED}/poddisruptionbudgets`,
      object: {
        metadata: { name: "stored" },
        spec: { minAvailable: 1, selector: { matchLabels: { a: "1" } } },
      },
      change: { spec: { minAvailable: 2 } },
    },
    {
      path: "/apis/scheduling.k8s.io/v1/priorityclasses",
      object: { metadata: { name: "stored" }, value: 1000, description: "d" },
      change: { description: "e" },
    },
  ], [{ line: /\.status|generation/i, because: "the real controller writes the status" }]),
  {
    name: "keeps the status that a node is made with",
    accepted: [{ line: /taints/, because: "nodes are taken to be ready" }],
    async run(api) {
      const status = { capacity: { memory: "1Gi" }, nodeInfo: { kubeletVersion: "v1" } };
      const made = await api.ok("POST", "/api/v1/nodes?dryRun=All", { metadata: { name: "full" }, status });
      assert.equal(made.status.capacity.memory, "1Gi");
      const empty = await api.ok("POST", "/api/v1/nodes?dryRun=All", { metadata: { name: "empty" } });
      assert.equal(empty.status.nodeInfo.kubeletVersion, "");
    },
  },
  stores("runtime classes, leases and certificate requests", [
    {
      path: "/apis/node.k8s.io/v1/runtimeclasses",
      object: { metadata: { name: "stored" }, handler: "runc" },
      change: label,
    },
    {
      path: `/apis/coordination.k8s.io/v1${NAMESPACED}/leases`,
      object: { metadata: { name: "stored" }, spec: { holderIdentity: "a", leaseDurationSeconds: 10 } },
      change: { spec: { holderIdentity: "b" } },
    },
  ]),
  stores("flow schemas and priority levels", [
    {
      path: "/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations",
      object: {
        metadata: { name: "stored" },
        spec: { type: "Limited", limited: { limitResponse: { type: "Reject" } } },
      },
      change: { spec: { limited: { nominalConcurrencyShares: 5 } } },
    },
    {
      path: "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas",
      object: {
        metadata: { name: "stored" },
        spec: { priorityLevelConfiguration: { name: "exempt" }, matchingPrecedence: 500 },
      },
      change: { spec: { matchingPrecedence: 501 } },
    },
  ], [{
    line: /\.status|flowschemas.*managedFields/,
    because: "the real server writes the status",
  }]),
  stores("limits, quotas, templates and revisions", [
    {
      path: `/api/v1${NAMESPACED}/limitranges`,
      object: {
        metadata: { name: "stored" },
        spec: { limits: [{ type: "Container", default: { cpu: "1" }, max: { memory: "1Gi" } }] },
      },
      change: label,
    },
    {
      path: `/api/v1${NAMESPACED}/podtemplates`,
      object: {
        metadata: { name: "stored" },
        template: { metadata: { labels: { a: "1" } }, spec: { containers: [{ name: "c", image: "i" }] } },
      },
      change: label,
    },
    {
      path: `/apis/apps/v1${NAMESPACED}/controllerrevisions`,
      object: { metadata: { name: "stored" }, revision: 1, data: { a: 1 } },
      change: { revision: 2 },
    },
  ]),
  {
    name: "refuses stored kinds that are wrong",
    accepted: [],
    async run(api) {
      const apps = "/apis/apps/v1/namespaces/default";
      const template = {
        metadata: { labels: { a: "1" } },
        spec: { containers: [{ name: "c", image: "i" }] },
      };
      await api.refused(422, "POST", `${apps}/deployments`, { metadata: { name: "x" }, spec: { template } });
      await api.refused(422, "POST", `${apps}/deployments`, {
        metadata: { name: "x" },
        spec: { selector: { matchLabels: { a: "2" } }, template },
      });
      await api.refused(422, "POST", "/api/v1/namespaces/default/pods", {
        metadata: { name: "x" },
        spec: {},
      });
      await api.refused(422, "POST", "/api/v1/namespaces/default/services", {
        metadata: { name: "x" },
        spec: {},
      });
    },
  },
  {
    name: "names schedules and numbers of replicas that cannot be",
    async run(api) {
      await api.namespace("schedules");
      const template = { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } };
      const base = { schedule: "@daily", jobTemplate: { spec: { template } } };
      const jobs = "/apis/batch/v1/namespaces/schedules/cronjobs";
      for (
        const spec of [
          { schedule: "" },
          { schedule: "* * *" },
          { schedule: "61 * * * *" },
          { schedule: "* 5-1 * * *" },
          { schedule: "* * 0 * *" },
          { schedule: "*/0 * * * *" },
          { schedule: "a * * * *" },
          { schedule: "1-2-3 * * * *" },
          { schedule: "@often" },
          { schedule: "TZ=UTC * * * * *" },
          { timeZone: "" },
          { timeZone: "Local" },
          { timeZone: "Mars/Olympus" },
          { concurrencyPolicy: "Never" },
          { startingDeadlineSeconds: -1, failedJobsHistoryLimit: -1 },
        ]
      ) {
        await api.refused(422, "POST", jobs, { metadata: { name: "a" }, spec: { ...base, ...spec } });
      }
      await api.refused(422, "POST", jobs, { metadata: { name: "a".repeat(53) }, spec: base });
      const scalers = "/apis/autoscaling/v2/namespaces/schedules/horizontalpodautoscalers";
      const target = { apiVersion: "apps/v1", kind: "Deployment", name: "a" };
      for (
        const spec of [
          { minReplicas: 3, maxReplicas: 2, scaleTargetRef: target },
          { minReplicas: -1, maxReplicas: 2, scaleTargetRef: target },
          { scaleTargetRef: target },
          { maxReplicas: 2, scaleTargetRef: {} },
        ]
      ) {
        await api.refused(422, "POST", scalers, { metadata: { name: "a" }, spec });
      }
    },
  },
];
