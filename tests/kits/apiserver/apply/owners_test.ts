/** The entries of managedFields. */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  capOwners,
  isReset,
  orderOwners,
  type Owner,
  readOwners,
  SharedOwners,
} from "../../../../lib/kits/apiserver/apply/owners.ts";

function owner(manager: string, more: Partial<Owner> = {}): Owner {
  return {
    manager,
    operation: "Update",
    apiVersion: "v1",
    time: "2026-01-01T00:00:00Z",
    fieldsType: "FieldsV1",
    fieldsV1: { [`f:${manager}`]: {} },
    ...more,
  };
}

describe("Owners", () => {
  it("are read from a request, all or none", () => {
    assert.deepEqual(readOwners([owner("a")]), [owner("a")]);
    assert.deepEqual(readOwners(undefined), []);
    for (
      const wrong of [{ operation: "Guess" }, { apiVersion: "" }, { fieldsType: "V2" }, {
        fieldsV1: { a: {} },
      }]
    ) {
      assert.equal(readOwners([{ ...owner("a"), ...wrong }]), undefined);
    }
  });

  it("are given up by an empty list, or by one empty entry", () => {
    assert.deepEqual([[], [{}], [owner("a")], [{}, {}], undefined, null].map(isReset), [
      true,
      true,
      false,
      false,
      false,
      false,
    ]);
  });

  it("are shown by operation, time and name, without those that own nothing", () => {
    const later = { time: "2026-01-02T00:00:00Z" };
    const shown = orderOwners([
      owner("b"),
      owner("a", later),
      owner("none", { fieldsV1: {} }),
      owner("a"),
      owner("z", { ...later, operation: "Apply" }),
    ]);
    assert.deepEqual(shown.map(({ manager }) => manager), ["z", "a", "b", "a"]);
  });

  it("are merged from the oldest on when more than ten have updated", () => {
    const many = Array.from(
      { length: 12 },
      (_, i) => owner(`m${i}`, { time: `2026-01-01T00:00:${String(10 + i)}Z` }),
    );
    const capped = capOwners([...many, owner("applier", { operation: "Apply" })]);
    assert.equal(capped.filter(({ operation }) => operation === "Update").length, 10);
    const ancient = capped.find(({ manager }) => manager === "ancient-changes");
    assert.deepEqual(ancient?.fieldsV1, { "f:m0": {}, "f:m1": {}, "f:m2": {} });
    assert.equal(ancient?.time, "2026-01-01T00:00:12Z");
    const few = [owner("a"), owner("b")];
    assert.equal(capOwners(few), few);
  });

  it("share equal sets and equal lists", () => {
    const shared = new SharedOwners();
    const set = shared.set({ "f:b": {}, "f:a": {} });
    assert.equal(shared.set({ "f:a": {}, "f:b": {} }), set);
    assert.equal(JSON.stringify(set), '{"f:a":{},"f:b":{}}');
    const list = shared.list([owner("a", { fieldsV1: set })]);
    assert.equal(shared.list([owner("a", { fieldsV1: set })]), list);
    assert.notEqual(shared.list([owner("a", { fieldsV1: set, time: "2026-01-01T00:00:01Z" })]), list);
  });
});
