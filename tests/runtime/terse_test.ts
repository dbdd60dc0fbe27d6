import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createLogger, type LogLevel } from "../../lib/runtime/logging.ts";
import { terseLogger } from "../../lib/runtime/terse.ts";

function linesAt(level: LogLevel): string[] {
  const lines: string[] = [];
  const sink = {
    level,
    write: (line: { level: LogLevel; message: string }) => lines.push(`${line.level} ${line.message}`),
  };
  const logger = terseLogger(createLogger(sink, { now: () => 0 })).child({ name: "child" });
  for (const each of ["debug", "info", "warn", "error"] as const) {
    logger[each](`said as ${each}${logger.enabled(each) ? "" : ", not enabled"}`);
  }
  return lines;
}

describe("terseLogger()", () => {
  it("is one level quieter below warnings, for its children too", () => {
    const loud = ["warn said as warn", "error said as error"];
    assert.deepEqual(linesAt("debug"), ["debug said as info", ...loud]);
    assert.deepEqual(linesAt("info"), loud);
  });
});
