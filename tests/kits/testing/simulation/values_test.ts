import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { drawText } from "../../../../lib/kits/testing/simulation/pattern.ts";
import { drawChange, drawValue } from "../../../../lib/kits/testing/simulation/values.ts";
import { createVirtualRandom } from "../../../../lib/runtime/virtual/random.ts";

/** So many values of a schema. */
function draws(schema: unknown, count = 200): unknown[] {
  const random = createVirtualRandom(1);
  return Array.from({ length: count }, () => drawValue(schema, random));
}

describe("drawValue()", () => {
  it("[N34.7] draws both limits of a range, and never beyond them", () => {
    const numbers = draws({ type: "integer", minimum: 3, maximum: 9 }) as number[];
    assert.equal(Math.min(...numbers), 3);
    assert.equal(Math.max(...numbers), 9);
    const open = draws({ type: "integer", minimum: 0, exclusiveMinimum: true, maximum: 10, multipleOf: 5 });
    assert.deepEqual([...new Set(open)].sort(), [10, 5]);
  });

  it("[N34.8] draws each value of an enum, null where it may be, and each branch of a union", () => {
    const values = new Set(draws({ type: "string", enum: ["a", "b"], nullable: true }));
    assert.deepEqual([...values].sort(), ["a", "b", null]);
    const union = {
      type: "object",
      properties: { one: { type: "boolean" }, two: { type: "boolean" } },
      oneOf: [{ required: ["one"] }, { required: ["two"] }],
    };
    for (const value of draws(union) as object[]) assert.ok("one" in value || "two" in value);
  });

  it("[N34.9] draws optional values and none, empty and long texts, characters beyond ASCII, and unique items", () => {
    const schema = {
      type: "object",
      required: ["a"],
      properties: { a: { type: "string" }, b: { type: "string" } },
    };
    const objects = draws(schema) as { a: string; b?: string }[];
    assert.ok(objects.some(({ b }) => b === undefined) && objects.some(({ b }) => b !== undefined));
    const texts = objects.map(({ a }) => a);
    assert.ok(texts.includes("") && texts.some((text) => text.length > 79));
    // deno-lint-ignore no-control-regex -- just those
    assert.ok(texts.some((text) => /[^\x00-\x7f]/.test(text)));
    const items = {
      type: "object",
      required: ["k"],
      properties: { k: { type: "string", enum: ["a", "b"] } },
    };
    const lists = draws({ type: "array", minItems: 1, items, "x-kubernetes-list-map-keys": ["k"] }) as {
      k: string;
    }[][];
    for (const list of lists) assert.equal(new Set(list.map(({ k }) => k)).size, list.length);
    const [text] = draws({ type: "string", minLength: 3, maxLength: 3 }) as string[];
    assert.equal([...text ?? ""].length, 3);
  });

  it("gives none where a required value cannot be drawn", () => {
    const schema = {
      type: "object",
      required: ["a"],
      properties: { a: { type: "string", pattern: "(?=x)y" } },
    };
    assert.deepEqual(new Set(draws(schema, 5)), new Set([undefined]));
  });
});

describe("drawChange()", () => {
  it("changes known keys alone, and takes only optional ones away", () => {
    const random = createVirtualRandom(1);
    const schema = {
      type: "object",
      required: ["a"],
      properties: { a: { type: "integer" }, b: { type: "integer" } },
    };
    for (let count = 0; count < 100; count++) {
      const patch = drawChange(schema, random);
      assert.ok(Object.keys(patch).every((key) => key === "a" || key === "b"));
      assert.notEqual(patch["a"], null);
    }
  });
});

describe("drawText()", () => {
  it("draws texts that the pattern matches", () => {
    const patterns = [
      "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$",
      "^\\d+(Ki|Mi|Gi)$",
      "^v\\d+((alpha|beta)\\d+)?$",
      "^(?:a|bc){2,3}\\.x?$",
      "^[^/]+/[A-Z_]{4}$",
    ];
    const random = createVirtualRandom(1);
    for (const pattern of patterns) {
      for (let count = 0; count < 20; count++) {
        const text = drawText(pattern, random);
        assert.ok(text !== undefined && new RegExp(pattern, "u").test(text), `${pattern}: ${text}`);
      }
    }
    assert.equal(drawText("(", random), undefined);
  });
});
