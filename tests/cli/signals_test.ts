import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { listenForSignals, untilAborted } from "../../lib/cli/signals.ts";
import { virtualHost } from "../../lib/runtime/virtual/host.ts";

describe("listenForSignals()", () => {
  it("[B258] aborts at the first signal, and ends the process with code 130 at the second", async () => {
    const host = virtualHost();
    const names: string[] = [];
    using stop = listenForSignals(host, (name) => names.push(name));
    host.process.signal("SIGTERM");
    assert.equal(stop.signal.reason, "SIGTERM");
    await host.clock.advance(1);
    assert.throws(() => host.process.signal("SIGINT"));
    assert.deepEqual([names, host.process.exits], [["SIGTERM"], [130]]);
  });

  it("takes a signal that is passed on by whoever started us for the same one", async () => {
    const host = virtualHost();
    using stop = listenForSignals(host);
    host.process.signal("SIGINT");
    await host.clock.advance(0.05);
    host.process.signal("SIGINT");
    assert.equal(stop.signal.aborted, true);
    assert.deepEqual(host.process.exits, []);
  });

  it("no longer listens when disposed", () => {
    const host = virtualHost();
    listenForSignals(host)[Symbol.dispose]();
    assert.equal(host.process.signal("SIGTERM"), false);
  });
});

describe("untilAborted()", () => {
  it("resolves when the signal aborts, and at once if it has", async () => {
    const controller = new AbortController();
    const waiting = untilAborted(controller.signal);
    controller.abort();
    await waiting;
    await untilAborted(controller.signal);
  });
});
