import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { PendingWrite } from "../../lib/execution/pending_write.ts";
import { Patch, type PatchFunction } from "../../lib/model/patch.ts";
import { silentLogger } from "../../lib/runtime/logging.ts";

describe("PendingWrite", () => {
  const logger = silentLogger();

  it("puts what is kept before what is new", () => {
    const pending = new PendingWrite();
    pending.keep(new Patch({ status: { a: 1, b: 1 } }));
    const patch = new Patch({ status: { b: 2, c: 2 } });
    const outgoing = pending.compose(patch, logger);
    assert.deepEqual(outgoing, { content: { status: { a: 1, b: 2, c: 2 } }, fns: [] });
    assert.deepEqual(patch.toMergePatch(), { status: { b: 2, c: 2 } });
  });

  it("keeps what could not be sent until it is dropped, but for functions that lost a race", () => {
    const pending = new PendingWrite();
    const fn: PatchFunction = () => {};
    const patch = new Patch({ spec: { a: 1 } });
    patch.fns.push(fn);
    pending.keep(patch);
    pending.keep(new Patch({ spec: { b: 1 } }));
    assert.deepEqual([pending.isEmpty, pending.failures, pending.hasFunctions], [false, 2, true]);
    assert.deepEqual(pending.patch?.toMergePatch(), { spec: { a: 1, b: 1 } });
    pending.keepLost([fn]);
    assert.deepEqual([pending.isEmpty, pending.failures, pending.patch?.fns], [false, 0, [fn]]);
    pending.drop();
    assert.equal(pending.isEmpty, true);
  });

  it("hands out functions that lost a race, but none of a write that failed", () => {
    const pending = new PendingWrite();
    const fn: PatchFunction = () => {};
    pending.keepLost([fn]);
    assert.deepEqual([pending.takeLost(), pending.isEmpty, pending.takeLost()], [[fn], true, []]);
    const patch = new Patch();
    patch.fns.push(fn);
    pending.keep(patch);
    assert.deepEqual([pending.takeLost(), pending.patch?.fns], [[], [fn]]);
  });

  it("counts races in a row, also while somebody has taken the functions, until everything is written", () => {
    const pending = new PendingWrite();
    pending.keepLost([() => {}]);
    pending.takeLost();
    pending.keepLost([() => {}]);
    assert.equal(pending.races, 2);
    pending.settle();
    assert.equal(pending.races, 0);
  });

  it("knows whose changes are pending, each handler once", () => {
    const pending = new PendingWrite();
    pending.keep(new Patch({ spec: { a: 1 } }), ["a"]);
    pending.keepLost([() => {}], ["b", "a"]);
    assert.deepEqual(pending.handlers, ["a", "b"]);
    pending.settle();
    assert.deepEqual(pending.handlers, []);
  });

  it("drops what JSON cannot express, and keeps the functions", () => {
    const pending = new PendingWrite();
    const fn: PatchFunction = () => {};
    const patch = new Patch();
    patch.status = { wrong: NaN };
    patch.fns.push(fn);
    const outgoing = pending.compose(patch, logger);
    assert.deepEqual([outgoing.content, outgoing.fns, patch.fns], [{}, [fn], [fn]]);
    assert.deepEqual(patch.toMergePatch(), {});
  });
});
