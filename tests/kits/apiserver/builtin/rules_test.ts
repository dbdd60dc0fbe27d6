import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../../../../lib/model/object.ts";
import { bareKinds } from "../kinds.ts";

const KINDS = bareKinds();

function specOf(kind: string, spec: JsonObject): JsonObject {
  const object = { apiVersion: "v1", kind, metadata: { name: "a" }, spec };
  KINDS.find((one) => one.kind === kind)?.rules.normalize(object);
  return object.spec;
}

describe("normalize()", () => {
  it("gives a Job no completions where any success is enough", () => {
    assert.equal(specOf("Job", {}).completions, 1);
    assert.equal(specOf("Job", { parallelism: 3 }).completions, undefined);
    assert.equal(specOf("Job", { completions: 2 }).parallelism, 1);
  });

  it("lets a Job's other fields change its defaults", () => {
    assert.equal(specOf("Job", { backoffLimitPerIndex: 1 }).backoffLimit, 2 ** 31 - 1);
    const rules = [{ action: "Ignore", onPodConditions: [{ type: "DisruptionTarget" }] }];
    const spec = specOf("Job", { podFailurePolicy: { rules } });
    assert.equal(spec.podReplacementPolicy, "Failed");
    assert.deepEqual(rules[0]?.onPodConditions, [{ type: "DisruptionTarget", status: "True" }]);
  });

  it("completes strategies that are there in part", () => {
    const strategyOf = (kind: string, key: string, given: JsonObject) => specOf(kind, { [key]: given })[key];
    assert.deepEqual(strategyOf("Deployment", "strategy", { rollingUpdate: { maxUnavailable: 1 } }), {
      type: "RollingUpdate",
      rollingUpdate: { maxUnavailable: 1, maxSurge: "25%" },
    });
    assert.deepEqual(strategyOf("Deployment", "strategy", { type: "Recreate" }), { type: "Recreate" });
    assert.deepEqual(strategyOf("DaemonSet", "updateStrategy", { rollingUpdate: { maxSurge: 1 } }), {
      type: "RollingUpdate",
      rollingUpdate: { maxUnavailable: 1, maxSurge: 1 },
    });
    assert.deepEqual(strategyOf("StatefulSet", "updateStrategy", {}), {
      type: "RollingUpdate",
      rollingUpdate: { partition: 0 },
    });
    assert.deepEqual(strategyOf("StatefulSet", "updateStrategy", { type: "RollingUpdate" }), {
      type: "RollingUpdate",
    });
  });

  it("gives the ports of a Pod on the host's network to the host", () => {
    const ports = [{ containerPort: 80 }, { containerPort: 81, hostPort: 8081 }];
    specOf("Pod", { hostNetwork: true, containers: [{ name: "a", ports }] });
    const template = {
      spec: { hostNetwork: true, containers: [{ name: "a", ports: [{ containerPort: 80 }] }] },
    };
    specOf("Deployment", { template });
    assert.equal(Object.hasOwn(template.spec.containers[0]?.ports[0] ?? {}, "hostPort"), false);
    assert.deepEqual(ports, [
      { containerPort: 80, hostPort: 80, protocol: "TCP" },
      { containerPort: 81, hostPort: 8081, protocol: "TCP" },
    ]);
  });
});
