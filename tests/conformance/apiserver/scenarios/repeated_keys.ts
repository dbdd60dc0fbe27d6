/** Keys that stand twice: in JSON and YAML, in patches, and in what is applied. */

import assert from "node:assert/strict";
import { type Answer, APPLY, JSON_PATCH, MERGE, type Session, STRATEGIC } from "../session.ts";
import { database, databases, type Scenario } from "./scenario.ts";

const YAML = { "content-type": "application/yaml" };
const MODES = ["", "Ignore", "Warn", "Strict"];

/** NB: `unknown` is there twice, and holds a key twice. */
const JSON_SPEC =
  '{"odd":{"x":1,"x":2},"odd":1,"paused":true,"paused":false,"replicas":0,"selector":{"matchLabels":{"a":"b"}},' +
  '"template":{"metadata":{"labels":{"a":"b","a":"b"}},"spec":{"containers":[{"name":"c","image":"i","name":"c","wrong":1}]}}}';
const deployment = (name: string) =>
  `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"x","name":"${name}","mark":1},"spec":${JSON_SPEC}}`;

const deploymentYaml = (name: string) =>
  `# A comment
apiVersion: apps/v1
kind: Deployment
metadata:
  name: x
  name: ${name}
  mark: 1
spec:
  zebra: 1
  odd: {x: 1, x: 2}
  odd: 1
  paused: true
  paused: false
  replicas: 0
  selector: &labels
    matchLabels: {a: b}
  "selector":
    matchLabels:
      a: |
        text
      a: b
  template:
    metadata:
      labels: {a: b}
    spec:
      containers:
      - name: c
        image: i
        wrong: 1
        name:
          c
`;

/** Sends each body in each mode; notes what is said of the keys. */
async function tryAll(
  api: Session,
  { method, path, headers, body }: {
    readonly method: string;
    readonly path: (mode: string) => string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: (mode: string) => string;
  },
): Promise<void> {
  for (const mode of MODES) {
    const separator = path(mode).includes("?") ? "&" : "?";
    const reply = await api.peek(
      method,
      path(mode) + (mode === "" ? "" : `${separator}fieldValidation=${mode}`),
      body(mode),
      headers,
    );
    const { message = "" }: Answer = reply.body;
    // What comes before the words is the object, in the order of its keys.
    const words = String(message).replace(/.*(?=(strict decoding|decoding YAML))/s, "");
    api.note(`${method} ${headers["content-type"] ?? "JSON"} ${mode}`, {
      code: reply.code,
      words,
      warnings: reply.headers.get("warning"),
    });
    if (mode === "Strict") assert.ok(reply.code >= 400, `${reply.code} ${JSON.stringify(reply.body)}`);
    else assert.ok(reply.code < 300, `${reply.code} ${JSON.stringify(reply.body)}`);
  }
}

const nameOf = (mode: string) => `of-${mode.toLowerCase()}x`;

