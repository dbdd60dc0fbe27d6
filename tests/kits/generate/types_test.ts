import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { Bakery } from "../../../examples/27-schemas/handlers.ts";
import { makeCrds } from "../../../lib/kits/definitions/crds.ts";
import { isCrd, makeTypes } from "../../../lib/kits/generate/types.ts";
import type { JsonObject } from "../../../lib/model/object.ts";
import { parseYaml } from "../../../lib/runtime/yaml.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

/** A definition with this schema of spec. */
function crd(spec: JsonObject | undefined, more: JsonObject = {}): JsonObject {
  const openAPIV3Schema = { type: "object", properties: { spec } };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "nets.example.com" },
    spec: {
      group: "example.com",
      scope: "Cluster",
      names: { plural: "nets", kind: "Net" },
      versions: [{ name: "v1", served: true, storage: true, ...spec && { schema: { openAPIV3Schema } } }],
      ...more,
    },
  };
}

/** The type of one field, on one line. */
function field(schema: JsonObject): string {
  const text = makeTypes([crd({ type: "object", properties: { field: schema } })]);
  const found = /\n {2}field\?: ([^]*?);\n\}\n/.exec(text)?.[1];
  return (found ?? text).replace(/\s+/g, " ");
}

describe("makeTypes()", () => {
  it("writes a constant and the types of spec and status for each version", () => {
    const spec = {
      type: "object",
      description: "What is wanted.",
      required: ["size"],
      properties: { size: { type: "integer", description: "How large */ it is.\n\nIn metres.", default: 3 } },
    };
    assert.equal(
      makeTypes([crd(spec)]),
      `/**
 * Made by \`lotse generate types\` of CustomResourceDefinitions: make it anew instead of changing it.
 */

import { resource, type ResourceType } from "@lotse/lotse";

/** What is wanted. */
export interface NetSpec {
  /**
   * How large *\\/ it is.
   *
   * In metres.
   * Default: 3
   */
  size: number;
}

/** Net of example.com/v1. */
export const Net: ResourceType<NetSpec, Record<string, unknown>> = resource<NetSpec, Record<string, unknown>>({
  group: "example.com",
  version: "v1",
  plural: "nets",
  kind: "Net",
  namespaced: false,
});
`,
    );
  });

  it("knows scalars, lists, maps, enums, null, and what is left open", () => {
    const types: [JsonObject, string][] = [
      [{ type: "string", format: "date-time" }, "string"],
      [{ type: "number" }, "number"],
      [{ type: "boolean", nullable: true }, "boolean | null"],
      [{ type: "string", enum: ["a", "b"] }, '"a" | "b"'],
      [{ type: "array", items: { type: "string", enum: ["a", "b"] } }, '("a" | "b")[]'],
      [{ type: "array", items: { type: "string", enum: ["a|b"] } }, '"a|b"[]'],
      [{ type: "array" }, "unknown[]"],
      [{ type: "object", additionalProperties: { type: "integer" } }, "Record<string, number>"],
      [{ type: "object" }, "Record<string, unknown>"],
      [{ "x-kubernetes-preserve-unknown-fields": true }, "unknown"],
      [
        {
          ...{ type: "object", "x-kubernetes-preserve-unknown-fields": true },
          properties: { "a-b": { type: "string" } },
        },
        '{ "a-b"?: string; [key: string]: unknown; }',
      ],
      [
        { "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }, { type: "string" }] },
        "number | string",
      ],
      [{ type: ["string", "null"] }, "string | null"],
    ];
    for (const [schema, type] of types) assert.equal(field(schema), type);
  });

  it("knows unions: by type, and by what branches require", () => {
    assert.equal(
      field({ oneOf: [{ type: "string" }, { type: "array", items: { type: "string" } }] }),
      "string | string[]",
    );
    const schema = {
      type: "object",
      properties: { http: { type: "string" }, tcp: { type: "integer" } },
      oneOf: [{ required: ["http"] }, { required: ["tcp"] }],
    };
    assert.equal(field(schema), "{ http?: string; tcp?: number; } & ({ http: string } | { tcp: number })");
    assert.equal(
      field({ type: "array", items: schema }),
      "({ http?: string; tcp?: number; } & ({ http: string } | { tcp: number }))[]",
    );
    // A branch that forbids only says nothing of fields.
    assert.equal(
      field({ ...schema, oneOf: [{ required: ["http"] }, { not: { required: ["http"] } }] }),
      "{ http?: string; tcp?: number; }",
    );
    assert.match(
      makeTypes(makeCrds([Bakery.options])),
      /& \(\{ fuel: "electric"; kilowatts: number \} \| \{ fuel: "wood"; tree: string \}\);/,
    );
  });

  it("follows references, to itself too, and refuses what has no end", () => {
    const tree = {
      type: "object",
      properties: { children: { type: "array", items: { $ref: "#/properties/spec" } } },
    };
    const text = makeTypes([crd(tree)]);
    assert.match(text, /export interface NetSpec {\n {2}children\?: NetSpec\[\];/);
    const named = {
      type: "object",
      definitions: { "tree-node": tree },
      properties: { root: { $ref: "#/properties/spec/definitions/tree-node" } },
    };
    assert.match(
      makeTypes([crd(named)]),
      /root\?: NetTreeNode;[^]*export interface NetTreeNode|export interface NetTreeNode[^]*root\?: NetTreeNode;/,
    );
    const circle: JsonObject = { type: "object", properties: {} };
    circle.properties = { inner: circle };
    assert.throws(() => makeTypes([crd(circle)]), /the schema of "spec\.inner" contains itself/);
    const lost = { type: "object", properties: { a: { $ref: "#/nowhere" } } };
    assert.throws(
      () => makeTypes([crd(lost)]),
      /"spec\.a" refers to "#\/nowhere", which is not in the definition/,
    );
    let wide: JsonObject = { type: "string" };
    for (let depth = 0; depth < 30; depth++) wide = { type: "object", properties: { a: wide, b: wide } };
    assert.throws(() => makeTypes([crd(wide)]), /the schema has more than 200000 nodes/);
  });

  it("takes definitions without a schema, and those of v1beta1", () => {
    assert.match(
      makeTypes([crd(undefined)]),
      /Net: ResourceType<Record<string, unknown>, Record<string, unknown>>/,
    );
    const openAPIV3Schema = { properties: { spec: { properties: { a: { type: "string" } } } } };
    const old = crd(undefined, { versions: undefined, version: "v1beta1", validation: { openAPIV3Schema } });
    assert.match(makeTypes([old]), /export interface NetSpec {\n {2}a\?: string;\n}[^]*version: "v1beta1"/);
  });

  it("tells versions and groups apart, and leaves its own words alone", () => {
    const versions = [
      { name: "v1", served: true, storage: false },
      { name: "v2", served: true, storage: true },
      { name: "v0", served: false },
    ];
    const names = (...crds: JsonObject[]): string[] =>
      [...makeTypes(crds).matchAll(/export const (\w+)/g)].map(([, name = ""]) => name);
    assert.deepEqual(names(crd(undefined, { versions })), ["NetV1", "Net"]);
    assert.deepEqual(names(crd(undefined), crd(undefined, { group: "other.org" })), [
      "ExampleNet",
      "OtherNet",
    ]);
    assert.deepEqual(names(crd(undefined, { names: { plural: "records", kind: "Record" } })), [
      "ExampleRecord",
    ]);
    assert.throws(
      () => makeTypes([crd(undefined), crd(undefined)]),
      /"nets\.example\.com": it is there twice/,
    );
  });

  it("gives objects with other fields a type of their own", () => {
    const [version] = [{
      name: "v1",
      schema: { openAPIV3Schema: { properties: { data: { type: "string" } }, required: ["data"] } },
    }];
    assert.match(
      makeTypes([crd(undefined, { versions: [version] })]),
      /export type Net = KubeObject<Record<string, unknown>, Record<string, unknown>> & {\n {2}data: string;\n};/,
    );
  });

  it("writes what compiles, strange names included", {
    skip: "Deno" in globalThis ? false : "the compiler is Deno's",
  }, () => {
    const spec = {
      type: "object",
      properties: {
        ["__proto__"]: { type: "string" },
        'a"b': { type: "string", enum: ['"', "*/"], description: "*/ evil" },
        deep: {
          type: "array",
          items: { oneOf: [{ type: "string" }, { type: "object", properties: { a: {} } }] },
        },
        union: {
          ...{ type: "object", properties: { a: { type: "string" }, b: { type: "integer" } } },
          oneOf: [{ required: ["a"] }, { required: ["b"] }],
        },
      },
    };
    const folder = mkdtempSync(join(ROOT, "tmp-types-"));
    try {
      const texts = [makeTypes([crd(spec)]), makeTypes(makeCrds([Bakery.options]))];
      texts.forEach((text, index) => writeFileSync(join(folder, `${index}.ts`), text));
      const { status, stderr } = spawnSync("deno", [
        "check",
        ...texts.map((_, index) => join(folder, `${index}.ts`)),
      ]);
      assert.equal(status, 0, String(stderr));
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe("isCrd()", () => {
  it("tells definitions from other manifests", () => {
    const [pod] = parseYaml("{ apiVersion: v1, kind: Pod }");
    assert.deepEqual([crd(undefined), pod, null, "text"].map(isCrd), [true, false, false, false]);
  });
});
