import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { nextRun, type Run } from "../../../lib/engines/daemons/pauses.ts";
import { PermanentError } from "../../../lib/execution/errors.ts";
import type { DaemonHandler, TimerHandler } from "../../../lib/registry/handlers.ts";

const common = { id: "h", fn: () => {}, selector: {} };
const daemon: DaemonHandler = { ...common, type: "daemon" };
const success: Run = { outcome: { kind: "success" }, due: 100, now: 100.3 };
const failure: Run = { ...success, outcome: { kind: "failure", error: new PermanentError() } };
const retry: Run = { ...success, outcome: { kind: "retry", delay: 7, error: new Error() } };

function timer(options: Partial<TimerHandler>): TimerHandler {
  return { ...common, type: "timer", ...options };
}

function due(handler: TimerHandler, run: Partial<Run> = {}): number {
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
    assert.equal(due(timer({ interval: 0 })), 100.3);
  });

  it("counts the interval of sharp timers from when the run was due, and leaves out what would overlap", () => {
    const sharp = timer({ interval: 1, sharp: true });
    assert.equal(due(sharp), 101);
    assert.equal(due(sharp, { now: 101.2 }), 102);
    assert.equal(due(sharp, { now: 102 }), 103);
    assert.equal(due(timer({ interval: 0.1, sharp: true }), { due: 0, now: 0.1 * 3 }), 0.4);
    assert.equal(due(timer({ interval: 0, sharp: true })), 100.3);
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
