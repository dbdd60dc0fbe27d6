/** Merging configurations, and removing fields. */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { BuiltinTypes, customType } from "../../../../lib/kits/apiserver/apply/merge_type.ts";
import { merge, removeFields, withDeclared } from "../../../../lib/kits/apiserver/apply/merging.ts";

const types = new BuiltinTypes();
const CUSTOM = customType({
  type: "object",
  properties: {
    tags: { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } },
    list: { type: "array", items: { type: "string" } },
    users: {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
      items: { type: "object", properties: { name: { type: "string" }, role: { type: "string" } } },
    },
    map: { type: "object", additionalProperties: { type: "string" } },
  },
}, types);

function mergedTags(live: string[], config: string[]): unknown {
  const merged = merge({ live: { tags: live }, config: { tags: config } }, CUSTOM);
  return (merged as { tags: unknown }).tags;
}

describe("merge()", () => {
  it("keeps what the configuration does not name", () => {
    const merged = merge({
      live: { map: { a: "1", b: "1" }, list: ["x"], users: [{ name: "u", role: "r" }] },
      config: { map: { b: "2" }, list: ["y"], users: [{ name: "v" }] },
    }, CUSTOM);
    assert.deepEqual(merged, {
      map: { a: "1", b: "2" },
      list: ["y"],
      users: [{ name: "u", role: "r" }, { name: "v" }],
    });
  });

  it("puts items into the order of the configuration, with the others where they were", () => {
    assert.deepEqual(mergedTags(["a", "b", "c"], ["c", "a"]), ["b", "c", "a"]);
    assert.deepEqual(mergedTags(["a", "b", "c"], ["x", "b"]), ["a", "x", "b", "c"]);
    assert.deepEqual(mergedTags(["a"], ["b", "c"]), ["a", "b", "c"]);
    assert.deepEqual(mergedTags([], ["b", "a"]), ["b", "a"]);
  });

  it("does not change its arguments, and keeps keys such as __proto__", () => {
    const live = JSON.parse('{"map":{"__proto__":"1"}}');
    const merged = merge({ live, config: { map: { a: "2" } } }, CUSTOM);
    assert.equal(JSON.stringify(merged), '{"map":{"__proto__":"1","a":"2"}}');
    assert.equal(JSON.stringify(live), '{"map":{"__proto__":"1"}}');
  });
});

describe("removeFields()", () => {
  it("removes members, and what is below others", () => {
    const value = {
      map: { a: "1", b: "1" },
      users: [{ name: "u", role: "r" }, { name: "v" }],
      tags: ["x", "y"],
    };
    const set = {
      "f:map": { "f:a": {} },
      "f:users": { 'k:{"name":"u"}': { "f:role": {} }, 'k:{"name":"v"}': { ".": {}, "f:name": {} } },
      "f:tags": { 'v:"x"': {} },
    };
    assert.deepEqual(removeFields(value, set, CUSTOM), {
      map: { b: "1" },
      users: [{ name: "u" }],
      tags: ["y"],
    });
  });

  it("leaves null where nothing is left", () => {
    assert.deepEqual(removeFields({ map: { a: "1" }, tags: ["x"] }, { "f:map": { "f:a": {} } }, CUSTOM), {
      map: null,
      tags: ["x"],
    });
  });
});

describe("withDeclared()", () => {
  it("adds declared fields on the way, and no entries of maps or lists", () => {
    assert.deepEqual(
      withDeclared({ "f:map": { "f:a": {} }, "f:users": { 'k:{"name":"u"}': { "f:role": {} } } }, CUSTOM),
      {
        "f:map": { ".": {}, "f:a": {} },
        "f:users": { ".": {}, 'k:{"name":"u"}': { "f:role": {} } },
      },
    );
  });
});
