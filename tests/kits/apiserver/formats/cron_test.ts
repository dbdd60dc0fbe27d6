import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readSchedule } from "../../../../lib/kits/apiserver/formats/cron.ts";

/** The times of a schedule after a moment. */
function times(schedule: string, after: string, { zone = "UTC", count = 3 } = {}): string[] {
  const found: string[] = [];
  const read = readSchedule(schedule, zone);
  for (let time = read.next(Date.parse(after)); time !== undefined && found.length < count;) {
    found.push(new Date(time).toISOString().slice(0, 16));
    time = read.next(time);
  }
  return found;
}

const cases: readonly [schedule: string, after: string, expected: readonly string[]][] = [
  ["*/20 * * * *", "2026-01-01T00:10:00Z", ["2026-01-01T00:20", "2026-01-01T00:40", "2026-01-01T01:00"]],
  ["0 0 29 2 *", "2026-01-01T00:00:00Z", ["2028-02-29T00:00"]],
  ["30 6 * jan,JUN mon-tue", "2026-01-30T00:00:00Z", [
    "2026-06-01T06:30",
    "2026-06-02T06:30",
    "2026-06-08T06:30",
  ]],
  ["0 12 1 * 5", "2026-05-01T12:00:00Z", ["2026-05-08T12:00", "2026-05-15T12:00", "2026-05-22T12:00"]],
  ["5/25 1 * * *", "2026-01-01T01:05:00Z", ["2026-01-01T01:30", "2026-01-01T01:55", "2026-01-02T01:05"]],
  ["@monthly", "2026-01-31T00:00:00Z", ["2026-02-01T00:00", "2026-03-01T00:00", "2026-04-01T00:00"]],
  ["@every 1h30m", "2026-01-01T00:00:00Z", ["2026-01-01T01:30", "2026-01-01T03:00", "2026-01-01T04:30"]],
  ["0 0 31 2 *", "2026-01-01T00:00:00Z", []],
];

describe("readSchedule()", () => {
  it("names the times that fit all fields, or either of those for days", () => {
    for (const [schedule, after, expected] of cases) {
      assert.deepEqual(times(schedule, after, { count: expected.length || 1 }), expected, schedule);
    }
  });

  it("keeps to a time zone, and leaves out what its clocks skip", () => {
    const zone = "Europe/Berlin";
    assert.deepEqual(times("30 2 * * *", "2026-03-27T12:00:00Z", { zone }), [
      "2026-03-28T01:30",
      "2026-03-30T00:30",
      "2026-03-31T00:30",
    ]);
    // Of the two moments with that wall time, the first.
    assert.deepEqual(times("30 2 25 10 *", "2026-10-01T00:00:00Z", { zone, count: 1 }), ["2026-10-25T00:30"]);
    assert.throws(() => readSchedule("@daily", "Mars/Olympus"), RangeError);
  });

  it("says what is wrong as Kubernetes does", () => {
    const faults: Readonly<Record<string, RegExp>> = {
      "x": /^expected exactly 5 fields, found 1: \[x\]$/,
      "60 * * * *": /^end of range \(60\) above maximum \(59\): 60$/,
      "* * 0 * *": /^beginning of range \(0\) below minimum \(1\): 0$/,
      "5-1 * * * *": /^beginning of range \(5\) beyond end of range \(1\): 5-1$/,
      "*/0 * * * *": /^step of range should be a positive number: \*\/0$/,
      "1-2-3 * * * *": /^too many hyphens: 1-2-3$/,
      "1/2/3 * * * *": /^too many slashes: 1\/2\/3$/,
      "a * * * *": /^failed to parse int from a: strconv.Atoi: parsing "a": invalid syntax$/,
      "@often": /^unrecognized descriptor: @often$/,
    };
    for (const [schedule, message] of Object.entries(faults)) {
      assert.throws(() => readSchedule(schedule), { name: "SyntaxError", message }, schedule);
    }
  });
});
