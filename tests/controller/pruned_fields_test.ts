import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CachedObject } from "../../lib/client/cache/object_store.ts";
import { reportPruned } from "../../lib/controller/pruned_fields.ts";
import { ObjectState } from "../../lib/execution/object_state.ts";
import { PODS } from "../../lib/model/kinds.ts";
import type { JsonObject, KubeObject } from "../../lib/model/object.ts";
import type { PatchFunction } from "../../lib/model/patch.ts";
import { createLogger } from "../../lib/runtime/logging.ts";

/** The fields that are reported when this was written, and that is the answer. */
function reported(written: JsonObject, answer: KubeObject, fns: readonly PatchFunction[] = []): unknown {
  const told: unknown[] = [];
  const logger = createLogger({ level: "warn", write: ({ fields }) => told.push(fields.fields) }, {
    now: () => 0,
  });
  const kind = { resource: PODS, reportOnce: () => true };
  const state = new ObjectState({ cached: new CachedObject(answer), kind, memo: {}, firstSeen: "event" });
  reportPruned({ state, logger }, { content: written, fns }, answer);
  return told.flat();
}

describe("reportPruned()", () => {
  const answer = { metadata: { name: "one", uid: "u" }, spec: { a: 1, b: { c: 1 } }, status: {} };

  it("names what the server's answer lacks, at the top of it", () => {
    const written = { status: { phase: "x", list: [] }, spec: { b: { d: { e: 1 } } } };
    assert.deepEqual(reported(written, answer), ["status.phase", "status.list", "spec.b.d"]);
  });

  it("[A92] ignores what the server has added to what was written", () => {
    assert.deepEqual(reported({ spec: { a: 1 } }, answer), []);
    assert.deepEqual(reported({ spec: { b: { c: 1 } } }, answer), []);
  });

  it("ignores what was emptied: labels, annotations, finalizers", () => {
    const metadata = { labels: {}, annotations: { a: null }, finalizers: [] };
    assert.deepEqual(reported({ metadata, spec: { x: null } }, answer), []);
  });

  it("names lists that the server does not keep, and those that it keeps empty are nothing", () => {
    assert.deepEqual(reported({ metadata: { finalizers: ["a"] } }, answer), ["metadata.finalizers"]);
    assert.deepEqual(reported({ spec: { list: [] } }, answer), ["spec.list"]);
  });

  it("is silent where functions have changed what was written", () => {
    assert.deepEqual(reported({ spec: { gone: 1 } }, answer, [() => {}]), []);
  });

  it("goes no deeper than schemas do", () => {
    const nested = (levels: number, leaf: JsonObject): JsonObject =>
      Array.from({ length: levels }).reduce<JsonObject>((inner) => ({ a: inner }), leaf);
    assert.deepEqual(reported({ spec: nested(250, { b: 1 }) }, { ...answer, spec: nested(250, {}) }), []);
    assert.deepEqual(reported({ spec: { x: nested(150, {}), y: nested(250, {}) } }, answer), ["spec.y"]);
  });
});
