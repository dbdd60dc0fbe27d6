import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { changeHandler } from "../../lib/handlers/change/change_handler.ts";
import { eventHandler } from "../../lib/handlers/event/event_handler.ts";
import { takeOptions } from "../../lib/handlers/declare.ts";

function fn(): void {}

function declare(options: Record<string, unknown>): ReturnType<typeof changeHandler> {
  return changeHandler({ resource: "pods", options, fn }, { cause: "update" });
}

describe("takeOptions()", () => {
  it("takes a function with or without options", () => {
    assert.deepEqual(takeOptions([fn]), { options: {}, fn });
    assert.deepEqual(takeOptions([{ id: "a" }, fn]), { options: { id: "a" }, fn });
    for (const rest of [[], [{}], [{}, "fn"], ["id", fn], [null, fn]]) {
      assert.throws(() => takeOptions(rest), TypeError);
    }
  });
});

describe("eventHandler()", () => {
  it("parses the field and the selector", () => {
    const handler = eventHandler({ resource: "pods.v1", options: { field: "a.b" }, fn });
    assert.deepEqual([handler.field, handler.id, handler.selector.anyName], [["a", "b"], "fn/a.b", "pods"]);
    const none = eventHandler({ resource: "pods", options: { field: "" }, fn });
    assert.deepEqual([none.field, none.id], [undefined, "fn"]);
  });
});

describe("changeHandler()", () => {
  it("says what each cause needs", () => {
    const causes = ["create", "update", "delete", "resume", "field"] as const;
    const found = causes.map((cause) => {
      const { reason, initial, requiresFinalizer, needsChange } = changeHandler({
        resource: "pods",
        options: { field: "spec" },
        fn,
      }, { cause });
      return [reason, initial, requiresFinalizer, needsChange];
    });
    assert.deepEqual(found, [
      ["create", false, false, false],
      ["update", false, false, true],
      ["delete", false, true, false],
      [undefined, true, false, false],
      [undefined, false, false, true],
    ]);
    const optional = changeHandler({ resource: "pods", options: { optional: true }, fn }, {
      cause: "delete",
    });
    assert.equal(optional.requiresFinalizer, false);
  });

  it("refuses options of the wrong kind or size", () => {
    for (
      const options of [{ field: 3 }, { field: [1] }, { id: 3 }, { labels: "a" }, { errors: "loud" }, {
        timeout: "3",
      }]
    ) {
      assert.throws(() => declare(options), TypeError, JSON.stringify(options));
    }
    for (const options of [{ retries: -1 }, { backoff: NaN }]) {
      assert.throws(() => declare(options), RangeError, JSON.stringify(options));
    }
    assert.equal(declare({ retries: 0, errors: "ignored" }).retries, 0);
  });
});
