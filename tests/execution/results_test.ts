import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { storeResult } from "../../lib/execution/results.ts";
import type { KubeObject } from "../../lib/model/object.ts";
import { Patch } from "../../lib/model/patch.ts";
import { createLogger, silentLogger } from "../../lib/runtime/logging.ts";
import { virtualHost } from "../../lib/runtime/virtual/host.ts";

function stored(result: unknown, status: unknown = undefined): unknown {
  const patch = new Patch();
  const body = { metadata: { name: "a" }, status } as KubeObject;
  storeResult({ patch, logger: silentLogger(), body }, "fn", result);
  return patch.toMergePatch();
}

describe("storeResult()", () => {
  it("stores anything but nothing under the handler's id", () => {
    for (const result of [0, "", false, [1], { a: 1 }]) {
      assert.deepEqual(stored(result), { status: { fn: result } });
    }
    for (const result of [undefined, null]) assert.deepEqual(stored(result), {});
  });

  it("takes members that are null away where there is an object, and leaves them out where there is none", () => {
    assert.deepEqual(stored({ a: 1, b: null }, { fn: { b: 2 } }), { status: { fn: { a: 1, b: null } } });
    assert.deepEqual(stored({ a: 1, b: null }), { status: { fn: { a: 1 } } });
    assert.deepEqual(stored({ b: null }, { fn: 3 }), { status: { fn: {} } });
  });

  it("logs and drops what JSON cannot express", () => {
    const lines: string[] = [];
    const looped: Record<string, unknown> = {};
    looped.self = looped;
    const patch = new Patch();
    const logger = createLogger(
      { level: "error", write: ({ message }) => lines.push(message) },
      virtualHost().clock,
    );
    storeResult({ patch, logger, body: { metadata: { name: "a" } } }, "fn", looped);
    assert.deepEqual([patch.isEmpty, lines.length], [true, 1]);
  });
});
