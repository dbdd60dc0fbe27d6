import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { expiryOf, readPeers, writeRecord } from "../../../lib/engines/peering/record.ts";

const NOW = Date.UTC(2026, 0, 1);

function peersOf(status: Record<string, unknown>): ReturnType<typeof readPeers> {
  return readPeers({ apiVersion: "kopf.dev/v1", kind: "KopfPeering", metadata: { name: "x" }, status }, NOW);
}

describe("readPeers()", () => {
  it("[B170] takes defaults where something is missing or makes no sense, and skips what is no record", () => {
    const peer = { identity: "a", priority: 0, lifetime: 60, lastSeen: NOW };
    assert.deepEqual(peersOf({ a: {}, b: null, c: "text", d: [1] }), [peer]);
    assert.deepEqual(peersOf({ a: { priority: "x", lifetime: null, lastseen: 7 } }), [peer]);
    assert.deepEqual(peersOf({ a: { priority: "7", lifetime: "5", other: 1 } }), [{
      ...peer,
      priority: 7,
      lifetime: 5,
    }]);
  });

  it("takes times without a zone as UTC, with microseconds", () => {
    const [peer] = peersOf({ a: { lastseen: "2025-12-31T23:59:59.123456" } });
    assert.equal(peer?.lastSeen, NOW - 877);
  });

  it("reads what it writes, and knows who is dead", () => {
    const record = writeRecord({ priority: 3, lifetime: 9.5, now: NOW });
    assert.deepEqual(record, { priority: 3, lifetime: 10, lastseen: "2026-01-01T00:00:00.000000+00:00" });
    const [peer] = peersOf({ a: record });
    assert.equal(peer && expiryOf(peer), NOW + 10_000);
  });
});
