import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CachedObject } from "../../lib/client/cache/object_store.ts";
import { keepPruned, reportPruned } from "../../lib/controller/pruned_fields.ts";
import type { Work } from "../../lib/controller/reconciliation.ts";
import { ObjectState } from "../../lib/execution/object_state.ts";
import type { WriteResult } from "../../lib/execution/object_writer.ts";
import { PODS } from "../../lib/model/kinds.ts";
import type { JsonObject, KubeObject } from "../../lib/model/object.ts";
import { applyMergePatch, Patch, type PatchFunction } from "../../lib/model/patch.ts";
import { createLogger } from "../../lib/runtime/logging.ts";
import type { ProgressRecord } from "../../lib/settings/persistence/storage.ts";
import { handledBody, makeBench } from "./bench.ts";

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

describe("keepPruned()", () => {
  const body: KubeObject = {
    metadata: { name: "one", namespace: "ns", uid: "u", resourceVersion: "1" },
    spec: { a: 1 },
  };
  const handled: JsonObject = { spec: { a: 1 } };
  const record: ProgressRecord = { retries: 1, success: true, failure: false };

  function written(answer: KubeObject): Extract<WriteResult, { kind: "written" }> {
    return { kind: "written", body: answer, writes: 1, outgoing: { content: {}, fns: [] }, lost: [] };
  }

  it("keeps the state that was handled where the note of it is not in the answer", () => {
    const { r, state } = makeBench({ body });
    keepPruned(r, { handled }, written(body));
    assert.equal(state.lastHandled, handled);
    keepPruned(r, { handled }, written(handledBody(body)));
    assert.equal(state.lastHandled, undefined);
  });

  it("looks at the object as it is where nothing was to be written", () => {
    const { r, state } = makeBench({ body });
    keepPruned(r, { handled }, { kind: "unchanged" });
    assert.equal(state.lastHandled, handled);
  });

  it("says that there is no room where the note was", () => {
    const { r } = makeBench({ body });
    const decided: boolean[] = [];
    const room = { decide: (_object: KubeObject, hasRoom: boolean) => void decided.push(hasRoom) };
    Object.defineProperty(r.persistence.diffBase, "room", { value: room });
    keepPruned(r, { handled }, written(body));
    keepPruned(r, { handled }, written(handledBody(body)));
    assert.deepEqual(decided, [false]);
  });

  it("keeps the records that are not in the answer, and no others", () => {
    const { r, state } = makeBench({ body });
    const patch = new Patch();
    r.persistence.progress.store({ patch, body, id: "there", record });
    const answer = applyMergePatch(body, patch.toMergePatch());
    const work: Work = { records: () => new Map([["there", record], ["pruned", record]]) };
    keepPruned(r, work, written(answer));
    assert.deepEqual([...state.pending.records.keys()], ["pruned"]);
    keepPruned(r, {}, written(answer));
    assert.equal(state.pending.records.size, 0);
  });
});
