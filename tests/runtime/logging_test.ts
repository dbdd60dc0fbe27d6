import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  createLogger,
  guardedLogger,
  isLevelWanted,
  type Logger,
  type LogLevel,
  type LogRecord,
  silentLogger,
  terseLogger,
} from "../../lib/runtime/logging.ts";

function recording(level: LogLevel) {
  const records: LogRecord[] = [];
  const sink = { level, write: (record: LogRecord) => void records.push(record) };
  return { records, logger: createLogger(sink, { now: () => 42 }) };
}

describe("createLogger()", () => {
  it("writes records with level, name, message, fields and time", () => {
    const { records, logger } = recording("debug");
    logger.debug("One");
    logger.info("Two", { a: 1 });
    logger.warn("Three");
    logger.error("Four");
    assert.deepEqual(records.map(({ level, message }) => [level, message]), [
      ["debug", "One"],
      ["info", "Two"],
      ["warn", "Three"],
      ["error", "Four"],
    ]);
    assert.deepEqual(records[1], {
      level: "info",
      logger: "lotse",
      message: "Two",
      fields: { a: 1 },
      time: 42,
    });
  });

  it("writes nothing below the sink's level, and says so", () => {
    const { records, logger } = recording("warn");
    logger.debug("no");
    logger.info("no");
    logger.warn("yes");
    assert.deepEqual(records.map(({ message }) => message), ["yes"]);
    assert.deepEqual([logger.enabled("info"), logger.enabled("warn"), logger.enabled("error")], [
      false,
      true,
      true,
    ]);
  });

  it("child() adds fields, and changes name and reference", () => {
    const { records, logger } = recording("info");
    const reference = { kind: "Database", name: "db", namespace: "default" };
    const child = logger.child({ name: "lotse.objects", fields: { a: 1, b: 1 }, reference });
    child.child({ fields: { b: 2 } }).info("Child", { c: 3 });
    logger.info("Parent");
    assert.deepEqual(records, [
      {
        level: "info",
        logger: "lotse.objects",
        message: "Child",
        fields: { a: 1, b: 2, c: 3 },
        time: 42,
        reference,
      },
      { level: "info", logger: "lotse", message: "Parent", fields: {}, time: 42 },
    ]);
  });

  it("takes fields such as __proto__ as data", () => {
    const { records, logger } = recording("info");
    logger.info("Odd", JSON.parse('{"__proto__": {"polluted": 1}, "constructor": 2}'));
    assert.deepEqual(Object.keys(records[0]?.fields ?? {}), ["__proto__", "constructor"]);
  });
});

describe("isLevelWanted()", () => {
  it("compares levels by their urgency", () => {
    assert.equal(isLevelWanted("error", "warn"), true);
    assert.equal(isLevelWanted("warn", "warn"), true);
    assert.equal(isLevelWanted("info", "warn"), false);
  });
});

describe("silentLogger()", () => {
  it("writes nothing, and wants little", () => {
    const logger = silentLogger();
    logger.error("nothing");
    assert.equal(logger.enabled("warn"), false);
  });
});

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

describe("A logger's methods", () => {
  it("work when they are taken off it", () => {
    const lines: string[] = [];
    const write = ({ level, logger, message }: LogRecord) => void lines.push(`${logger} ${level} ${message}`);
    const ours = createLogger({ level: "debug", write }, { now: () => 0 });
    for (const logger of [ours, guardedLogger(ours, () => {})]) {
      const { debug, info, warn, error, enabled, child } = logger;
      for (const method of [debug, info, warn, error, child({ name: "child" }).info]) method("a");
      assert.ok(enabled("debug"));
    }
    const once = ["lotse debug a", "lotse info a", "lotse warn a", "lotse error a", "child info a"];
    assert.deepEqual(lines, [...once, ...once]);
  });
});

describe("guardedLogger()", () => {
  it("passes everything on, and never throws what the logger does", () => {
    const lines: string[] = [];
    const failures: unknown[] = [];
    const error = new Error("disk full");
    const fail = (): never => {
      throw error;
    };
    const broken: Logger = {
      debug: (message) => void lines.push(message),
      info: fail,
      warn: fail,
      error: fail,
      enabled: fail,
      child: (options) => ({ ...broken, debug: (message) => void lines.push(`${options.name}: ${message}`) }),
    };
    const logger = guardedLogger(broken, (failure) => failures.push(failure));
    logger.debug("a");
    logger.child({ name: "b" }).debug("c");
    for (const each of [logger, logger.child({ name: "b" })]) {
      each.info("x");
      each.warn("x");
      each.error("x");
      assert.equal(each.enabled("debug"), true);
    }
    assert.equal(guardedLogger({ ...broken, child: fail }, () => {}).child({}).enabled("info"), true);
    assert.deepEqual([lines, failures], [["a", "b: c"], Array(8).fill(error)]);
  });
});
