import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { cron, parseComingCron, parseCron } from "../../lib/model/cron.ts";

function nexts(
  expression: string,
  { from, zone, count = 2 }: { from: string; zone?: string; count?: number },
): string[] {
  const cron = parseCron(expression, zone);
  const times: string[] = [];
  for (let at: number | undefined = Date.parse(from); times.length < count;) {
    at = cron.next(at);
    if (at === undefined) break;
    times.push(new Date(at).toISOString());
  }
  return times;
}

describe("parseCron()", () => {
  it("names the next times, in UTC unless another zone is named", () => {
    assert.deepEqual(nexts("30 3 * * *", { from: "2026-01-01T03:30:00Z" }), [
      "2026-01-02T03:30:00.000Z",
      "2026-01-03T03:30:00.000Z",
    ]);
    assert.deepEqual(nexts("0 3 * * *", { from: "2026-07-01T00:00:00Z", zone: "Europe/Berlin", count: 1 }), [
      "2026-07-01T01:00:00.000Z",
    ]);
    assert.deepEqual(nexts("*/20 * * * * *", { from: "2026-01-01T00:00:01Z" }), [
      "2026-01-01T00:00:20.000Z",
      "2026-01-01T00:00:40.000Z",
    ]);
  });

  it("names an hour once where clocks are set back, and not at all where it does not exist", () => {
    const fall = { from: "2026-10-24T12:00:00Z", zone: "Europe/Berlin" };
    assert.deepEqual(nexts("30 2 * * *", fall).map((time) => time.slice(0, 10)), [
      "2026-10-25",
      "2026-10-26",
    ]);
    const spring = { from: "2026-03-28T12:00:00Z", zone: "Europe/Berlin", count: 3 };
    assert.deepEqual(nexts("30 2 * * *", spring).at(-1)?.slice(0, 10), "2026-03-31");
  });

  it("has no next time where there is none, and refuses what is no expression", () => {
    assert.deepEqual(nexts("0 0 30 2 *", { from: "2026-01-01T00:00:00Z" }), []);
    for (const wrong of ["", "x", "61 * * * *", "* * *"]) {
      assert.throws(() => parseCron(wrong), {
        name: "SyntaxError",
        message: /Cannot read the cron expression/,
      }, wrong);
    }
    assert.throws(() => parseCron("* * * * *", "Mars/Olympus"), { name: "SyntaxError", message: /Mars/ });
  });
});

describe("cron()", () => {
  const at = (time: string): Date => new Date(time);

  it("names the times beside one, neither of which is that time itself", () => {
    const nightly = cron("0 3 * * *", { timeZone: "Europe/Berlin" });
    assert.deepEqual(nightly.next(at("2026-07-01T01:00:00Z")), at("2026-07-02T01:00:00Z"));
    assert.deepEqual(nightly.previous(at("2026-07-01T01:00:00Z")), at("2026-06-30T01:00:00Z"));
    assert.deepEqual(cron("@hourly").previous(at("2026-07-01T01:30:00Z")), at("2026-07-01T01:00:00Z"));
    assert.deepEqual(cron("0 0 29 2 *").previous(at("2026-07-01T00:00:00Z")), at("2024-02-29T00:00:00Z"));
  });

  it("goes back over the hours that clocks have twice, or not at all", () => {
    const daily = cron("30 2 * * *", { timeZone: "Europe/Berlin" });
    const days: string[] = [];
    for (let time = at("2026-10-26T12:00:00Z"); days.length < 3;) {
      time = daily.previous(time) as Date;
      days.push(time.toISOString().slice(0, 10));
    }
    assert.deepEqual(days, ["2026-10-26", "2026-10-25", "2026-10-24"]);
  });

  it("refuses times that never come, and what is no text, zone or time", () => {
    for (const never of ["0 0 30 2 *", "0 0 31 4,6,9,11 *"]) {
      assert.throws(() => cron(never), { name: "SyntaxError", message: /never comes/ });
      assert.throws(() => parseComingCron(never), { name: "SyntaxError" });
    }
    assert.throws(() => cron("0 0 * * *", { timeZone: "" }), { name: "SyntaxError", message: /empty text/ });
    assert.throws(() => cron(5 as unknown as string), { name: "TypeError", message: /must be a text/ });
    for (const wrong of [new Date(NaN), "2026-01-01", undefined]) {
      assert.throws(() => cron("@daily").next(wrong as Date), {
        name: "TypeError",
        message: /pass a valid Date/,
      });
    }
  });
});
