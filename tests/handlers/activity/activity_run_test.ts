import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ActivityError, runActivity } from "../../../lib/handlers/activity/activity_run.ts";
import {
  HandlerRetriesError,
  HandlerTimeoutError,
  PermanentError,
  TemporaryError,
} from "../../../lib/execution/errors.ts";
import { exponential } from "../../../lib/execution/handler_backoff.ts";
import type { ActivityHandler } from "../../../lib/handlers/activity/activity_handler.ts";
import { silentLogger } from "../../../lib/runtime/logging.ts";
import type { VirtualClock } from "../../../lib/runtime/virtual/clock.ts";
import { virtualHost } from "../../../lib/runtime/virtual/host.ts";
import { defaultSettings } from "../../../lib/settings/settings.ts";
import { jumpingClock } from "../../support/jumping_clock.ts";

/** Runs a startup to its end, in virtual time. */
async function run(
  handlers: readonly ActivityHandler[],
  clock: VirtualClock = virtualHost().clock,
): Promise<{ readonly error: unknown; readonly seconds: number }> {
  const begun = clock.monotonic();
  let end: { error: unknown; seconds: number } | undefined;
  const running = runActivity({
    handlers,
    clock,
    random: { ...virtualHost().random, next: () => 0 },
    logger: silentLogger(),
    settings: defaultSettings(),
    memo: {},
    indices: {},
    observer: {},
    signal: new AbortController().signal,
  });
  const note = (error: unknown): void => {
    end = { error, seconds: clock.monotonic() - begun };
  };
  running.then(() => note(undefined), note);
  await clock.advance(3600);
  assert.ok(end !== undefined, "it must have ended");
  return end;
}

describe("runActivity()", () => {
  it("[A180] throws one error with all that failed for good, caused by the first", async () => {
    const first = new PermanentError("no licence");
    const second = new PermanentError("no database");
    const { error } = await run([
      { id: "a", type: "activity", activity: "startup", fn: () => Promise.reject(first) },
      { id: "b", type: "activity", activity: "startup", fn: () => {} },
      { id: "c", type: "activity", activity: "startup", fn: () => Promise.reject(second) },
    ]);
    assert.ok(error instanceof ActivityError);
    assert.deepEqual([...error.failures], [["a", first], ["c", second]]);
    assert.equal(error.cause, first);
  });

  it("[A181] waits between attempts as long as they say: 3 attempts with 123 s between take 246 s", async () => {
    const retries: number[] = [];
    const { error, seconds } = await run([{
      id: "a",
      type: "activity",
      activity: "startup",
      retries: 3,
      fn: ({ retry }: { readonly retry: number }) => {
        retries.push(retry);
        throw new TemporaryError("not yet", { delay: 123 });
      },
    }]);
    assert.deepEqual([retries, seconds], [[0, 1, 2], 246]);
    assert.ok(error instanceof ActivityError && error.cause instanceof HandlerRetriesError);
  });

  it("waits between attempts as long as they say, and tells how long it has run, however the wall clock is set", async () => {
    for (const hours of [-3, 3]) {
      const clock = jumpingClock(virtualHost().clock);
      const runtimes: number[] = [];
      const { error, seconds } = await run([{
        id: "a",
        type: "activity",
        activity: "startup",
        fn: ({ runtime }: { readonly runtime: number }) => {
          clock.jump(hours * 3600);
          runtimes.push(runtime);
          if (runtimes.length < 3) throw new TemporaryError("not yet", { delay: 10 });
        },
      }], clock);
      assert.deepEqual([error, seconds, runtimes], [undefined, 20, [0, 10, 20]]);
    }
  });

  it("[A174] ends when the next attempt would begin after the timeout: 4 attempts with 1.23 s between, of 4 s", async () => {
    let calls = 0;
    const { error, seconds } = await run([{
      id: "a",
      type: "activity",
      activity: "startup",
      timeout: 4,
      fn: () => {
        calls++;
        throw new TemporaryError("not yet", { delay: 1.23 });
      },
    }]);
    assert.deepEqual([calls, seconds.toFixed(3)], [4, "3.690"]);
    assert.ok(error instanceof ActivityError && error.cause instanceof HandlerTimeoutError);
  });

  it("lets pauses that grow vary", async () => {
    const { seconds } = await run([{
      id: "a",
      type: "activity",
      activity: "startup",
      backoff: exponential({ from: 10 }),
      fn: ({ retry }: { readonly retry: number }) => {
        if (retry < 2) throw new Error("not yet");
      },
    }]);
    assert.equal(seconds, 8 + 16);
  });
});
