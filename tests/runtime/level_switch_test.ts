import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { LevelSwitch } from "../../lib/runtime/level_switch.ts";
import { createLogger, type LogRecord } from "../../lib/runtime/logging.ts";
import { virtualHost } from "../../lib/runtime/virtual/host.ts";

describe("LevelSwitch", () => {
  it("shows lines of another level for some time, the latest wish counting", async () => {
    const { clock } = virtualHost();
    const seen: string[] = [];
    const sink = { level: "debug" as const, write: ({ message }: LogRecord) => void seen.push(message) };
    const levels = new LevelSwitch(sink, { level: "info", clock });
    const logger = createLogger(levels, clock).child({ name: "part" });
    const say = (): string[] => {
      logger.debug("steps");
      logger.info("work");
      return seen.splice(0);
    };
    assert.deepEqual(say(), ["work"]);
    levels.set("debug", 60);
    await clock.advance(30);
    levels.set("debug", 60);
    await clock.advance(59);
    assert.deepEqual([say(), levels.isSet, logger.enabled("debug")], [["steps", "work"], true, true]);
    await clock.advance(2);
    assert.deepEqual([say(), levels.isSet, logger.enabled("debug")], [["work"], false, false]);
    levels.set("error", 60);
    assert.deepEqual(say(), []);
    levels.reset();
    assert.deepEqual(say(), ["work"]);
  });
});
