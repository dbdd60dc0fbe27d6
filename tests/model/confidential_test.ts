import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  HIDDEN_TEXT,
  hideFields,
  holdsPlain,
  revealFields,
  withoutValues,
} from "../../lib/model/confidential.ts";
import { calculateDiff } from "../../lib/model/diff.ts";
import { canonicalJson } from "../../lib/model/json.ts";
import type { JsonObject, KubeObject } from "../../lib/model/object.ts";

const FIELDS = [["data"], ["spec", "password"]];
const DIGEST = /^\$digest:[0-9a-f]{16}$/;

function objectOf(content: JsonObject, name = "one"): KubeObject {
  return { metadata: { name, namespace: "default" }, ...content };
}

describe("hideFields()", () => {
  it("puts a digest in the place of each value, and leaves everything else as it is", () => {
    const object = objectOf({ data: { a: "x", b: ["y"], c: { d: 1 } }, spec: { password: "z", user: "me" } });
    const hidden = hideFields(object, FIELDS, object) as JsonObject;
    const { a, b, c } = hidden.data as Record<string, unknown>;
    const { password, user } = hidden.spec as Record<string, unknown>;
    for (const text of [a, b, (c as JsonObject).d, password]) assert.match(String(text), DIGEST);
    assert.deepEqual([hidden.metadata, user], [object.metadata, "me"]);
    assert.equal(object.data, object.data, "the object stays as it was");
    assert.ok(!/"[xyz]"/.test(canonicalJson(hidden)));
  });

  it("gives the object itself where there is nothing to hide", () => {
    const object = objectOf({ spec: { user: "me" } });
    assert.equal(hideFields(object, FIELDS, object), object);
    assert.equal(hideFields(object, [], object), object);
  });

  it("makes different digests of the same value on two objects, and the same ones on one", () => {
    const [one, other] = [objectOf({ data: { a: "x" } }), objectOf({ data: { a: "x" } }, "other")];
    assert.deepEqual(hideFields(one, FIELDS, one).data, hideFields(one, FIELDS, one).data);
    assert.notDeepEqual(hideFields(one, FIELDS, one).data, hideFields(other, FIELDS, other).data);
  });

  it("takes keys such as __proto__ for data, and any depth", () => {
    let deep: unknown = "x";
    for (let level = 0; level < 9_000; level++) deep = { a: deep };
    const object = objectOf({ data: { ...JSON.parse('{"__proto__":"x"}') as JsonObject, deep } });
    const hidden = hideFields(object, FIELDS, object);
    assert.deepEqual(Object.keys(hidden.data as JsonObject).sort(), ["__proto__", "deep"].sort());
    assert.ok(canonicalJson(revealFields(hidden, FIELDS, object)) === canonicalJson(object));
  });
});

describe("revealFields()", () => {
  it("gives back values that are still the same, and a text for those that have changed or gone", () => {
    const before = objectOf({ data: { same: "1", changed: "2", gone: "3" }, spec: { password: { a: 1 } } });
    const after = objectOf({ data: { same: "1", changed: "4", added: "5" }, spec: { password: { a: 2 } } });
    const revealed = revealFields(hideFields(before, FIELDS, before), FIELDS, after);
    assert.deepEqual(revealed.data, { same: "1", changed: HIDDEN_TEXT, gone: HIDDEN_TEXT });
    assert.deepEqual(revealed.spec, { password: { a: HIDDEN_TEXT } });
  });

  it("shows a change also where the present value is the text, or where an object became a text", () => {
    const before = objectOf({ data: { a: "x", b: { c: "y" } } });
    const after = objectOf({ data: { a: HIDDEN_TEXT, b: "z" } });
    const revealed = revealFields(hideFields(before, FIELDS, before), FIELDS, after);
    assert.deepEqual(calculateDiff(revealed, after).map(({ path }) => path.join(".")), ["data.a", "data.b"]);
  });

  it("leaves values alone that were noted as they are", () => {
    const noted = objectOf({ data: { a: "x" } });
    assert.deepEqual(revealFields(noted, FIELDS, objectOf({ data: { a: "y" } })), noted);
    assert.ok(holdsPlain(noted, FIELDS) && !holdsPlain(hideFields(noted, FIELDS, noted), FIELDS));
    assert.ok(!holdsPlain({ data: { a: null }, spec: { user: "me" } }, FIELDS));
  });
});

describe("withoutValues()", () => {
  it("leaves only what happened, and where, of differences at, below or above a field", () => {
    const diff = calculateDiff({ spec: { a: 1 } }, { spec: { a: 2, password: "x" }, data: { k: "y" } });
    assert.deepEqual(withoutValues(diff, FIELDS), [
      ["add", ["data"]],
      ["add", ["spec", "password"]],
      ["change", ["spec", "a"], 1, 2],
    ]);
    assert.deepEqual(withoutValues(calculateDiff(undefined, { spec: { password: "x" } }), FIELDS), [[
      "add",
      [],
    ]]);
    assert.equal(withoutValues(diff, []), diff);
  });
});
