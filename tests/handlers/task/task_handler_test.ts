import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { taskHandler } from "../../../lib/handlers/task/task_handler.ts";
import { operator } from "../../../mod.ts";

const run = (): void => {};

describe("taskHandler()", () => {
  it("takes an interval or times", () => {
    const { id, times, timeout } = taskHandler("tidy-up", { interval: 60, timeout: 5 }, run);
    assert.deepEqual([id, times, timeout], ["tidy-up", { interval: 60, initialDelay: 0 }, 5]);
    assert.ok("next" in taskHandler("nightly", { cron: "0 3 * * *", timeZone: "Europe/Berlin" }, run).times);
  });

  it("refuses what makes no sense", () => {
    const wrong: readonly [unknown, unknown, unknown, RegExp][] = [
      ["a b", { interval: 1 }, run, /its name/],
      ["", { interval: 1 }, run, /its name/],
      ["a", undefined, run, /say when it runs/],
      ["a", { interval: 1 }, undefined, /function last/],
      ["a", { interval: 1, cron: "* * * * *" }, run, /either "interval" or "cron"/],
      ["a", {}, run, /either "interval" or "cron"/],
      ["a", { every: 1 }, run, /option "every": known are interval/],
      ["a", { interval: "1" }, run, /"interval" must be a number/],
      ["a", { interval: 0 }, run, /"interval" must be above 0/],
      ["a", { interval: NaN }, run, /"interval" must be above 0/],
      ["a", { interval: 1, timeout: -1 }, run, /"timeout" must be above 0/],
      ["a", { interval: 1, timeZone: "UTC" }, run, /"timeZone" is for "cron"/],
      ["a", { cron: "* * * * *", initialDelay: 1 }, run, /"initialDelay" is for "interval"/],
      ["a", { cron: "nonsense" }, run, /cron expression "nonsense"/],
      ["a", { cron: 5 }, run, /"cron" must be a string/],
    ];
    for (const [name, options, fn, message] of wrong) {
      assert.throws(() => taskHandler(name, options, fn), { message }, JSON.stringify(options));
    }
  });
});

describe("op.every()", () => {
  it("refuses a second task of one name, at the author's line, and works when taken off its object", () => {
    const { every } = operator();
    every("a", { interval: 1 }, run);
    function author(): void {
      every("a", { interval: 2 }, run);
      assert.fail("not refused"); // else it would be a tail call, which leaves no frame on Bun
    }
    assert.throws(author, (error: Error) => {
      assert.match(error.message, /task "a": there is one of that name/);
      assert.match(error.stack ?? "", /^.*\n.*task_handler_test/);
      return true;
    });
  });
});
