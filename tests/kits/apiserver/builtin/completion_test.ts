import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { defaultContainers } from "../../../../lib/kits/apiserver/builtin/defaults.ts";
import type { KindContext } from "../../../../lib/kits/apiserver/builtin/kind_module.ts";
import { nodeModule } from "../../../../lib/kits/apiserver/builtin/kinds/node.ts";
import { persistentVolumeModule } from "../../../../lib/kits/apiserver/builtin/kinds/persistent_volume.ts";
import type { JsonObject, KubeObject } from "../../../../lib/model/object.ts";

let time = 0;

function contextOf({ runsPods = false } = {}): KindContext {
  return { group: "", now: () => time, store: undefined as never, runsPods };
}

describe("defaultContainers()", () => {
  it("fetches images always that are newest, and have a name that the registry's grammar knows", () => {
    const policies = {
      "a": "Always",
      "a:1": "IfNotPresent",
      "b.c:5/d": "Always",
      "B.c/d:latest": "Always",
      "b_c.d/e": "Always",
      "!b.c/d:latest": "IfNotPresent",
      "b..c/d": "IfNotPresent",
      "b.c:x/d": "IfNotPresent",
      "A": "IfNotPresent",
    };
    for (const [image, policy] of Object.entries(policies)) {
      const container: JsonObject = { image };
      defaultContainers({ containers: [container] });
      assert.equal(container.imagePullPolicy, policy, image);
    }
  });
});

describe("persistentVolumeModule()", () => {
  const { settle } = persistentVolumeModule(contextOf());
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

describe("nodeModule()", () => {
  const taint = { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" };

  it("taints new nodes once, where no Pods run that would wait for a controller", () => {
    const taintsOf = (
      module: ReturnType<typeof nodeModule>,
      taints: JsonObject[],
      old?: KubeObject,
    ): unknown => {
      const node: KubeObject = { metadata: {}, spec: { taints } };
      module.admit?.(node, old);
      return node.spec?.taints;
    };
    const other = { key: "a", effect: "NoExecute" };
    assert.deepEqual(taintsOf(nodeModule(contextOf()), [other]), [other, taint]);
    assert.deepEqual(taintsOf(nodeModule(contextOf()), [taint]), [taint]);
    assert.deepEqual(taintsOf(nodeModule(contextOf()), [], { metadata: {} }), []);
    assert.deepEqual(taintsOf(nodeModule(contextOf({ runsPods: true })), []), []);
  });
});
