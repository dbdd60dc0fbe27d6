import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { managersOf } from "../../lib/model/managed_fields.ts";

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
