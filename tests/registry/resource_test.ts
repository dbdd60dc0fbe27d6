import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { z } from "zod";
import { EVERYTHING } from "../../lib/model/selector.ts";
import { hasSchema, resource, selectorOf } from "../../lib/registry/resource.ts";

describe("resource()", () => {
  it("selects by the plural, if there is one, and by another name if there is none", () => {
    const options = { group: "example.com", version: "v1", plural: "databases", kind: "Database" };
    const { selector } = resource(options);
    assert.deepEqual({ ...selector }, { group: "example.com", version: "v1", plural: "databases" });
    assert.equal(resource({ kind: "Database" }).selector.kind, "Database");
    assert.equal(resource({ category: "all" }).selector.category, "all");
  });

  it("refuses no name, two names, and an empty one", () => {
    assert.throws(() => resource({ group: "example.com" }), TypeError);
    assert.throws(() => resource({ kind: "A", singular: "a" }), TypeError);
    assert.throws(() => resource({ plural: "" }), TypeError);
  });
});

describe("selectorOf()", () => {
  it("takes constants, texts, EVERYTHING and predicates", () => {
    const Kind = resource<never, never>({ plural: "databases" });
    assert.equal(selectorOf(Kind), Kind.selector);
    assert.equal(selectorOf("databases").anyName, "databases");
    assert.equal(selectorOf(EVERYTHING).anyName, EVERYTHING);
    const predicate = (): boolean => true;
    assert.equal(selectorOf(predicate).predicate, predicate);
  });
});

describe("hasSchema()", () => {
  it("looks at all versions", () => {
    const names = { group: "example.com", version: "v1", plural: "databases", kind: "Database" };
    const spec = z.object({});
    assert.equal(hasSchema(names), false);
    assert.equal(hasSchema({ ...names, status: spec }), true);
    assert.equal(hasSchema({ ...names, versions: { v2: { spec } } }), true);
  });
});
