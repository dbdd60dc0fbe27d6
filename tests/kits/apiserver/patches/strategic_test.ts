import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { applyStrategicMerge } from "../../../../lib/kits/apiserver/patches/strategic.ts";
import type { JsonObject } from "../../../../lib/model/object.ts";
import { assertLinear } from "../../../support/growth.ts";

function patchPod(spec: JsonObject, patch: JsonObject): unknown {
  return applyStrategicMerge({ apiVersion: "v1", kind: "Pod", spec }, { spec: patch }).spec;
}

const TWO = { containers: [{ name: "a", image: "a:1", args: ["x"] }, { name: "b", image: "b:1" }] };

describe("applyStrategicMerge()", () => {
  it("merges containers by name and leaves the patched object alone", () => {
    const live = structuredClone(TWO);
    assert.deepEqual(
      patchPod(live, { containers: [{ name: "b", image: "b:2" }, { name: "c", image: "c:1" }] }),
      {
        containers: [TWO.containers[0], { name: "b", image: "b:2" }, { name: "c", image: "c:1" }],
      },
    );
    assert.deepEqual(live, TWO);
  });

  it("merges what is nested in containers", () => {
    const before = {
      containers: [{
        name: "a",
        env: [{ name: "X", value: "1" }],
        ports: [{ containerPort: 80, name: "web" }],
      }],
    };
    const patch = {
      containers: [{
        name: "a",
        env: [{ name: "Y", value: "2" }],
        ports: [{ containerPort: 80, protocol: "TCP" }],
      }],
    };
    const merged = patchPod(before, patch) as { containers: JsonObject[] };
    assert.deepEqual(merged.containers[0]?.ports, [{ containerPort: 80, name: "web", protocol: "TCP" }]);
    assert.deepEqual(
      new Set((merged.containers[0]?.env as JsonObject[]).map(({ name }) => name)),
      new Set(["X", "Y"]),
    );
  });

  it("replaces atomic lists", () => {
    assert.deepEqual(patchPod({ tolerations: [{ key: "a" }] }, { tolerations: [{ key: "b" }] }), {
      tolerations: [{ key: "b" }],
    });
    assert.deepEqual(patchPod(TWO, { containers: [{ name: "a", args: ["y"] }] }), {
      containers: [{ name: "a", image: "a:1", args: ["y"] }, TWO.containers[1]],
    });
  });

  it("deletes keys by null and items by directive", () => {
    assert.deepEqual(
      patchPod({ ...TWO, nodeName: "n" }, { nodeName: null, containers: [{ name: "a", $patch: "delete" }] }),
      {
        containers: [TWO.containers[1]],
      },
    );
  });

  it("replaces lists and maps by directive", () => {
    assert.deepEqual(patchPod(TWO, { containers: [{ $patch: "replace" }, { name: "z" }] }), {
      containers: [{ name: "z" }],
    });
    const before = { securityContext: { runAsUser: 1, fsGroup: 2 } };
    assert.deepEqual(patchPod(before, { securityContext: { $patch: "replace", fsGroup: 3 } }), {
      securityContext: { fsGroup: 3 },
    });
    assert.deepEqual(patchPod(before, { securityContext: { $patch: "delete" } }), { securityContext: {} });
  });

  it("puts items into the order that is asked for, and keeps strangers where they were", () => {
    const before = { containers: [{ name: "a" }, { name: "stranger" }, { name: "b" }] };
    const patch = {
      "$setElementOrder/containers": [{ name: "b" }, { name: "a" }],
      containers: [{ name: "b", image: "x" }],
    };
    assert.deepEqual(patchPod(before, patch), {
      containers: [{ name: "stranger" }, { name: "b", image: "x" }, { name: "a" }],
    });
  });

  it("merges finalizers as a set and removes them by directive", () => {
    const live = { apiVersion: "v1", kind: "ConfigMap", metadata: { finalizers: ["a", "b"] } };
    const finalizersAfter = (metadata: JsonObject): unknown =>
      (applyStrategicMerge(live, { metadata }).metadata as JsonObject).finalizers;
    assert.deepEqual(
      new Set(finalizersAfter({ finalizers: ["c", "a"] }) as string[]),
      new Set(["a", "b", "c"]),
    );
    assert.deepEqual(finalizersAfter({ "$deleteFromPrimitiveList/finalizers": ["a"] }), ["b"]);
  });

  it("keeps only the keys that $retainKeys names", () => {
    const live = {
      apiVersion: "apps/v1",
      kind: "Deployment",
      spec: { strategy: { type: "RollingUpdate", rollingUpdate: {} } },
    };
    const strategy = { $retainKeys: ["type"], type: "Recreate" };
    assert.deepEqual(applyStrategicMerge(live, { spec: { strategy } }).spec, {
      strategy: { type: "Recreate" },
    });
    const wrong = { $retainKeys: ["type"], rollingUpdate: {} };
    assert.throws(() => applyStrategicMerge(live, { spec: { strategy: wrong } }), SyntaxError);
  });

  it("merges the ports of services by port, conditions by type, owners by uid", () => {
    const service = { apiVersion: "v1", kind: "Service", spec: { ports: [{ port: 80, name: "x" }] } };
    assert.deepEqual(applyStrategicMerge(service, { spec: { ports: [{ port: 80, targetPort: 1 }] } }).spec, {
      ports: [{ port: 80, name: "x", targetPort: 1 }],
    });
    const job = {
      apiVersion: "batch/v1",
      kind: "Job",
      status: { conditions: [{ type: "A", status: "True" }] },
    };
    assert.deepEqual(
      applyStrategicMerge(job, { status: { conditions: [{ type: "A", reason: "r" }] } }).status,
      {
        conditions: [{ type: "A", status: "True", reason: "r" }],
      },
    );
  });

  it("refuses directives nobody knows and items without their key", () => {
    assert.throws(
      () => patchPod(TWO, { containers: [{ image: "x" }] }),
      /does not contain declared merge key: name/,
    );
    assert.throws(() => patchPod(TWO, { containers: [{ name: "a", $patch: "explode" }] }), /explode/);
    assert.throws(
      () => patchPod({ securityContext: {} }, { securityContext: { $patch: "explode" } }),
      SyntaxError,
    );
  });

  it("drops nulls and directives from what is new", () => {
    assert.deepEqual(patchPod({}, { securityContext: { fsGroup: null, runAsUser: 1 } }), {
      securityContext: { runAsUser: 1 },
    });
    assert.deepEqual(patchPod({}, { containers: [{ name: "a", $patch: "delete" }, { name: "b" }] }), {
      containers: [{ name: "b" }],
    });
  });

  it("takes time in proportion to the items", () => {
    assertLinear((length) => {
      const owners = Array.from({ length }, (_, index) => ({ uid: `u${index}`, name: `n${index}` }));
      const live = { apiVersion: "v1", kind: "ConfigMap", metadata: { ownerReferences: owners } };
      const patch = { metadata: { ownerReferences: [...owners].reverse() } };
      return () => void applyStrategicMerge(live, patch);
    }, { name: "strategic merge of owners", small: 1_000 });
  });

  it("takes __proto__ for data", () => {
    const live = { apiVersion: "v1", kind: "ConfigMap", data: { a: "1" } };
    const merged = applyStrategicMerge(live, JSON.parse('{"data": {"__proto__": "x"}}'));
    assert.equal(JSON.stringify(merged.data), '{"a":"1","__proto__":"x"}');
  });
});
