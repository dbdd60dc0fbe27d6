import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  AdmissionError,
  HandlerRetriesError,
  HandlerTimeoutError,
  PermanentError,
  TemporaryError,
} from "../../lib/execution/errors.ts";
import { attemptOnce, type ExecuteOptions, failAfterwards } from "../../lib/execution/execute.ts";
import type { Handler, Outcome } from "../../lib/execution/handler.ts";
import { Progress } from "../../lib/handlers/change/progress.ts";
import { createLogger, type LogRecord } from "../../lib/runtime/logging.ts";
import { virtualHost } from "../../lib/runtime/virtual/host.ts";
import { annotations } from "../../lib/settings/persistence/presets.ts";

interface Attempted {
  readonly outcome: Outcome;
  readonly calls: number;
  readonly logs: readonly LogRecord[];
}

async function attempt(
  fn: (signal: AbortSignal) => unknown,
  options: Partial<Handler<AbortSignal>> & Partial<Pick<ExecuteOptions<AbortSignal>, "attempts" | "errors">> =
    {},
): Promise<Attempted> {
  const host = virtualHost();
  const logs: LogRecord[] = [];
  let calls = 0;
  const { attempts = { retry: 0, runtime: 0 }, errors = "temporary", ...limits } = options;
  const counted = (signal: AbortSignal): unknown => (calls++, fn(signal));
  // `errors` of the handler and of its kind have one name: the kind's is asked for here.
  const running = attemptOnce<AbortSignal>({ id: "fn", fn: counted, ...limits }, {
    clock: host.clock,
    logger: createLogger({ level: "debug", write: (record) => logs.push(record) }, host.clock),
    attempts,
    noun: "Handler",
    errors,
    defaultBackoff: 60,
    signal: new AbortController().signal,
    observed: { observer: {}, subject: undefined },
    args: (signal) => signal,
  });
  let outcome: Outcome | undefined;
  void running.then((value) => outcome = value);
  await host.clock.until(() => outcome !== undefined);
  assert.ok(outcome !== undefined);
  return { outcome, calls, logs };
}

function failing(error: unknown): () => never {
  return () => {
    throw error;
  };
}

