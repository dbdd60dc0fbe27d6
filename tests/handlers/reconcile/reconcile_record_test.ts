import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { StoredState } from "../../../lib/client/cache/stored_state.ts";
import { earliest, type Pace, ReconcileRecord } from "../../../lib/handlers/reconcile/reconcile_record.ts";
import type { Outcome } from "../../../lib/execution/handler.ts";
import { after, FRESH, type Retry } from "../../../lib/handlers/retry.ts";
import type { KubeObject } from "../../../lib/model/object.ts";

function child(name: string, version = 1): KubeObject {
  return { kind: "Child", metadata: { name, uid: name, resourceVersion: String(version) } };
}

function begin(record: ReconcileRecord, now: number, pace: Pace = {}): string[] {
  return record.begin(now, pace).map(({ kind }) => kind);
}

/** Ends a call that has begun at that time. */
function end(record: ReconcileRecord, now: number, outcome: Outcome, begun = now): void {
  const { retry } = record;
  record.end({ ...retry, begun: retry.begun ?? { wall: 0, monotonic: begun } }, outcome, now);
}

function failing(message: string, delay: number): Outcome {
  return { kind: "retry", delay, error: new Error(message) };
}

function successful(requeueAfter?: number): Outcome {
  return { kind: "success", result: requeueAfter };
}

const FAILED: Outcome = { kind: "failure", error: new Error("for good") };

describe("ReconcileRecord", () => {
  it("has seen a newer state as well, where that calls for no handler, and not because a turn has begun", () => {
    const record = new ReconcileRecord();
    const [other, before, after] = [0, 1, 2].map((version) => new StoredState(child("a", version)));
    record.seen = before;
    record.moved(before, after!, "turn");
    assert.equal(record.seen, before);
    record.moved(other, after!, "settled");
    assert.equal(record.seen, before);
    record.moved(before, after!, "settled");
    assert.equal(record.seen, after);
  });

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
    const reasons = record.begin(0, {});
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
    end(record, 1, failing("one", 5), 0);
    assert.deepEqual([record.retry.attempts, record.nextTurn({})], [1, 6]);
    record.wakeIfDue(5);
    assert.equal(record.isDue(5, {}), false);
    record.wakeIfDue(6);
    assert.deepEqual(begin(record, 6), ["retry", "create"]);
    assert.equal(record.retry.begun?.monotonic, 0);
    end(record, 7, failing("two", 5));
    record.wake({ kind: "change" }, 8);
    assert.deepEqual(begin(record, 8), ["change", "create"]);
    assert.equal(record.retry.attempts, 2);
    end(record, 9, successful());
    const { retry: { attempts, begun } } = record;
    assert.deepEqual([attempts, begun, record.nextTurn({})], [0, undefined, undefined]);
    record.wake({ kind: "change" }, 10);
    assert.deepEqual(begin(record, 10), ["change"]);
  });

  it("plans what succeeds with a time, and what waits; not what has failed for good", () => {
    const record = new ReconcileRecord();
    end(record, 0, successful(30));
    assert.equal(record.nextTurn({}), 30);
    record.wakeIfDue(30);
    assert.deepEqual(begin(record, 30), ["requeue"]);
    end(record, 30, { kind: "children", delay: 2 });
    assert.equal(record.nextTurn({}), 32);
    record.wakeIfDue(32);
    begin(record, 32);
    end(record, 32, FAILED);
    assert.deepEqual([record.nextTurn({}), record.retry.attempts], [undefined, 0]);
  });

  it("keeps the row of attempts of a handler that waits for something", () => {
    const record = new ReconcileRecord();
    end(record, 1, failing("one", 5));
    end(record, 6, { kind: "children", delay: 2 });
    assert.deepEqual([record.retry.attempts, record.retry.begun?.monotonic, record.nextTurn({})], [1, 1, 8]);
  });

  it("resumes counting where what has succeeded is refused afterwards", () => {
    const record = new ReconcileRecord();
    const judge = (before: number) => ({ undecided }: Retry): Retry | undefined => {
      assert.equal(undecided?.attempts, before);
      return undecided && after(undecided, failing("refused", 1), 0);
    };
    for (const failures of [0, 1]) {
      assert.equal(record.retry.attempts, failures);
      end(record, 0, successful());
      record.refuse(judge(failures));
    }
    assert.deepEqual([record.retry.attempts, record.nextTurn({})], [2, 1]);
  });

  it("drops what a success has planned when it is refused for good, and keeps it when the error is ignored", () => {
    const refusedBy = (outcome: Outcome): number | undefined => {
      const record = new ReconcileRecord();
      end(record, 0, successful(30));
      record.refuse(({ undecided }) => after(undecided ?? FRESH, outcome, 0));
      return record.nextTurn({});
    };
    assert.deepEqual([refusedBy(FAILED), refusedBy(successful())], [undefined, 30]);
  });

  it("does not change any more when its success is decided", () => {
    const record = new ReconcileRecord();
    end(record, 0, successful(30));
    record.decide();
    record.refuse(({ undecided }) => undecided && after(undecided, FAILED, 0));
    assert.equal(record.nextTurn({}), 30);
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
    end(record, 0, successful(200));
    assert.equal(record.nextTurn({}), 100);
    record.wakeIfDue(100);
    assert.deepEqual(begin(record, 100), ["resync"]);
    assert.equal(record.nextTurn({}), undefined);
  });

  it("forgets what was planned when the object is to be deleted", () => {
    const record = new ReconcileRecord();
    record.resyncAt(100);
    record.wake({ kind: "change" }, 0);
    end(record, 0, failing("no", 1));
    record.beginFinalizing();
    assert.deepEqual([record.isWoken, record.nextTurn({}), record.retry.attempts, record.isFinalizing], [
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
