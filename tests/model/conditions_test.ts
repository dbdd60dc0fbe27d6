import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Condition, findCondition, removeCondition, setCondition } from "../../lib/model/conditions.ts";
import type { KubeObject } from "../../lib/model/object.ts";

const EARLY = "2026-01-01T00:00:00Z";
const LATE = "2026-01-02T00:00:00Z";

function ready(changes: Partial<Condition> = {}): Condition {
  return { type: "Ready", status: "True", reason: "Fine", message: "", lastTransitionTime: LATE, ...changes };
}

describe("setCondition()", () => {
  it("adds an entry, and leaves those of others as they are", () => {
    const other = { type: "Other", status: "Odd", anything: 1 };
    const body: KubeObject = { metadata: {}, status: { conditions: [other] } };
    setCondition(body, ready());
    assert.deepEqual(body.status?.conditions, [other, ready()]);
    const empty: KubeObject = { metadata: {} };
    setCondition(empty, ready({ observedGeneration: undefined }));
    assert.deepEqual(empty, { metadata: {}, status: { conditions: [ready()] } });
  });

  it("moves the time of the last transition with the status only", () => {
    const body: KubeObject = {
      metadata: {},
      status: { conditions: [ready({ lastTransitionTime: EARLY, observedGeneration: 1 })] },
    };
    setCondition(body, ready({ reason: "Better", observedGeneration: 2 }));
    assert.deepEqual(findCondition(body, "Ready"), {
      ...ready({ reason: "Better", lastTransitionTime: EARLY, observedGeneration: 2 }),
    });
    setCondition(body, ready({ status: "False" }));
    assert.equal(findCondition(body, "Ready")?.lastTransitionTime, LATE);
  });

  it("leaves the entries in their order", () => {
    const body: KubeObject = { metadata: {}, status: { conditions: [ready(), ready({ type: "Other" })] } };
    setCondition(body, ready({ status: "False" }));
    assert.deepEqual(body.status?.conditions, [ready({ status: "False" }), ready({ type: "Other" })]);
  });

  it("takes what is no list for none", () => {
    // Strangers' objects.
    for (const conditions of [null, "x", {}, [null, "Ready", ["Ready"]]]) {
      const body: KubeObject = { metadata: {}, status: { conditions } };
      assert.equal(findCondition(body, "Ready"), undefined);
      removeCondition(body, "Ready");
      assert.deepEqual(body.status?.conditions, conditions);
      setCondition(body, ready());
      assert.deepEqual(findCondition(body, "Ready"), ready());
    }
  });
});

describe("removeCondition()", () => {
  it("removes the entry of the type, and no other", () => {
    const body: KubeObject = {
      metadata: {},
      status: { conditions: [ready({ type: "A" }), ready({ type: "B" })] },
    };
    removeCondition(body, "A");
    removeCondition(body, "C");
    assert.deepEqual(body.status?.conditions, [ready({ type: "B" })]);
  });
});
