/** What differs between two objects. */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { compareObjects, fieldsIn, isSame } from "../../../../lib/kits/apiserver/apply/comparison.ts";
import { BuiltinTypes, customType } from "../../../../lib/kits/apiserver/apply/merge_type.ts";

const types = new BuiltinTypes();
const POD = types.named("core.Pod");
const CUSTOM = customType({
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        tags: { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } },
        whole: {
          type: "object",
          "x-kubernetes-map-type": "atomic",
          additionalProperties: { type: "string" },
        },
        ports: {
          type: "array",
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["port", "mode"],
          items: {
            type: "object",
            properties: { port: { type: "integer" }, mode: { type: "string", default: "tcp" } },
          },
        },
        free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
      },
    },
  },
}, types);

describe("compareObjects()", () => {
  it("finds what was added, changed and removed", () => {
    const found = compareObjects({ spec: { tags: ["a", "b"], free: { x: 1, y: 1 } } }, {
      spec: { tags: ["b", "c"], free: { x: 2 } },
    }, CUSTOM);
    assert.deepEqual(found.added, { "f:spec": { "f:tags": { 'v:"c"': {} } } });
    assert.deepEqual(found.modified, { "f:spec": { "f:free": { "f:x": {} } } });
    assert.deepEqual(found.removed, { "f:spec": { "f:tags": { 'v:"a"': {} }, "f:free": { "f:y": {} } } });
  });

  it("takes atomic maps and lists as one value", () => {
    const found = compareObjects({ spec: { whole: { a: "1" }, free: { l: [1] } } }, {
      spec: { whole: { b: "1" }, free: { l: [2] } },
    }, CUSTOM);
    assert.deepEqual(found.modified, { "f:spec": { "f:whole": {}, "f:free": { "f:l": {} } } });
  });

  it("tells the items of lists by their keys, and knows the defaults of keys", () => {
    const found = compareObjects({ spec: { ports: [{ port: 1 }] } }, {
      spec: { ports: [{ port: 2, mode: "udp" }, { port: 1, mode: "tcp" }] },
    }, CUSTOM);
    const key = 'k:{"mode":"tcp","port":1}';
    assert.deepEqual(found.added, {
      "f:spec": {
        "f:ports": {
          'k:{"mode":"udp","port":2}': { ".": {}, "f:port": {}, "f:mode": {} },
          [key]: { "f:mode": {} },
        },
      },
    });
  });

  it("marks maps that appear, and not those that were there", () => {
    const found = compareObjects({ metadata: {}, spec: { containers: null } }, {
      metadata: { labels: { a: "1" } },
      spec: { containers: [{ name: "c", ports: [{ containerPort: 80 }] }] },
    }, POD);
    assert.deepEqual(found.added, {
      "f:metadata": { "f:labels": { ".": {}, "f:a": {} } },
      "f:spec": {
        "f:containers": {
          'k:{"name":"c"}': {
            ".": {},
            "f:name": {},
            "f:ports": {
              ".": {},
              'k:{"containerPort":80,"protocol":"TCP"}': { ".": {}, "f:containerPort": {} },
            },
          },
        },
      },
    });
  });

  it("finds nothing between equal objects, and a change between an empty map and null", () => {
    const object = { spec: { free: { a: [{}] }, tags: [] } };
    assert.equal(isSame(compareObjects(object, structuredClone(object), CUSTOM)), true);
    assert.deepEqual(compareObjects({ spec: { free: null } }, { spec: { free: {} } }, CUSTOM).modified, {
      "f:spec": { "f:free": {} },
    });
  });

  it("takes a value that becomes a map for changed, and what is in it for new", () => {
    const found = compareObjects({ spec: { free: { x: 1 } } }, { spec: { free: { x: { y: 1 } } } }, CUSTOM);
    assert.deepEqual(found.modified, { "f:spec": { "f:free": { "f:x": {} } } });
    assert.deepEqual(found.added, { "f:spec": { "f:free": { "f:x": { "f:y": {} } } } });
  });

  it("takes items that stand there twice as one value", () => {
    const found = compareObjects({ spec: { tags: ["a"] } }, { spec: { tags: ["a", "a"] } }, CUSTOM);
    assert.deepEqual(found.added, { "f:spec": { "f:tags": { 'v:"a"': {} } } });
    assert.throws(
      () => compareObjects({}, { spec: { ports: [{ mode: "" }, {}, "x"] } }, CUSTOM),
      SyntaxError,
    );
  });
});

describe("fieldsIn()", () => {
  it("names values, entries of maps and items, but no declared field above them", () => {
    const set = fieldsIn(
      { spec: { tags: ["a"], free: { x: {}, y: { z: 1 } }, ports: [{ port: 1 }] } },
      CUSTOM,
    );
    assert.deepEqual(set, {
      "f:spec": {
        "f:tags": { 'v:"a"': {} },
        "f:free": { "f:x": {}, "f:y": { ".": {}, "f:z": {} } },
        "f:ports": { 'k:{"mode":"tcp","port":1}': { ".": {}, "f:port": {} } },
      },
    });
  });
});
