import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  type AnyReadiness,
  hasCondition,
  hasLoadBalancer,
  isAvailable,
  isClaimBound,
  isDaemonSetReady,
  isDefinitionServed,
  isDeploymentReady,
  isJobComplete,
  isPodReady,
  isReady,
  isStatefulSetReady,
  waitOf,
} from "../../../lib/engines/children/ready.ts";

function check(
  ready: AnyReadiness,
  cases: readonly (readonly [object, object | undefined, true | RegExp])[],
): void {
  for (const [spec, status, expected] of cases) {
    const said = ready({ metadata: { generation: 2 }, spec, status });
    const title = JSON.stringify({ spec, status });
    if (expected === true) assert.equal(said, true, title);
    else assert.match(String(said), expected, title);
  }
}

function condition(
  type: string,
  status: string,
  more: object = {},
): { readonly conditions: readonly object[] } {
  return { conditions: [{ type, status, reason: "", message: "", ...more }] };
}

describe("readiness of workloads", () => {
  it("of a Deployment: all replicas are new, available, and the newest spec was seen", () => {
    const done = { observedGeneration: 2, replicas: 3, updatedReplicas: 3, availableReplicas: 3 };
    check(isDeploymentReady, [
      [{ replicas: 3 }, done, true],
      [{ replicas: 3 }, undefined, /no status/],
      [{ replicas: 3 }, {}, /no status/],
      [{ replicas: 3 }, { ...done, observedGeneration: 1 }, /newest spec/],
      [{ replicas: 3 }, { ...done, updatedReplicas: 1 }, /1 of 3 replicas are updated/],
      [{ replicas: 3 }, { ...done, replicas: 4 }, /1 old replicas/],
      [{ replicas: 3 }, { ...done, availableReplicas: 2 }, /2 of 3 replicas are available/],
      [{}, { ...done, replicas: 1, updatedReplicas: 1, availableReplicas: 0 }, /0 of 1/],
      [{ replicas: 0 }, { observedGeneration: 2 }, true],
      [{ replicas: 3 }, {
        ...done,
        ...condition("Progressing", "False", { reason: "ProgressDeadlineExceeded" }),
      }, /deadline/],
    ]);
  });

  it("of a StatefulSet: all replicas are ready, and new as far as its strategy says", () => {
    const done = {
      observedGeneration: 2,
      readyReplicas: 3,
      updatedReplicas: 3,
      currentRevision: "b",
      updateRevision: "b",
    };
    const partition = {
      replicas: 3,
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 2 } },
    };
    check(isStatefulSetReady, [
      [{ replicas: 3 }, done, true],
      [{ replicas: 3 }, { ...done, readyReplicas: 2 }, /2 of 3/],
      [{ replicas: 3 }, { ...done, currentRevision: "a" }, /old revision/],
      [{ replicas: 3, updateStrategy: { type: "OnDelete" } }, { ...done, currentRevision: "a" }, true],
      [partition, { ...done, currentRevision: "a", updatedReplicas: 1 }, true],
      [partition, { ...done, currentRevision: "a", updatedReplicas: 0 }, /0 of 1/],
    ]);
  });

  it("of a DaemonSet: it runs on all nodes", () => {
    const done = {
      observedGeneration: 2,
      desiredNumberScheduled: 2,
      updatedNumberScheduled: 2,
      numberAvailable: 2,
    };
    check(isDaemonSetReady, [
      [{}, done, true],
      [{}, { ...done, updatedNumberScheduled: 1 }, /1 of 2 replicas are updated/],
      [{}, { ...done, numberAvailable: 0 }, /0 of 2 replicas are available/],
      [{}, { observedGeneration: 2 }, /not scheduled/],
      [{}, { ...done, desiredNumberScheduled: 0, updatedNumberScheduled: 0, numberAvailable: 0 }, true],
      [{ updateStrategy: { type: "OnDelete" } }, { ...done, updatedNumberScheduled: 0 }, true],
    ]);
  });

  it("of a Job: it has succeeded; one that has failed never is", () => {
    check(isJobComplete, [
      [{ completions: 2 }, condition("Complete", "True"), true],
      [{ completions: 2 }, { succeeded: 1 }, /1 of 2/],
      [{}, undefined, /0 of 1/],
      [
        {},
        condition("Failed", "True", { reason: "BackoffLimitExceeded" }),
        /has failed \(BackoffLimitExceeded\)/,
      ],
    ]);
  });

  it("of a Pod: it is ready, or has succeeded", () => {
    check(isPodReady, [
      [{}, { phase: "Running", ...condition("Ready", "True") }, true],
      [{}, { phase: "Succeeded", ...condition("Ready", "False") }, true],
      [{}, { phase: "Pending" }, /no condition "Ready"/],
    ]);
  });
});

describe("readiness of other kinds", () => {
  it("by conditions: true, and about the newest spec", () => {
    check(hasCondition("X"), [
      [{}, condition("X", "True"), true],
      [{}, condition("X", "True", { observedGeneration: 2 }), true],
      [{}, condition("X", "True", { observedGeneration: 1 }), /not up to date/],
      [{}, condition("X", "False", { reason: "Broken", message: "a fuse" }), /is False \(Broken: a fuse\)/],
      [{}, condition("Y", "True"), /no condition "X"/],
      [{}, { observedGeneration: 1, ...condition("X", "True") }, /newest spec/],
    ]);
    check(isReady, [[{}, condition("Ready", "True"), true], [{}, condition("Ready", "Unknown"), /Unknown/]]);
    check(isAvailable, [[{}, condition("Available", "True"), true], [
      {},
      condition("Ready", "True"),
      /Available/,
    ]]);
    check(isDefinitionServed, [[{}, condition("Established", "True"), true], [{}, {}, /no status/]]);
  });

  it("of a claim: it is bound", () => {
    check(isClaimBound, [[{}, { phase: "Bound" }, true], [{}, { phase: "Lost" }, /Lost/], [
      {},
      undefined,
      /new/,
    ]]);
  });

  it("of a Service: with a load balancer, it has an address", () => {
    const balanced = { type: "LoadBalancer" };
    check(hasLoadBalancer, [
      [{ type: "ClusterIP" }, {}, true],
      [balanced, { loadBalancer: {} }, /no address/],
      [balanced, { loadBalancer: { ingress: [{ ip: "10.0.0.1" }] } }, true],
    ]);
  });
});

describe("waitOf()", () => {
  const object = { apiVersion: "v1", kind: "Pod", metadata: { name: "a" } };

  it("says what is waited for, in the words of the readiness", () => {
    assert.equal(waitOf(() => true, object), undefined);
    assert.equal(waitOf(() => "no disk", object), "no disk");
    for (const verdict of [false, ""]) assert.equal(waitOf(() => verdict, object), "it is not ready");
  });

  it("refuses what is no answer: a promise would never be ready", () => {
    const answers: unknown[] = [undefined, 1, Promise.resolve(true), Promise.reject(new Error("unseen"))];
    for (const answer of answers) {
      assert.throws(
        () => waitOf(() => answer as boolean, object),
        /"ready" must return true, false or a few/,
      );
    }
  });

  it("names what the function has thrown, and keeps it as the cause", () => {
    const thrown = new RangeError("too far");
    const ready = (): boolean => {
      throw thrown;
    };
    assert.throws(() => waitOf(ready, object), {
      name: "TypeError",
      message: 'its "ready" has thrown RangeError: too far',
      cause: thrown,
    });
  });
});
