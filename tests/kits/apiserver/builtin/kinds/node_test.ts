import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { nodeModule } from "../../../../../lib/kits/apiserver/builtin/kinds/node.ts";
import type { JsonObject, KubeObject } from "../../../../../lib/model/object.ts";

describe("nodeModule()", () => {
  const taint = { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" };

  it("taints new nodes once, where no Pods run that would wait for a controller", () => {
    const taintsOf = (runsPods: boolean, taints: JsonObject[], old?: KubeObject): unknown => {
      const module = nodeModule({ group: "", now: () => 0, store: undefined as never, runsPods });
      const node: KubeObject = { metadata: {}, spec: { taints } };
      module.admit?.(node, old);
      return node.spec?.taints;
    };
    const other = { key: "a", effect: "NoExecute" };
    assert.deepEqual(taintsOf(false, [other]), [other, taint]);
    assert.deepEqual(taintsOf(false, [taint]), [taint]);
    assert.deepEqual(taintsOf(false, [], { metadata: {} }), []);
    assert.deepEqual(taintsOf(true, []), []);
  });
});
