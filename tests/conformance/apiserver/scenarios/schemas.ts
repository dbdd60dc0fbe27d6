/** Validation, defaulting and pruning of custom objects, and what definitions must look like. */

import assert from "node:assert/strict";
import type { Answer, Session } from "../session.ts";
import { JSON_PATCH, MERGE } from "../session.ts";
import { database, databases, type Scenario } from "./scenario.ts";

const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/** Wrong in one way each. */
const WRONG: readonly Answer[] = [
  { engine: "x" },
  { engine: "mysql", replicas: 7 },
  { engine: "mysql", replicas: 0 },
  { engine: "mysql", replicas: "3" },
  { engine: "mysql", replicas: 1.5 },
  { engine: "mysql", replicas: true },
  { engine: "mysql", replicas: 3_000_000_000 },
  { engine: "mysql", backupEnabled: "yes" },
  { engine: "mysql", version: "8" },
  { engine: "mysql", version: "eight" },
  { engine: "mysql", version: 8 },
  { engine: "mysql", port: true },
  { engine: "mysql", until: "tomorrow" },
  { engine: "mysql", until: 5 },
  { engine: "mysql", note: "12345678901" },
  { engine: "mysql", labels: { a: 1 } },
  { engine: "mysql", labels: ["a"] },
  { engine: "mysql", limits: {} },
  { engine: "mysql", limits: { cpu: "x" } },
  { engine: "mysql", tags: ["a", "b", "c", "d"] },
  { engine: "mysql", tags: ["a", "b", "a"] },
  { engine: "mysql", tags: "a" },
  { engine: "mysql", users: [{ name: "a" }, { name: "a" }] },
  { engine: "mysql", users: [{ role: "x" }] },
  { engine: "mysql", users: ["a"] },
  { engine: "mysql", choice: {} },
  { engine: "mysql", choice: { a: "1", b: "2" } },
  { engine: "mysql", free: "text" },
  { engine: null },
  {},
  "text",
  [],
];

async function createAndRead(api: Session, path: string, object: Answer): Promise<Answer> {
  await api.ok("POST", path, object);
  return await api.ok("GET", `${path}/${object.metadata.name}`);
}

