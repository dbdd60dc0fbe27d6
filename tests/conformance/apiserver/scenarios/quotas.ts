/** Scenarios of ResourceQuotas and LimitRanges: what is refused, what is filled in, and what is counted. */

import assert from "node:assert/strict";
import { type Answer, MERGE, type Session } from "../session.ts";
import { configMap, type Scenario } from "./scenario.ts";

function pod(name: string, resources: Answer = {}, spec: Answer = {}): Answer {
  return { metadata: { name }, spec: { containers: [{ name: "main", image: "i", resources }], ...spec } };
}

function quota(name: string, spec: Answer): Answer {
  return { metadata: { name }, spec };
}

/** Makes a quota, and waits until somebody has counted. */
async function limit(api: Session, path: string, body: Answer): Promise<void> {
  await api.ok("POST", `${path}/resourcequotas`, body);
  await used(api, path, body.metadata.name, () => true);
}

/** Waits until the controller of quotas knows an object: it counts from a cache of its own, and does not count again soon. */
async function untilCounted(api: Session, path: string, resource: string): Promise<void> {
  await api.until(async () => {
    await api.peek("POST", `${path}/resourcequotas`, quota("probe", { hard: { [resource]: "9" } }));
    let status: Answer;
    await api.until(async () => {
      status = (await api.peek("GET", `${path}/resourcequotas/probe`)).body.status;
      return status?.used !== undefined;
    }, "the probe counts");
    await api.peek("DELETE", `${path}/resourcequotas/probe`);
    return status.used[resource] === "1";
  }, `${resource} are counted`);
}

/** Waits until a quota says that so much is used, and notes its status. */
async function used(
  api: Session,
  path: string,
  name: string,
  holds: (used: Answer) => boolean,
): Promise<Answer> {
  let status: Answer;
  await api.until(async () => {
    status = (await api.peek("GET", `${path}/resourcequotas/${name}`)).body.status;
    return status?.used !== undefined && status.hard !== undefined && holds(status.used);
  }, `${name} counts`);
  api.note(`the status of ${name}`, status);
  return status;
}

/** Waits until the limits of a namespace are in force: the real server learns of them after a moment. */
async function untilLimited(api: Session, path: string): Promise<void> {
  const asks = async () => {
    const { code, body } = await api.peek("POST", `${path}/pods?dryRun=All`, pod("probe"));
    return code === 403 || body.metadata?.annotations?.["kubernetes.io/limit-ranger"] !== undefined;
  };
  await api.until(asks, "limits are in force");
}

const POD_STATUS = {
  line: /serviceAccount|kube-api-access|volumes|volumeMounts/,
  because: "the plugin is not there",
};

