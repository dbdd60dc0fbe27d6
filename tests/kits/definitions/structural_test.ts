import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { z } from "zod";
import { toJsonSchema } from "../../../lib/kits/definitions/json_schema.ts";
import { toStructural } from "../../../lib/kits/definitions/structural.ts";
import type { JsonObject } from "../../../lib/model/object.ts";

/** Problems as "path: reason". */
function convert(json: JsonObject): { node: JsonObject; problems: string[] } {
  const problems: string[] = [];
  const onProblem = ({ path, reason }: { path: string; reason: string }) =>
    void problems.push(`${path}: ${reason}`);
  return { node: toStructural(json, { path: "spec", onProblem }), problems };
}

/** The node of one field. */
function field(schema: z.ZodType): unknown {
  const { node, problems } = convert(toJsonSchema(z.object({ field: schema })));
  assert.deepEqual(problems, []);
  return (node.properties as JsonObject).field;
}

/** What is wrong with one field. */
function problemsOf(schema: z.ZodType): string[] {
  return convert(toJsonSchema(z.object({ field: schema }))).problems;
}

const OPEN = { "x-kubernetes-preserve-unknown-fields": true };

describe("toStructural()", () => {
  it("keeps types, limits, defaults and descriptions of scalars", () => {
    assert.deepEqual(field(z.int().min(1).max(5).default(2)), {
      type: "integer",
      minimum: 1,
      maximum: 5,
      default: 2,
    });
    assert.deepEqual(field(z.int()), { type: "integer" });
    assert.deepEqual(field(z.number().positive().lt(9)), {
      ...{ type: "number", minimum: 0, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: true },
    });
    assert.deepEqual(field(z.string().min(1).max(9).regex(/^a+$/).describe("Letters")), {
      ...{ type: "string", minLength: 1, maxLength: 9, pattern: "^a+$", description: "Letters" },
    });
    assert.deepEqual(field(z.boolean()), { type: "boolean" });
    assert.deepEqual(field(z.base64()), { type: "string", format: "byte", pattern: field64() });
    assert.deepEqual(field(z.literal("x")), { type: "string", enum: ["x"] });
  });

  it("says null by nullable; enums are rules then, as the API server never finds null in an enum", () => {
    assert.deepEqual(field(z.string().nullable()), { type: "string", nullable: true });
    assert.deepEqual(field(z.enum(["a", "b"]).nullable()), {
      type: "string",
      nullable: true,
      "x-kubernetes-validations": [{
        rule: 'self in ["a", "b"]',
        message: 'must be null or one of "a", "b"',
      }],
    });
  });

  it("tells maps, open objects and closed ones apart", () => {
    assert.deepEqual(field(z.record(z.string(), z.int())), {
      ...{ type: "object", additionalProperties: { type: "integer" } },
    });
    assert.deepEqual(field(z.record(z.string(), z.unknown())), { type: "object", ...OPEN });
    assert.deepEqual(field(z.looseObject({ a: z.string() })), {
      ...{ type: "object", properties: { a: { type: "string" } }, required: ["a"], ...OPEN },
    });
    assert.deepEqual(field(z.strictObject({ a: z.string().optional() })), {
      ...{ type: "object", properties: { a: { type: "string" } } },
    });
    assert.deepEqual(field(z.record(z.enum(["a", "b"]), z.int())), {
      type: "object",
      properties: { a: { type: "integer" }, b: { type: "integer" } },
      required: ["a", "b"],
    });
    assert.deepEqual(field(z.unknown()), OPEN);
  });

  it("checks keys of maps by a rule", () => {
    assert.deepEqual(field(z.record(z.string().regex(/^[a-z]+$/), z.string())), {
      type: "object",
      additionalProperties: { type: "string" },
      "x-kubernetes-validations": [
        { rule: 'self.all(key, key.matches("^[a-z]+$"))', message: "keys must match ^[a-z]+$" },
      ],
    });
  });

  it("knows integers and texts in one field", () => {
    assert.deepEqual(field(z.union([z.int(), z.string()])), { "x-kubernetes-int-or-string": true });
    assert.deepEqual(field(z.union([z.int().min(0), z.string().regex(/%$/)])), {
      ...{ "x-kubernetes-int-or-string": true, minimum: 0, pattern: "%$" },
    });
  });

  it("puts the type of a union outside, and conditions into its branches", () => {
    const tcp = z.object({ kind: z.literal("tcp"), port: z.int() });
    const file = z.object({ kind: z.literal("file"), path: z.string() });
    assert.deepEqual(field(z.discriminatedUnion("kind", [tcp, file])), {
      type: "object",
      properties: {
        kind: { type: "string", enum: ["tcp", "file"] },
        port: { type: "integer" },
        path: { type: "string" },
      },
      required: ["kind"],
      oneOf: [
        { properties: { kind: { enum: ["tcp"] } }, required: ["port"] },
        { properties: { kind: { enum: ["file"] } }, required: ["path"] },
      ],
    });
    assert.deepEqual(field(z.union([z.literal("a"), z.literal("b")])), { type: "string", enum: ["a", "b"] });
    assert.deepEqual(field(z.union([z.literal("auto"), z.string().regex(/^\d+$/)])), {
      ...{ type: "string", anyOf: [{ enum: ["auto"] }, { pattern: "^\\d+$" }] },
    });
  });

  it("puts the parts of an intersection together", () => {
    const both = { allOf: [{ minimum: 3, type: "number" }, { minimum: 1, type: "integer" }] };
    assert.deepEqual(convert(both).node, { type: "integer", minimum: 3 });
    const node = field(z.object({ a: z.string() }).and(z.object({ b: z.int() })));
    assert.deepEqual(node, {
      type: "object",
      properties: { a: { type: "string" }, b: { type: "integer" } },
      required: ["a", "b"],
    });
  });

  it("follows references", () => {
    const json = {
      $defs: { Port: { type: "integer", minimum: 1 } },
      type: "object",
      properties: { port: { $ref: "#/$defs/Port", description: "Where" } },
    };
    assert.deepEqual(convert(json).node, {
      ...{ type: "object", properties: { port: { type: "integer", minimum: 1, description: "Where" } } },
    });
  });

  it("takes Kubernetes' own words as they are", () => {
    const meta = { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] };
    assert.deepEqual(field(z.array(z.object({ name: z.string() })).meta(meta)), {
      type: "array",
      items: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
      ...meta,
    });
  });

  it("tells the path and the reason of everything that it cannot say", () => {
    const Node = z.object({
      get children() {
        return z.array(Node).optional();
      },
    });
    for (
      const [schema, problem] of [
        [
          z.union([z.string(), z.object({})]),
          "spec.field: it may be a text or an object: a field has one type",
        ],
        [z.union([z.string(), z.number()]), "spec.field: it may be a text or something else than an integer"],
        [
          z.string().transform((text) => text.length),
          "spec.field: a transform cannot be kept by the API server",
        ],
        [z.array(z.date()), "spec.field[]: a Date (take z.iso.datetime()) cannot be kept"],
        [z.record(z.string(), z.bigint()), "spec.field[*]: a bigint"],
        [z.tuple([z.string(), z.int()]), "spec.field: it is a tuple of different types"],
        [z.string().regex(/^(?!x)/), "spec.field: its pattern is not for RE2"],
        [Node, "spec.field.children[]: it refers to itself"],
        [z.object({ a: z.string() }).catchall(z.int()), "spec.field: it has named fields and others"],
        [z.never(), "spec.field"],
        [
          z.discriminatedUnion("k", [
            z.object({ k: z.literal("a"), n: z.int().default(1) }),
            z.object({ k: z.literal("b") }),
          ]),
          "spec.field.n: its default would be filled in whichever branch",
        ],
      ] as const
    ) {
      const problems = problemsOf(schema);
      assert.ok(problems.some((each) => each.startsWith(problem)), `${problem}: ${problems.join("; ")}`);
    }
  });

  it("survives keys such as __proto__", () => {
    const { node } = convert(
      JSON.parse('{"type": "object", "properties": {"__proto__": {"type": "string"}}}'),
    );
    assert.equal(JSON.stringify(node), '{"type":"object","properties":{"__proto__":{"type":"string"}}}');
  });
});

/** Zod's own pattern for base64. */
function field64(): string {
  return String((toJsonSchema(z.base64()) as { pattern: string }).pattern);
}
