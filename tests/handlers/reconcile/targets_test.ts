import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readTarget, titleOf } from "../../../lib/handlers/reconcile/targets.ts";

describe("readTarget()", () => {
  it("reads objects, with their uid, and addresses, with or without a kind", () => {
    const object = { apiVersion: "a/v1", kind: "A", metadata: { name: "n", namespace: "s", uid: "u" } };
    assert.deepEqual(readTarget(object), {
      apiVersion: "a/v1",
      kind: "A",
      uid: "u",
      address: { namespace: "s", name: "n" },
    });
    assert.deepEqual(readTarget({ name: "n", namespace: "" }), {
      selector: undefined,
      address: { namespace: undefined, name: "n" },
    });
    assert.equal(readTarget({ kind: "pods", name: "n" }).selector?.anyName, "pods");
  });

  it("refuses what names no object", () => {
    for (const bad of [undefined, null, "one", 5, {}, { name: "" }, { name: 1 }, { metadata: {} }]) {
      assert.throws(() => readTarget(bad), TypeError, JSON.stringify(bad));
    }
    assert.throws(() => readTarget({ name: "n", namespace: 5 }), { message: /namespace must be a string/ });
  });
});

describe("titleOf()", () => {
  it("is what log lines say", () => {
    assert.equal(titleOf(readTarget({ name: "n", namespace: "s" })), "s/n");
    assert.equal(titleOf(readTarget({ kind: "A", metadata: { name: "n" } })), "A n");
  });
});
