import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Bakery } from "../../../examples/27-schemas/handlers.ts";
import { makeCrds } from "../../../lib/kits/definitions/crds.ts";
import { isCrd, makeTypes as makeAll } from "../../../lib/kits/generate/types.ts";
import type { JsonObject } from "../../../lib/model/object.ts";
import { parseYaml } from "../../../lib/runtime/yaml.ts";
import { crd, makeTypes } from "../../types/generated.ts";

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
      [{ type: "array", items: { type: "string", enum: ["a", "b"] } }, 'readonly ("a" | "b")[]'],
      [{ type: "array", items: { type: "string", enum: ["a|b"] } }, 'readonly "a|b"[]'],
      [{ type: "array" }, "readonly unknown[]"],
      [
        { type: "array", items: { type: "array", items: { type: "string" } } },
        "readonly (readonly string[])[]",
      ],
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
      "string | readonly string[]",
    );
    const schema = {
      type: "object",
      properties: { http: { type: "string" }, tcp: { type: "integer" } },
      oneOf: [{ required: ["http"] }, { required: ["tcp"] }],
    };
    assert.equal(field(schema), "{ http?: string; tcp?: number; } & ({ http: string } | { tcp: number })");
    assert.equal(
      field({ type: "array", items: schema }),
      "readonly ({ http?: string; tcp?: number; } & ({ http: string } | { tcp: number }))[]",
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
    assert.match(text, /export interface NetSpec {\n {2}children\?: readonly NetSpec\[\];/);
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
  });

  it("gives objects with other fields a type of their own", () => {
    const [version] = [{
      name: "v1",
      schema: { openAPIV3Schema: { properties: { data: { type: "string" } }, required: ["data"] } },
    }];
    const text = makeTypes([crd(undefined, { versions: [version] })]);
    assert.match(
      text,
      /export type Net = KubeObject<Record<string, unknown>, Record<string, unknown>> & {\n {2}data: string;\n};/,
    );
    // So that handlers, `op.api` and caches see them.
    assert.match(text, /const Net: ResourceType<Record<string, unknown> & Stanzas<Net>, Record/);
    assert.match(text, /^import type { Stanzas } from "@lotse\/lotse\/types";$/m);
  });

  it("passes over definitions that are broken, names them, and writes the others", () => {
    const other = crd({ type: "object" }, { names: { plural: "rods", kind: "Rod" } });
    const lost = crd({ type: "object", properties: { a: { $ref: "#/nowhere" } } });
    const nameless = crd(undefined, { names: {} });
    const template = crd(undefined, { names: { plural: "nets", kind: "" } });
    const { text, refusals } = makeAll([nameless, template, lost, other, other]);
    assert.deepEqual(refusals.map(({ message }) => message), [
      'Cannot make types of "nets.example.com": it lacks its group, its plural or its kind',
      'Cannot make types of "nets.example.com": it lacks its group, its plural or its kind',
      'Cannot make types of "rods.example.com" v1: it is there twice, and the first one counts',
      'Cannot make types: "spec.a" refers to "#/nowhere", which is not in the definition',
    ]);
    assert.deepEqual([...text.matchAll(/export const (\w+)/g)].map(([, name]) => name), ["Rod"]);
    assert.throws(() => makeAll([nameless]), /lacks its group/);
  });

  it("leaves nothing behind of a version that is refused", () => {
    const good = { type: "object", properties: { a: { type: "string" }, b: { type: "string" } } };
    const bad = { type: "object", properties: { good, lost: { $ref: "#/nowhere" } } };
    const versions = [bad, { type: "object", properties: { good } }].map((spec, index) => ({
      name: `v${index + 1}`,
      schema: { openAPIV3Schema: { type: "object", properties: { spec: good, status: spec } } },
    }));
    const { text, refusals } = makeAll([crd(undefined, { versions })]);
    assert.equal(refusals.length, 1);
    assert.match(text, /export interface NetV2Spec \{\n {2}a\?: string;\n {2}b\?: string;\n\}/);
    assert.match(text, /export interface NetV2Status \{\n {2}good\?: NetV2Spec;\n\}/);
  });

  it("spells equal types out once, of several versions and kinds, too", () => {
    const port = { type: "object", properties: { name: { type: "string" }, number: { type: "integer" } } };
    const ports = { type: "array", items: port };
    const spec = {
      type: "object",
      properties: { ports, sidecar: { type: "object", properties: { ports } } },
    };
    const versions = ["v1", "v2"].map((name) => ({
      name,
      storage: name === "v2",
      schema: { openAPIV3Schema: { type: "object", properties: { spec } } },
    }));
    const text = makeTypes([
      crd(undefined, { versions }),
      crd(spec, { names: { plural: "rods", kind: "Rod" } }),
    ]);
    assert.equal(text.match(/number\?: number;/g)?.length, 1);
    assert.match(
      text,
      /export interface NetV1Spec \{\n {2}ports\?: readonly Port\[\];\n {2}sidecar\?: \{\n {4}ports\?: readonly Port\[\];\n {2}\};\n\}/,
    );
    assert.match(text, /export type NetSpec = NetV1Spec;[^]*export type RodSpec = NetV1Spec;/);
    assert.match(text, /export interface Port \{\n {2}name\?: string;\n {2}number\?: number;\n\}/);
  });

  it("tells types with one place's name apart, and keeps them off the kinds' names", () => {
    const of = (field: string) => ({
      type: "object",
      properties: { [field]: { type: "string" }, b: { type: "string" } },
    });
    const part = (field: string) => ({ type: "object", properties: { net: of(field), other: of(field) } });
    const text = makeTypes([crd({ type: "object", properties: { first: part("x"), second: part("y") } })]);
    assert.match(
      text,
      /net\?: Net2;[^]*net\?: Net3;[^]*interface Net2 \{\n {2}x[^]*interface Net3 \{\n {2}y/,
    );
  });

  it("has fields with a default in objects that are read, and not in those that are sent", () => {
    const properties = { size: { type: "integer", default: 3 }, name: { type: "string", default: null } };
    const spec = { type: "object", properties: { ...properties, inner: { type: "object", properties } } };
    const text = makeTypes([crd(spec)]);
    assert.match(
      text,
      /interface NetSpec \{[^}]*\n {2}size: number;[^}]*name\?: string;[^}]*inner\?: \{[^}]*\n {4}size: number;/,
    );
    assert.match(
      text,
      /interface NetSpecInput \{[^}]*\n {2}size\?: number;[^}]*inner\?: \{[^}]*\n {4}size\?: number;/,
    );
    assert.match(text, /Net: ResourceType<NetSpec, Record<string, unknown>, NetSpecInput>/);
    assert.doesNotMatch(makeTypes([crd({ type: "object", properties: { name: properties.name } })]), /Input/);
  });

  it("knows the metadata of embedded templates, which definitions leave open", () => {
    const metadata = { type: "object" };
    const spec = {
      type: "object",
      properties: { template: { type: "object", properties: { metadata, spec: {} } } },
    };
    assert.match(
      makeTypes([crd(spec)]),
      /^import \{ type ObjectMeta, resource[^]*template\?: \{\n {4}metadata\?: DeepReadonly<ObjectMeta>;/m,
    );
    const open = { ...metadata, "x-kubernetes-preserve-unknown-fields": true };
    const text = makeTypes([crd({ type: "object", properties: { metadata: open } })]);
    assert.match(text, /metadata\?: Record<string, unknown>;/);
    const embedded = { type: "object", "x-kubernetes-embedded-resource": true, properties: { a: {} } };
    assert.match(
      field(embedded),
      /^\{ apiVersion\?: string; kind\?: string; metadata\?: DeepReadonly<ObjectMeta>; a\?: unknown; \[key: string\]: unknown; \}$/,
    );
  });
});

describe("isCrd()", () => {
  it("tells definitions from other manifests", () => {
    const [pod] = parseYaml("{ apiVersion: v1, kind: Pod }");
    assert.deepEqual([crd(undefined), pod, null, "text"].map(isCrd), [true, false, false, false]);
  });
});
