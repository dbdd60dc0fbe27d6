import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseWarnings, Warnings } from "../../../lib/client/transport/warnings.ts";
import { createLogger, type LogRecord } from "../../../lib/runtime/logging.ts";
import { virtualHost } from "../../../lib/runtime/virtual/host.ts";

describe("parseWarnings()", () => {
  it("returns the texts of one or several warnings, unescaped", () => {
    assert.deepEqual(parseWarnings('299 - "policy/v1beta1 is deprecated"'), ["policy/v1beta1 is deprecated"]);
    assert.deepEqual(parseWarnings('299 - "a, \\"b\\"", 299 - "c\\\\d"'), ['a, "b"', "c\\d"]);
    assert.deepEqual(parseWarnings("nonsense"), []);
  });
});

describe("Warnings", () => {
  it("logs each text once", () => {
    const logs: LogRecord[] = [];
    const host = virtualHost();
    const warnings = new Warnings(
      createLogger({ level: "info", write: (record) => logs.push(record) }, host.clock),
    );
    for (const text of ["a", "b", "a"]) warnings.report(`299 - "${text}"`, `GET /${text}`);
    assert.deepEqual(logs.map(({ level, fields }) => [level, fields?.warning, fields?.request]), [
      ["warn", "a", "GET /a"],
      ["warn", "b", "GET /b"],
    ]);
  });
});
