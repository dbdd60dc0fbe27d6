import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  addFinalizer,
  finalizersOf,
  hasFinalizer,
  isDeleting,
  removeFinalizer,
} from "../../lib/model/finalizers.ts";
import { createJsonPatch } from "../../lib/model/json_patch.ts";
import { applyMergePatch } from "../../lib/model/merge_patch.ts";
import type { KubeObject } from "../../lib/model/object.ts";

const FIN = "lotse.dev/finalizer";
const withList = (...finalizers: string[]): KubeObject => ({ metadata: { name: "a", finalizers } });
const garbage = (metadata: unknown): KubeObject => ({ metadata } as KubeObject);

describe("removeFinalizer()", () => {
  it("[A116] takes only ours out, in place", () => {
    const body = withList("a/1", FIN, "b/2");
    const list = removeFinalizer(body, FIN);
    assert.deepEqual(list, ["a/1", "b/2"]);
    const after = applyMergePatch(body, { metadata: { finalizers: list } });
    assert.deepEqual(createJsonPatch(body, after), [{ op: "remove", path: "/metadata/finalizers/1" }]);
  });

  it("[A117] gives null for the last one, which removes the list", () => {
    assert.equal(removeFinalizer(withList(FIN), FIN), null);
    assert.equal(removeFinalizer(withList(FIN, FIN), FIN), null);
    assert.deepEqual(applyMergePatch(withList(FIN), { metadata: { finalizers: null } }), {
      metadata: { name: "a" },
    });
  });

  it("gives undefined where there is nothing to remove", () => {
    assert.equal(removeFinalizer(withList("a/1"), FIN), undefined);
    assert.equal(removeFinalizer({ metadata: {} }, FIN), undefined);
  });
});

describe("addFinalizer()", () => {
  it("[A118] gives nothing to do where ours is already there", () => {
    assert.equal(addFinalizer(withList("a/1", FIN), FIN), undefined);
  });

  it("appends", () => {
    const body = withList("a/1");
    assert.deepEqual(addFinalizer(body, FIN), ["a/1", FIN]);
    assert.deepEqual(body.metadata.finalizers, ["a/1"]);
    assert.deepEqual(addFinalizer({ metadata: {} }, FIN), [FIN]);
  });
});

describe("finalizersOf()", () => {
  it("takes anything but a list of strings for none", () => {
    for (
      const metadata of [undefined, null, "x", { finalizers: null }, { finalizers: "x" }, { finalizers: {} }]
    ) {
      assert.deepEqual(finalizersOf(garbage(metadata)), []);
      assert.equal(hasFinalizer(garbage(metadata), FIN), false);
    }
    assert.deepEqual(finalizersOf(garbage({ finalizers: [1, "a/b", null] })), ["a/b"]);
  });
});

describe("isDeleting()", () => {
  it("does not take a null deletion timestamp for a deletion", () => {
    assert.equal(isDeleting(garbage({ deletionTimestamp: null })), false);
    assert.equal(isDeleting({ metadata: {} }), false);
    assert.equal(isDeleting(garbage(undefined)), false);
    assert.equal(isDeleting({ metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } }), true);
  });
});
