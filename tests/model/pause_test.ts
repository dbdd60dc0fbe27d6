import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readPause } from "../../lib/model/pause.ts";

describe("readPause()", () => {
  it("reads until when, and why", () => {
    assert.deepEqual(readPause("until=2026-12-01T00:00:00Z reason=the disk is = full, until=never"), {
      is: "pause",
      pause: { until: Date.UTC(2026, 11, 1), reason: "the disk is = full, until=never", deletion: false },
    });
    assert.deepEqual(readPause("  deletion=yes until=2026-12-01T01:00+01:00 "), {
      is: "pause",
      pause: { until: Date.UTC(2026, 11, 1), reason: "", deletion: true },
    });
  });

  it("names what it does not understand", () => {
    const faults: Readonly<Record<string, string>> = {
      "": "it does not say until when",
      "true": '"true" is not understood',
      "reason=later": "it does not say until when",
      "until=tomorrow": '"tomorrow" is no time',
      "until=2026-12-01": '"2026-12-01" is no time',
      "until=2026-13-41T00:00:00Z": '"2026-13-41T00:00:00Z" is no time',
      "until=2026-12-01T00:00:00Z for=me": '"for=me" is not understood',
      "__proto__=x until=2026-12-01T00:00:00Z": '"__proto__=x" is not understood',
    };
    for (const [text, fault] of Object.entries(faults)) {
      assert.deepEqual(readPause(text), { is: "nonsense", fault }, text);
    }
  });

  it("is linear, and cuts long texts", () => {
    const begun = performance.now();
    const reading = readPause(`${" ".repeat(100_000)}x`);
    assert.equal(reading.is, "nonsense");
    const long = readPause(`until=2026-12-01T00:00:00Z reason=${"x".repeat(100_000)}`);
    assert.ok(long.is === "pause" && long.pause.reason.length === 200);
    assert.ok(performance.now() - begun < 1000);
  });
});
