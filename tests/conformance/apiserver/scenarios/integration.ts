/** What Kubernetes' own integration tests have found: of its definitions of custom kinds, and of server-side apply. */

import assert from "node:assert/strict";
import { type Answer, APPLY, MERGE } from "../session.ts";
import { databases, type Scenario } from "./scenario.ts";

const EMBEDDED = {
  type: "object",
  "x-kubernetes-embedded-resource": true,
  "x-kubernetes-preserve-unknown-fields": true,
};

/** A definition whose only version has this schema. */
function of(group: string, properties: Answer): Answer {
  const openAPIV3Schema = { type: "object", properties };
  return databases(group, { version: { schema: { openAPIV3Schema } } });
}

export const INTEGRATION: readonly Scenario[] = [
  {
    name: "reads the metadata of embedded resources as metadata",
    async run(api) {
      const group = "embedded.example.com";
      const items = { type: "array", items: EMBEDDED };
      const metadata = { type: "object", default: { name: "b", nickname: "c" } };
      const two = { ...EMBEDDED, properties: { metadata } };
      await api.define(of(group, { one: EMBEDDED, many: items, two }));
      const path = `/apis/${group}/v1/namespaces/default/databases`;
      const make = (name: string, inner: Answer) => ({
        apiVersion: `${group}/v1`,
        kind: "Database",
        metadata: { name },
        ...inner,
      });
      const pod = (metadata: Answer, more: Answer = {}) => ({
        apiVersion: "v1",
        kind: "Pod",
        metadata,
        ...more,
      });
      const strange = pod({ name: "a", nickname: "b", labels: { c: "d" } }, { free: { e: 1 } });
      const fields = { one: strange, many: [strange], two: { apiVersion: "v1", kind: "Pod" } };
      const made = await api.ok("POST", path, make("pruned", fields));
      assert.deepEqual(made.two.metadata, { name: "b" });
      assert.equal(made.one.metadata.nickname, undefined);
      assert.equal(made.one.free.e, 1);
      await api.refused(400, "POST", `${path}?fieldValidation=Strict`, make("strict", { one: strange }));
      await api.refused(422, "POST", path, make("refused", { one: pod({ name: ".." }) }));
      await api.refused(422, "POST", path, make("refused", { one: pod({ labels: { a: "x y" } }) }));
      await api.refused(400, "POST", path, make("refused", { one: pod({ name: 5 }) }));
      await api.refused(422, "POST", path, make("refused", { one: { apiVersion: "v1", kind: "%" } }));
    },
  },
  {
    name: "says of definitions in Kubernetes' groups who has approved them",
    async run(api) {
      const group = "approved.k8s.io";
      const definition = of(group, {});
      const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
      await api.refused(422, "POST", path, definition);
      const annotate = (value: string) => ({
        metadata: { annotations: { "api-approved.kubernetes.io": value } },
      });
      const { annotations } = annotate("unapproved, a test").metadata;
      await api.define({ ...definition, metadata: { ...definition.metadata, annotations } });
      const one = `${path}/databases.${group}`;
      const reason = async (): Promise<string | undefined> => {
        const { body } = await api.peek("GET", one);
        return body.status.conditions.find(({ type }: Answer) => type.startsWith("KubernetesAPIApproval"))
          ?.reason;
      };
      await api.until(async () => await reason() === "UnapprovedAnnotation", "it is told");
      await api.refused(422, "PATCH", one, annotate("nobody"), MERGE);
      assert.equal((await api.peek("PATCH", one, annotate("https://example.com/1"), MERGE)).code, 200);
      await api.until(async () => await reason() === "ApprovedAnnotation", "it is told anew");
    },
  },
  {
    name: "does not establish a definition whose bundle of authorities is none",
    async run(api) {
      const group = "bundle.example.com";
      const definition = of(group, {});
      const clientConfig = { caBundle: "Cg==", url: "https://127.0.0.1:1/convert" };
      const webhook = { clientConfig, conversionReviewVersions: ["v1"] };
      const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
      const spec = { ...definition.spec, conversion: { strategy: "Webhook", webhook } };
      assert.equal((await api.peek("POST", path, { ...definition, spec })).code, 201);
      await api.until(async () => {
        const { body } = await api.peek("GET", `${path}/databases.${group}`);
        const established = (body.status?.conditions ?? []).find(({ type }: Answer) =>
          type === "Established"
        );
        return established?.status === "False" && established.reason === "InvalidCABundle";
      }, "it says why");
    },
  },
  {
    name: "refuses a null that is applied where there can be none",
    async run(api) {
      const group = "nulls.example.com";
      const inner = { type: "object", additionalProperties: { type: "string" } };
      await api.define(of(group, { hard: inner, soft: { ...inner, nullable: true } }));
      const path = `/apis/${group}/v1/namespaces/default/databases/applied?fieldManager=one`;
      const apply = (fields: Answer) => ({
        apiVersion: `${group}/v1`,
        kind: "Database",
        metadata: { name: "applied" },
        ...fields,
      });
      await api.ok("PATCH", path, apply({ hard: { a: "1" }, soft: { a: "1" } }), APPLY);
      const { soft } = await api.ok("PATCH", path, apply({ hard: { a: "1" }, soft: null }), APPLY);
      assert.equal(soft, null);
      const { message } = await api.refused(422, "PATCH", path, apply({ hard: null }), APPLY);
      assert.match(message, /hard in body must be of type object: "null"/);
      const merged = path.replace("?fieldManager=one", "");
      await api.ok("PATCH", merged, { hard: null }, MERGE);
    },
  },
  {
    name: "asks for namespaced kinds in their namespace, and ignores namespaces of others",
    async run(api) {
      const group = "scopes.example.com";
      await api.define(of(group, {}));
      const [inside, outside] = [
        `/apis/${group}/v1/namespaces/default/databases`,
        `/apis/${group}/v1/databases`,
      ];
      const object = { apiVersion: `${group}/v1`, kind: "Database", metadata: { name: "a" } };
      await api.ok("POST", inside, object);
      await api.refused(404, "POST", outside, object);
      await api.refused(404, "DELETE", outside);
      for (const method of ["GET", "PUT", "DELETE"]) {
        await api.refused(404, method, `${outside}/a`, method === "PUT" ? object : undefined);
      }
      await api.refused(404, "PATCH", `${outside}/a`, { metadata: { labels: { a: "b" } } }, MERGE);
      await api.ok("GET", outside);
      const role = {
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "ClusterRole",
        metadata: { name: "placed", namespace: "elsewhere" },
        rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }],
      };
      const path = "/apis/rbac.authorization.k8s.io/v1/clusterroles/placed?fieldManager=one";
      const { metadata } = await api.ok("PATCH", path, role, APPLY);
      assert.equal(metadata.namespace, undefined);
    },
  },
  {
    name: "makes no object by applying one that has a uid, and merges owners that are one",
    async run(api) {
      const path = "/api/v1/namespaces/default/configmaps/owned";
      const object = (metadata: Answer, data: Answer) => ({
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: "owned", ...metadata },
        data,
      });
      const uid = "88e00824-7f0e-11e8-94a1-c8d3ffb15800";
      await api.refused(409, "PATCH", `${path}?fieldManager=one`, object({ uid }, {}), APPLY);
      await api.ok("PATCH", `${path}?fieldManager=one`, object({}, { a: "1" }), APPLY);
      const made = await api.ok("PATCH", `${path}?fieldManager=two`, object({}, { b: "2" }), APPLY);
      for (const entry of made.metadata.managedFields) entry.manager = "both";
      const { metadata } = await api.ok("PUT", path, made);
      assert.equal(metadata.managedFields.length, 1);
    },
  },
  {
    name: "changes the annotations of a Deployment with its status, but not its labels",
    accepted: [{ line: /status|generation|annotations/, because: "the real controller writes them" }],
    async run(api) {
      const path = "/apis/apps/v1/namespaces/default/deployments";
      const labels = { app: "kept" };
      await api.ok("POST", path, {
        metadata: { name: "kept", labels },
        spec: {
          replicas: 0,
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } },
        },
      });
      const change = {
        metadata: { labels: { app: "lost" }, annotations: { told: "yes" } },
        status: { readyReplicas: 0 },
      };
      const { body, code } = await api.peek("PATCH", `${path}/kept/status`, change, MERGE);
      assert.equal(code, 200);
      assert.deepEqual(body.metadata.labels, labels);
      assert.equal(body.metadata.annotations.told, "yes");
    },
  },
  {
    name: "gives nobody what a write of a status cannot change",
    accepted: [{ line: /status|generation|annotations/, because: "the real controllers write them" }],
    async run(api) {
      const template = { spec: { containers: [{ name: "c", image: "i" }] } };
      const metadata = { name: "reset", labels: { app: "reset" } };
      const selector = { matchLabels: { app: "reset" } };
      const made = {
        replicas: 0,
        selector,
        template: { metadata: { labels: { app: "reset" } }, ...template },
      };
      const apps = "/apis/apps/v1/namespaces/default/deployments";
      const pods = "/api/v1/namespaces/default/pods";
      await api.ok("POST", apps, { metadata, spec: made });
      await api.ok("POST", pods, { metadata, ...template });
      const query = "status?fieldManager=teller&force=true";
      const told = { name: "reset", labels: { told: "yes" }, deletionTimestamp: "2020-01-01T00:00:00Z" };
      const object = { apiVersion: "v1", kind: "Pod", metadata: told, status: { message: "told" } };
      const deployment = {
        ...object,
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata: { ...metadata, labels: { told: "yes" } },
        status: { collisionCount: 1 },
      };
      const fieldsOf = async (path: string, applied: Answer) => {
        const { body, code } = await api.peek("PATCH", `${path}/reset/${query}`, applied, APPLY);
        assert.equal(code, 200, body.message);
        const owners: Answer[] = body.metadata.managedFields;
        return owners.find(({ manager }) => manager === "teller")?.fieldsV1["f:metadata"];
      };
      assert.equal(await fieldsOf(apps, deployment), undefined);
      assert.deepEqual(await fieldsOf(pods, object), { "f:labels": { "f:told": {} } });
    },
  },
];
