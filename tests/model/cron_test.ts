import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseCron } from "../../lib/model/cron.ts";

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
