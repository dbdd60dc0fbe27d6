/** Scenarios of bodies that nobody should send: what is no object, too deep, too large, or of no type that is known. */

import assert from "node:assert/strict";
import { encodeProtobuf, PROTOBUF } from "../../../../lib/kits/apiserver/protobuf/encode.ts";
import { type Answer, APPLY, JSON_PATCH, MERGE, type Session, STRATEGIC } from "../session.ts";
import { configMap, databases, type Scenario } from "./scenario.ts";

const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const JSON_TYPE = { "content-type": "application/json" };
const YAML_TYPE = { "content-type": "application/yaml" };

const PARSER = {
  line: /message/,
  because: "the reasons of parsers are those of JavaScript",
};

/** As deep as that, in a field of an object. */
function nested(levels: number): string {
  return `{"metadata":{"name":"deep"},"spec":${'{"a":'.repeat(levels)}1${"}".repeat(levels)}}`;
}

/** Sends a body, and notes how it was answered, but not in which words. */
async function answered(
  api: Session,
  what: string,
  ...ask: [method: string, path: string, body: unknown, headers: Readonly<Record<string, string>>]
): Promise<number> {
  const { code, body } = await api.peek(...ask);
  api.note(what, { code, kind: body.kind, reason: body.reason });
  return code;
}

