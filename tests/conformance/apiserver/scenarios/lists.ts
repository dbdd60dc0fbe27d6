/** Lists, pages, selectors, tables. */

import assert from "node:assert/strict";
import { type Answer, TABLE } from "../session.ts";
import { configMap, database, databases, type Scenario } from "./scenario.ts";

function names(list: Answer): string[] {
  return list.items.map(({ metadata }: Answer) => metadata.name);
}

export const LISTS: readonly Scenario[] = [
  {
    name: "lists in pages of one version",
    accepted: [
      { line: /invalid continue token/, because: "the reason is that of a Go decoder" },
    ],
    async run(api) {
      await api.namespace("pages");
      const path = "/api/v1/namespaces/pages/configmaps";
      for (const name of ["a", "b", "c", "d", "e"]) await api.ok("POST", path, configMap(name));
      const selector = "labelSelector=!kube&fieldSelector=metadata.name!=kube-root-ca.crt";
      const all = await api.ok("GET", `${path}?${selector}`);
      assert.deepEqual(names(all), ["a", "b", "c", "d", "e"]);
      const first = await api.ok("GET", `${path}?limit=2&${selector}`);
      assert.deepEqual(names(first), ["a", "b"]);
      await api.ok("POST", path, configMap("aa"));
      const token = encodeURIComponent(first.metadata.continue);
      const second = await api.ok("GET", `${path}?limit=2&${selector}&continue=${token}`);
      assert.deepEqual(names(second), ["c", "d"]);
      assert.equal(second.metadata.resourceVersion, first.metadata.resourceVersion);
      const third = await api.ok(
        "GET",
        `${path}?limit=2&${selector}&continue=${encodeURIComponent(second.metadata.continue)}`,
      );
      assert.deepEqual([names(third), third.metadata.continue ?? ""], [["e"], ""]);
      await api.refused(400, "GET", `${path}?limit=2&continue=garbage`);
    },
  },
  {
    name: "selects by labels and fields",
    async run(api) {
      await api.namespace("selectors");
      const path = "/api/v1/namespaces/selectors/secrets";
      const make = (name: string, labels: Answer, type = "Opaque") =>
        api.ok("POST", path, { metadata: { name, labels }, type });
      await make("a", { app: "x", tier: "1" });
      await make("b", { app: "y" });
      await make("c", { other: "z" }, "example.com/odd");
      const select = async (query: string) => names(await api.ok("GET", `${path}?${query}`));
      const label = (selector: string) => select(`labelSelector=${encodeURIComponent(selector)}`);
      assert.deepEqual(await label("app=x"), ["a"]);
      assert.deepEqual(await label("app==x"), ["a"]);
      assert.deepEqual(await label("app!=x"), ["b", "c"]);
      assert.deepEqual(await label("app in (x,y)"), ["a", "b"]);
      assert.deepEqual(await label("app notin (x)"), ["b", "c"]);
      assert.deepEqual(await label("app,tier"), ["a"]);
      assert.deepEqual(await label("!app"), ["c"]);
      assert.deepEqual(await label("app,tier!=1"), ["b"]);
      assert.deepEqual(await select("fieldSelector=metadata.name=b"), ["b"]);
      assert.deepEqual(await select("fieldSelector=metadata.name!=b,type=Opaque"), ["a"]);
      await api.refused(400, "GET", `${path}?fieldSelector=data.x=1`);
      await api.refused(400, "GET", `${path}?labelSelector=${encodeURIComponent("a in b")}`);
      await api.ok("GET", "/api/v1/secrets?fieldSelector=metadata.namespace=selectors");
    },
  },
  {
    name: "deletes collections by selector",
    async run(api) {
      await api.namespace("collections");
      const path = "/api/v1/namespaces/collections/configmaps";
      for (const name of ["a", "b", "c"]) {
        await api.ok("POST", path, {
          ...configMap(name),
          metadata: { name, labels: { keep: String(name === "b") } },
        });
      }
      await api.ok("DELETE", `${path}?labelSelector=keep=false`);
      await api.ok("GET", `${path}?labelSelector=keep`);
    },
  },
  {
    name: "reads at versions",
    async run(api) {
      await api.namespace("versions");
      const path = "/api/v1/namespaces/versions/secrets";
      const created = await api.ok("POST", path, { metadata: { name: "a" } });
      const { resourceVersion } = created.metadata;
      await api.ok("GET", `${path}?resourceVersion=${resourceVersion}`);
      // NB: not before: what any version may answer, a real server's cache may not have yet.
      await api.ok("GET", `${path}?resourceVersion=0`);
      await api.ok("GET", `${path}?resourceVersion=${resourceVersion}&resourceVersionMatch=NotOlderThan`);
      await api.refused(422, "GET", `${path}?resourceVersionMatch=Exact`);
      await api.refused(422, "GET", `${path}?resourceVersionMatch=Exact&resourceVersion=0`);
      await api.refused(400, "GET", `${path}?resourceVersion=x`);
    },
  },
  {
    name: "shows tables of built-in kinds",
    accepted: [
      {
        line: /\/persistentvolumeclaims .*\.metadata\.finalizers/,
        because: "nobody would take the finalizer off again",
      },
      {
        line: /\/deployments.*\.(status|metadata\.annotations)/,
        because: "the real controllers work on deployments",
      },
    ],
    async run(api) {
      await api.namespace("tables");
      const root = "/api/v1/namespaces/tables";
      const template = {
        metadata: { labels: { app: "a" } },
        spec: { containers: [{ name: "c", image: "i" }] },
      };
      const workload = { replicas: 0, selector: { matchLabels: { app: "a" } }, template };
      const made: [string, Answer][] = [
        [`${root}/pods`, {
          metadata: { name: "a" },
          spec: { ...template.spec, nodeName: "nowhere", automountServiceAccountToken: false },
        }],
        [`${root}/services`, {
          metadata: { name: "a" },
          spec: {
            ports: [{ port: 80 }, { port: 53, name: "x", protocol: "UDP" }].map((port) => ({
              name: "p",
              ...port,
            })),
            clusterIP: "None",
            selector: { b: "2", a: "1" },
          },
        }],
        [`${root}/secrets`, { metadata: { name: "a" }, stringData: { x: "y" } }],
        [`${root}/configmaps`, configMap("a")],
        [`${root}/persistentvolumeclaims`, {
          metadata: { name: "a" },
          spec: {
            accessModes: ["ReadWriteOnce"],
            storageClassName: "s",
            resources: { requests: { storage: "1Gi" } },
          },
        }],
        ["/apis/apps/v1/namespaces/tables/deployments", { metadata: { name: "a" }, spec: workload }],
        ["/apis/apps/v1/namespaces/tables/statefulsets", {
          metadata: { name: "a" },
          spec: { ...workload, serviceName: "a" },
        }],
        ["/apis/batch/v1/namespaces/tables/cronjobs", {
          metadata: { name: "a" },
          spec: {
            schedule: "0 0 1 1 *",
            suspend: true,
            jobTemplate: { spec: { template: { spec: { ...template.spec, restartPolicy: "Never" } } } },
          },
        }],
        ["/apis/coordination.k8s.io/v1/namespaces/tables/leases", {
          metadata: { name: "a" },
          spec: { holderIdentity: "me" },
        }],
        [`${root}/events`, {
          metadata: { name: "a" },
          involvedObject: { kind: "Pod", name: "p", namespace: "tables" },
          reason: "R",
          message: "m",
          type: "Normal",
          count: 2,
          source: { component: "c" },
        }],
        ["/apis/rbac.authorization.k8s.io/v1/namespaces/tables/roles", {
          metadata: { name: "a" },
          rules: [],
        }],
      ];
      for (const [path, object] of made) {
        const reply = await api.peek("POST", path, object);
        assert.equal(reply.code, 201, JSON.stringify(reply.body));
        const { body } = await api.peek("GET", `${path}/a`, undefined, TABLE);
        api.note(`TABLE ${path}`, withoutDescriptions(body));
      }
      const { body } = await api.peek(
        "GET",
        "/api/v1/namespaces?fieldSelector=metadata.name=tables",
        undefined,
        TABLE,
      );
      api.note("TABLE namespaces", withoutDescriptions(body));
      const metadata = {
        accept: "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json",
      };
      await api.ok("GET", `${root}/secrets`, undefined, metadata);
    },
  },
  {
    name: "shows tables of custom kinds",
    async run(api) {
      const group = "tables.example.com";
      const additionalPrinterColumns = [
        { name: "Engine", type: "string", jsonPath: ".spec.engine" },
        {
          name: "Replicas",
          type: "integer",
          jsonPath: ".spec.replicas",
          priority: 1,
          description: "How many",
        },
        { name: "CPU", type: "number", jsonPath: ".spec.limits.cpu" },
        { name: "Memory", type: "number", jsonPath: ".spec.limits.memory" },
        { name: "Backup", type: "boolean", jsonPath: ".spec.backupEnabled" },
        { name: "First", type: "string", jsonPath: ".spec.users[0].name" },
        { name: "Boss", type: "string", jsonPath: '.spec.users[?(@.role=="boss")].name' },
        { name: "All", type: "string", jsonPath: ".spec.users[*].name" },
        { name: "Labels", type: "string", jsonPath: ".spec.labels" },
        { name: "Note", type: "string", jsonPath: ".spec.note" },
        { name: "Number", type: "string", jsonPath: ".spec.replicas" },
        { name: "Annotation", type: "string", jsonPath: ".metadata.annotations['x\\.y/z']" },
        { name: "Missing", type: "string", jsonPath: ".spec.nothing.here" },
        { name: "Wrong", type: "integer", jsonPath: ".spec.engine" },
        { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
        { name: "Never", type: "date", jsonPath: ".spec.engine" },
      ];
      await api.define(databases(group, { version: { additionalPrinterColumns } }));
      const path = `/apis/${group}/v1/namespaces/default/databases`;
      const spec = {
        engine: "mysql",
        replicas: 3,
        limits: { cpu: 0.5, memory: 2 },
        users: [{ name: "a" }, { name: "b", role: "boss" }],
        labels: { x: "1" },
        note: null,
      };
      const object = database(group, "a", spec);
      object.metadata.annotations = { "x.y/z": "dotted" };
      await api.ok("POST", path, object);
      await api.ok("GET", path, undefined, TABLE);
      await api.ok("GET", `${path}/a?includeObject=None`, undefined, TABLE);
      await api.ok("GET", `${path}?includeObject=Object`, undefined, TABLE);
    },
  },
  {
    name: "shows custom kinds without columns by name and age",
    async run(api) {
      const group = "plain.example.com";
      await api.define(databases(group));
      const path = `/apis/${group}/v1/namespaces/default/databases`;
      await api.ok("POST", path, database(group, "a"));
      await api.ok("GET", path, undefined, TABLE);
      const { body } = await api.peek(
        "GET",
        `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/databases.${group}`,
        undefined,
        TABLE,
      );
      api.note("TABLE definition", { columns: body.columnDefinitions, cells: body.rows[0].cells });
    },
  },
];

/** Descriptions of the built-in kinds' columns are left out by the API server in the process. */
function withoutDescriptions(table: Answer): Answer {
  const columnDefinitions = table.columnDefinitions?.map(({ description: _, ...column }: Answer) => column);
  return { ...table, columnDefinitions };
}