export const SCHEMAS: readonly Scenario[] = [
  {
    name: "says what is wrong with custom objects",
    async run(api) {
      const group = "validation.example.com";
      await api.define(databases(group));
      const path = `/apis/${group}/v1/namespaces/default/databases`;
      for (const spec of WRONG) {
        api.note("spec", spec);
        await api.refused(422, "POST", path, database(group, "a", spec));
      }
      const { spec: _, ...without } = database(group, "a");
      await api.refused(422, "POST", path, without);
      await api.refused(422, "POST", path, database(group, "a", { engine: "x", replicas: 9, version: "" }));
    },
  },
  {
    name: "fills in defaults and drops unknown fields and nulls",
    async run(api) {
      const group = "defaults.example.com";
      await api.define(databases(group));
      const path = `/apis/${group}/v1/namespaces/default/databases`;
      const plain = await createAndRead(api, path, database(group, "plain"));
      assert.deepEqual(plain.spec, { engine: "mysql", replicas: 1, backupEnabled: true });
      const rich = await createAndRead(api, path, {
        ...database(group, "rich", {
          engine: "mysql",
          typo: { a: 1 },
          replicas: null,
          note: null,
          until: null,
          users: [{ name: "a", extra: 1 }],
          free: { any: { thing: null } },
          labels: { any: "1" },
        }),
        extra: true,
      });
      assert.deepEqual(rich.spec.users, [{ name: "a", role: "reader" }]);
      await api.ok("PATCH", `${path}/rich`, { spec: { replicas: null, free: null, another: 1 } }, MERGE);
    },
  },
  {
    name: "warns of or refuses unknown fields when asked to",
    accepted: [
      {
        line: /is invalid: patch: |causes\.0\.message/,
        because: "the message shows the object, and the order of its keys",
      },
    ],
    async run(api) {
      const group = "strict.example.com";
      await api.define(databases(group));
      const path = `/apis/${group}/v1/namespaces/default/databases`;
      const object = database(group, "a", { engine: "mysql", typo: 1, users: [{ name: "a", extra: 1 }] });
      await api.refused(400, "POST", `${path}?fieldValidation=Strict`, object);
      await api.ok("POST", `${path}?fieldValidation=Warn`, object);
      await api.ok("POST", `${path}?fieldValidation=Ignore`, { ...object, metadata: { name: "b" } });
      await api.refused(422, "PATCH", `${path}/a?fieldValidation=Strict`, { spec: { typo: 2 } }, MERGE);
      await api.ok("PATCH", `${path}/a?fieldValidation=Warn`, { spec: { typo: 2 } }, MERGE);
    },
  },
  {
    name: "lets what was wrong before pass on updates",
    async run(api) {
      const group = "ratchet.example.com";
      const definition = databases(group);
      await api.define(definition);
      const path = `/apis/${group}/v1/namespaces/default/databases`;
      await api.ok(
        "POST",
        path,
        database(group, "a", { engine: "mysql", note: "long", users: [{ name: "a", role: "x" }] }),
      );
      const [version] = definition.spec.versions;
      version.schema.openAPIV3Schema.properties.spec.properties.note.maxLength = 2;
      const { body } = await api.peek("GET", `${DEFINITIONS}/databases.${group}`);
      await api.peek("PUT", `${DEFINITIONS}/databases.${group}`, {
        ...body,
        spec: { ...body.spec, versions: [version] },
      });
      await api.until(
        async () =>
          (await api.peek(
            "POST",
            `${path}?dryRun=All`,
            database(group, "b", { engine: "mysql", note: "long" }),
          )).code === 422,
        "the new schema holds",
      );
      await api.ok("PATCH", `${path}/a`, { spec: { replicas: 2 } }, MERGE);
      await api.refused(422, "PATCH", `${path}/a`, { spec: { note: "longer" } }, MERGE);
      await api.ok("PATCH", `${path}/a`, { spec: { note: "ok" } }, MERGE);
    },
  },
  {
    name: "checks the status against the schema, too",
    async run(api) {
      const group = "status.example.com";
      const definition = databases(group);
      definition.spec.versions[0].schema.openAPIV3Schema.properties.status = {
        type: "object",
        properties: { ready: { type: "integer", maximum: 3 }, phase: { type: "string", enum: ["A", "B"] } },
      };
      await api.define(definition);
      const path = `/apis/${group}/v1/namespaces/default/databases`;
      await api.ok("POST", path, database(group, "a"));
      await api.refused(422, "PATCH", `${path}/a/status`, { status: { ready: 4 } }, MERGE);
      await api.refused(422, "PATCH", `${path}/a/status`, { status: { ready: "x", phase: "C" } }, MERGE);
      await api.ok("PATCH", `${path}/a/status`, { status: { ready: 1, unknown: 2 } }, MERGE);
    },
  },
  {
    name: "completes and establishes definitions",
    accepted: [
      {
        line: /step 1: .*\.status\.(acceptedNames|conditions)/,
        because: "definitions are established at once",
      },
    ],
    async run(api) {
      const group = "definitions.example.com";
      const created = await api.ok("POST", DEFINITIONS, databases(group));
      assert.deepEqual(created.spec.names.listKind, "DatabaseList");
      const path = `${DEFINITIONS}/databases.${group}`;
      await api.until(async () => {
        const conditions = (await api.peek("GET", path)).body.status?.conditions ?? [];
        return conditions.some(({ type, status }: Answer) => type === "Established" && status === "True");
      }, "it is established");
      await api.ok("GET", path);
      await api.refused(422, "PATCH", path, { spec: { scope: "Cluster" } }, MERGE);
      await api.refused(422, "PATCH", path, { spec: { group: "other.example.com" } }, MERGE);
      await api.refused(409, "POST", DEFINITIONS, databases(group));
      await api.ok("DELETE", path);
      await api.until(async () => (await api.peek("GET", path)).code === 404, "it is gone");
      await api.until(
        async () => (await api.peek("GET", `/apis/${group}/v1/databases`)).code === 404,
        "its kind is gone",
      );
    },
  },
  {
    name: "says what is wrong with definitions",
    async run(api) {
      const group = "wrong.example.com";
      const refuse = async (changes: Answer, version?: Answer) => {
        await api.refused(422, "POST", DEFINITIONS, databases(group, { spec: changes, version }));
      };
      const schema = (openAPIV3Schema: Answer) => refuse({}, { schema: { openAPIV3Schema } });
      await refuse({ group: "other.example.com" });
      await refuse({ scope: "Everywhere" });
      await refuse({ names: { plural: "databases", kind: "Database", shortNames: ["A b"] } });
      await refuse({ names: { plural: "databases", kind: "Data Base" } });
      await refuse({ names: { plural: "databases" } });
      await refuse({}, { storage: false });
      await refuse({}, { schema: undefined });
      await refuse({}, { name: "V 1" });
      await refuse({}, { additionalPrinterColumns: [{ name: "A", type: "text", jsonPath: "a" }] });
      await refuse({}, {
        subresources: { scale: { specReplicasPath: ".status.x", statusReplicasPath: "" } },
      });
      await refuse({}, { deprecationWarning: "x" });
      await schema({ type: "array", items: { type: "string" } });
      await schema({ type: "object", properties: { a: {} } });
      await schema({ type: "object", properties: { a: { type: "array" } } });
      await schema({ type: "object", properties: { a: { type: "text" } } });
      await schema({ type: "object", properties: { a: { type: "integer", default: "x" } } });
      await schema({ type: "object", properties: { a: { type: "string", pattern: "(" } } });
      await schema({ type: "object", properties: { a: { type: "string", anyOf: [{ type: "string" }] } } });
      await schema({
        type: "object",
        properties: {
          a: {
            type: "object",
            properties: { b: { type: "string" } },
            additionalProperties: { type: "string" },
          },
        },
      });
      await schema({
        type: "object",
        properties: { metadata: { type: "object", properties: { labels: { type: "object" } } } },
      });
      await schema({
        type: "object",
        properties: {
          a: {
            type: "array",
            items: { type: "object", properties: { b: { type: "string" } } },
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["b"],
          },
        },
      });
      await schema({
        type: "object",
        properties: { a: { type: "object", default: { b: 1 }, properties: { c: { type: "integer" } } } },
      });
      const kubernetes = databases("wrong.k8s.io");
      await api.refused(422, "POST", DEFINITIONS, kubernetes);
    },
  },
  {
    name: "shows objects of an older schema with the defaults and fields of the present one",
    accepted: [{ line: /acceptedNames|status\.conditions/, because: "ours are accepted at once" }],
    async run(api) {
      const group = "aged.lotse.dev";
      const properties = { a: { type: "string" }, b: { type: "string" }, c: { type: "string" } };
      const schema = { type: "object", properties: { spec: { type: "object", properties } } };
      const versions = [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } }];
      const definition = databases(group);
      await api.ok("POST", DEFINITIONS, { ...definition, spec: { ...definition.spec, versions } });
      const path = `/apis/${group}/v1/namespaces/default/databases`;
      await api.until(async () => (await api.peek("GET", path)).code === 200, "the kind is served");
      await api.ok("POST", path, {
        apiVersion: `${group}/v1`,
        kind: "Database",
        metadata: { name: "old" },
        spec: { a: "1", c: "3" },
      });
      const at = "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties";
      await api.peek("PATCH", `${DEFINITIONS}/databases.${group}`, [
        { op: "add", path: `${at}/b/default`, value: "B" },
        { op: "remove", path: `${at}/c` },
      ], JSON_PATCH);
      const spec = async () => (await api.peek("GET", `${path}/old`)).body.spec;
      await api.until(async () => (await spec()).b === "B", "the default is shown");
      const shown = await api.ok("GET", `${path}/old`);
      assert.deepEqual(shown.spec, { a: "1", b: "B" });
      assert.deepEqual((await api.ok("GET", path)).items[0].spec, { a: "1", b: "B" });
      await api.peek("PATCH", `${DEFINITIONS}/databases.${group}`, [
        { op: "remove", path: `${at}/b/default` },
        { op: "add", path: `${at}/c`, value: { type: "string" } },
      ], JSON_PATCH);
      // NB: it was only shown so; what is stored is as it was.
      await api.until(async () => (await spec()).c === "3", "the field is there again");
      assert.deepEqual(await spec(), { a: "1", c: "3" });
      await api.ok("DELETE", `${DEFINITIONS}/databases.${group}`);
    },
  },
  {
    name:
      "fills in the defaults of the version in which objects are kept, and those of the request in what is written",
    accepted: [
      { line: /acceptedNames|status\.conditions/, because: "ours are accepted at once" },
      {
        line: /^step (1[89]|2\d): .*managedFields/,
        because:
          "the real server forgets all owners of what holds a field that another owner's version does not know",
      },
    ],
    async run(api) {
      const group = "kept.lotse.dev";
      const text = { type: "string" };
      const fields = { a: { ...text, default: "A" }, b: text, c: text, one: text, two: text };
      const version = (name: string, own: Answer, storage: boolean) => {
        const spec = { type: "object", default: {}, properties: { ...fields, ...own } };
        const openAPIV3Schema = { type: "object", properties: { spec } };
        return { name, served: true, storage, schema: { openAPIV3Schema } };
      };
      const versions = [
        version("v1", { one: { ...text, default: "1" }, onlyOne: text }, false),
        version("v2", { two: { ...text, default: "2" }, onlyTwo: { ...text, default: "x" } }, true),
      ];
      const definition = databases(group);
      await api.ok("POST", DEFINITIONS, { ...definition, spec: { ...definition.spec, versions } });
      const path = (name: string) => `/apis/${group}/${name}/namespaces/default/databases`;
      await api.until(async () => (await api.peek("GET", path("v1"))).code === 200, "the kind is served");
      await api.pause(1.5);
      const make = (apiVersion: string, name: string, spec: Answer) => ({
        apiVersion: `${group}/${apiVersion}`,
        kind: "Database",
        metadata: { name },
        spec,
      });
      const made = await api.ok("POST", path("v1"), make("v1", "x", {}));
      assert.deepEqual(made.spec, { a: "A", one: "1", two: "2" });
      await api.ok("POST", path("v2"), make("v2", "y", {}));
      await api.ok("POST", path("v1"), make("v1", "z", { onlyOne: "o" }));
      const readAll = async () => {
        for (const name of ["v1", "v2"]) {
          await api.ok("GET", `${path(name)}/x`);
          await api.ok("GET", path(name));
        }
      };
      await readAll();
      const spec = async (name = "v1") => (await api.peek("GET", `${path(name)}/x`)).body.spec;
      const at = (index: number) =>
        `/spec/versions/${index}/schema/openAPIV3Schema/properties/spec/properties`;
      const change = async (...operations: Answer[]) =>
        assert.equal(
          (await api.peek("PATCH", `${DEFINITIONS}/databases.${group}`, operations, JSON_PATCH)).code,
          200,
        );
      await change({ op: "add", path: `${at(1)}/c/default`, value: "C" });
      await api.until(async () => (await spec()).c === "C", "the default is shown");
      await readAll();
      await change(
        { op: "remove", path: `${at(1)}/c/default` },
        { op: "add", path: `${at(0)}/c/default`, value: "C" },
      );
      await api.until(async () => (await spec()).c === undefined, "the default is shown no more");
      await api.pause(1);
      await readAll();
      const updated = await api.ok("PATCH", `${path("v1")}/x`, { spec: { b: "B" } }, MERGE);
      assert.equal(updated.spec.c, "C");
      await api.ok("PATCH", `${path("v2")}/x`, { spec: { onlyTwo: "t" } }, MERGE);
      await api.ok("PATCH", `${path("v1")}/y`, { spec: { b: "B" } }, MERGE);
      await readAll();
      await api.ok("DELETE", `${DEFINITIONS}/databases.${group}`);
    },
  },
];
