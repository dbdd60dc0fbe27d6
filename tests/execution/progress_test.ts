import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type LoadOptions, Progress } from "../../lib/execution/progress.ts";
import type { Handler, Outcome } from "../../lib/execution/handler.ts";
import type { KubeObject } from "../../lib/model/object.ts";
import { applyMergePatch, Patch } from "../../lib/model/patch.ts";
import type { ProgressRecord } from "../../lib/settings/persistence.ts";
import { annotations } from "../../lib/settings/presets.ts";

const storage = annotations().progress;
const NOW = Date.UTC(2026, 0, 1, 12);
const handler: Handler = { id: "fn", fn: () => {} };
const record: ProgressRecord = {
  started: "2026-01-01T11:00:00.000Z",
  purpose: "create",
  retries: 5,
  success: false,
  failure: false,
};

function bodyWith(records: Readonly<Record<string, object>>): KubeObject {
  const notes = Object.entries(records).map(([id, each]) => [`lotse.dev/${id}`, JSON.stringify(each)]);
  return { metadata: { annotations: Object.fromEntries(notes) } };
}

function load(body: KubeObject, options: Partial<LoadOptions> = {}): Progress<Handler> {
  const progress = new Progress<Handler>({ storage, body, ids: ["fn"], unsaved: new Map(), ...options });
  progress.activate([handler], { purpose: "create", now: NOW, digest: () => undefined });
  return progress;
}

/** What is on the object after an attempt. */
function after(outcome: Outcome, before: ProgressRecord = record, descendants: string[] = []): unknown {
  const body = bodyWith({ fn: before });
  const progress = load(body);
  progress.settle("fn", outcome, { now: NOW, descendants });
  const patch = new Patch();
  progress.store(patch);
  return storage.fetch(applyMergePatch(body, patch.toMergePatch()), "fn");
}

describe("Progress", () => {
  const error = new Error("not yet");
  const { started, purpose } = record;

  it("[A142] counts each attempt that fails: after 5 comes 6", () => {
    assert.deepEqual(after({ kind: "retry", delay: 30, error }), {
      started,
      purpose,
      retries: 6,
      success: false,
      failure: false,
      delayed: "2026-01-01T12:00:30.000Z",
      message: "not yet",
    });
  });

  it("[A143] notes a success with its time, and without the message of earlier errors", () => {
    const done = { started, purpose, retries: 6, success: true, failure: false };
    assert.deepEqual(after({ kind: "success" }, { ...record, message: "earlier" }), {
      ...done,
      stopped: "2026-01-01T12:00:00.000Z",
    });
  });

  it("[A144] notes a failure for good with its time and its message", () => {
    const done = { started, purpose, retries: 6, success: false, failure: true };
    assert.deepEqual(after({ kind: "failure", error }), {
      ...done,
      stopped: "2026-01-01T12:00:00.000Z",
      message: "not yet",
    });
  });

  it("[A145] lets handlers sleep that are delayed into the future, and no others", () => {
    for (const [seconds, isAwake] of [[1, false], [0, true], [-1, true]] as const) {
      const delayed = new Date(NOW + seconds * 1000).toISOString();
      const progress = load(bodyWith({ fn: { ...record, delayed } }));
      assert.equal(progress.awake(NOW).length, isAwake ? 1 : 0, `${seconds}`);
      assert.equal(progress.delay(NOW), Math.max(0, seconds));
    }
  });

  it("[A146] takes a finished handler for neither asleep nor awake, even if it is delayed", () => {
    for (const delayed of ["2026-01-01T13:00:00Z", "2026-01-01T11:00:00Z"]) {
      const progress = load(bodyWith({ fn: { ...record, success: true, delayed } }));
      assert.deepEqual([progress.awake(NOW), progress.delay(NOW), progress.isDone], [[], undefined, true]);
    }
  });

  it("[A147] takes a record that does not say when it began for one that begins now", () => {
    const progress = load(bodyWith({ fn: { retries: 2 } }));
    assert.deepEqual(progress.awake(NOW).map(({ started, retry }) => [started, retry]), [[NOW, 2]]);
  });

  it("[A148] notes the ids of children together with those noted before, sorted and once each", () => {
    const before = { ...record, subrefs: ["fn/b", "fn/z"] };
    const found = after({ kind: "children", delay: 1 }, before, ["fn/c", "fn/a", "fn/b"]);
    assert.deepEqual((found as ProgressRecord).subrefs, ["fn/a", "fn/b", "fn/c", "fn/z"]);
  });

  it("[A149] is purged with its children, where the object has them, and leaves the others", () => {
    const body = bodyWith({ fn: { ...record, subrefs: ["sub1", "sub2"] }, sub1: record, unrelated: record });
    const progress = new Progress<Handler>({ storage, body, ids: ["fn", "absent"], unsaved: new Map() });
    const patch = new Patch();
    progress.purge(patch);
    assert.deepEqual(patch.toMergePatch(), {
      metadata: { annotations: { "lotse.dev/fn": null, "lotse.dev/sub1": null } },
    });
  });

  it("waits no longer for a record from the future than the record says, and takes its attempts as they are", () => {
    const far = { ...record, started: "2999-01-01T00:00:00Z", delayed: "9999-12-31T00:00:00Z" };
    const progress = load(bodyWith({ fn: far }));
    assert.deepEqual(progress.awake(NOW), []);
    assert.ok((progress.delay(NOW) ?? 0) > 1e9);
  });
});
