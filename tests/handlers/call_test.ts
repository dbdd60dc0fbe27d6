import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Attempt, type Called, callHandler, type Calling } from "../../lib/handlers/call.ts";
import { TemporaryError } from "../../lib/execution/errors.ts";
import type { Handler } from "../../lib/execution/handler.ts";
import type { AttemptEnd, Observer } from "../../lib/execution/observer.ts";
import { after, FRESH, type Retry } from "../../lib/handlers/retry.ts";
import { Patch } from "../../lib/model/patch.ts";
import { createLogger } from "../../lib/runtime/logging.ts";
import { virtualHost } from "../../lib/runtime/virtual/host.ts";

type Options = Partial<Calling> & {
  readonly handler?: Partial<Handler>;
  readonly observer?: Observer;
  readonly succeeded?: Set<AttemptEnd>;
};

const { clock } = virtualHost();
const SUBJECT = {
  key: "one",
  resource: { group: "", version: "v1", plural: "configmaps" } as never,
  body: { metadata: { name: "one" } },
};

function call(fn: (attempt: Attempt) => unknown, options: Options = {}): Promise<Called> {
  const { handler, observer = {}, succeeded, ...calling } = options;
  const caller = {
    clock,
    logger: createLogger({ level: "error", write: () => {} }, clock),
    signal: new AbortController().signal,
    observed: { observer, subject: SUBJECT, succeeded },
    defaultBackoff: 60,
  };
  return callHandler(caller, { id: "fn", fn: fn as never, param: "given", ...handler }, {
    sort: { noun: "Handler", errors: "temporary" },
    retry: FRESH,
    args: (attempt) => attempt,
    ...calling,
  });
}

describe("callHandler()", () => {
  it("tells the handler of its attempt, and returns the row with its beginning", async () => {
    const row: Retry = { ...FRESH, attempts: 2, begun: { wall: 1000, monotonic: clock.monotonic() - 30 } };
    let seen: Attempt | undefined;
    const { outcome, retry } = await call((attempt) => void (seen = attempt), { retry: row });
    assert.equal(outcome.kind, "success");
    assert.deepEqual([seen?.param, seen?.retry, seen?.started], ["given", 2, 1000]);
    assert.equal(seen?.begun, row.begun?.monotonic);
    assert.deepEqual([retry.attempts, retry.begun], [2, row.begun]);
    const first = await call(() => {});
    assert.equal(first.retry.begun?.monotonic, clock.monotonic());
  });

  it("judges the attempt by the row before it", async () => {
    const row: Retry = { ...FRESH, attempts: 2, begun: { wall: 0, monotonic: clock.monotonic() } };
    const failing = (): never => {
      throw new TemporaryError("later", { delay: 1 });
    };
    const { outcome, retry } = await call(failing, { retry: row, handler: { retries: 4 } });
    assert.equal(outcome.kind, "retry");
    const next = await call(failing, {
      retry: after(retry, outcome, clock.monotonic()),
      handler: { retries: 4 },
    });
    assert.equal(next.outcome.kind, "failure");
  });

  it("says whether the handler, or its result, has put something into the patch", async () => {
    const patch = new Patch();
    assert.equal((await call(() => {}, { patch, keepsResult: true })).wrote, false);
    assert.equal((await call(() => ({ a: 1 }), { patch })).wrote, false);
    assert.equal((await call(() => ({ a: 1 }), { patch, keepsResult: true })).wrote, true);
    assert.deepEqual(patch.toMergePatch(), { status: { fn: { a: 1 } } });
    assert.equal((await call(() => {}, { patch, keepsResult: true })).wrote, false);
    assert.equal((await call(() => patch.merge({ spec: { b: 1 } }), { patch })).wrote, true);
  });

  it("leaves successes to be counted where the write decides, and counts all others at once", async () => {
    const counted: string[] = [];
    const observer: Observer = { attemptCounts: (_, { outcome }) => void counted.push(outcome.kind) };
    const succeeded = new Set<AttemptEnd>();
    await call(() => {}, { observer, succeeded });
    assert.deepEqual([counted, succeeded.size], [[], 1]);
    await call(() => Promise.reject(new Error("no")), { observer, succeeded });
    await call(() => {}, { observer });
    assert.deepEqual([counted, succeeded.size], [["retry", "success"], 1]);
  });

  it("calls another function in the place of the handler's", async () => {
    const { outcome } = await call(() => "own", { fn: () => "other" });
    assert.deepEqual(outcome, { kind: "success", result: "other" });
  });
});
