import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { KubeObject } from "../../lib/model/object.ts";
import {
  addOwnerReference,
  objectReference,
  ownerReference,
  removeOwnerReference,
} from "../../lib/model/references.ts";

const owner: KubeObject = {
  apiVersion: "example.com/v1",
  kind: "Database",
  metadata: { name: "db", uid: "u1", namespace: "ns" },
};

describe("objectReference()", () => {
  it("gives what identifies the object, and leaves out what it lacks", () => {
    assert.deepEqual(objectReference(owner), {
      apiVersion: "example.com/v1",
      kind: "Database",
      name: "db",
      uid: "u1",
      namespace: "ns",
    });
    assert.deepEqual(objectReference({ kind: "X", metadata: { name: "", namespace: undefined } }), {
      kind: "X",
    });
    assert.deepEqual(objectReference({}), {});
  });
});

describe("ownerReference()", () => {
  it("says that the owner controls and blocks, unless told otherwise", () => {
    const plain = { apiVersion: "example.com/v1", kind: "Database", name: "db", uid: "u1" };
    assert.deepEqual(ownerReference(owner), { ...plain, controller: true, blockOwnerDeletion: true });
    assert.deepEqual(ownerReference(owner, { controller: false, blockOwnerDeletion: false }), {
      ...plain,
      controller: false,
      blockOwnerDeletion: false,
    });
  });

  it("refuses owners that cannot be referred to", () => {
    assert.throws(() => ownerReference({ kind: "X", metadata: { name: "a" } }), {
      name: "TypeError",
      message: /apiVersion, uid/,
    });
  });
});

describe("addOwnerReference() and removeOwnerReference()", () => {
  it("know owners by their uids", () => {
    const object: Partial<KubeObject> = {};
    addOwnerReference(object, ownerReference(owner));
    addOwnerReference(object, ownerReference(owner, { controller: false }));
    addOwnerReference(object, { ...ownerReference(owner), uid: "u2" });
    assert.deepEqual(object.metadata?.ownerReferences?.map(({ uid, controller }) => [uid, controller]), [[
      "u1",
      true,
    ], ["u2", true]]);
    removeOwnerReference(object, { uid: "u1" });
    assert.deepEqual(object.metadata?.ownerReferences?.map(({ uid }) => uid), ["u2"]);
    removeOwnerReference(object, { uid: "u2" });
    assert.deepEqual(object, { metadata: {} });
    removeOwnerReference({}, { uid: "u2" });
  });
});
