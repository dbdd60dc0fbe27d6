import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { idOf } from "../../lib/handlers/handlers.ts";

describe("idOf()", () => {
  const fallback = "create";

  it("takes the id, else the function's name, else the cause's; the field follows", () => {
    function fn(): void {}
    assert.equal(idOf({ id: "a", fn, fallback }), "a");
    assert.equal(idOf({ id: undefined, fn, fallback }), "fn");
    assert.equal(idOf({ id: undefined, fn: (() => () => {})(), fallback }), "create");
    assert.equal(
      idOf({ id: undefined, fn, fallback, field: ["metadata", "labels", "a.b/c"] }),
      "fn/metadata.labels.a.b/c",
    );
    assert.equal(idOf({ id: undefined, fn, fallback, field: [] }), "fn");
  });

  it("takes the name of the function that a bound one calls", () => {
    function fn(): void {}
    assert.equal(idOf({ id: undefined, fn: fn.bind(undefined), fallback }), "fn");
  });

  it("refuses an empty id", () => {
    assert.throws(() => idOf({ fn: () => {}, fallback, id: "" }), TypeError);
  });
});
