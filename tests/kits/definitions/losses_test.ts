import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { compareSchemas } from "../../../lib/kits/definitions/losses.ts";
import type { JsonObject } from "../../../lib/model/object.ts";

/** Schemas of objects whose spec has these fields. */
function ofFields(properties: JsonObject, more: JsonObject = {}): JsonObject {
  return { type: "object", properties: { spec: { type: "object", properties, ...more } } };
}

function changes(
  before: JsonObject,
  after: JsonObject,
): { losses: readonly string[]; refusals: readonly string[] } {
  return compareSchemas(ofFields({ a: before }), ofFields({ a: after }));
}

const TEXT = { type: "string" };
const NUMBER = { type: "integer" };
const OPEN = { "x-kubernetes-preserve-unknown-fields": true };

describe("compareSchemas()", () => {
  it("finds what would be dropped", () => {
    const lost: [JsonObject, JsonObject, string][] = [
      [TEXT, NUMBER, "spec.a: string becomes integer"],
      [OPEN, TEXT, "spec.a: anything becomes string"],
      [{ "x-kubernetes-int-or-string": true }, NUMBER, "spec.a: integer or string becomes integer"],
      [{ ...TEXT, nullable: true }, TEXT, "spec.a: null is no longer kept"],
      [{ type: "array", items: TEXT }, { type: "array", items: NUMBER }, "spec.a[]: string becomes integer"],
      [
        { type: "object", additionalProperties: TEXT },
        { type: "object", additionalProperties: NUMBER },
        "spec.a[*]: string becomes integer",
      ],
      [
        { type: "object", additionalProperties: TEXT },
        { type: "object", properties: { b: TEXT } },
        "spec.a: a map becomes an object with named fields",
      ],
      [
        { type: "object", properties: { b: TEXT, c: TEXT } },
        { type: "object", properties: { c: TEXT } },
        "spec.a.b: the field has gone",
      ],
      [
        { type: "object", ...OPEN },
        { type: "object" },
        "spec.a: fields that are not named are no longer kept",
      ],
    ];
    for (const [before, after, sentence] of lost) {
      assert.deepEqual(changes(before, after), { losses: [sentence], refusals: [] });
    }
    assert.deepEqual(compareSchemas(ofFields({ a: TEXT }), ofFields({})).losses, [
      "spec.a: the field has gone",
    ]);
  });

  it("lets schemas grow", () => {
    for (
      const [before, after] of [
        [NUMBER, { type: "number" }],
        [NUMBER, { "x-kubernetes-int-or-string": true }],
        [TEXT, OPEN],
        [{ type: "object", properties: { b: TEXT } }, { type: "object", properties: { b: TEXT, c: TEXT } }],
        [{ type: "object", properties: { b: TEXT } }, { type: "object", ...OPEN }],
        [{ type: "object", properties: { b: TEXT } }, { type: "object", additionalProperties: TEXT }],
        [{ ...NUMBER, minimum: 3, maximum: 5 }, { ...NUMBER, minimum: 1 }],
        [{ ...TEXT, enum: ["a"] }, { ...TEXT, enum: ["a", "b"] }],
      ]
    ) {
      assert.deepEqual(changes(before ?? {}, after ?? {}), { losses: [], refusals: [] });
    }
    assert.deepEqual(compareSchemas(undefined, undefined), { losses: [], refusals: [] });
  });

  it("finds what would be refused from now on", () => {
    const refused: [JsonObject, JsonObject, string][] = [
      [{ ...TEXT, enum: ["a", "b"] }, { ...TEXT, enum: ["a"] }, 'spec.a: "b" go'],
      [TEXT, { ...TEXT, enum: ["a"] }, "spec.a: only some values are allowed"],
      [NUMBER, { ...NUMBER, minimum: 1 }, "spec.a: minimum is 1 now"],
      [{ ...TEXT, maxLength: 9 }, { ...TEXT, maxLength: 5 }, "spec.a: maxLength is 5 now"],
      [TEXT, { ...TEXT, pattern: "x" }, 'spec.a: pattern is "x" now'],
    ];
    for (const [before, after, sentence] of refused) {
      assert.deepEqual(changes(before, after), { losses: [], refusals: [sentence] });
    }
    const fields = { a: TEXT, b: { ...TEXT, default: "x" } };
    assert.deepEqual(compareSchemas(ofFields(fields), ofFields(fields, { required: ["a", "b"] })).refusals, [
      "spec.a: it is required now",
    ]);
  });
});
