/** Patches of the three old kinds. */

import assert from "node:assert/strict";
import { JSON_PATCH, MERGE, STRATEGIC } from "../session.ts";
import { configMap, database, databases, type Scenario } from "./scenario.ts";

const POD = {
  metadata: { name: "a", labels: { a: "1" } },
  spec: {
    nodeName: "nowhere",
    automountServiceAccountToken: false,
    containers: [{ name: "a", image: "a:1", env: [{ name: "X", value: "1" }] }, { name: "b", image: "b:1" }],
  },
};

export const PATCHES: readonly Scenario[] = [
  {
    name: "applies merge patches",
    accepted: [
      {
        line: /no JSON|json parse error|error decoding patch/,
        because: "JavaScript and Go call broken JSON different names",
      },
    ],
    async run(api) {
      await api.namespace("merge");
      const path = "/api/v1/namespaces/merge/configmaps";
      const created = await api.ok("POST", path, configMap("a", { a: "1", b: "2" }));
      const patched = await api.ok("PATCH", `${path}/a`, { data: { a: null, c: "3" } }, MERGE);
      assert.deepEqual(patched.data, { b: "2", c: "3" });
      await api.refused(409, "PATCH", `${path}/a`, {
        metadata: { resourceVersion: created.metadata.resourceVersion },
        data: { x: "" },
      }, MERGE);
      await api.ok("PATCH", `${path}/a`, {
        metadata: { resourceVersion: patched.metadata.resourceVersion },
        data: { x: "" },
      }, MERGE);
      await api.refused(400, "PATCH", `${path}/a`, { metadata: { name: "b" } }, MERGE);
      await api.refused(400, "PATCH", `${path}/a`, "no JSON", MERGE);
      await api.refused(404, "PATCH", `${path}/nothing`, { data: {} }, MERGE);
      await api.refused(415, "PATCH", `${path}/a`, { data: {} }, { "content-type": "application/json" });
      await api.refused(422, "PATCH", `${path}/a`, {
        metadata: { uid: "00000000-0000-0000-0000-000000000000" },
      }, MERGE);
    },
  },
  {
    name: "applies JSON patches",
    async run(api) {
      await api.namespace("jsonpatch");
      const path = "/api/v1/namespaces/jsonpatch/configmaps";
      await api.ok("POST", path, {
        ...configMap("a"),
        metadata: { name: "a", annotations: { "b/c": "2" } },
      });
      const patched = await api.ok("PATCH", `${path}/a`, [
        { op: "test", path: "/data/a", value: "1" },
        { op: "replace", path: "/data/a", value: "3" },
        { op: "remove", path: "/metadata/annotations/b~1c" },
        { op: "add", path: "/metadata/labels", value: { x: "y" } },
        { op: "copy", from: "/data/a", path: "/data/d" },
        { op: "move", from: "/data/d", path: "/data/e" },
      ], JSON_PATCH);
      assert.deepEqual([patched.data, patched.metadata.labels], [{ a: "3", e: "3" }, { x: "y" }]);
      await api.refused(422, "PATCH", `${path}/a`, [{ op: "test", path: "/data/a", value: "9" }], JSON_PATCH);
      await api.refused(422, "PATCH", `${path}/a`, [{ op: "remove", path: "/data/nothing" }], JSON_PATCH);
      await api.refused(400, "PATCH", `${path}/a`, { op: "add" }, JSON_PATCH);
    },
  },
  {
    name: "applies strategic merge patches to built-in kinds",
    accepted: [
      { line: /\.spec\.tolerations\.[12]/, because: "the admission plugin works on creations only" },
    ],
    async run(api) {
      await api.namespace("strategic");
      const path = "/api/v1/namespaces/strategic/pods";
      await api.ok("POST", path, POD);
      const patch = async (body: object) => await api.ok("PATCH", `${path}/a`, body, STRATEGIC);
      const patched = await patch({ spec: { containers: [{ name: "b", image: "b:2" }] } });
      assert.deepEqual(patched.spec.containers.map(({ image }: { image: string }) => image), ["a:1", "b:2"]);
      await patch({
        metadata: { labels: { a: null, b: "2" }, finalizers: ["example.com/a", "example.com/b"] },
      });
      await patch({ metadata: { finalizers: ["example.com/c"] } });
      const finalizers = (await patch({
        metadata: { "$deleteFromPrimitiveList/finalizers": ["example.com/a", "example.com/b"] },
      })).metadata.finalizers;
      assert.deepEqual(finalizers, ["example.com/c"]);
      await patch({
        metadata: { finalizers: null },
        spec: {
          "$setElementOrder/containers": [{ name: "a" }, { name: "b" }],
          containers: [{ name: "a", image: "a:2" }],
        },
      });
      await patch({ metadata: { labels: { $patch: "replace", only: "this" } } });
      await patch({ spec: { tolerations: [{ key: "x", operator: "Exists" }] } });
    },
  },
  {
    name: "merges the lists of deployments and services strategically",
    accepted: [
      {
        line: /\/deployments.*\.(status|metadata\.annotations)/,
        because: "the real controllers work on deployments",
      },
    ],
    async run(api) {
      await api.namespace("strategic2");
      const template = {
        metadata: { labels: { app: "a" } },
        spec: {
          containers: [{ name: "c", image: "i", ports: [{ containerPort: 80 }] }],
          volumes: [{ name: "v", emptyDir: {} }],
        },
      };
      const path = "/apis/apps/v1/namespaces/strategic2/deployments";
      await api.ok("POST", path, {
        metadata: { name: "a" },
        spec: { replicas: 0, selector: { matchLabels: { app: "a" } }, template },
      });
      const patch = async (spec: object) => (await api.ok("PATCH", `${path}/a`, { spec }, STRATEGIC)).spec;
      await patch({
        template: {
          spec: {
            containers: [{
              name: "c",
              ports: [{ containerPort: 81, name: "two" }],
              env: [{ name: "A", value: "1" }],
            }],
          },
        },
      });
      await patch({
        template: {
          spec: { containers: [{ name: "d", image: "j" }, { name: "c", env: [{ name: "B", value: "2" }] }] },
        },
      });
      await patch({
        template: {
          spec: {
            containers: [{ name: "d", $patch: "delete" }],
            volumes: [{ name: "v", $retainKeys: ["name", "hostPath"], hostPath: { path: "/x" } }],
          },
        },
      });
      await patch({ strategy: { $retainKeys: ["type"], type: "Recreate" } });
      const services = "/api/v1/namespaces/strategic2/services";
      await api.ok("POST", services, {
        metadata: { name: "a" },
        spec: { clusterIP: "None", ports: [{ port: 80, name: "x" }] },
      });
      await api.ok("PATCH", `${services}/a`, { spec: { ports: [{ port: 81, name: "y" }] } }, STRATEGIC);
    },
  },
  {
    name: "refuses strategic merge patches of custom kinds, and broken ones",
    async run(api) {
      const group = "strategic.example.com";
      await api.define(databases(group));
      const path = `/apis/${group}/v1/namespaces/default/databases`;
      await api.ok("POST", path, database(group, "a"));
      await api.refused(415, "PATCH", `${path}/a`, { spec: {} }, STRATEGIC);
      await api.ok("PATCH", `${path}/a`, { spec: { replicas: 2 } }, MERGE);
      await api.refused(422, "PATCH", `${path}/a`, { spec: { replicas: 9 } }, MERGE);
      await api.ok("PATCH", `${path}/a`, { spec: { replicas: null } }, MERGE);
      await api.ok("PATCH", `${path}/a`, [{ op: "add", path: "/spec/unknown", value: 1 }], JSON_PATCH);
    },
  },
];
