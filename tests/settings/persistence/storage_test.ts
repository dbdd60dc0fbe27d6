import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { KubeObject } from "../../../lib/model/object.ts";
import { currentEssence, handledEssence } from "../../../lib/settings/persistence/storage.ts";
import { annotations } from "../../../lib/settings/persistence/presets.ts";

const persistence = {
  diffBase: annotations({ prefix: "a.org", ignoredFields: ["spec.x"] }).diffBase,
  progress: annotations({ prefix: "b.org" }).progress,
};

describe("currentEssence() and handledEssence()", () => {
  const body: KubeObject = {
    metadata: {
      annotations: {
        "a.org/last-handled-configuration":
          '{"spec":{"a":1,"x":1},"metadata":{"annotations":{"b.org/fn":"{}"}}}',
        "b.org/fn": "{}",
      },
    },
    spec: { a: 1, x: 2 },
    status: { state: "Ready" },
  };

  it("leave out what either storage keeps, and what is ignored, on both sides", () => {
    assert.deepEqual(currentEssence(persistence, body), { spec: { a: 1 } });
    assert.deepEqual(handledEssence(persistence, body), { spec: { a: 1 } });
  });

  it("pass extra fields and complaints on", () => {
    const extraFields = [["status", "state"]];
    assert.deepEqual(currentEssence(persistence, body, { extraFields }), {
      spec: { a: 1 },
      status: { state: "Ready" },
    });
    assert.deepEqual(handledEssence(persistence, body, { extraFields }), {
      spec: { a: 1 },
      status: { state: "Ready" },
    });
    const reports: string[] = [];
    const broken: KubeObject = { metadata: { annotations: { "a.org/last-handled-configuration": "x" } } };
    assert.equal(
      handledEssence(persistence, broken, { onUnreadable: ({ where }) => reports.push(where) }),
      undefined,
    );
    assert.deepEqual(reports, ["a.org/last-handled-configuration"]);
  });

  it("give undefined where nothing was handled", () =>
    assert.equal(handledEssence(persistence, { metadata: {} }), undefined));
});
