import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  type FinishedRun,
  nextRun,
  type StoppingRun,
  stopStage,
} from "../../../lib/handlers/background/next_run.ts";
import { after, FRESH } from "../../../lib/handlers/retry.ts";
import type { DaemonHandler, TimerHandler } from "../../../lib/handlers/background/background_handler.ts";
import { daemonOf, timerOf } from "./world.ts";

const common = { id: "h", fn: () => {}, selector: {} };
const daemon: DaemonHandler = { ...common, type: "daemon" };
const success: FinishedRun = { retry: after(FRESH, { kind: "success" }, 100.3), due: 100, now: 100.3 };
const failure: FinishedRun = {
  ...success,
  retry: after(FRESH, { kind: "failure", error: new Error() }, 100.3),
};
const retry: FinishedRun = {
  ...success,
  retry: after(FRESH, { kind: "retry", delay: 7, error: new Error() }, 100.3),
};

function timer(options: Partial<TimerHandler>): TimerHandler {
  return { ...common, type: "timer", ...options };
}

function due(handler: TimerHandler, run: Partial<FinishedRun> = {}): number {
  const next = nextRun(handler, { ...success, ...run });
  assert.ok(typeof next === "object");
  return Math.round(next.due * 1000) / 1000;
}

describe("nextRun()", () => {
  it("ends daemons that have succeeded or failed for good", () => {
    assert.equal(nextRun(daemon, success), "end");
    assert.equal(nextRun(daemon, failure), "end");
  });

  it("follows the delay of failures that are temporary, whatever the interval", () => {
    assert.deepEqual(nextRun(daemon, retry), { due: 107.3 });
    assert.deepEqual(nextRun(timer({ interval: 1, sharp: true }), retry), { due: 107.3 });
  });

  it("counts the interval from the end of a run", () => {
    assert.equal(due(timer({ interval: 1 })), 101.3);
  });

  it("counts the interval of sharp timers from when the run was due, and leaves out what would overlap", () => {
    const sharp = timer({ interval: 1, sharp: true });
    assert.equal(due(sharp), 101);
    assert.equal(due(sharp, { now: 101.2 }), 102);
    assert.equal(due(sharp, { now: 102 }), 103);
    assert.equal(due(timer({ interval: 0.1, sharp: true }), { due: 0, now: 0.1 * 3 }), 0.4);
  });

  it("lets no lateness of the event loop add up in sharp timers", () => {
    const sharp = timer({ interval: 60, sharp: true });
    let planned = 0;
    for (let run = 0; run < 10_000; run++) planned = due(sharp, { due: planned, now: planned + 0.004 });
    assert.equal(planned, 600_000);
  });

  it("waits for a change where there is an idle time only, and ends where there is neither", () => {
    assert.equal(nextRun(timer({ idle: 5 }), success), "change");
    assert.equal(nextRun(timer({}), success), "end");
  });

  it("ends timers that have failed for good, unless they keep their schedule", () => {
    assert.equal(nextRun(timer({ interval: 1 }), failure), "end");
    assert.deepEqual(nextRun(timer({ interval: 1, keepSchedule: true }), failure), { due: 101.3 });
  });
});

const told: StoppingRun = { since: 100, now: 100, polling: 60, isExiting: false };
const fn = (): void => {};

describe("stopStage()", () => {
  it("goes from the flag over the signal to abandoning it, each at its time", () => {
    const daemon = daemonOf(fn, { cancellationBackoff: 2, cancellationTimeout: 3 });
    assert.deepEqual(stopStage(daemon, told), { kind: "signalled", until: 102 });
    assert.deepEqual(stopStage(daemon, { ...told, now: 101.9 }), { kind: "signalled", until: 102 });
    assert.deepEqual(stopStage(daemon, { ...told, now: 102 }), { kind: "cancelled", until: 105 });
    assert.deepEqual(stopStage(daemon, { ...told, now: 104.9 }), { kind: "cancelled", until: 105 });
    assert.deepEqual(stopStage(daemon, { ...told, now: 105 }), { kind: "abandoned" });
  });

  it("cancels at once without a backoff, and takes binary fractions for what they stand for", () => {
    const daemon = daemonOf(fn, { cancellationTimeout: 0.3 });
    assert.deepEqual(stopStage(daemon, told), { kind: "cancelled", until: 100.3 });
    assert.deepEqual(stopStage(daemon, { ...told, since: 0, now: 0.1 + 0.2 - 1e-9 }), { kind: "abandoned" });
  });

  it("waits without a timeout, and looks again as often as the daemon or else the settings say", () => {
    assert.deepEqual(stopStage(daemonOf(fn), told), { kind: "awaited", until: 160 });
    assert.deepEqual(stopStage(timerOf(fn), told), { kind: "awaited", until: 160 });
    assert.deepEqual(stopStage(daemonOf(fn, { cancellationPolling: 5 }), told), {
      kind: "awaited",
      until: 105,
    });
  });

  it("abandons what has no timeout where the operator stops, but not before its backoff", () => {
    const exiting = { ...told, isExiting: true };
    assert.deepEqual(stopStage(daemonOf(fn), exiting), { kind: "abandoned" });
    assert.deepEqual(stopStage(timerOf(fn), exiting), { kind: "abandoned" });
    const daemon = daemonOf(fn, { cancellationBackoff: 2 });
    assert.deepEqual(stopStage(daemon, exiting), { kind: "signalled", until: 102 });
    assert.deepEqual(stopStage(daemon, { ...exiting, now: 102 }), { kind: "abandoned" });
  });
});
