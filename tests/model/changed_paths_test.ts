import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  changedPaths,
  isSamePlace,
  managersOf,
  namedPaths,
  takersOf,
} from "../../lib/model/changed_paths.ts";

describe("changedPaths()", () => {
  it("gives what was added, changed and removed, without what the server counts up", () => {
    const before = {
      metadata: { resourceVersion: "1", generation: 1, labels: { a: "1" } },
      spec: { x: 1, y: [1] },
    };
    const after = {
      metadata: { resourceVersion: "2", generation: 2, labels: { a: "1", b: "2" } },
      spec: { y: [2], z: {} },
    };
    assert.deepEqual(changedPaths(before, after), ["metadata.labels.b", "spec.y", "spec.z", "spec.x"]);
    assert.deepEqual(changedPaths(before, structuredClone(before)), []);
  });

  it("leaves out what the server counts up in the metadata, and nothing of that name elsewhere", () => {
    const counted = (value: number) => ({
      generation: value,
      resourceVersion: value,
      managedFields: [value],
    });
    const state = (value: number) => ({ ...counted(value), metadata: counted(value), spec: counted(value) });
    assert.deepEqual(changedPaths(state(1), state(2)), [
      "generation",
      "resourceVersion",
      "managedFields",
      "spec.generation",
      "spec.resourceVersion",
      "spec.managedFields",
    ]);
  });

  it("looks four keys deep, and finds sixteen at most", () => {
    assert.deepEqual(
      changedPaths({ a: { b: { c: { d: { e: 1 } } } } }, { a: { b: { c: { d: { e: 2 } } } } }),
      ["a.b.c.d"],
    );
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, number) => [`f${number}`, number]));
    assert.equal(changedPaths({}, many).length, 16);
  });

  it("takes keys such as __proto__ for data", () => {
    assert.deepEqual(changedPaths({}, JSON.parse('{"__proto__":{"a":1},"constructor":2}')), [
      "__proto__.a",
      "constructor",
    ]);
  });
});

describe("namedPaths()", () => {
  it("gives all that a patch names, also what it deletes", () => {
    assert.deepEqual(namedPaths({ status: { a: 1, b: null }, spec: {} }), ["status.a", "status.b", "spec"]);
    assert.deepEqual(namedPaths({}), []);
  });
});

describe("isSamePlace()", () => {
  it("holds for a place and what is in it, in both directions", () => {
    assert.ok(isSamePlace("spec.a", "spec.a"));
    assert.ok(isSamePlace("spec", "spec.a"));
    assert.ok(isSamePlace("spec.a.b", "spec.a"));
    assert.ok(!isSamePlace("spec.a", "spec.ab"));
  });
});

const object = {
  metadata: {
    managedFields: [
      {
        manager: "kubectl",
        operation: "Update",
        fieldsV1: { "f:spec": { "f:size": {}, "f:list": { 'k:{"name":"a"}': { ".": {} } } } },
      },
      { manager: "other", operation: "Apply", fieldsV1: { "f:spec": { ".": {}, "f:size": {} } } },
      {
        manager: "other",
        operation: "Update",
        subresource: "status",
        fieldsV1: { "f:status": { "f:state": {} } },
      },
      { manager: "broken" },
      null,
    ],
  },
};

describe("managersOf()", () => {
  it("names who owns a field, what is in it, or what it is in", () => {
    assert.deepEqual(managersOf(object, ["spec.size"]), ["kubectl", "other"]);
    assert.deepEqual(managersOf(object, ["spec.list.0"]), ["kubectl"]);
    assert.deepEqual(managersOf(object, ["status"]), ["other"]);
    assert.deepEqual(managersOf(object, ["spec.colour"]), []);
    assert.deepEqual(managersOf({ metadata: {} }, ["spec"]), []);
  });
});

describe("takersOf()", () => {
  const of = (manager: string, fieldsV1: object, more: object = {}) => ({
    manager,
    operation: "Update",
    fieldsV1,
    ...more,
  });
  const annotations = { "f:metadata": { "f:annotations": { "f:x": {} } } };
  const field = "metadata.annotations.lotse.dev/last-handled-configuration";

  it("names the others that own fields beside them", () => {
    const managedFields = [
      of("lotse", annotations),
      of("strimzi", annotations),
      of("kubectl", { "f:spec": {} }),
    ];
    assert.deepEqual(takersOf({ metadata: { managedFields } }, [field], "lotse"), ["strimzi"]);
  });

  it("names those that update the object where nobody does", () => {
    const managedFields = [
      of("lotse", annotations),
      of("strimzi", { "f:spec": {} }),
      of("kubelet", { "f:status": {} }, { subresource: "status" }),
      of("helm", { "f:spec": {} }, { operation: "Apply" }),
    ];
    assert.deepEqual(takersOf({ metadata: { managedFields } }, [field], "lotse"), ["strimzi"]);
    assert.deepEqual(takersOf({ metadata: { managedFields } }, ["status.lotse"], "lotse"), ["kubelet"]);
    assert.deepEqual(takersOf({ metadata: {} }, [field], "lotse"), []);
  });
});