describe("attemptOnce()", () => {
  it("gives the result of a handler that returns, and says so at info", async () => {
    const { outcome, logs } = await attempt(() => ({ a: 1 }));
    assert.deepEqual(outcome, { kind: "success", result: { a: 1 } });
    assert.deepEqual(logs.map(({ level, message }) => [level, message]), [
      ["debug", "Handler invoked"],
      ["info", "Handler succeeded"],
    ]);
  });

  for (const attemptTimeout of [undefined, 5]) {
    it(`leaves the author's lines in the stack of what is thrown, and none of who called, with${attemptTimeout ? "" : "out"} a timeout`, async () => {
      const { outcome } = await attempt(() => failing(new Error("no"))(), { attemptTimeout });
      const { error } = outcome as { readonly error: Error };
      assert.doesNotMatch(error.stack ?? "", /lib\/execution|async_hooks/);
      async function author(): Promise<void> {
        await Promise.resolve();
        throw new Error("no");
      }
      const late = await attempt(async () => await author(), { attemptTimeout });
      const { stack = "" } = (late.outcome as { readonly error: Error }).error;
      assert.match(stack, /author/);
      assert.doesNotMatch(stack, /lib\/execution|async_hooks/);
    });
  }

  it("[A166] retries a temporary error without a delay after 60 s", async () => {
    const { outcome } = await attempt(failing(new TemporaryError("later")));
    assert.equal(outcome.kind === "retry" && outcome.delay, 60);
  });

  it("[A167] retries a temporary error with a delay of null at once", async () => {
    const { outcome } = await attempt(failing(new TemporaryError("later", { delay: null })));
    assert.equal(outcome.kind === "retry" && outcome.delay, 0);
    const progress = new Progress<Handler>({
      storage: annotations().progress,
      body: { metadata: {} },
      ids: ["fn"],
      unsaved: new Map(),
    });
    progress.activate([{ id: "fn", fn: () => {} }], { purpose: "create", now: 0, isAsSigned: () => true });
    progress.settle("fn", outcome, { now: 1000 });
    assert.deepEqual([progress.records().get("fn")?.delayed, progress.delay(1000)], [undefined, 0]);
    assert.deepEqual(progress.awake(1000).map(({ retry }) => retry), [1]);
  });

  it("[A169] prefers the handler's backoff to the setting's", async () => {
    const { outcome } = await attempt(failing(new Error("oops")), { backoff: 7 });
    assert.equal(outcome.kind === "retry" && outcome.delay, 7);
  });

  it("[A170] takes arbitrary errors as failures or as successes where the mode says so", async () => {
    const permanent = await attempt(failing(new Error("oops")), { errors: "permanent" });
    assert.equal(permanent.outcome.kind, "failure");
    const ignored = await attempt(failing(new Error("oops")), { errors: "ignored" });
    assert.deepEqual(ignored.outcome, { kind: "success", isIgnored: true });
    assert.equal(ignored.logs.filter(({ level }) => level === "error").length, 1, "ignored, but not hidden");
  });

  it("takes permanent and admission errors as failures in any mode", async () => {
    for (const error of [new PermanentError("no"), new AdmissionError("no", { code: 400 })]) {
      assert.equal((await attempt(failing(error), { errors: "ignored" })).outcome.kind, "failure");
    }
  });

  it("[A171] fails a handler without calling it when its time was over before", async () => {
    for (const runtime of [600, 601, 1e9]) {
      const { outcome, calls } = await attempt(() => {}, { timeout: 600, attempts: { retry: 3, runtime } });
      assert.ok(outcome.kind === "failure" && outcome.error instanceof HandlerTimeoutError);
      assert.equal(calls, 0);
    }
  });

  it("[A172] fails a handler without calling it when its retries were used up before", async () => {
    const { outcome, calls } = await attempt(() => {}, {
      retries: 100,
      attempts: { retry: 100, runtime: 0 },
    });
    assert.ok(outcome.kind === "failure" && outcome.error instanceof HandlerRetriesError);
    assert.equal(calls, 0);
  });

  it("fails at once when the next attempt would begin after the timeout", async () => {
    const outcomes: string[] = [];
    let runtime = 0;
    for (let retry = 0; outcomes.at(-1) !== "failure"; retry++) {
      const { outcome } = await attempt(failing(new TemporaryError("later", { delay: 1.23 })), {
        timeout: 4,
        attempts: { retry, runtime },
      });
      outcomes.push(outcome.kind);
      runtime += 1.23;
    }
    assert.deepEqual(outcomes, ["retry", "retry", "retry", "failure"]);
  });

  it("says what was thrown if it is not an error", async () => {
    for (
      const [thrown, text] of [["text", /"text"/], [null, /null/], [{ code: 1 }, /"code":1/], [
        undefined,
        /undefined/,
      ]] as const
    ) {
      const { outcome } = await attempt(failing(thrown));
      assert.ok(outcome.kind === "retry");
      assert.match(outcome.error.message, text);
    }
  });

  it("aborts the signal of a handler at its timeout, fails it, and drops its late result", async () => {
    const { outcome, logs } = await attempt(async (signal) => {
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
      return "late";
    }, { timeout: 5 });
    assert.ok(outcome.kind === "failure" && outcome.error instanceof HandlerTimeoutError);
    assert.ok(logs.some(({ level, message }) => level === "warn" && message.includes("after its timeout")));
  });
});

describe("failAfterwards()", () => {
  it("[P1] says and returns the same as if the handler had thrown the error", async () => {
    const cases: Partial<Handler<AbortSignal>>[] = [{ backoff: 7 }, { retries: 1 }, { errors: "ignored" }, {
      errors: "permanent",
    }];
    for (const limits of cases) {
      const error = new Error("refused");
      const thrown = await attempt(failing(error), limits);
      const logs: LogRecord[] = [];
      const outcome = failAfterwards({ id: "fn", ...limits, fn: () => {} }, {
        logger: createLogger({ level: "error", write: (record) => logs.push(record) }, virtualHost().clock),
        noun: "Handler",
        errors: "temporary",
        defaultBackoff: 60,
        attempts: { retry: 0, runtime: 0 },
        error,
        observed: { observer: {}, subject: undefined },
      });
      const { outcome: expected } = thrown;
      assert.equal(outcome.kind, expected.kind);
      if (outcome.kind === "retry" && expected.kind === "retry") assert.equal(outcome.delay, expected.delay);
      const said = thrown.logs.filter(({ level }) => level === "error").map(({ message }) => message);
      assert.deepEqual(logs.map(({ message }) => message), said);
    }
  });
});
