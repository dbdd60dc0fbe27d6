import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { changeHandler } from "../../../lib/handlers/change/change_handler.ts";
import { subHandler } from "../../../lib/handlers/change/sub_handlers.ts";

function fn(): void {}

const created = changeHandler({ resource: "pods", options: { id: "parent" }, fn }, { cause: "create" });
const updated = changeHandler({ resource: "pods", options: { field: "spec" }, fn }, { cause: "update" });

describe("subHandler()", () => {
  it("takes an id, options or both before the function, and puts the parent's id before", () => {
    assert.equal(subHandler({ parent: created, args: [fn] }).id, "parent/fn");
    assert.equal(subHandler({ parent: created, args: ["a", fn] }).id, "parent/a");
    assert.equal(subHandler({ parent: created, args: ["a", { retries: 1 }, fn] }).retries, 1);
    assert.equal(subHandler({ parent: created, args: [{ id: "b" }, fn] }).id, "parent/b");
    const child = subHandler({ parent: updated, args: ["a", { field: "spec.size" }, fn] });
    assert.equal(child.id, "fn/spec/a", "the field is no part of a child's id");
  });

  it("runs for whatever its parent runs for, and holds no object", () => {
    const parent = changeHandler({ resource: "pods", options: {}, fn }, { cause: "delete" });
    const { reason, requiresFinalizer, selector } = subHandler({ parent, args: [fn] });
    assert.deepEqual([reason, requiresFinalizer, selector], [undefined, false, parent.selector]);
  });

  it("looks for changes where its parent does, and it has a field", () => {
    const of = (parent: typeof created, field?: string) =>
      subHandler({ parent, args: ["a", field === undefined ? {} : { field }, fn] }).needsChange;
    assert.deepEqual([of(updated, "spec.a"), of(updated), of(created, "spec.a")], [true, false, false]);
    assert.throws(() => subHandler({ parent: created, args: ["a", { field: "a", old: 1 }, fn] }), TypeError);
  });
});
