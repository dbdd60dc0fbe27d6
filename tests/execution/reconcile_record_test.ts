import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { earliest, type Pace, ReconcileRecord } from "../../lib/execution/reconcile_record.ts";
import type { KubeObject } from "../../lib/model/object.ts";

function child(name: string, version = 1): KubeObject {
  return { kind: "Child", metadata: { name, uid: name, resourceVersion: String(version) } };
}

function begin(record: ReconcileRecord, now: number, pace: Pace = {}): string[] {
  return record.begin({ wall: 0, monotonic: now }, pace).map(({ kind }) => kind);
}

describe("ReconcileRecord", () => {
  it("keeps what has woken it until a call takes it, each once, with the newest object", () => {
    const record = new ReconcileRecord();
    assert.deepEqual([record.isWoken, record.isDue(0, {}), record.nextTurn({})], [false, false, undefined]);
    record.wake({ kind: "change" }, 0);
    record.wake({ kind: "change" }, 0);
    for (const version of [1, 2]) record.wake({ kind: "owned", object: child("a", version) }, 0);
    record.wake({ kind: "owned", object: child("b") }, 0);
    record.wake({ kind: "trigger", reason: "x" }, 0);
    record.wake({ kind: "trigger", reason: "y" }, 0);
    assert.equal(record.isDue(0, {}), true);
    const reasons = record.begin({ wall: 0, monotonic: 0 }, {});
    assert.deepEqual(reasons, [
      { kind: "change" },
      { kind: "owned", object: child("a", 2) },
      { kind: "owned", object: child("b") },
      { kind: "trigger", reason: "x" },
      { kind: "trigger", reason: "y" },
    ]);
    assert.equal(record.isWoken, false);
  });

  it("keeps a hundred of them at most", () => {
    const record = new ReconcileRecord();
    for (let number = 0; number < 500; number++) {
      record.wake({ kind: "owned", object: child(`${number}`) }, 0);
    }
    assert.equal(begin(record, 0).length, 100);
  });

  it("counts failures in a row, with what had woken the first of them, and forgets both with a success", () => {
    const record = new ReconcileRecord();
    record.wake({ kind: "create" }, 0);
    begin(record, 0);
    record.fail(1, new Error("one"), 5);
    assert.deepEqual([record.failures, record.nextTurn({})], [1, 6]);
    record.wakeIfDue(5);
    assert.equal(record.isDue(5, {}), false);
    record.wakeIfDue(6);
    assert.deepEqual(begin(record, 6), ["retry", "create"]);
    assert.equal(record.begun?.monotonic, 0);
    record.fail(7, new Error("two"), 5);
    record.wake({ kind: "change" }, 8);
    assert.deepEqual(begin(record, 8), ["change", "create"]);
    assert.equal(record.failures, 2);
    record.succeed(9, undefined);
    assert.deepEqual([record.failures, record.begun, record.nextTurn({})], [0, undefined, undefined]);
    record.wake({ kind: "change" }, 10);
    assert.deepEqual(begin(record, 10), ["change"]);
  });

  it("plans what succeeds with a time, and what waits; not what has failed for good", () => {
    const record = new ReconcileRecord();
    record.succeed(0, 30);
    assert.equal(record.nextTurn({}), 30);
    record.wakeIfDue(30);
    assert.deepEqual(begin(record, 30), ["requeue"]);
    record.postpone(30, 2);
    assert.equal(record.nextTurn({}), 32);
    record.wakeIfDue(32);
    begin(record, 32);
    record.fail(32, new Error("for good"), undefined);
    assert.deepEqual([record.nextTurn({}), record.failures], [undefined, 0]);
  });

  it("resumes counting where what has succeeded is refused afterwards", () => {
    const record = new ReconcileRecord();
    for (const failures of [0, 1]) {
      assert.equal(record.failures, failures);
      record.succeed(0, undefined);
      record.refuse((before) => {
        assert.equal(before, failures);
        return { error: new Error("refused"), after: 1 };
      }, 0);
    }
    assert.deepEqual([record.failures, record.nextTurn({})], [2, 1]);
  });

  it("lets the latest of what may come again and again decide when, but waits for ever for none", () => {
    const pace = { debounce: 2 };
    const record = new ReconcileRecord();
    record.wake({ kind: "change" }, 0);
    record.wake({ kind: "change" }, 1);
    assert.deepEqual([record.isDue(2, pace), record.nextTurn(pace), record.isDue(3, pace)], [false, 3, true]);
    for (let now = 2; now <= 30; now++) record.wake({ kind: "change" }, now);
    assert.equal(record.nextTurn(pace), 20);
    begin(record, 20, pace);
    record.wake({ kind: "change" }, 21);
    record.wake({ kind: "start" }, 21);
    assert.equal(record.isDue(21, pace), true);
  });

  it("keeps so many calls within so much time", () => {
    const pace = { rateLimit: { calls: 2, within: 10 } };
    const record = new ReconcileRecord();
    for (const now of [0, 4]) {
      record.wake({ kind: "change" }, now);
      assert.equal(record.isDue(now, pace), true);
      begin(record, now, pace);
    }
    record.wake({ kind: "change" }, 5);
    assert.deepEqual([record.isDue(9, pace), record.nextTurn(pace)], [false, 10]);
    begin(record, 10, pace);
    record.wake({ kind: "change" }, 11);
    assert.equal(record.nextTurn(pace), 14);
  });

  it("is not due while a call goes on, also one that is late", () => {
    const record = new ReconcileRecord();
    record.wake({ kind: "change" }, 0);
    record.isRunning = true;
    assert.deepEqual([record.isDue(0, {}), record.nextTurn({})], [false, undefined]);
    record.isRunning = false;
    assert.equal(record.isDue(0, {}), true);
  });

  it("is called although nothing has happened, when its time has come", () => {
    const record = new ReconcileRecord();
    record.resyncAt(100);
    record.succeed(0, 200);
    assert.equal(record.nextTurn({}), 100);
    record.wakeIfDue(100);
    assert.deepEqual(begin(record, 100), ["resync"]);
    assert.equal(record.nextTurn({}), undefined);
  });

  it("forgets what was planned when the object is to be deleted", () => {
    const record = new ReconcileRecord();
    record.resyncAt(100);
    record.wake({ kind: "change" }, 0);
    record.fail(0, new Error("no"), 1);
    record.beginFinalizing();
    assert.deepEqual([record.isWoken, record.nextTurn({}), record.failures, record.isFinalizing], [
      false,
      undefined,
      0,
      true,
    ]);
  });
});

describe("earliest()", () => {
  it("returns the earlier of two times, where undefined is never", () => {
    assert.deepEqual([earliest(1, 2), earliest(undefined, 2), earliest(1, undefined)], [1, 2, 1]);
    assert.equal(earliest(undefined, undefined), undefined);
  });
});
