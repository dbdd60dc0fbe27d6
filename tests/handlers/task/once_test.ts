import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { dueOf } from "../../../lib/handlers/task/once.ts";
import { taskHandler } from "../../../lib/handlers/task/task_handler.ts";

const NOON = Date.UTC(2026, 0, 1, 12);
const SECOND = 1000;
const now = NOON + 30 * SECOND;
const hourly = taskHandler("work", { cron: "0 * * * *", once: true }, () => {});
const often = taskHandler("work", { interval: 60, initialDelay: 5, once: true }, () => {});

describe("dueOf()", () => {
  it("counts an interval from the noted end, and repeats a run that has not ended", () => {
    assert.equal(dueOf(often, {}, { now, grace: 75 }), now + 5 * SECOND);
    assert.equal(dueOf(often, { begun: NOON - SECOND, ended: NOON }, { now, grace: 75 }), NOON + 60 * SECOND);
    assert.equal(dueOf(often, { begun: NOON }, { now, grace: 75 }), now);
    assert.equal(dueOf(often, { begun: NOON, ended: NOON - SECOND }, { now, grace: 75 }), now);
  });

  it("makes up for a time of a cron expression that was missed, unless it is too long ago", () => {
    const before = { begun: NOON - 3600 * SECOND, ended: NOON - 3590 * SECOND };
    assert.equal(dueOf(hourly, before, { now, grace: 75 }), NOON);
    assert.equal(dueOf(hourly, before, { now, grace: 20 }), NOON + 3600 * SECOND);
    assert.equal(
      dueOf(hourly, { begun: NOON, ended: NOON + SECOND }, { now, grace: 75 }),
      NOON + 3600 * SECOND,
    );
    assert.equal(dueOf(hourly, {}, { now, grace: 75 }), NOON + 3600 * SECOND, "none was missed: it is new");
  });

  it("repeats a run at a cron expression's time that has not ended, unless it began too long ago", () => {
    assert.equal(dueOf(hourly, { begun: NOON }, { now, grace: 75 }), now);
    assert.equal(dueOf(hourly, { begun: NOON - 7200 * SECOND }, { now, grace: 75 }), NOON);
  });
});
