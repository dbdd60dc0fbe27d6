import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { stageOf, type Stopping } from "../../../lib/engines/daemons/stopping.ts";
import { daemonOf, timerOf } from "./world.ts";

const told: Stopping = { since: 100, now: 100, polling: 60, isExiting: false };
const fn = (): void => {};

describe("stageOf()", () => {
  it("goes from the flag over the signal to leaving it behind, each at its time", () => {
    const daemon = daemonOf(fn, { cancellationBackoff: 2, cancellationTimeout: 3 });
    assert.deepEqual(stageOf(daemon, told), { kind: "signalled", until: 102 });
    assert.deepEqual(stageOf(daemon, { ...told, now: 101.9 }), { kind: "signalled", until: 102 });
    assert.deepEqual(stageOf(daemon, { ...told, now: 102 }), { kind: "cancelled", until: 105 });
    assert.deepEqual(stageOf(daemon, { ...told, now: 104.9 }), { kind: "cancelled", until: 105 });
    assert.deepEqual(stageOf(daemon, { ...told, now: 105 }), { kind: "abandoned" });
  });

  it("cancels at once without a backoff, and takes binary fractions for what they stand for", () => {
    const daemon = daemonOf(fn, { cancellationTimeout: 0.3 });
    assert.deepEqual(stageOf(daemon, told), { kind: "cancelled", until: 100.3 });
    assert.deepEqual(stageOf(daemon, { ...told, since: 0, now: 0.1 + 0.2 - 1e-9 }), { kind: "abandoned" });
  });

  it("waits without a timeout, and looks again as often as the daemon or else the settings say", () => {
    assert.deepEqual(stageOf(daemonOf(fn), told), { kind: "awaited", until: 160 });
    assert.deepEqual(stageOf(timerOf(fn), told), { kind: "awaited", until: 160 });
    assert.deepEqual(stageOf(daemonOf(fn, { cancellationPolling: 5 }), told), {
      kind: "awaited",
      until: 105,
    });
  });

  it("leaves behind what has no timeout where the operator stops, but not before its backoff", () => {
    const exiting = { ...told, isExiting: true };
    assert.deepEqual(stageOf(daemonOf(fn), exiting), { kind: "abandoned" });
    assert.deepEqual(stageOf(timerOf(fn), exiting), { kind: "abandoned" });
    const daemon = daemonOf(fn, { cancellationBackoff: 2 });
    assert.deepEqual(stageOf(daemon, exiting), { kind: "signalled", until: 102 });
    assert.deepEqual(stageOf(daemon, { ...exiting, now: 102 }), { kind: "abandoned" });
  });
});
