import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { complete, keepsEmpty } from "../../../../lib/kits/apiserver/types/completion.ts";
import { fieldOf } from "../../../../lib/kits/apiserver/types/mod.ts";
import type { JsonObject } from "../../../../lib/model/object.ts";

function completed(kind: string, type: string, object: JsonObject): JsonObject {
  complete(object, kind, type);
  return object;
}

describe("complete()", () => {
  it("fills in what a type has, in structs below, too", () => {
    const { spec } = completed("Deployment", "apps.Deployment", { metadata: {}, spec: {} });
    assert.deepEqual((spec as JsonObject).strategy, {
      type: "RollingUpdate",
      rollingUpdate: { maxUnavailable: "25%", maxSurge: "25%" },
    });
  });

  it("lets a field change what is filled into others", () => {
    const job = (spec: JsonObject) =>
      completed("Job", "batch.Job", { metadata: {}, spec }).spec as JsonObject;
    assert.equal(job({}).completions, 1);
    assert.equal(job({ parallelism: 2 }).completions, undefined);
    assert.equal(job({ backoffLimitPerIndex: 1 }).backoffLimit, 2 ** 31 - 1);
    const pod = completed("Pod", "core.Pod", { metadata: {}, spec: { serviceAccountName: "a" } }).spec;
    assert.equal((pod as JsonObject).serviceAccount, "a");
  });

  it("knows places in which a type is different", () => {
    const spec: JsonObject = {};
    completed("CronJob", "batch.CronJob", { metadata: {}, spec: { jobTemplate: { spec } } });
    assert.equal(spec.completions, undefined);
    assert.ok(spec.template !== undefined);
  });

  it("leaves what is there, and metadata", () => {
    const object = { metadata: { a: null }, spec: { replicas: 0, strategy: { type: "Recreate" } } };
    const { metadata, spec } = completed("Deployment", "apps.Deployment", object);
    assert.deepEqual(metadata, { a: null });
    assert.deepEqual([(spec as JsonObject).replicas, (spec as JsonObject).strategy], [0, {
      type: "Recreate",
    }]);
  });
});

describe("keepsEmpty()", () => {
  const keeps = (type: string, name: string): boolean => {
    const field = fieldOf(type, name);
    assert.ok(field);
    return keepsEmpty(type, field);
  };

  it("tells lists that are shown although they are empty", () => {
    assert.equal(keeps("rbac.Role", "rules"), true);
    assert.equal(keeps("core.Container", "args"), false);
  });

  it("tells fields that have to be there, and whose empty value is not shown", () => {
    assert.equal(keeps("networking.ParentReference", "name"), false);
    assert.equal(keeps("core.Container", "name"), true);
  });
});
