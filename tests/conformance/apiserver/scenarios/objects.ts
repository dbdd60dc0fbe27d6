/** Creating, reading, replacing and deleting objects, and how it is refused. */

import assert from "node:assert/strict";
import { APPLY, MERGE } from "../session.ts";
import { configMap, database, databases, type Scenario } from "./scenario.ts";

export const OBJECTS: readonly Scenario[] = [
  {
    name: "refuses keys that no file could have, in ConfigMaps and Secrets",
    async run(api) {
      await api.namespace("keyed");
      const path = "/api/v1/namespaces/keyed";
      for (const key of ["", "a b", "a~b", "..", "..x", "x".repeat(254)]) {
        await api.refused(422, "POST", `${path}/configmaps`, configMap("a", { [key]: "1" }));
        await api.refused(422, "POST", `${path}/secrets`, {
          metadata: { name: "a" },
          data: { [key]: "MQ==" },
        });
      }
      await api.ok("POST", `${path}/configmaps`, configMap("a", { "a.b-c_D": "1" }));
    },
  },
  {
    name: "names faults of fields in their order, and keys that stand twice in YAML",
    async run(api) {
      await api.namespace("faulty");
      const path = "/api/v1/namespaces/faulty/configmaps";
      const text =
        '{"kind":"ConfigMap","apiVersion":"v1","odd":1,"metadata":{"name":"a","even":2},"data":{"a":"1","a":"2"}}';
      const json = { "content-type": "application/json" };
      await api.refused(400, "POST", `${path}?fieldValidation=Strict`, new TextEncoder().encode(text), json);
      const yaml = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  a: one\n  a: two\n";
      const body = new TextEncoder().encode(yaml);
      await api.refused(400, "PATCH", `${path}/a?fieldManager=me&fieldValidation=Strict`, body, APPLY);
      const { data } = await api.ok("PATCH", `${path}/a?fieldManager=me&fieldValidation=Ignore`, body, APPLY);
      assert.deepEqual(data, { a: "two" });
    },
  },
  {
    name: "shows tables of the older version, and none of reviews",
    async run(api) {
      await api.namespace("tabled");
      const path = "/api/v1/namespaces/tabled/configmaps";
      await api.ok("POST", path, configMap("a"));
      const table = (version: string) => ({ accept: `application/json;as=Table;v=${version};g=meta.k8s.io` });
      const reply = await api.peek("GET", `${path}/a`, undefined, table("v1beta1"));
      assert.deepEqual([reply.body.kind, reply.body.apiVersion], ["Table", "meta.k8s.io/v1beta1"]);
      const list = await api.peek("GET", path, undefined, table("v1beta1"));
      assert.equal(list.body.apiVersion, "meta.k8s.io/v1beta1");
      const reviews = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
      const spec = { nonResourceAttributes: { path: "/", verb: "get" } };
      await api.refused(406, "POST", reviews, { spec }, table("v1"));
      const slash = await api.peek("GET", "/apis/apps/");
      assert.deepEqual([slash.code, slash.body.kind], [200, "APIGroup"]);
    },
  },
  {
    name: "deletes the Pods of a namespace first, and says what it waits for",
    accepted: [{ line: /managedFields/, because: "controllers write as often as they like" }],
    async run(api) {
      await api.namespace("ordered-end");
      const path = "/api/v1/namespaces/ordered-end";
      const finalizers = ["lotse.dev/hold"];
      const spec = { automountServiceAccountToken: false, containers: [{ name: "c", image: "i" }] };
      await api.ok("POST", `${path}/pods`, { metadata: { name: "a", finalizers }, spec });
      await api.ok("POST", `${path}/configmaps`, configMap("a"));
      await api.peek("DELETE", path);
      const conditions = async () => (await api.peek("GET", path)).body.status.conditions ?? [];
      await api.until(async () => (await conditions()).length > 0, "the conditions are there");
      api.note("conditions", await conditions());
      await api.ok("GET", `${path}/configmaps/a`);
      const { body } = await api.peek("GET", `${path}/pods/a`);
      assert.notEqual(body.metadata.deletionTimestamp, undefined);
      await api.peek("PATCH", `${path}/pods/a`, { metadata: { finalizers: null } }, MERGE);
      await api.until(async () => (await api.peek("GET", path)).code === 404, "it is gone");
    },
  },
  {
    name: "creates, reads, replaces and deletes an object",
    async run(api) {
      await api.namespace("crud");
      const path = "/api/v1/namespaces/crud/configmaps";
      const created = await api.ok("POST", path, configMap("a"));
      assert.match(created.metadata.uid, /^[0-9a-f-]{36}$/);
      assert.equal(created.metadata.generation, undefined);
      await api.ok("GET", `${path}/a`);
      const replaced = await api.ok("PUT", `${path}/a`, { ...created, data: { a: "2" } });
      assert.notEqual(replaced.metadata.resourceVersion, created.metadata.resourceVersion);
      await api.ok("DELETE", `${path}/a`);
      await api.refused(404, "GET", `${path}/a`);
      await api.refused(404, "DELETE", `${path}/a`);
      await api.refused(404, "PUT", `${path}/a`, configMap("a"));
    },
  },
  {
    name: "refuses a second object of a name, a wrong name, and a wrong kind",
    accepted: [
      {
        line: /in version \\"v\d\\" cannot be handled as a ConfigMap/,
        because: "the reasons are those of a Go decoder",
      },
      {
        line: /no JSON|json parse error|error decoding patch/,
        because: "JavaScript and Go call broken JSON different names",
      },
    ],
    async run(api) {
      await api.namespace("refusals");
      const path = "/api/v1/namespaces/refusals/configmaps";
      await api.ok("POST", path, configMap("a"));
      await api.refused(409, "POST", path, configMap("a"));
      await api.refused(422, "POST", path, configMap("A_b"));
      await api.refused(422, "POST", path, { apiVersion: "v1", kind: "ConfigMap", metadata: {} });
      await api.refused(400, "POST", path, { ...configMap("b"), kind: "Secret" });
      await api.refused(400, "POST", path, { ...configMap("b"), apiVersion: "v9" });
      await api.ok("POST", path, { metadata: { name: "bare" } });
      await api.refused(400, "POST", path, {
        ...configMap("b"),
        metadata: { name: "b", namespace: "other" },
      });
      await api.refused(400, "PUT", `${path}/a`, configMap("b"));
      await api.refused(400, "POST", path, "no JSON");
      await api.refused(415, "POST", path, "a: b", { "content-type": "text/plain" });
      await api.refused(405, "POST", `${path}/a`, configMap("a"));
      await api.refused(404, "POST", "/api/v1/namespaces/nowhere/configmaps", configMap("a"));
    },
  },
  {
    name: "checks labels, annotations, owners and finalizers",
    async run(api) {
      await api.namespace("metadata");
      const path = "/api/v1/namespaces/metadata/configmaps";
      const post = (metadata: object) =>
        api.refused(422, "POST", path, { ...configMap("a"), metadata: { name: "a", ...metadata } });
      await post({ labels: { "a b": "1" } });
      await post({ labels: { a: "x y" } });
      await post({ labels: { a: "x".repeat(64) } });
      await post({ labels: { "A_/b": "1" } });
      await post({ annotations: { "a/b/c": "1" } });
      await post({ annotations: { "a b": "1" } });
      await post({ annotations: { a: "x".repeat(262_145) } });
      await post({ finalizers: ["a b"] });
      await post({ finalizers: ["plain"] });
      await post({ ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "", uid: "" }] });
      const owner = { apiVersion: "v1", kind: "Pod", name: "p", uid: "u", controller: true };
      await post({ ownerReferences: [owner, { ...owner, uid: "v" }] });
    },
  },
  {
    name: "keeps versions apart: optimistic locking and preconditions",
    async run(api) {
      await api.namespace("locking");
      const path = "/api/v1/namespaces/locking/configmaps";
      const first = await api.ok("POST", path, configMap("a"));
      await api.ok("PUT", `${path}/a`, { ...first, data: { a: "2" } });
      await api.refused(409, "PUT", `${path}/a`, { ...first, data: { a: "3" } });
      await api.refused(409, "DELETE", `${path}/a`, {
        preconditions: { resourceVersion: first.metadata.resourceVersion },
      });
      await api.refused(409, "DELETE", `${path}/a`, {
        preconditions: { uid: "00000000-0000-0000-0000-000000000000" },
      });
      await api.refused(409, "PUT", `${path}/a`, {
        ...configMap("a"),
        metadata: { name: "a", uid: "00000000-0000-0000-0000-000000000000" },
      });
      await api.ok("PUT", `${path}/a`, configMap("a", { a: "4" }));
      await api.ok("DELETE", `${path}/a`, { preconditions: { uid: first.metadata.uid } });
      await api.refused(422, "POST", path, {
        ...configMap("b"),
        metadata: { name: "b", resourceVersion: "1" },
      }).catch(async () => {
        // Which refusal it is differs between versions of Kubernetes; the transcript tells.
      });
    },
  },
  {
    name: "does nothing on an update that changes nothing",
    async run(api) {
      await api.namespace("noop");
      const path = "/api/v1/namespaces/noop/configmaps";
      const created = await api.ok("POST", path, configMap("a"));
      const same = await api.ok("PUT", `${path}/a`, created);
      assert.equal(same.metadata.resourceVersion, created.metadata.resourceVersion);
      const patched = await api.ok("PATCH", `${path}/a`, { data: { a: "1" } }, {
        "content-type": "application/merge-patch+json",
      });
      assert.equal(patched.metadata.resourceVersion, created.metadata.resourceVersion);
    },
  },
  {
    name: "makes names from generateName, and keeps what only it may set",
    async run(api) {
      await api.namespace("generated");
      const path = "/api/v1/namespaces/generated/configmaps";
      const metadata = {
        generateName: "x-",
        uid: "u",
        creationTimestamp: "2020-01-01T00:00:00Z",
        generation: 7,
        selfLink: "/x",
      };
      const created = await api.ok("POST", path, { ...configMap("a"), metadata });
      assert.match(created.metadata.name, /^x-[a-z0-9]{5}$/);
      assert.notEqual(created.metadata.uid, "u");
      assert.notEqual(created.metadata.creationTimestamp, "2020-01-01T00:00:00Z");
    },
  },
  {
    name: "tries writes without writing",
    async run(api) {
      await api.namespace("dry");
      const path = "/api/v1/namespaces/dry/configmaps";
      await api.ok("POST", `${path}?dryRun=All`, configMap("a"));
      await api.refused(404, "GET", `${path}/a`);
      await api.refused(422, "POST", `${path}?dryRun=Some`, configMap("a"));
      await api.ok("POST", path, configMap("a"));
      await api.ok("DELETE", `${path}/a?dryRun=All`);
      await api.ok("GET", `${path}/a`);
    },
  },
  {
    name: "counts generations of custom objects, and not for metadata or status",
    async run(api) {
      const group = "generations.example.com";
      await api.define(databases(group));
      const path = `/apis/${group}/v1/namespaces/default/databases`;
      const created = await api.ok("POST", path, { ...database(group, "a"), status: { state: "dropped" } });
      assert.deepEqual([created.metadata.generation, created.status], [1, undefined]);
      const merge = { "content-type": "application/merge-patch+json" };
      const generationAfter = async (target: string, patch: object) =>
        (await api.ok("PATCH", target, patch, merge)).metadata.generation;
      assert.equal(await generationAfter(`${path}/a`, { spec: { replicas: 2 } }), 2);
      assert.equal(await generationAfter(`${path}/a`, { metadata: { labels: { a: "b" } } }), 2);
      assert.equal(await generationAfter(`${path}/a`, { status: { state: "dropped" } }), 2);
      assert.equal(
        await generationAfter(`${path}/a/status`, { status: { state: "Ready" }, spec: { replicas: 5 } }),
        2,
      );
      const object = await api.ok("GET", `${path}/a`);
      assert.deepEqual([object.spec.replicas, object.status], [2, { state: "Ready" }]);
      assert.equal(await generationAfter(`${path}/a/status`, { metadata: { labels: { c: "d" } } }), 2);
      assert.equal(await generationAfter(`${path}/a`, { spec: { replicas: 2 } }), 2);
    },
  },
  {
    name: "serves the status and scale subresources",
    async run(api) {
      const group = "subresources.example.com";
      const scale = {
        specReplicasPath: ".spec.replicas",
        statusReplicasPath: ".status.replicas",
        labelSelectorPath: ".status.selector",
      };
      await api.define(databases(group, { version: { subresources: { status: {}, scale } } }));
      const path = `/apis/${group}/v1/namespaces/default/databases`;
      await api.ok("POST", path, database(group, "a"));
      const status = await api.ok("GET", `${path}/a/status`);
      await api.ok("PUT", `${path}/a/status`, {
        ...status,
        spec: { engine: "postgresql" },
        status: { replicas: 1, selector: "a=b" },
      });
      await api.ok("GET", `${path}/a/scale`);
      await api.ok("PATCH", `${path}/a/scale`, { spec: { replicas: 3 } }, {
        "content-type": "application/merge-patch+json",
      });
      await api.ok("GET", `${path}/a`);
      await api.refused(404, "GET", `${path}/b/status`);
      await api.refused(404, "GET", `${path}/a/nothing`);
      await api.refused(422, "PATCH", `${path}/a/scale`, { spec: { replicas: -1 } }, {
        "content-type": "application/merge-patch+json",
      });
    },
  },
  {
    name: "completes built-in objects",
    accepted: [
      {
        line: /\/persistentvolumeclaims .*\.metadata\.finalizers/,
        because: "nobody would take the finalizer off again",
      },
    ],
    async run(api) {
      await api.namespace("builtin");
      const root = "/api/v1/namespaces/builtin";
      await api.ok("POST", `${root}/secrets`, { metadata: { name: "a" }, stringData: { a: "text" } });
      await api.ok("POST", `${root}/services`, {
        metadata: { name: "a" },
        spec: { ports: [{ port: 80 }], clusterIP: "None" },
      });
      const template = {
        metadata: { labels: { app: "a" } },
        spec: { containers: [{ name: "c", image: "i" }] },
      };
      const spec = { selector: { matchLabels: { app: "a" } }, template };
      await api.ok("POST", "/apis/apps/v1/namespaces/builtin/deployments", {
        metadata: { name: "a" },
        spec: { ...spec, replicas: 0 },
      });
      const sets = await api.ok("POST", "/apis/apps/v1/namespaces/builtin/statefulsets", {
        metadata: { name: "a" },
        spec: { ...spec, serviceName: "a", replicas: 0 },
      });
      assert.equal(sets.spec.podManagementPolicy, "OrderedReady");
      await api.ok("POST", "/apis/batch/v1/namespaces/builtin/cronjobs", {
        metadata: { name: "a" },
        spec: {
          schedule: "0 0 1 1 *",
          suspend: true,
          jobTemplate: { spec: { template: { spec: { ...template.spec, restartPolicy: "Never" } } } },
        },
      });
      await api.ok("POST", `${root}/persistentvolumeclaims`, {
        metadata: { name: "a" },
        spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
      });
      await api.ok("POST", "/apis/coordination.k8s.io/v1/namespaces/builtin/leases", {
        metadata: { name: "a" },
        spec: { holderIdentity: "me" },
      });
      await api.ok("POST", `${root}/events`, {
        metadata: { name: "a" },
        involvedObject: { kind: "Pod", name: "p", namespace: "builtin" },
        reason: "R",
        message: "m",
        type: "Normal",
      });
      await api.ok("GET", "/apis/events.k8s.io/v1/namespaces/builtin/events/a");
    },
  },
];
