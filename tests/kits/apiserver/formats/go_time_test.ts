import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readGoTime, TimeError } from "../../../../lib/kits/apiserver/formats/go_time.ts";

describe("readGoTime()", () => {
  it("gives the time in UTC, no more exact than its type", () => {
    assert.equal(readGoTime("2026-01-02T03:04:05+02:00", "seconds"), "2026-01-02T01:04:05Z");
    assert.equal(readGoTime("2026-01-02T3:04:05.999Z", "seconds"), "2026-01-02T03:04:05Z");
    const exact = "2026-01-02T03:04:05.123456Z";
    assert.equal(readGoTime(exact, "microseconds"), exact);
    assert.equal(
      readGoTime("2026-01-02T03:04:05.123456-01:00", "microseconds"),
      "2026-01-02T04:04:05.123456Z",
    );
  });

  it("refuses in Go's words what Go could not read", () => {
    const refusals: Readonly<Record<string, string>> = {
      "": 'cannot parse "" as "2006"',
      "2026-01-02": 'cannot parse "" as "T"',
      "2026-01-02T03:04:05.123456": 'cannot parse "" as "Z07:00"',
      "2026-01-02T03:04:05.123Z": 'cannot parse ".123Z" as ".000000"',
      "2026-01-02T03:04:05Z": 'cannot parse "Z" as ".000000"',
      "2026-01-02T03:04:05.1234567Z": 'cannot parse "7Z" as "Z07:00"',
    };
    const layout = "2006-01-02T15:04:05.000000Z07:00";
    for (const [text, fault] of Object.entries(refusals)) {
      const message = `parsing time ${JSON.stringify(text)} as "${layout}": ${fault}`;
      assert.throws(() => readGoTime(text, "microseconds"), new TimeError(message), text);
    }
    const ranges = {
      "2026-13-02T03:04:05Z": "month",
      "2026-02-29T03:04:05Z": "day",
      "2026-02-09T24:04:05Z": "hour",
    };
    for (const [text, part] of Object.entries(ranges)) {
      const message = `parsing time "${text}": ${part} out of range`;
      assert.throws(() => readGoTime(text, "seconds"), new TimeError(message));
    }
  });
});