export const QUOTAS: readonly Scenario[] = [
  {
    name: "refuses more objects than a quota lets be",
    async run(api) {
      await api.namespace("quota-counts");
      const path = "/api/v1/namespaces/quota-counts";
      const hard = { "count/configmaps": "3", "secrets": "1", "count/leases.coordination.k8s.io": "0" };
      await api.until(
        async () => (await api.peek("GET", `${path}/configmaps/kube-root-ca.crt`)).code === 200,
        "the ConfigMap of each namespace",
      );
      await untilCounted(api, path, "count/configmaps");
      await limit(api, path, quota("few", { hard }));
      await api.ok("POST", `${path}/configmaps`, configMap("a"));
      await api.ok("POST", `${path}/configmaps?dryRun=All`, configMap("b"));
      await api.ok("POST", `${path}/configmaps`, configMap("b"));
      const refusal = await api.refused(403, "POST", `${path}/configmaps`, configMap("c"));
      assert.match(
        refusal.message,
        /exceeded quota: few, requested: count\/configmaps=1, used: count\/configmaps=3/,
      );
      await api.refused(403, "POST", `${path}/configmaps?dryRun=All`, configMap("c"));
      await api.refused(
        403,
        "PATCH",
        `${path}/configmaps/c?fieldManager=me`,
        { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c" } },
        { "content-type": "application/apply-patch+yaml" },
      );
      await api.ok("PATCH", `${path}/configmaps/a`, { data: { a: "2" } }, MERGE);
      await api.ok("POST", `${path}/secrets`, { metadata: { name: "a" } });
      await api.refused(403, "POST", `${path}/secrets`, { metadata: { name: "b" } });
      await api.refused(403, "POST", "/apis/coordination.k8s.io/v1/namespaces/quota-counts/leases", {
        metadata: { name: "a" },
      });
      await used(api, path, "few", (amounts) => amounts["count/configmaps"] === "3");
      await api.ok("DELETE", `${path}/configmaps/b`);
      await used(api, path, "few", (amounts) => amounts["count/configmaps"] === "2");
      await api.ok("POST", `${path}/configmaps`, configMap("c"));
    },
  },
  {
    name: "counts what Pods ask for",
    accepted: [POD_STATUS],
    async run(api) {
      await api.namespace("quota-pods");
      const path = "/api/v1/namespaces/quota-pods";
      const hard = {
        pods: "2",
        cpu: "1",
        "requests.memory": "1Gi",
        "limits.cpu": "1500m",
        "requests.nvidia.com/gpu": 1,
      };
      await limit(api, path, quota("compute", { hard }));
      await api.refused(403, "POST", `${path}/pods`, pod("nothing"));
      await api.refused(403, "POST", `${path}/pods`, pod("half", { requests: { cpu: "100m" } }));
      const enough = { requests: { cpu: "0.6", memory: "100Mi" }, limits: { cpu: "1" } };
      await api.peek("POST", `${path}/pods`, pod("a", enough));
      const status = await used(api, path, "compute", (amounts) => amounts.pods === "1");
      assert.deepEqual([status.used.cpu, status.used["limits.cpu"]], ["600m", "1"]);
      const refusal = await api.refused(403, "POST", `${path}/pods`, pod("b", enough));
      assert.match(
        refusal.message,
        /exceeded quota: compute, requested: cpu=600m,limits.cpu=1, used: cpu=600m,limits.cpu=1, limited: cpu=1,limits.cpu=1500m$/,
      );
      const gpus = { limits: { "nvidia.com/gpu": 2, cpu: "1m" }, requests: { cpu: "1m", memory: 1 } };
      await api.refused(403, "POST", `${path}/pods`, pod("c", gpus));
      await api.peek("DELETE", `${path}/pods/a?gracePeriodSeconds=0`);
      await used(api, path, "compute", (amounts) => amounts.pods === "0");
    },
  },
  {
    name: "counts only what is in a quota's scopes",
    async run(api) {
      await api.namespace("quota-scopes");
      const path = "/api/v1/namespaces/quota-scopes";
      await limit(api, path, quota("idle", { hard: { pods: "0" }, scopes: ["BestEffort"] }));
      const scopeSelector = { matchExpressions: [{ scopeName: "Terminating", operator: "Exists" }] };
      await limit(api, path, quota("ending", { hard: { pods: "1" }, scopeSelector }));
      const busy = { requests: { cpu: "1m" } };
      await api.refused(403, "POST", `${path}/pods`, pod("a"));
      assert.equal((await api.peek("POST", `${path}/pods`, pod("a", busy))).code, 201);
      assert.equal(
        (await api.peek("POST", `${path}/pods`, pod("b", busy, { activeDeadlineSeconds: 5 }))).code,
        201,
      );
      await api.refused(403, "POST", `${path}/pods`, pod("c", busy, { activeDeadlineSeconds: 5 }));
      await api.refused(403, "PATCH", `${path}/pods/a`, { spec: { activeDeadlineSeconds: 5 } }, MERGE);
      await used(api, path, "ending", (amounts) => amounts.pods === "1");
      await used(api, path, "idle", (amounts) => amounts.pods === "0");
      await api.refused(
        422,
        "PATCH",
        `${path}/resourcequotas/idle`,
        { spec: { scopes: ["NotBestEffort"] } },
        MERGE,
      );
    },
  },
  {
    name: "counts Services by their types, and claims by their size",
    async run(api) {
      await api.namespace("quota-services");
      const path = "/api/v1/namespaces/quota-services";
      const gold = "gold.storageclass.storage.k8s.io/requests.storage";
      const hard = {
        "services.nodeports": 2,
        "services.loadbalancers": 0,
        "requests.storage": "3Gi",
        [gold]: "1Gi",
      };
      await limit(api, path, quota("ports", { hard }));
      const service = (name: string, type: string, ports = 1): Answer => ({
        metadata: { name },
        spec: { type, ports: Array.from({ length: ports }, (_, i) => ({ name: `p${i}`, port: 80 + i })) },
      });
      const post = (body: Answer) => api.peek("POST", `${path}/services`, body);
      assert.equal((await post(service("a", "ClusterIP", 3))).code, 201);
      assert.equal((await post(service("b", "NodePort"))).code, 201);
      await api.refused(403, "POST", `${path}/services`, service("c", "NodePort", 2));
      await api.refused(403, "POST", `${path}/services`, service("c", "LoadBalancer"));
      await api.refused(403, "PATCH", `${path}/services/a`, { spec: { type: "NodePort" } }, MERGE);
      await used(api, path, "ports", (amounts) => amounts["services.nodeports"] === "1");
      const claim = (name: string, storage: string, storageClassName = "silver"): Answer => ({
        metadata: { name },
        spec: { accessModes: ["ReadWriteOnce"], storageClassName, resources: { requests: { storage } } },
      });
      assert.equal((await api.peek("POST", `${path}/persistentvolumeclaims`, claim("a", "2Gi"))).code, 201);
      await api.refused(403, "POST", `${path}/persistentvolumeclaims`, claim("b", "1025Mi"));
      await api.refused(403, "POST", `${path}/persistentvolumeclaims`, claim("b", "1025Mi", "gold"));
      assert.equal(
        (await api.peek("POST", `${path}/persistentvolumeclaims`, claim("b", "1Gi", "gold"))).code,
        201,
      );
      await used(api, path, "ports", (amounts) => amounts["requests.storage"] === "3Gi");
    },
  },
  {
    name: "fills in what LimitRanges say",
    async run(api) {
      await api.namespace("limits-fill");
      const path = "/api/v1/namespaces/limits-fill";
      await api.ok("POST", `${path}/limitranges`, {
        metadata: { name: "defaults" },
        spec: {
          limits: [{
            type: "Container",
            default: { cpu: "200m", memory: "100Mi" },
            defaultRequest: { cpu: "0.1" },
          }],
        },
      });
      await untilLimited(api, path);
      const { body } = await api.peek(
        "POST",
        `${path}/pods`,
        pod("a", { requests: { cpu: "50m" } }, { initContainers: [{ name: "first", image: "i" }] }),
      );
      const { metadata: { annotations }, spec, status } = body;
      api.note("the Pod", {
        annotations,
        resources: [...spec.containers, ...spec.initContainers].map(({ resources }) => resources),
        qosClass: status.qosClass,
      });
      assert.match(annotations["kubernetes.io/limit-ranger"], /^LimitRanger plugin set: /);
    },
  },
  {
    name: "refuses what is not within the limits of a namespace",
    async run(api) {
      await api.namespace("limits-refuse");
      const path = "/api/v1/namespaces/limits-refuse";
      await api.ok("POST", `${path}/limitranges`, {
        metadata: { name: "bounds" },
        spec: {
          limits: [
            {
              type: "Container",
              min: { cpu: "100m" },
              max: { cpu: "1" },
              maxLimitRequestRatio: { cpu: "2" },
            },
            { type: "Pod", max: { memory: "1Gi" } },
            { type: "PersistentVolumeClaim", min: { storage: "1Gi" }, max: { storage: "2Gi" } },
          ],
        },
      });
      await untilLimited(api, path);
      const within = { requests: { cpu: "200m", memory: "1Mi" }, limits: { cpu: "400m", memory: "1Gi" } };
      assert.equal((await api.peek("POST", `${path}/pods`, pod("a", within))).code, 201);
      const refuse = (resources: Answer) => api.refused(403, "POST", `${path}/pods`, pod("b", resources));
      await refuse({ ...within, requests: { ...within.requests, cpu: "50m" } });
      await refuse({ ...within, limits: { ...within.limits, cpu: "1001m" } });
      await refuse({ ...within, limits: { ...within.limits, cpu: "500m" } });
      await refuse({ ...within, limits: { ...within.limits, memory: "1025Mi" } });
      await refuse({ requests: within.requests, limits: { cpu: "400m" } });
      const claim = (storage: string): Answer => ({
        metadata: { name: "a" },
        spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage } } },
      });
      await api.refused(403, "POST", `${path}/persistentvolumeclaims`, claim("1Mi"));
      await api.refused(403, "POST", `${path}/persistentvolumeclaims`, claim("3Gi"));
      assert.equal((await api.peek("POST", `${path}/persistentvolumeclaims`, claim("1.5Gi"))).code, 201);
    },
  },
  {
    name: "refuses quotas and limits that cannot be",
    async run(api) {
      await api.namespace("quota-invalid");
      const path = "/api/v1/namespaces/quota-invalid";
      const refuse = (spec: Answer) => api.refused(422, "POST", `${path}/resourcequotas`, quota("a", spec));
      await refuse({ hard: { bananas: "1" } });
      await refuse({ hard: { pods: "1.5" } });
      await refuse({ hard: { pods: "-1" } });
      await refuse({ hard: { "a b/c": "1" } });
      await refuse({ hard: { storage: "1" } });
      await refuse({ hard: { cpu: "1" }, scopes: ["BestEffort"] });
      await refuse({ hard: { pods: "1" }, scopes: ["BestEffort", "NotBestEffort"] });
      await refuse({ hard: { pods: "1" }, scopes: ["Lonely"] });
      const select = (expression: Answer) =>
        refuse({ hard: { pods: "1" }, scopeSelector: { matchExpressions: [expression] } });
      await select({ scopeName: "Terminating", operator: "In", values: ["a"] });
      await select({ scopeName: "PriorityClass", operator: "In" });
      await select({ scopeName: "PriorityClass", operator: "Exists", values: ["a"] });
      await select({ scopeName: "PriorityClass", operator: "Perhaps" });
      await select({ scopeName: "Lonely", operator: "Exists" });
      const refuseLimits = (...limits: Answer[]) =>
        api.refused(422, "POST", `${path}/limitranges`, { metadata: { name: "a" }, spec: { limits } });
      await refuseLimits({ type: "Box", max: { cpu: "1" } });
      await refuseLimits({ type: "Container", max: { cpu: "1" }, min: { cpu: "2" } });
      await refuseLimits({ type: "Container", max: { cpu: "1" }, default: { cpu: "2" } });
      await refuseLimits({ type: "Container", default: { cpu: "1" }, defaultRequest: { cpu: "2" } });
      await refuseLimits({ type: "Container", min: { cpu: "1" }, default: { cpu: "500m" } });
      await refuseLimits({ type: "Pod", default: { cpu: "1" } });
      await refuseLimits({ type: "Pod", max: { bananas: "1" } });
      await refuseLimits({ type: "PersistentVolumeClaim", max: { cpu: "1" } });
      await refuseLimits({ type: "Container", max: { cpu: "1" } }, { type: "Container", max: { cpu: "2" } });
      await refuseLimits({ type: "Container", maxLimitRequestRatio: { cpu: "500m" } });
      await refuseLimits({
        type: "Pod",
        max: { cpu: "2" },
        min: { cpu: "1" },
        maxLimitRequestRatio: { cpu: "3" },
      });
    },
  },
];
