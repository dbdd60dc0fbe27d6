import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type LoadOptions, Progress } from "../../../lib/handlers/change/progress.ts";
import type { Handler, Outcome } from "../../../lib/execution/handler.ts";
import type { KubeObject } from "../../../lib/model/object.ts";
import { applyMergePatch, Patch } from "../../../lib/model/patch.ts";
import type { ProgressRecord, ProgressStorage } from "../../../lib/settings/persistence/storage.ts";
import { annotations } from "../../../lib/settings/persistence/presets.ts";
import { contextOf } from "../attempt_context.ts";

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
  progress.activate([handler], { purpose: "create", now: NOW, isAsSigned: () => true });
  return progress;
}

/** What is on the object after an attempt. */
function after(outcome: Outcome, before: ProgressRecord = record, descendants: string[] = []): unknown {
  const body = bodyWith({ fn: before });
  const progress = load(body);
  progress.settle("fn", outcome, { now: NOW, descendants: new Set(descendants) });
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
      delay: 30,
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

  it("waits for the first of its handlers that may run again", () => {
    const at = (seconds: number): string => new Date(NOW + seconds * 1000).toISOString();
    const body = bodyWith({ fn: { ...record, delayed: at(30) }, other: { ...record, delayed: at(10) } });
    const progress = load(body, { ids: ["fn", "other"] });
    assert.equal(progress.delay(NOW), 30);
    progress.activate([{ ...handler, id: "other" }], {
      purpose: "create",
      now: NOW,
      isAsSigned: () => true,
    });
    assert.equal(progress.delay(NOW), 10);
  });

  it("[P7] begins anew where a record is of another purpose, and purges such records of handlers that are not asked", () => {
    const done = { ...record, success: true };
    const progress = new Progress<Handler>({
      storage,
      body: bodyWith({ fn: done, gone: done, kept: { ...done, purpose: "delete" } }),
      ids: ["fn", "gone", "kept"],
      unsaved: new Map(),
    });
    assert.deepEqual(progress.othersThan("delete"), { succeeded: 2, failed: 0, unfinished: 0 });
    progress.activate([handler], { purpose: "delete", now: NOW, isAsSigned: () => true });
    assert.deepEqual(progress.awake(NOW).map(({ retry, started }) => [retry, started]), [[0, NOW]]);
    const patch = new Patch();
    progress.store(patch);
    const { annotations = {} } = patch.toMergePatch().metadata as { annotations?: Record<string, unknown> };
    assert.deepEqual(Object.keys(annotations), ["lotse.dev/fn", "lotse.dev/gone"]);
    assert.equal(annotations["lotse.dev/gone"], null);
  });

  it("takes what has finished for unfinished once the object is not as it was then; without a digest, never (G1)", () => {
    const isDone = (then: string | undefined, now: string): boolean => {
      const progress = new Progress<Handler>({
        storage,
        body: bodyWith({ fn: { ...record, success: true, digest: then } }),
        ids: ["fn"],
        unsaved: new Map(),
      });
      progress.activate([handler], {
        purpose: "create",
        now: NOW,
        isAsSigned: (_, digest) => digest === now,
      });
      return progress.isDone;
    };
    assert.deepEqual([isDone("a", "a"), isDone("a", "b")], [true, false]);
    assert.equal(isDone(undefined, "b"), true);
  });

  it("counts the times that it waited for children apart from its attempts (G7)", () => {
    const progress = load(bodyWith({ fn: record }));
    for (const kind of ["children", "children", "retry"] as const) {
      progress.settle("fn", { kind, delay: 1, error }, { now: NOW });
    }
    const { retries, waits } = progress.records().get("fn") ?? {};
    assert.deepEqual([retries, waits], [6, 2]);
  });

  it("stores a record that differs from the object's in anything, and no other", () => {
    const stored: ProgressRecord = {
      ...record,
      stopped: "2026-01-01T11:30:00.000Z",
      delayed: "2026-01-01T11:40:00.000Z",
      message: "m",
      digest: "d",
      subrefs: ["a"],
    };
    const isStored = (change: Partial<ProgressRecord>): boolean => {
      let count = 0;
      const counting = { ...storage, fetch: () => stored, store: () => void count++ } as ProgressStorage;
      const unsaved = new Map([["fn", { ...stored, ...change }]]);
      load({ metadata: {} }, { storage: counting, unsaved }).store(new Patch());
      return count > 0;
    };
    assert.equal(isStored({}), false);
    const other = { started: "x", stopped: "x", delayed: "x", message: "x", digest: "x", subrefs: ["x"] };
    const changes = { ...other, purpose: undefined, retries: 9, waits: 1, success: true, failure: true };
    for (const [name, value] of Object.entries(changes)) assert.ok(isStored({ [name]: value }), name);
  });

  it("gives a digest to what has finished only", () => {
    for (const [kind, digest] of [["success", "seen"], ["retry", undefined]] as const) {
      const progress = load(bodyWith({ fn: record }));
      progress.settle("fn", { kind, delay: 1, error }, { now: NOW });
      progress.sign(() => "seen", () => true);
      assert.equal(progress.records().get("fn")?.digest, digest);
    }
  });

  it("leaves what has finished without a digest as it is, unless it has just run", () => {
    const done = { ...record, success: true };
    for (
      const [stored, hasRun, digest] of [
        [done, false, undefined],
        [{ ...done, digest: "old" }, false, "new"],
        [done, true, "new"],
      ] as const
    ) {
      const progress = load(bodyWith({ fn: stored }));
      progress.sign(() => "new", () => hasRun);
      assert.equal(progress.records().get("fn")?.digest, digest);
    }
  });

  it("renews the digest of records of which nobody runs, if it is the one that is replaced", () => {
    const done = { ...record, success: true, digest: "old" };
    const body = bodyWith({
      fn: done,
      other: { ...done, digest: "older" },
      waits: { ...done, success: false },
    });
    const progress = new Progress({ storage, body, ids: ["fn", "other", "waits"], unsaved: new Map() });
    progress.replaceDigests(["previous", "old"], "new");
    const patch = new Patch();
    progress.store(patch);
    assert.deepEqual([...progress.records()].map(([id, { digest }]) => [id, digest]), [["fn", "new"]]);
    assert.match(JSON.stringify(patch.toMergePatch()), /new/);
    assert.doesNotMatch(JSON.stringify(patch.toMergePatch()), /older|waits/);
  });

  it("waits no longer for a record from the future than the record says, and takes its attempts as they are", () => {
    const far = { ...record, started: "2999-01-01T00:00:00Z", delayed: "9999-12-31T00:00:00Z" };
    const progress = load(bodyWith({ fn: far }));
    assert.deepEqual(progress.awake(NOW), []);
    assert.ok((progress.delay(NOW) ?? 0) > 1e9);
  });

  describe("refuse()", () => {
    const done = { ...record, retries: 3, success: true, digest: "as it was wanted" };
    const refused = { now: NOW, error, context: contextOf() };
    const unsaved = new Map([["fn", done]]);

    function loadUnsaved(body: KubeObject): Progress<Handler> {
      return new Progress<Handler>({ storage, body, ids: ["fn"], unsaved });
    }

    it("[P1] turns a success that is not on the object into what is made of it, as the same attempt", () => {
      const told: unknown[] = [];
      const observer = { attemptCounts: (_: unknown, { retry }: { retry: number }) => void told.push(retry) };
      const progress = loadUnsaved(bodyWith({}));
      const context = contextOf({ observer, subject: undefined });
      progress.refuse([{ ...handler, backoff: 30 }], { now: NOW, error, context });
      assert.deepEqual(told, [2]);
      const isAsSigned = (_: Handler, digest: string) => digest === "as it is";
      progress.activate([handler], { purpose: "create", now: NOW, isAsSigned });
      assert.deepEqual(progress.records().get("fn"), {
        started,
        purpose,
        subrefs: undefined,
        retries: 3,
        success: false,
        failure: false,
        delayed: "2026-01-01T12:00:30.000Z",
        delay: 30,
        message: "not yet",
      });
      assert.deepEqual([progress.awake(NOW), progress.delay(NOW)], [[], 30]);
    });

    it("counts the time since the first attempt against the handler's limit", () => {
      const slow = { ...handler, backoff: 30 };
      for (const [timeout, failure] of [[3631, false], [3629, true]] as const) {
        const progress = loadUnsaved(bodyWith({}));
        progress.refuse([{ ...slow, timeout }], refused);
        assert.equal(progress.recordOf("fn")?.failure, failure);
      }
    });

    it("leaves what is on the object, what others did, and what is judged to be a success", () => {
      const other: Handler = { id: "other", fn: () => {} };
      const cases: [Progress<Handler>, readonly Handler[], typeof refused][] = [
        [loadUnsaved(bodyWith({ fn: done })), [handler], refused],
        [loadUnsaved(bodyWith({})), [other], refused],
        [loadUnsaved(bodyWith({})), [{ ...handler, errors: "ignored" }], refused],
      ];
      for (const [progress, handlers, options] of cases) {
        progress.refuse(handlers, options);
        progress.activate([handler], { purpose: "create", now: NOW, isAsSigned: () => true });
        assert.equal(progress.isDone, true);
        assert.deepEqual(progress.records().get("fn"), done, "as it was");
      }
    });
  });
});
