import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { KubeObject } from "../../lib/model/object.ts";
import { Patch } from "../../lib/model/patch.ts";
import { ObjectConditions } from "../../lib/registry/object_conditions.ts";

function make(conditions: object[] = []) {
  const body: KubeObject = { metadata: { generation: 3 }, status: { conditions } };
  const patch = new Patch();
  const now = (): number => Date.UTC(2026, 0, 1, 12, 0, 0, 500);
  return { body, patch, conditions: new ObjectConditions({ body: () => body, patch, now }) };
}

describe("conditions", () => {
  it("are written as meta/v1 has them, onto whatever the object is by then", () => {
    const { patch, conditions } = make();
    conditions.set("Ready", false, { reason: "Waiting", message: "for a volume" });
    conditions.set("Known", "Unknown", { reason: "Waiting" });
    conditions.remove("Old");
    const newest: KubeObject = {
      metadata: {},
      status: { conditions: [{ type: "Old" }, { type: "Theirs" }] },
    };
    for (const fn of patch.fns) fn(newest);
    const lastTransitionTime = "2026-01-01T12:00:00Z";
    const common = { reason: "Waiting", lastTransitionTime, observedGeneration: 3 };
    assert.deepEqual(newest.status?.conditions, [
      { type: "Theirs" },
      { type: "Ready", status: "False", message: "for a volume", ...common },
      { type: "Known", status: "Unknown", message: "", ...common },
    ]);
  });

  it("are seen as they are, and as this handler has set them", () => {
    const { conditions } = make([{ type: "Ready", status: "True" }]);
    assert.deepEqual([conditions.is("Ready"), conditions.is("Other"), conditions.get("Other")], [
      true,
      false,
      undefined,
    ]);
    conditions.set("Ready", false, { reason: "Broken" });
    conditions.set("Other", true, { reason: "Fine" });
    assert.deepEqual([conditions.is("Ready"), conditions.is("Other")], [false, true]);
    assert.equal(conditions.get("Ready")?.reason, "Broken");
    conditions.remove("Other");
    assert.equal(conditions.get("Other"), undefined);
  });

  it("refuse what the API server would refuse", () => {
    const { patch, conditions } = make();
    const fine = { reason: "Fine" };
    const attempts = [
      () => conditions.set("", true, fine),
      () => conditions.set("not a type", true, fine),
      () => conditions.set("Ready", "True" as never, fine),
      () => conditions.set("Ready", true, { reason: "" }),
      () => conditions.set("Ready", true, { reason: "Two words" }),
      () => conditions.set("Ready", true, { ...fine, message: "x".repeat(32_769) }),
      () => conditions.set("Ready", true, undefined as never),
    ];
    for (const attempt of attempts) assert.throws(attempt, TypeError, `${attempt}`);
    assert.equal(patch.fns.length, 0);
  });
});
