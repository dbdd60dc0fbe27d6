import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { LONGEST_NAME, longestName, podlessReason } from "../../../lib/engines/children/names.ts";
import { nameAfter } from "../../../lib/engines/children/plan.ts";

const SETS = { group: "apps", plural: "statefulsets" };
const JOBS = { group: "batch", plural: "jobs" };

describe("longestName()", () => {
  it("leaves room for what a kind makes of the name", () => {
    const indexed = (completions?: number) => ({ spec: { completionMode: "Indexed", completions } });
    const cases: [{ group: string; plural: string }, object, number][] = [
      [{ group: "batch", plural: "cronjobs" }, {}, 52],
      [SETS, {}, 52],
      [JOBS, { spec: { completions: 1000 } }, 63],
      [JOBS, indexed(), 61],
      [JOBS, indexed(10), 61],
      [JOBS, indexed(11), 60],
      [{ group: "apps", plural: "deployments" }, {}, 63],
      [{ group: "example.com", plural: "cronjobs" }, {}, 63],
    ];
    for (const [kind, manifest, longest] of cases) assert.equal(longestName(kind, manifest), longest);
  });

  it("is kept by names that are made up", () => {
    for (const longest of [52, 60, LONGEST_NAME]) {
      for (const length of [30, 47, 48, 49, 60, 253]) {
        const name = nameAfter({ metadata: { name: "x".repeat(length) } }, "cron", longest);
        assert.ok(name.length <= longest, `${name.length} of ${longest}`);
        assert.match(name, /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/);
      }
    }
  });
});

describe("podlessReason()", () => {
  const withRevision = (updateRevision?: string) => ({ metadata: {}, status: { updateRevision } });

  it("tells of StatefulSets whose Pods cannot come", () => {
    assert.equal(podlessReason(SETS, "x".repeat(52), undefined), undefined);
    assert.match(podlessReason(SETS, "x".repeat(53), undefined) ?? "", /has 53 characters.*at most 52/);
    assert.match(podlessReason(SETS, "x".repeat(60), withRevision("x".repeat(64))) ?? "", /cannot come/);
  });

  it("leaves alone what is there and works, what nobody has looked at yet, and other kinds", () => {
    assert.equal(podlessReason(SETS, "x".repeat(53), withRevision("x".repeat(63))), undefined);
    assert.equal(podlessReason(SETS, "x".repeat(60), withRevision()), undefined);
    assert.equal(podlessReason(JOBS, "x".repeat(60), undefined), undefined);
  });
});