export const REPEATED_KEYS: readonly Scenario[] = [
  {
    name: "notices keys that stand twice in objects of built-in kinds",
    async run(api) {
      await api.namespace("repeated");
      const path = "/apis/apps/v1/namespaces/repeated/deployments";
      const json = { "content-type": "application/json" };
      await tryAll(api, {
        method: "POST",
        path: () => path,
        headers: json,
        body: (m) => deployment(nameOf(m)),
      });
      const one = (mode: string) => `${path}/${nameOf(mode === "Strict" ? "" : mode)}`;
      const same = (mode: string) => nameOf(mode === "Strict" ? "" : mode);
      await tryAll(api, { method: "PUT", path: one, headers: json, body: (m) => deployment(same(m)) });
      await tryAll(api, { method: "PUT", path: one, headers: YAML, body: (m) => deploymentYaml(same(m)) });
      await tryAll(api, {
        method: "POST",
        path: () => path,
        headers: YAML,
        body: (m) => deploymentYaml(`yaml-${nameOf(m)}`),
      });
    },
  },
  {
    name: "notices keys that stand twice in patches of built-in kinds",
    async run(api) {
      await api.namespace("repeated-patches");
      const path = "/apis/apps/v1/namespaces/repeated-patches/deployments";
      await api.peek("POST", path, deployment("a"));
      const patch = (spec: string) => `{"metadata":{"mark":1},"spec":${spec}}`;
      for (const headers of [MERGE, STRATEGIC]) {
        await tryAll(api, {
          method: "PATCH",
          path: () => `${path}/a`,
          headers,
          body: () => patch(JSON_SPEC),
        });
      }
      const operations = '[{"op":"add","foo":1,"foo":2,"path":"/spec/odd","value":{"a":1,"a":2}},' +
        '{"op":"add","path":"/spec/x","path":"/spec/paused","value":true},{"op":"add","path":"/metadata/mark","value":1}]';
      await tryAll(api, {
        method: "PATCH",
        path: () => `${path}/a`,
        headers: JSON_PATCH,
        body: () => operations,
      });
      const applied = (name: string) =>
        `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"${name}"},\n"spec":{"paused":true,\n"paused":false,\n` +
        '"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b",\n"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}}';
      const query = "?fieldManager=m&force=true";
      for (let round = 0; round < 2; round++) {
        await tryAll(api, {
          method: "PATCH",
          path: (m) => `${path}/applied-${nameOf(m)}${query}`,
          headers: APPLY,
          body: (m) => applied(`applied-${nameOf(m)}`),
        });
      }
    },
  },
  {
    name: "notices keys that stand twice in custom objects",
    async run(api) {
      const group = "repeated.example.com";
      const text = { type: "string" };
      const ports = { type: "array", items: { type: "object", properties: { port: { type: "integer" } } } };
      const object = {
        type: "object",
        "x-kubernetes-embedded-resource": true,
        "x-kubernetes-preserve-unknown-fields": true,
      };
      const spec = { type: "object", properties: { known: text, ports, object } };
      const openAPIV3Schema = { type: "object", properties: { spec } };
      await api.define(databases(group, { version: { schema: { openAPIV3Schema } } }));
      const path = `/apis/${group}/v1/namespaces/default/databases`;
      const inner = '{"odd":1,"odd":2,"known":"a","known":"b","ports":[{"port":1,"wrong":1,"port":2}],' +
        '"object":{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","mark":1}}}';
      const body = (name: string) =>
        `{"apiVersion":"${group}/v1","kind":"Database","metadata":{"name":"x","name":"${name}","mark":1},\n"spec":${inner}}`;
      const json = { "content-type": "application/json" };
      await tryAll(api, { method: "POST", path: () => path, headers: json, body: (m) => body(nameOf(m)) });
      await tryAll(api, {
        method: "POST",
        path: () => path,
        headers: YAML,
        body: (m) => body(`yaml-${nameOf(m)}`),
      });
      const one = (mode: string) => `${path}/${nameOf(mode === "Strict" ? "" : mode)}`;
      await tryAll(api, { method: "PATCH", path: one, headers: MERGE, body: () => `{"spec":${inner}}` });
      const operations =
        '[{"op":"add","foo":1,"path":"/spec/odd","value":{"a":1}},{"op":"add","path":"/x","path":"/spec/known","value":"c"}]';
      await tryAll(api, { method: "PATCH", path: one, headers: JSON_PATCH, body: () => operations });
      const applied = (name: string) =>
        `apiVersion: ${group}/v1\nkind: Database\nmetadata:\n  name: ${name}\nspec:\n  known: a\n  known: b\n  ports:\n  - port: 1\n    port: 2\n`;
      for (let round = 0; round < 2; round++) {
        await tryAll(api, {
          method: "PATCH",
          path: (m) => `${path}/applied-${nameOf(m)}?fieldManager=m`,
          headers: APPLY,
          body: (m) => applied(`applied-${nameOf(m)}`),
        });
      }
    },
  },
  {
    name: "warns of the finalizers that a custom object gets, not of those that it has",
    async run(api) {
      const group = "finalized.example.com";
      await api.define(databases(group));
      const path = `/apis/${group}/v1/namespaces/default/databases`;
      const finalizers = ["b", "orphan", "example.com", "example.com/c", "a"];
      const { metadata, ...rest } = database(group, "a");
      await api.call("POST", path, { ...rest, metadata: { ...metadata, finalizers } });
      const patch = (names: readonly string[]) => ({ metadata: { finalizers: names } });
      for (const names of [[...finalizers, "d"], finalizers, ["b"], []]) {
        assert.equal((await api.call("PATCH", `${path}/a`, patch(names), MERGE)).code, 200);
      }
    },
  },
];
