import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { formatKopfTimestamp, formatTimestamp, parseTimestamp } from "../../lib/model/timestamps.ts";

const NOON = Date.UTC(2026, 0, 31, 12, 0, 0);

describe("parseTimestamp()", () => {
  it("reads the forms of Kubernetes, Kopf and Python, naive ones as UTC", () => {
    const forms = {
      "2026-01-31T12:00:00Z": 0,
      "2026-01-31T12:00:00z": 0,
      "2026-01-31T12:00:00.789Z": 789,
      "2026-01-31T12:00:00.789123456Z": 789,
      "2026-01-31T12:00:00.7": 700,
      "2026-01-31T12:00:00.789123+00:00": 789,
      "2026-01-31T13:30:00+01:30": 0,
      "2026-01-31T10:00:00.5-0200": 500,
      "2026-01-31T14:00:00+02": 0,
      "2026-01-31T12:00:00": 0,
      "2026-01-31T12:00:00.123456": 123,
      "2026-01-31 12:00:00": 0,
      "2026-01-31T12:00": 0,
      " 2026-01-31T12:00:00Z\n": 0,
    };
    for (const [text, milliseconds] of Object.entries(forms)) {
      assert.equal(parseTimestamp(text), NOON + milliseconds, text);
    }
  });

  it("gives undefined for anything else", () => {
    for (
      const bad of [
        "",
        "now",
        "2026-01-31",
        "2026-13-01T00:00:00Z",
        "2026-01-01T25:00:00Z",
        "1".repeat(100_000),
        5,
        null,
        {},
      ]
    ) {
      assert.equal(parseTimestamp(bad), undefined, String(bad).slice(0, 30));
    }
  });
});

describe("formatTimestamp()", () => {
  it("writes RFC 3339 in UTC with milliseconds", () => {
    assert.equal(formatTimestamp(NOON + 7), "2026-01-31T12:00:00.007Z");
    assert.equal(parseTimestamp(formatTimestamp(NOON + 7)), NOON + 7);
  });
});

describe("formatKopfTimestamp()", () => {
  it("writes microseconds and an explicit offset", () => {
    assert.equal(formatKopfTimestamp(NOON + 7), "2026-01-31T12:00:00.007000+00:00");
    assert.equal(parseTimestamp(formatKopfTimestamp(NOON + 7)), NOON + 7);
  });
});
