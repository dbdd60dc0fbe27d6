import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Handler, Outcome } from "../../lib/execution/handler.ts";
import {
  after,
  attemptsOf,
  begin,
  decided,
  FRESH,
  isDue,
  refused,
  type Retry,
} from "../../lib/handlers/retry.ts";
import { virtualHost } from "../../lib/runtime/virtual/host.ts";
import { contextOf } from "./attempt_context.ts";

const RETRY: Outcome = { kind: "retry", delay: 5, error: new Error("not yet") };
const SUCCESS: Outcome = { kind: "success" };

function refuse(retry: Retry, limits: Partial<Handler> = {}): Retry | undefined {
  const handler = { id: "fn", fn: () => {}, ...limits };
  return refused(retry, handler, { error: new Error("refused"), context: contextOf(), now: 100 });
}

/** A row in which so many attempts have failed, the first of which began at 0. */
function rowOf(attempts: number): Retry {
  return { ...FRESH, attempts, begun: { wall: 0, monotonic: 0 } };
}

describe("begin()", () => {
  it("notes the time of the first attempt, and keeps it for those that follow", async () => {
    const { clock } = virtualHost();
    const first = begin(FRESH, clock);
    await clock.advance(5);
    assert.deepEqual(begin(first, clock).begun, first.begun);
    assert.notEqual(begin(FRESH, clock).begun.monotonic, first.begun.monotonic);
  });

  it("forgets the row before a success that is still undecided", () => {
    const { clock } = virtualHost();
    assert.equal(begin(after(rowOf(1), SUCCESS, 0), clock).undecided, undefined);
  });
});

describe("attemptsOf()", () => {
  it("measures the time since the first attempt of the row began", () => {
    assert.deepEqual(attemptsOf(rowOf(2), 30), { retry: 2, runtime: 30 });
    assert.deepEqual(attemptsOf(FRESH, 30), { retry: 0, runtime: 0 });
  });
});

describe("after()", () => {
  it("counts a retry, and waits for its delay", () => {
    const row = after(rowOf(2), RETRY, 10);
    assert.equal(row.attempts, 3);
    assert.equal(row.due, 15);
    assert.equal(row.begun?.monotonic, 0);
    assert.equal(row.error, RETRY.kind === "retry" ? RETRY.error : undefined);
    assert.equal(isDue(row, 14), false);
    assert.equal(isDue(row, 15), true);
  });

  it("lets handlers wait that ask to be retried at once again and again, and no others", () => {
    const atOnce: Outcome = { kind: "retry", delay: 0, error: new Error("now") };
    assert.equal(after(rowOf(2), atOnce, 10).due, 10);
    assert.equal(after(rowOf(3), atOnce, 10).due > 10, true);
    assert.equal(after(rowOf(1000), atOnce, 10).due, 11);
    assert.equal(after(rowOf(1000), { ...atOnce, delay: 0.1 }, 10).due, 10.1);
  });

  it("keeps the row of a handler that is postponed", () => {
    const row = after(rowOf(2), { kind: "children", delay: 3 }, 10);
    assert.deepEqual([row.attempts, row.begun, row.due], [2, { wall: 0, monotonic: 0 }, 13]);
  });

  it("ends the row with a success and with a failure", () => {
    for (const outcome of [SUCCESS, { kind: "failure", error: new Error("never") } as const]) {
      const row = after(rowOf(2), outcome, 10);
      assert.deepEqual([row.attempts, row.made, row.due], [0, 3, Infinity], outcome.kind);
      assert.equal(row.begun, undefined);
    }
  });
});

describe("refused()", () => {
  it("continues the row from before the success whose write was refused", () => {
    const row = refuse(after(rowOf(2), SUCCESS, 10), { backoff: 7 });
    assert.deepEqual([row?.attempts, row?.due, row?.begun?.monotonic], [3, 107, 0]);
  });

  it("counts the attempt for the limits of the handler", () => {
    const row = refuse(after(rowOf(2), SUCCESS, 10), { backoff: 7, retries: 3 });
    assert.deepEqual([row?.attempts, row?.due], [0, Infinity]);
    assert.match(String(row?.error), /retries/);
  });

  it("says nothing where no success is undecided", () => {
    for (const row of [FRESH, rowOf(1), after(rowOf(1), RETRY, 0), decided(after(rowOf(2), SUCCESS, 0))]) {
      assert.equal(refuse(row), undefined);
    }
  });
});

describe("decided()", () => {
  it("leaves rows as they are in which nothing is undecided", () => {
    const failing = after(rowOf(1), RETRY, 0);
    assert.equal(decided(failing), failing);
    assert.equal(decided(FRESH), FRESH);
  });
});