export const BAD_INPUT: readonly Scenario[] = [
  {
    name: "tells requests that cannot be read from objects that are not there",
    accepted: [{
      line: /configmaps\/none \.body\.message/,
      because: "the real server names its own sources",
    }],
    async run(api) {
      await api.namespace("bad-requests");
      const path = "/api/v1/namespaces/bad-requests/configmaps";
      const pod = { apiVersion: "v1", kind: "Pod" };
      const options = { apiVersion: "v1", kind: "DeleteOptions" };
      await api.refused(400, "DELETE", `${path}/none?gracePeriodSeconds=x`);
      await api.refused(400, "DELETE", `${path}/none?gracePeriodSeconds=1.5`);
      await api.refused(400, "DELETE", `${path}/none?gracePeriodSeconds=`);
      await api.refused(400, "DELETE", `${path}/none`, pod);
      await api.refused(404, "DELETE", `${path}/none`, options);
      await api.refused(404, "DELETE", `${path}/none`, { ...options, apiVersion: "apps/v1" });
      await api.refused(404, "PATCH", `${path}/none`, {}, JSON_PATCH);
      await api.refused(404, "PATCH", `${path}/none`, [1], JSON_PATCH);
      await api.refused(404, "GET", "/api/v1/namespaces/bad-requests/pods/none/log");
      assert.equal((await api.peek("GET", "/api/v1/namespaces/..%2f/configmaps")).code, 404);
      assert.equal((await api.peek("GET", "/api/v1/namespaces/a%2fb/configmaps")).code, 404);
    },
  },
  {
    name: "refuses bodies that are no objects",
    accepted: [PARSER],
    async run(api) {
      await api.namespace("bad-bodies");
      const path = "/api/v1/namespaces/bad-bodies/configmaps";
      for (
        const text of [
          "{",
          "nonsense",
          "",
          " ",
          "[]",
          "[1]",
          "null",
          '"text"',
          "7",
          "{}{}",
          '{"a":}',
          "\u0000",
        ]
      ) {
        const code = await answered(api, `POST ${text}`, "POST", path, text, JSON_TYPE);
        assert.ok(code >= 400 && code < 500, `${JSON.stringify(text)}: ${code}`);
      }
      for (const text of ["a: [", "\t- x", "- 1", "text", "a: b: c", "&a [*a]"]) {
        const code = await answered(api, `POST YAML ${text}`, "POST", path, text, YAML_TYPE);
        assert.ok(code >= 400 && code < 500, `${JSON.stringify(text)}: ${code}`);
      }
      const whole = encodeProtobuf({
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: "p" },
        data: { a: "b" },
      });
      assert.ok(whole !== undefined);
      for (const length of [0, 3, 4, 5, 9, whole.length - 1]) {
        const code = await answered(api, `POST ${length} bytes`, "POST", path, whole.subarray(0, length), {
          "content-type": PROTOBUF,
        });
        assert.ok(code >= 400 && code < 500, `${length} bytes: ${code}`);
      }
      await api.ok("POST", path, configMap("a"));
      for (const headers of [MERGE, JSON_PATCH, STRATEGIC]) {
        for (const text of ["{", "nonsense", "[1]", "7"]) {
          const what = `PATCH ${headers["content-type"]} ${text}`;
          const code = await answered(api, what, "PATCH", `${path}/a`, text, headers);
          assert.ok(code >= 400 && code < 500, `${what}: ${code}`);
        }
      }
      const code = await answered(api, "apply", "PATCH", `${path}/a?fieldManager=m`, "a: [", APPLY);
      assert.equal(code, 400);
      assert.deepEqual((await api.ok("GET", `${path}/a`)).data, { a: "1" });
      for (const type of ["text/plain", "application/xml", "nonsense", "application/json-patch"]) {
        await api.refused(415, "POST", path, "{}", { "content-type": type });
        await api.refused(415, "PATCH", `${path}/a`, "{}", { "content-type": type });
      }
      for (const accept of ["text/html", "application/xml", "nonsense"]) {
        await api.refused(406, "GET", path, undefined, { accept });
      }
    },
  },
  {
    name: "refuses what is too deep or too large, and keeps what is there",
    async run(api) {
      const group = "large.example.com";
      const free = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
      const openAPIV3Schema = { type: "object", properties: { spec: free } };
      await api.define(databases(group, { version: { schema: { openAPIV3Schema } } }));
      await api.namespace("bad-sizes");
      const path = `/apis/${group}/v1/namespaces/bad-sizes/databases`;
      const named = (text: string) => `{"apiVersion":"${group}/v1","kind":"Database",${text.slice(1)}`;
      for (const levels of [10_001, 50_000]) {
        const code = await answered(api, `${levels} levels`, "POST", path, named(nested(levels)), JSON_TYPE);
        assert.equal(code, 400, `${levels} levels`);
      }
      assert.equal((await api.peek("POST", path, named(nested(100)), JSON_TYPE)).code, 201);
      const large = JSON.stringify({ metadata: { name: "large" }, spec: { a: "x".repeat(3 * 1024 * 1024) } });
      await answered(api, "more than 3 MB", "POST", path, named(large), JSON_TYPE);
      assert.equal((await api.peek("POST", path, named(large), JSON_TYPE)).code, 413);
      const patch = JSON.stringify({ spec: { b: "x".repeat(3 * 1024 * 1024) } });
      assert.equal((await api.peek("PATCH", `${path}/deep`, patch, MERGE)).code, 413);
      const many = Array.from({ length: 10_001 }, () => ({ op: "test", path: "/kind", value: "Database" }));
      await answered(api, "10,001 operations", "PATCH", `${path}/deep`, many, JSON_PATCH);
      const { body } = await api.peek("GET", path);
      assert.deepEqual(body.items.map(({ metadata }: Answer) => metadata.name), ["deep"]);
      const maps = "/api/v1/namespaces/bad-sizes/configmaps";
      await api.refused(422, "POST", maps, configMap("large", { a: "x".repeat(1024 * 1024 + 1) }));
      const annotations = { a: "x".repeat(256 * 1024) };
      await api.refused(422, "POST", maps, { metadata: { name: "noted", annotations } });
    },
  },
  {
    name: "refuses definitions whose fields are of other types",
    accepted: [PARSER],
    async run(api) {
      const refuse = async (changes: Answer, version?: Answer) => {
        const definition = databases("typed.example.com", { spec: changes, version });
        const code = await answered(
          api,
          JSON.stringify([changes, version]),
          "POST",
          DEFINITIONS,
          definition,
          JSON_TYPE,
        );
        assert.ok(code === 400 || code === 422, `${JSON.stringify([changes, version])}: ${code}`);
      };
      const schema = (openAPIV3Schema: unknown) => refuse({}, { schema: { openAPIV3Schema } });
      await refuse({ names: "databases" });
      await refuse({ names: { plural: 5, kind: "Database" } });
      await refuse({ versions: {} });
      await refuse({ versions: ["v1"] });
      await refuse({ versions: [] });
      await refuse({ scope: 7 });
      await refuse({ conversion: "None" });
      await refuse({ conversion: { strategy: "Magic" } });
      await refuse({}, { served: "yes" });
      await refuse({}, { subresources: { status: "on" } });
      await refuse({}, { additionalPrinterColumns: { name: "A" } });
      await schema("object");
      await schema({ type: 5 });
      await schema({ type: "strng" });
      await schema({ type: ["object", "null"] });
      await schema({ type: "object", properties: ["a"] });
      await schema({ type: "object", required: "a" });
      await schema({ type: "object", properties: { a: { type: "string", maxLength: "5" } } });
      await schema({ type: "object", properties: { a: { type: "string", enum: "a" } } });
      await schema({ type: "object", properties: { a: { type: "string", pattern: 5 } } });
      await schema({ type: "object", properties: { a: { type: "string", pattern: "[" } } });
      await schema({ type: "object", properties: { a: { type: "array", items: [{ type: "string" }] } } });
      await schema({ type: "object", properties: { a: { $ref: "#/definitions/b" } } });
      await schema({ type: "object", "x-kubernetes-validations": "self" });
    },
  },
  {
    name: "takes patterns that would backtrack, in time",
    async run(api) {
      const group = "backtracking.example.com";
      const name = { type: "string", pattern: "^(a+)+$", maxLength: 100 };
      const openAPIV3Schema = {
        type: "object",
        properties: { spec: { type: "object", properties: { name } } },
      };
      await api.define(databases(group, { version: { schema: { openAPIV3Schema } } }));
      await api.namespace("bad-patterns");
      const path = `/apis/${group}/v1/namespaces/bad-patterns/databases`;
      const object = (value: string): Answer => ({
        apiVersion: `${group}/v1`,
        kind: "Database",
        metadata: { name: "a" },
        spec: { name: value },
      });
      await api.refused(422, "POST", path, object(`${"a".repeat(60)}!`));
      await api.ok("POST", path, object("a".repeat(60)));
    },
  },
];
