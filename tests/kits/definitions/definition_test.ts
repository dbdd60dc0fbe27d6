import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { z } from "zod";
import { toDefinition } from "../../../lib/kits/definitions/definition.ts";
import type { JsonObject } from "../../../lib/model/object.ts";
import type { ResourceOptions } from "../../../lib/registry/resource.ts";

const NAMES = { group: "example.com", version: "v1", plural: "databases", kind: "Database" } as const;
const spec = z.object({ engine: z.enum(["postgresql", "mysql"]), replicas: z.int().default(1) });
const status = z.object({ state: z.string().optional(), readyReplicas: z.int().optional() });

// deno-lint-ignore no-explicit-any -- looked at by hand
function versionOf(options: ResourceOptions, index = 0): any {
  return (toDefinition(options).spec as { versions: JsonObject[] }).versions[index];
}

describe("toDefinition()", () => {
  it("makes names, scope, schema and subresources", () => {
    const crd = toDefinition({ ...NAMES, spec, status, shortNames: ["db"], categories: ["all"] });
    assert.deepEqual(crd, {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "databases.example.com" },
      spec: {
        group: "example.com",
        scope: "Namespaced",
        names: {
          plural: "databases",
          singular: "database",
          kind: "Database",
          listKind: "DatabaseList",
          shortNames: ["db"],
          categories: ["all"],
        },
        versions: [{
          name: "v1",
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: "object",
              required: ["spec"],
              properties: {
                apiVersion: { type: "string" },
                kind: { type: "string" },
                metadata: { type: "object" },
                spec: {
                  type: "object",
                  required: ["engine"],
                  properties: {
                    engine: { type: "string", enum: ["postgresql", "mysql"] },
                    replicas: { type: "integer", default: 1 },
                  },
                },
                status: {
                  type: "object",
                  properties: {
                    state: { type: "string" },
                    readyReplicas: { type: "integer" },
                    lotse: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
                  },
                },
              },
            },
          },
          subresources: { status: {} },
        }],
      },
    });
  });

  it("makes the same of valibot's and ArkType's schemas", () => {
    const schemas = [
      toStandardJsonSchema(
        v.object({ engine: v.picklist(["a", "b"]), size: v.optional(v.pipe(v.number(), v.integer())) }),
      ),
      type({ engine: "'a'|'b'", "size?": "number.integer" }),
    ];
    for (const schema of schemas) {
      assert.deepEqual(versionOf({ ...NAMES, spec: schema }).schema.openAPIV3Schema.properties.spec, {
        type: "object",
        required: ["engine"],
        properties: { engine: { type: "string", enum: ["a", "b"] }, size: { type: "integer" } },
      });
    }
  });

  it("takes the types of columns from the schemas", () => {
    const columns = {
      Engine: "spec.engine",
      Ready: { path: "status.readyReplicas", priority: 1 },
      First: ".spec.list[0].name",
      Age: "metadata.creationTimestamp",
    };
    assert.deepEqual(versionOf({ ...NAMES, spec, status, columns }).additionalPrinterColumns, [
      { name: "Engine", type: "string", jsonPath: ".spec.engine" },
      { name: "Ready", type: "integer", jsonPath: ".status.readyReplicas", priority: 1 },
      { name: "First", type: "string", jsonPath: ".spec.list[0].name" },
      { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
    ]);
  });

  it("makes scale, selectable fields and rules", () => {
    const version = versionOf({
      ...{ ...NAMES, spec, status, selectable: ["spec.engine"] },
      scale: { spec: "spec.replicas", status: "status.readyReplicas" },
      rules: [{ rule: "self.replicas < 9", message: "Too many", at: "spec" }, { rule: "has(self.spec)" }],
    });
    assert.deepEqual(version.subresources.scale, {
      specReplicasPath: ".spec.replicas",
      statusReplicasPath: ".status.readyReplicas",
    });
    assert.deepEqual(version.selectableFields, [{ jsonPath: ".spec.engine" }]);
    const { openAPIV3Schema: schema } = version.schema;
    assert.deepEqual(schema.properties.spec["x-kubernetes-validations"], [
      { rule: "self.replicas < 9", message: "Too many" },
    ]);
    assert.deepEqual(schema["x-kubernetes-validations"], [{ rule: "has(self.spec)" }]);
  });

  it("makes further versions, one of which may be the stored one", () => {
    const options = {
      ...{ ...NAMES, spec },
      versions: {
        v2: { spec: z.object({}), storage: true },
        v1beta1: { deprecated: "Gone soon", served: false },
      },
    };
    const shown = [0, 1, 2].map((index) => {
      const { name, served, storage, deprecated, deprecationWarning } = versionOf(options, index);
      return [name, served, storage, deprecated, deprecationWarning];
    });
    assert.deepEqual(shown, [
      ["v1", true, false, undefined, undefined],
      ["v2", true, true, undefined, undefined],
      ["v1beta1", false, false, true, "Gone soon"],
    ]);
  });

  it("fills in a spec that has defaults alone, so that they are there", () => {
    const inner = z.object({ a: z.int().default(1), b: z.int().optional() });
    const nested = z.object({ inner: inner.prefault({ b: 2 }) });
    assert.deepEqual(versionOf({ ...NAMES, spec: nested }).schema.openAPIV3Schema.properties.spec.default, {
      inner: { a: 1, b: 2 },
    });
    const { spec: node } = versionOf({ ...NAMES, spec: z.object({ size: z.int().default(3) }) })
      .schema.openAPIV3Schema.properties;
    assert.deepEqual(node, {
      ...{ type: "object", properties: { size: { type: "integer", default: 3 } }, default: { size: 3 } },
    });
  });

  it("tells all that is wrong in one error", () => {
    const options = {
      ...{ group: "example", version: "v1", plural: "Databases", spec },
      columns: { State: "spec.stat" },
      selectable: ["spec.nothing"],
      versions: { v2: { spec: z.object({ at: z.date() }) } },
    };
    assert.throws(() => toDefinition(options), (error: Error) => {
      assert.deepEqual(error.message.split("\n  "), [
        'Cannot make a definition of "Databases.example":',
        'group: a definition needs a domain with a dot, such as "example.com"',
        'plural: "Databases" is no name (lower-case letters, digits and dashes, beginning with a letter)',
        "kind: it is missing, and a definition needs it",
        'columns.State: "spec.stat" is not in the schema',
        'selectable[0]: "spec.nothing" is not in the schema',
        "versions.v2.spec.at: a Date (take z.iso.datetime()) cannot be kept by the API server, which stores what was sent",
      ]);
      return true;
    });
  });

  it("tells what to do where a library makes no JSON Schema", () => {
    // deno-lint-ignore no-explicit-any -- what does not compile
    const plain: any = v.object({});
    assert.throws(
      () => toDefinition({ ...NAMES, spec: plain }),
      /spec: this version of valibot makes no JSON Schema; wrap it into toStandardJsonSchema\(\)/,
    );
  });
});
