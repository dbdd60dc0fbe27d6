import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { persistentVolumeModule } from "../../../../../lib/kits/apiserver/builtin/kinds/persistent_volume.ts";
import type { JsonObject, KubeObject } from "../../../../../lib/model/object.ts";

describe("persistentVolumeModule()", () => {
  let time = 0;
  const context = { group: "", now: () => time, store: undefined as never, runsPods: false };
  const { settle } = persistentVolumeModule(context);
  const volume = (status: JsonObject): KubeObject => ({ metadata: {}, status });

  function settled(status: JsonObject, old?: JsonObject): unknown {
    const object = volume({ ...status });
    settle?.(object, old && volume(old));
    return object.status?.lastPhaseTransitionTime;
  }

  it("notes since when a volume is in its phase, unless the writer says it", () => {
    const before = { phase: "Pending", lastPhaseTransitionTime: "1970-01-01T00:00:00Z" };
    time = 0;
    assert.equal(settled({ phase: "Pending" }), before.lastPhaseTransitionTime);
    time = 5000;
    assert.equal(settled({ phase: "Pending" }, before), before.lastPhaseTransitionTime);
    assert.equal(settled({ phase: "Bound" }, before), "1970-01-01T00:00:05Z");
    assert.equal(settled({ ...before, phase: "Bound" }, before), "1970-01-01T00:00:05Z");
    const said = "1970-01-01T00:00:03Z";
    assert.equal(settled({ phase: "Bound", lastPhaseTransitionTime: said }, before), said);
  });
});
