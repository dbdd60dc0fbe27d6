import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject, KubeObject } from "../../../lib/model/object.ts";
import { applyMergePatch, Patch } from "../../../lib/model/patch.ts";
import { MultiDiffBase, MultiProgress } from "../../../lib/settings/persistence/multi.ts";
import { annotationsDiffBase, statusDiffBase } from "../../../lib/settings/persistence/diff_base.ts";
import type { ProgressRecord } from "../../../lib/settings/persistence/storage.ts";
import { AnnotationsProgress, StatusProgress } from "../../../lib/settings/persistence/progress.ts";

const record: ProgressRecord = { retries: 1, success: false, failure: false };
const LHC = "lotse.dev/last-handled-configuration";

const diffBase = new MultiDiffBase([
  annotationsDiffBase({ prefix: "lotse.dev", keyForm: "lotse", form: "lotse" }),
  statusDiffBase({ form: "lotse", field: ["status", "lotse", "state"] }),
]);
const parts = [
  new AnnotationsProgress({ prefix: "lotse.dev", keyForm: "lotse", form: "lotse" }),
  new StatusProgress({
    form: "lotse",
    field: ["status", "lotse", "progress"],
    touchField: ["status", "lotse", "dummy"],
  }),
];
const progress = new MultiProgress(parts);

function patched(change: (patch: Patch) => void): JsonObject {
  const patch = new Patch();
  change(patch);
  return patch.toMergePatch();
}

describe("MultiDiffBase", () => {
  it("[A87] reads the second storage where the first has nothing", () => {
    const body: KubeObject = { metadata: {}, status: { lotse: { state: '{"spec":2}' } } };
    assert.deepEqual(diffBase.fetch(body), { spec: 2 });
    assert.deepEqual(diffBase.fetch({ ...body, metadata: { annotations: { [LHC]: '{"spec":1}' } } }), {
      spec: 1,
    });
    assert.deepEqual(diffBase.fetch({ ...body, metadata: { annotations: { [LHC]: "garbage" } } }), {
      spec: 2,
    });
    assert.equal(diffBase.fetch({ metadata: {} }), undefined);
  });

  it("writes to all, and keeps all notes out of the essence", () => {
    const body: KubeObject = { metadata: {}, spec: { a: 1 } };
    const after = applyMergePatch(
      body,
      patched((patch) => diffBase.store({ patch, body, essence: diffBase.build(body) })),
    );
    assert.deepEqual(after.metadata.annotations, { [LHC]: '{"spec":{"a":1}}' });
    assert.deepEqual(after.status, { lotse: { state: '{"spec":{"a":1}}' } });
    assert.deepEqual(diffBase.build(after, [["status"]]), { spec: { a: 1 } });
    assert.equal(diffBase.isOutdated(after), false);
    assert.equal(diffBase.isOutdated(after, [["status", "x"]]), true);
  });

  it("needs a storage", () => assert.throws(() => new MultiDiffBase([]), RangeError));
});

describe("MultiProgress", () => {
  const both: KubeObject = {
    metadata: { annotations: { "lotse.dev/fn": '{"retries":1}' } },
    status: { lotse: { progress: { fn: { retries: 2 }, other: { retries: 3 } } } },
  };

  it("reads from the first that has something", () => {
    assert.equal(progress.fetch(both, "fn")?.retries, 1);
    assert.equal(progress.fetch(both, "other")?.retries, 3);
    assert.equal(progress.fetch(both, "none"), undefined);
    assert.deepEqual(progress.ids(both), ["fn", "other"]);
  });

  it("writes to all, or to those that are writable", () => {
    const body: KubeObject = { metadata: {} };
    assert.deepEqual(
      Object.keys(patched((patch) => progress.store({ patch, body, id: "fn", record }))).sort(),
      ["metadata", "status"],
    );
    const first = new MultiProgress(parts, { writable: 1 });
    assert.deepEqual(Object.keys(patched((patch) => first.store({ patch, body, id: "fn", record }))), [
      "metadata",
    ]);
    assert.deepEqual(first.keys("fn"), ["lotse.dev/fn"]);
    assert.equal(progress.keys("fn").length, 2);
  });

  it("purges everywhere", () => {
    const patch = patched((patch) =>
      ["fn", "other"].forEach((id) => progress.purge({ patch, body: both, id }))
    );
    assert.deepEqual(patch, { metadata: { annotations: { "lotse.dev/fn": null } }, status: { lotse: null } });
  });

  it("sweeps everywhere", () => {
    const body: KubeObject = {
      metadata: { annotations: { "lotse.dev/touch-dummy": "x" } },
      status: { lotse: { dummy: "x", a: 1 } },
    };
    assert.deepEqual(patched((patch) => progress.sweep(patch, body)), {
      metadata: { annotations: { "lotse.dev/touch-dummy": null } },
      status: { lotse: { dummy: null } },
    });
  });

  it("needs a storage", () => assert.throws(() => new MultiProgress([]), RangeError));
});
