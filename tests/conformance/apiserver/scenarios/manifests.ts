/** Scenarios of manifests as authors write them, and of what is wrong with some of them. */

import assert from "node:assert/strict";
import { type Answer, APPLY, MERGE, type Session } from "../session.ts";
import { configMap, databases, type Scenario } from "./scenario.ts";

const TEMPLATE = { spec: { containers: [{ name: "c", image: "one" }] } };

/** Returns a definition of a kind that is called like a built-in one. */
function namesake(group: string, kind: string): Answer {
  const plural = `${kind.toLowerCase()}s`;
  const definition = databases(group, {
    version: {
      schema: {
        openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
      },
    },
  });
  definition.metadata.name = `${plural}.${group}`;
  definition.spec.names = { plural, kind };
  return definition;
}

async function collection(api: Session, namespace: string): Promise<(path: string) => string> {
  await api.namespace(namespace);
  return (path) => `${path}/namespaces/${namespace}`;
}

export const MANIFESTS: readonly Scenario[] = [
  ...["Deployment", "DaemonSet", "Pod", "APIService"].map((kind): Scenario => ({
    name: `treats a custom kind named ${kind} as any other custom kind`,
    async run(api) {
      const group = `${kind.toLowerCase()}.manifests.example.com`;
      await api.define(namesake(group, kind));
      const path = `/apis/${group}/v1/namespaces/default/${kind.toLowerCase()}s`;
      const labels = { a: "1" };
      await api.ok("POST", path, {
        apiVersion: `${group}/v1`,
        kind,
        metadata: { name: "a", labels, annotations: { "deprecated.daemonset.template.generation": "7" } },
        spec: { a: 1 },
      });
      const annotated = await api.ok("PATCH", `${path}/a`, { metadata: { annotations: { b: "1" } } }, MERGE);
      assert.equal(annotated.metadata.generation, 1);
      const status = { metadata: { labels: { b: "1" }, annotations: { c: "1" } }, status: { a: 1 } };
      await api.ok("PATCH", `${path}/a/status?fieldManager=status`, status, MERGE);
      const changed = await api.ok("PATCH", `${path}/a`, { spec: { template: TEMPLATE } }, MERGE);
      assert.equal(changed.metadata.generation, 2);
    },
  })),
  {
    name: "warns of a deprecated version when it refuses",
    async run(api) {
      const group = "refused.manifests.example.com";
      const definition = databases(group);
      Object.assign(definition.spec.versions[0], { deprecated: true, deprecationWarning: "use another" });
      await api.define(definition);
      const path = `/apis/${group}/v1/namespaces/default/databases`;
      const body = (spec: Answer) => ({
        apiVersion: `${group}/v1`,
        kind: "Database",
        metadata: { name: "a" },
        spec,
      });
      const refusals = [
        await api.call("POST", path, body({ engine: "none" })),
        await api.call("POST", path, "{"),
        await api.call("GET", `${path}/none`),
        await api.call("PATCH", `${path}/none`, {}, MERGE),
        await api.call("DELETE", `${path}/none`),
      ];
      for (const { headers } of refusals) assert.match(headers.get("warning") ?? "", /use another/);
    },
    accepted: [{
      line: /databases \.body\.message/,
      because: "the reasons of parsers are those of JavaScript",
    }],
  },
  {
    name: "checks the labels that Services select and templates have",
    async run(api) {
      const place = await collection(api, "manifest-labels");
      const bad = { "a b": "1", c: "-x", "Example.COM/x": "y".repeat(64) };
      const services = place("/api/v1");
      await api.refused(422, "POST", `${services}/services`, {
        metadata: { name: "a" },
        spec: { selector: bad, ports: [{ port: 80 }] },
      });
      const template = { ...TEMPLATE, metadata: { labels: bad, annotations: { "a b": "1" } } };
      const selector = { matchLabels: bad };
      const workloads = place("/apis/apps/v1");
      for (const plural of ["deployments", "daemonsets", "replicasets"]) {
        await api.refused(422, "POST", `${workloads}/${plural}`, {
          metadata: { name: "a" },
          spec: { selector, template },
        });
      }
      await api.refused(422, "POST", `${workloads}/statefulsets`, {
        metadata: { name: "a" },
        spec: { serviceName: "a", selector, template },
      });
      const job = { template: { ...template, spec: { ...template.spec, restartPolicy: "Never" } } };
      await api.refused(422, "POST", `${place("/apis/batch/v1")}/jobs`, {
        metadata: { name: "a" },
        spec: job,
      });
      await api.refused(422, "POST", `${place("/apis/batch/v1")}/cronjobs`, {
        metadata: { name: "a" },
        spec: { schedule: "* * * * *", jobTemplate: { metadata: { labels: bad }, spec: job } },
      });
      await api.refused(422, "POST", `${services}/replicationcontrollers`, {
        metadata: { name: "a" },
        spec: { selector: bad, template },
      });
      await api.refused(422, "POST", `${services}/podtemplates`, { metadata: { name: "a" }, template });
      const matched = {
        matchLabels: bad,
        matchExpressions: [{ key: "a b", operator: "In", values: ["c d"] }],
      };
      await api.refused(422, "POST", `${place("/apis/networking.k8s.io/v1")}/networkpolicies`, {
        metadata: { name: "a" },
        spec: { podSelector: matched },
      });
      await api.refused(422, "POST", `${place("/apis/policy/v1")}/poddisruptionbudgets`, {
        metadata: { name: "a" },
        spec: { minAvailable: 1, selector: matched },
      });
    },
  },
  {
    name: "takes bodies of built-in kinds whose names are empty or null",
    async run(api) {
      const place = await collection(api, "manifest-names");
      const path = `${place("/api/v1")}/configmaps`;
      const names = [
        { apiVersion: "", kind: "" },
        { apiVersion: null, kind: null },
        { apiVersion: "v1", kind: "" },
        { apiVersion: "", kind: "ConfigMap" },
        {},
      ];
      for (const [index, given] of names.entries()) {
        await api.ok("POST", path, {
          ...configMap(`a${index}`),
          apiVersion: undefined,
          kind: undefined,
          ...given,
        });
      }
      await api.ok("PUT", `${path}/a0`, { ...configMap("a0"), apiVersion: "", kind: null });
      await api.call("PATCH", `${path}/a0`, { kind: "", data: { b: "1" } }, MERGE);
      const scale = place("/apis/apps/v1");
      const labels = { a: "1" };
      await api.ok("POST", `${scale}/replicasets`, {
        apiVersion: "",
        kind: null,
        metadata: { name: "a" },
        spec: {
          replicas: 0,
          selector: { matchLabels: labels },
          template: { metadata: { labels }, ...TEMPLATE },
        },
      });
    },
  },
  {
    name: "writes signs of markup in the owners of fields as Go does",
    async run(api) {
      const place = await collection(api, "manifest-markup");
      const group = "markup.manifests.example.com";
      await api.define(databases(group));
      const path = `${place(`/apis/${group}/v1`)}/databases`;
      const spec = {
        engine: "mysql",
        tags: ["a<b", "c>d & e", "\u2028é"],
        users: [{ name: "<a&b>" }],
        labels: { "a<b": "1", "c&d": ">" },
      };
      const body = { apiVersion: `${group}/v1`, kind: "Database", metadata: { name: "a" }, spec };
      await api.ok("POST", path, body);
      await api.ok("PATCH", `${path}/b?fieldManager=one`, { ...body, metadata: { name: "b" } }, APPLY);
      const other = {
        ...body,
        metadata: { name: "b" },
        spec: { engine: "mysql", users: [{ name: "<a&b>", role: "x" }] },
      };
      await api.call("PATCH", `${path}/b?fieldManager=two`, other, APPLY);
      const raw = await api.text("GET", `${path}/b`);
      api.note("as text", raw.match(/"f:tags":\{.*?\},"f:users"/)?.[0] ?? raw);
      const fewer = { ...body, metadata: { name: "b" }, spec: { engine: "mysql", tags: ["a<b"] } };
      await api.ok("PATCH", `${path}/b?fieldManager=one&force=true`, fewer, APPLY);
    },
  },
  {
    name: "knows the group of a role that a binding names",
    async run(api) {
      const place = await collection(api, "manifest-roles");
      const path = `${place("/apis/rbac.authorization.k8s.io/v1")}/rolebindings`;
      const subjects = [{ kind: "User", name: "a" }, { kind: "ServiceAccount", name: "b" }];
      const roleRef = { kind: "ClusterRole", name: "view" };
      for (const [index, apiGroup] of [undefined, "", null, "rbac.authorization.k8s.io"].entries()) {
        await api.ok("POST", path, {
          metadata: { name: `a${index}` },
          subjects,
          roleRef: { ...roleRef, apiGroup },
        });
      }
      await api.ok("PUT", `${path}/a0`, {
        metadata: { name: "a0" },
        subjects: [{ ...subjects[0], apiGroup: "" }],
        roleRef,
      });
      await api.refused(422, "POST", path, {
        metadata: { name: "b" },
        subjects,
        roleRef: { ...roleRef, apiGroup: "x" },
      });
      await api.refused(422, "POST", path, { metadata: { name: "b" }, subjects });
    },
  },
  {
    name: "refuses labels of a wrong type on any kind",
    async run(api) {
      const place = await collection(api, "manifest-types");
      const labels = { a: 1, b: true };
      const everywhere: readonly [string, Answer][] = [
        ["/api/v1", { plural: "configmaps" }],
        ["/api/v1", { plural: "services", spec: { ports: [{ port: 80 }] } }],
        ["/apis/rbac.authorization.k8s.io/v1", { plural: "roles" }],
        ["/apis/apps/v1", { plural: "deployments", spec: {} }],
        ["/apis/coordination.k8s.io/v1", { plural: "leases", spec: {} }],
        ["/apis/networking.k8s.io/v1", { plural: "ingresses", spec: {} }],
      ];
      for (const [group, { plural, ...rest }] of everywhere) {
        const path = `${place(group)}/${plural}`;
        for (const given of [labels, { a: { b: "1" } }, { a: ["1"] }, ["a"], "a", { a: null }]) {
          await api.call("POST", `${path}?dryRun=All`, { metadata: { name: "a", labels: given }, ...rest });
        }
        await api.call("POST", `${path}?dryRun=All`, {
          metadata: { name: "a", annotations: { a: 1 } },
          ...rest,
        });
      }
      const spec = { selector: { a: 1 }, ports: [{ port: 80 }] };
      await api.call("POST", `${place("/api/v1")}/services?dryRun=All`, { metadata: { name: "a" }, spec });
      const template = { ...TEMPLATE, metadata: { labels: { a: 1 } } };
      const deployment = { metadata: { name: "a" }, spec: { selector: { matchLabels: { a: 1 } }, template } };
      await api.call("POST", `${place("/apis/apps/v1")}/deployments?dryRun=All`, deployment);
      const matching = { metadata: { name: "a" }, spec: { selector: { matchLabels: { a: "1" } }, template } };
      await api.call("POST", `${place("/apis/apps/v1")}/deployments?dryRun=All`, matching);
      const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All";
      const definition = databases("types.manifests.example.com");
      definition.metadata.labels = labels;
      await api.call("POST", definitions, definition);
      await api.call("POST", "/api/v1/namespaces?dryRun=All", { metadata: { name: "typed", labels } });
      const hooks = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations?dryRun=All";
      await api.call("POST", hooks, { metadata: { name: "typed", labels }, webhooks: [] });
    },
  },
  {
    name: "wants the times of Leases in microseconds",
    async run(api) {
      const place = await collection(api, "manifest-leases");
      const path = `${place("/apis/coordination.k8s.io/v1")}/leases`;
      const lease = (name: string, renewTime: Answer) => ({
        apiVersion: "coordination.k8s.io/v1",
        kind: "Lease",
        metadata: { name },
        spec: { holderIdentity: "x", renewTime },
      });
      const taken = ["2026-01-02T03:04:05.123456Z", "2026-01-02T03:04:05.000000+02:00", null];
      for (const [index, time] of taken.entries()) await api.ok("POST", path, lease(`a${index}`, time));
      const refused = [
        "2026-01-02T03:04:05.123Z",
        "2026-01-02T03:04:05Z",
        "2026-01-02T03:04:05.1234567Z",
        "2026-01-02",
        "2026-01-02T03:04:05.123456",
        "2026-13-02T03:04:05.123456Z",
        "yesterday",
        "",
        1,
      ];
      for (const time of refused) await api.call("POST", `${path}?dryRun=All`, lease("b", time));
      await api.call("PATCH", `${path}/c?fieldManager=one`, lease("c", "2026-01-02T03:04:05.123Z"), APPLY);
      await api.call("PATCH", `${path}/a0?fieldManager=one`, lease("a0", "2026-01-02T03:04:05.123Z"), APPLY);
      const change = { spec: { acquireTime: "2026-01-02T03:04:05Z" } };
      // The refusal prints the whole object, in the order of the fields of Go's types.
      const { code, body } = await api.peek("PATCH", `${path}/a0`, change, MERGE);
      assert.deepEqual([code, /cannot parse \\?"Z\\?" as/.test(body.message)], [422, true]);
      await api.call("PUT", `${path}/a0`, lease("a0", "2026-01-02T03:04:05Z"));
      const event = { metadata: { name: "a" }, involvedObject: { namespace: "manifest-leases" } };
      const events = `${place("/api/v1")}/events?dryRun=All`;
      for (const time of refused) await api.call("POST", events, { ...event, eventTime: time });
      for (const time of [...taken, ...refused]) {
        await api.call("POST", events, { ...event, firstTimestamp: time });
      }
    },
  },
  {
    name: "wants target ports of Services to be numbers or names of ports",
    async run(api) {
      const place = await collection(api, "manifest-ports");
      const path = `${place("/api/v1")}/services`;
      const ports = [
        "8080",
        "HTTP",
        "a-very-long-port-name",
        "http",
        "a--b",
        "-a",
        "a-",
        "",
        "1a",
        "0",
        0,
        70000,
        "ä",
      ];
      for (const targetPort of ports) {
        const spec = { ports: [{ port: 80, targetPort }] };
        await api.call("POST", `${path}?dryRun=All`, { metadata: { name: "a" }, spec });
      }
      const headless = { clusterIP: "None", ports: [{ port: 80, targetPort: "HTTP" }] };
      await api.refused(422, "POST", `${path}?dryRun=All`, { metadata: { name: "a" }, spec: headless });
    },
  },
];
