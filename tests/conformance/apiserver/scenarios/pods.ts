/** Pods: binding, eviction, debugging, grace periods, and what of them cannot be changed. */

import assert from "node:assert/strict";
import { type Answer, APPLY, JSON_PATCH, MERGE, STRATEGIC } from "../session.ts";
import type { Scenario } from "./scenario.ts";

function pod(name: string, spec: Answer = {}): Answer {
  return {
    metadata: { name, labels: { app: "a" } },
    spec: { automountServiceAccountToken: false, containers: [{ name: "c", image: "i:1" }], ...spec },
  };
}

function binding(name: string, node: string): Answer {
  return { apiVersion: "v1", kind: "Binding", metadata: { name }, target: { kind: "Node", name: node } };
}

const DIFF = {
  line: /pod updates may not change fields other than/,
  because: "the real server goes on with what differs, as Go prints it",
};

export const PODS: readonly Scenario[] = [
  {
    name: "binds a Pod to a node, once",
    async run(api) {
      await api.namespace("bound");
      const path = "/api/v1/namespaces/bound/pods";
      await api.ok("POST", path, pod("a"));
      await api.ok("POST", `${path}/a/binding`, binding("a", "nowhere"));
      const { spec, metadata } = await api.ok("GET", `${path}/a`);
      assert.deepEqual([spec.nodeName, metadata.generation], ["nowhere", 1]);
      await api.refused(409, "POST", `${path}/a/binding`, binding("a", "elsewhere"));
      await api.refused(404, "POST", `${path}/b/binding`, binding("b", "nowhere"));
      await api.ok("DELETE", `${path}/a?gracePeriodSeconds=0`);
    },
  },
  {
    name: "tells a Pod the zone of its node, and what its binding says",
    accepted: [{
      line: /POST \/api\/v1\/nodes .body.spec.taints/,
      because: "nodes get no taints by their conditions, which nobody would take off",
    }],
    async run(api) {
      await api.namespace("zones");
      const path = "/api/v1/namespaces/zones/pods";
      const [zone, other] = ["topology.kubernetes.io/zone", "topology.kubernetes.io/rack"];
      await api.ok("POST", "/api/v1/nodes", {
        metadata: { name: "zoned", labels: { [zone]: "z", [other]: "r" } },
      });
      const tainted = { automountServiceAccountToken: false, tolerations: [{ operator: "Exists" }] };
      await api.ok("POST", path, pod("a", tainted));
      const said = {
        ...binding("a", "zoned"),
        metadata: { name: "a", labels: { [zone]: "no", from: "binding" } },
      };
      await api.ok("POST", `${path}/a/binding`, said);
      const { metadata } = await api.ok("GET", `${path}/a`);
      assert.deepEqual(metadata.labels, { app: "a", from: "binding", [zone]: "z" });
      const placed = await api.ok("POST", path, pod("b", { ...tainted, nodeName: "zoned" }));
      assert.equal(placed.metadata.labels[zone], "z");
      for (const name of ["a", "b"]) await api.ok("DELETE", `${path}/${name}?gracePeriodSeconds=0`);
      await api.ok("DELETE", "/api/v1/nodes/zoned");
    },
  },
  {
    name: "lets a Pod that is held back be bound to fewer nodes, and to no others",
    accepted: [DIFF],
    async run(api) {
      await api.namespace("gated-pods");
      const path = "/api/v1/namespaces/gated-pods/pods";
      const gated = { schedulingGates: [{ name: "example.com/wait" }] };
      await api.refused(422, "POST", path, pod("a", { ...gated, nodeName: "nowhere" }));
      await api.ok("POST", path, pod("a", { ...gated, nodeSelector: { a: "1" } }));
      const one = `${path}/a`;
      await api.ok("PATCH", one, { spec: { nodeSelector: { b: "2" } } }, MERGE);
      await api.refused(422, "PATCH", one, { spec: { nodeSelector: { a: "2" } } }, MERGE);
      await api.refused(422, "PATCH", one, { spec: { nodeSelector: { a: null } } }, MERGE);
      const terms = (...keys: readonly string[]) => {
        const matchExpressions = keys.map((key) => ({ key, operator: "Exists" }));
        const required = { nodeSelectorTerms: [{ matchExpressions }] };
        return {
          spec: { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } } },
        };
      };
      await api.ok("PATCH", one, terms("x"), MERGE);
      await api.ok("PATCH", one, terms("x", "y"), MERGE);
      await api.refused(422, "PATCH", one, terms("y", "x"), MERGE);
      await api.refused(422, "PATCH", one, { spec: { affinity: null } }, MERGE);
      await api.refused(422, "PATCH", one, { spec: { hostname: "x" } }, MERGE);
      await api.ok("PATCH", one, { spec: { schedulingGates: [] } }, MERGE);
      await api.refused(422, "PATCH", one, { spec: { nodeSelector: { c: "3" } } }, MERGE);
      await api.refused(422, "PATCH", one, terms("x", "y", "z"), MERGE);
    },
  },
  {
    name: "gives Pods on nodes their grace period, and shortens it",
    async run(api) {
      await api.namespace("grace");
      const path = "/api/v1/namespaces/grace/pods";
      const made = await api.ok(
        "POST",
        path,
        pod("a", { nodeName: "nowhere", terminationGracePeriodSeconds: 600 }),
      );
      const watch = await api.watch(`${path}?watch=1&resourceVersion=${made.metadata.resourceVersion}`);
      const deleted = await api.ok("DELETE", `${path}/a`);
      assert.equal(deleted.metadata.deletionGracePeriodSeconds, 600);
      await api.ok("DELETE", `${path}/a?gracePeriodSeconds=900`);
      await api.ok("DELETE", `${path}/a`, { gracePeriodSeconds: 300 });
      await api.ok("DELETE", `${path}/a?gracePeriodSeconds=0`);
      await api.refused(404, "GET", `${path}/a`);
      const types = (await watch.take(4)).map(({ type }: Answer) => type);
      assert.deepEqual(types, ["MODIFIED", "MODIFIED", "MODIFIED", "DELETED"]);
      await watch.stop();
    },
  },
  {
    name: "lets Pods go at once that nobody runs",
    async run(api) {
      await api.namespace("ungraceful");
      const path = "/api/v1/namespaces/ungraceful/pods";
      const made = await api.ok("POST", path, pod("a"));
      const watch = await api.watch(`${path}?watch=1&resourceVersion=${made.metadata.resourceVersion}`);
      await api.ok("DELETE", `${path}/a`);
      await api.refused(404, "GET", `${path}/a`);
      await watch.take(2);
      await watch.stop();
      await api.ok("POST", path, pod("b", { nodeName: "nowhere" }));
      await api.ok("PATCH", `${path}/b/status`, { status: { phase: "Succeeded" } }, MERGE);
      await api.ok("DELETE", `${path}/b?gracePeriodSeconds=60`);
      await api.refused(404, "GET", `${path}/b`);
    },
  },
  {
    name: "evicts a Pod, unless its budget forbids it",
    accepted: [
      {
        line: /\.status\.(conditions|.*Healthy|expectedPods|observedGeneration|disruptionsAllowed)/,
        because: "the real controller counts",
      },
    ],
    async run(api) {
      await api.namespace("evicted");
      const path = "/api/v1/namespaces/evicted/pods";
      const eviction = (name: string) => ({ apiVersion: "policy/v1", kind: "Eviction", metadata: { name } });
      await api.ok("POST", path, pod("a", { nodeName: "nowhere" }));
      await api.ok("POST", `${path}/a/eviction`, eviction("a"));
      await api.refused(404, "POST", `${path}/b/eviction`, eviction("b"));
      await api.ok("POST", path, pod("c"));
      await api.ok("POST", `${path}/c/eviction`, { ...eviction("c"), deleteOptions: { dryRun: ["All"] } });
      await api.ok("GET", `${path}/c`);
      await api.refused(400, "POST", `${path}/c/eviction`, eviction("d"));
      for (const wrong of [{ apiVersion: "policy/v2" }, { kind: "Binding" }, { apiVersion: "v1" }]) {
        await api.refused(400, "POST", `${path}/c/eviction`, { ...eviction("c"), ...wrong });
      }
      for (const apiVersion of ["policy/v1", "policy/v1beta1"]) {
        const dry = { ...eviction("c"), apiVersion, deleteOptions: { dryRun: ["All"] } };
        await api.ok("POST", `${path}/c/eviction`, dry);
      }
      await api.ok("POST", `${path}/c/eviction`, {
        metadata: { name: "c" },
        deleteOptions: { dryRun: ["All"] },
      });
      await api.refused(405, "GET", `${path}/c/eviction`);
      for (const type of [APPLY, MERGE]) await api.refused(405, "PATCH", `${path}/c/eviction`, {}, type);
      await api.ok("DELETE", `${path}/a?gracePeriodSeconds=0`);
    },
  },
  {
    name: "adds containers for debugging to a Pod",
    accepted: [DIFF],
    async run(api) {
      await api.namespace("debugged");
      const path = "/api/v1/namespaces/debugged/pods";
      await api.ok("POST", path, pod("a"));
      const debug = (name: string) => ({ spec: { ephemeralContainers: [{ name, image: "busybox:1" }] } });
      await api.ok("PATCH", `${path}/a/ephemeralcontainers`, debug("d"), STRATEGIC);
      await api.ok("GET", `${path}/a/ephemeralcontainers`);
      await api.refused(
        422,
        "PATCH",
        `${path}/a/ephemeralcontainers`,
        { spec: { ephemeralContainers: [] } },
        MERGE,
      );
      await api.refused(422, "PATCH", `${path}/a`, debug("e"), STRATEGIC);
    },
  },
  {
    name: "refuses Pods and templates that nobody could run",
    async run(api) {
      await api.namespace("wrong-pods");
      const core = "/api/v1/namespaces/wrong-pods";
      const c = { name: "c", image: "i" };
      const automountServiceAccountToken = false;
      const wrong: Answer[] = [
        { containers: [] },
        { containers: [{ ...c, name: "C_1" }] },
        { containers: [c, c] },
        { containers: [c], initContainers: [c] },
        { containers: [{ ...c, image: "" }, { image: "i" }] },
        { containers: [{ ...c, ports: [{ containerPort: 70_000 }] }] },
        { containers: [{ ...c, ports: [{ containerPort: 1, hostPort: -1 }] }] },
        { containers: [{ ...c, ports: [{ containerPort: 1, protocol: "ICMP" }] }] },
        { containers: [{ ...c, volumeMounts: [{ name: "none", mountPath: "/a" }] }] },
        {
          volumes: [{ name: "v", emptyDir: {} }],
          containers: [{
            ...c,
            volumeMounts: [{ name: "v", mountPath: "/a" }, { name: "v", mountPath: "/a" }],
          }],
        },
        { containers: [c], volumes: [{ name: "V_1", emptyDir: {} }] },
        { containers: [c], volumes: [{ name: "v", emptyDir: {} }, { name: "v", emptyDir: {} }] },
        { containers: [{ ...c, resources: { requests: { cpu: "2" }, limits: { cpu: "1000m" } } }] },
        { containers: [{ ...c, resources: { limits: { memory: "-1Gi" } } }] },
        { containers: [c], restartPolicy: "Sometimes" },
        { containers: [c], activeDeadlineSeconds: 0 },
      ];
      for (const each of wrong) {
        const spec = { automountServiceAccountToken, ...each };
        await api.refused(422, "POST", `${core}/pods`, { metadata: { name: "x" }, spec });
      }
      const metadata = { name: "x", labels: { app: "a" } };
      const spec = { containers: [{ ...c, name: "C_1" }] };
      const selector = { matchLabels: { app: "a" } };
      const makers = "/apis/apps/v1/namespaces/wrong-pods";
      for (const plural of ["deployments", "daemonsets", "statefulsets", "replicasets"]) {
        const maker = { metadata, spec: { selector, serviceName: "s", template: { metadata, spec } } };
        await api.refused(422, "POST", `${makers}/${plural}`, maker);
      }
      const jobs = "/apis/batch/v1/namespaces/wrong-pods/jobs";
      const never = { ...spec, restartPolicy: "Never" };
      await api.refused(422, "POST", jobs, { metadata, spec: { template: { metadata, spec: never } } });
      await api.refused(422, "POST", jobs, { metadata, spec: { template: { spec: { containers: [c] } } } });
      const jobTemplate = { spec: { template: { spec: { containers: [] } } } };
      await api.refused(422, "POST", "/apis/batch/v1/namespaces/wrong-pods/cronjobs", {
        metadata,
        spec: { schedule: "* * * * *", jobTemplate },
      });
      const mounted = { containers: [{ ...c, volumeMounts: [{ name: "claim", mountPath: "/a" }] }] };
      const claim = {
        metadata: { name: "claim" },
        spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
      };
      await api.ok("POST", `${makers}/statefulsets`, {
        metadata,
        spec: {
          replicas: 0,
          selector,
          serviceName: "s",
          template: { metadata, spec: mounted },
          volumeClaimTemplates: [claim],
        },
      });
    },
  },
  {
    name: "refuses Secrets that lack the keys of their type",
    accepted: [{
      line: /failed to find any PEM data/,
      because: "certificates in Secrets are not looked at, and so not warned of",
    }],
    async run(api) {
      await api.namespace("typed-secrets");
      const path = "/api/v1/namespaces/typed-secrets/secrets";
      const types: Record<string, Answer> = {
        "basic-auth": { other: "" },
        "ssh-auth": { "ssh-privatekey": "" },
        "tls": { "tls.crt": "" },
        "dockercfg": {},
        "dockerconfigjson": {},
        "service-account-token": {},
      };
      for (const [type, data] of Object.entries(types)) {
        await api.refused(422, "POST", path, {
          metadata: { name: "x" },
          type: `kubernetes.io/${type}`,
          data,
        });
      }
      const made = (name: string, data: Answer) =>
        api.ok("POST", path, { metadata: { name }, type: `kubernetes.io/${name}`, data });
      await made("basic-auth", { password: "" });
      await made("tls", { "tls.crt": "", "tls.key": "" });
      await made("bootstrap", {});
    },
  },
  {
    name: "refuses most changes of a Pod's spec",
    accepted: [DIFF],
    async run(api) {
      await api.namespace("sealed-pods");
      const path = "/api/v1/namespaces/sealed-pods/pods";
      await api.ok("POST", path, pod("a", { activeDeadlineSeconds: 100 }));
      const one = `${path}/a`;
      await api.ok("PATCH", one, { spec: { containers: [{ name: "c", image: "i:2" }] } }, STRATEGIC);
      await api.ok("PATCH", one, { spec: { activeDeadlineSeconds: 50 } }, MERGE);
      await api.ok("PATCH", one, [{
        op: "add",
        path: "/spec/tolerations/-",
        value: { key: "x", operator: "Exists" },
      }], JSON_PATCH);
      await api.refused(422, "PATCH", one, { spec: { activeDeadlineSeconds: 70 } }, MERGE);
      await api.refused(422, "PATCH", one, { spec: { activeDeadlineSeconds: null } }, MERGE);
      for (const activeDeadlineSeconds of [0, -1]) {
        await api.refused(422, "PATCH", one, { spec: { activeDeadlineSeconds } }, MERGE);
      }
      await api.refused(422, "PATCH", one, {
        spec: { containers: [{ name: "c", resources: { requests: { cpu: "1" } } }] },
      }, STRATEGIC);
      const debugged = { ephemeralContainers: [{ name: "d", image: "i" }] };
      await api.refused(422, "POST", path, pod("b", debugged));
      await api.refused(422, "PATCH", one, { spec: { nodeName: "x" } }, MERGE);
      await api.refused(422, "PATCH", one, { spec: { hostname: "x" } }, MERGE);
      await api.refused(422, "PATCH", one, { spec: { containers: [{ name: "d", image: "i" }] } }, STRATEGIC);
      await api.refused(422, "PATCH", one, { spec: { tolerations: [] } }, MERGE);
    },
  },
];
