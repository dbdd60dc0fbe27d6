import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type DetectOptions, detectReason } from "../../../lib/handlers/change/change_cause.ts";

const FINALIZER = "lotse.dev/finalizer";

function detect(options: Partial<DetectOptions>): string {
  const found = detectReason({
    body: { metadata: {} },
    finalizer: FINALIZER,
    hasOld: true,
    hasDiff: false,
    initial: false,
    ...options,
  });
  return `${found.reason}${found.initial ? " (initial)" : ""}`;
}

describe("detectReason()", () => {
  const deletionTimestamp = "2026-01-01T00:00:00Z";
  const held = { metadata: { deletionTimestamp, finalizers: ["other", FINALIZER] } };
  const free = { metadata: { deletionTimestamp, finalizers: ["other"] } };

  it("takes the first row of the table that matches", () => {
    assert.equal(detect({ body: free, hasOld: false }), "free");
    assert.equal(detect({ body: held, hasOld: false }), "delete");
    assert.equal(detect({ hasOld: false, hasDiff: true }), "create");
    assert.equal(detect({ hasDiff: true }), "update");
    assert.equal(detect({}), "noop");
  });

  it("lets resumption take part in updates and deletions, never in creations", () => {
    assert.equal(detect({ initial: true }), "resume (initial)");
    assert.equal(detect({ initial: true, hasDiff: true }), "update (initial)");
    assert.equal(detect({ initial: true, body: held }), "delete (initial)");
    assert.equal(detect({ initial: true, hasOld: false }), "create");
  });

  it("takes a deletion timestamp of null for none, and lists that are none for empty", () => {
    // Strangers' objects.
    const odd = JSON.parse('{"metadata":{"deletionTimestamp":null,"finalizers":"x"}}');
    assert.equal(detect({ body: odd }), "noop");
    odd.metadata.deletionTimestamp = deletionTimestamp;
    assert.equal(detect({ body: odd }), "free");
  });
});
