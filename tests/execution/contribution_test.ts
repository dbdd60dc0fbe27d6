import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Contribution } from "../../lib/execution/contribution.ts";
import { Patch, type PatchFunction } from "../../lib/model/patch.ts";

describe("Contribution", () => {
  it("is empty until the call puts something in that was not there", () => {
    for (const raw of [undefined, { spec: { size: 1 } }]) {
      const patch = new Patch(raw);
      const contribution = new Contribution(patch);
      assert.equal(contribution.isEmpty, true);
      patch.merge(raw ?? {});
      assert.equal(contribution.isEmpty, true);
      patch.merge({ spec: { size: 2 } });
      assert.equal(contribution.isEmpty, false);
    }
  });

  it("counts functions", () => {
    const patch = new Patch();
    patch.fns.push(() => {});
    const contribution = new Contribution(patch);
    assert.equal(contribution.isEmpty, true);
    patch.fns.push(() => {});
    assert.equal(contribution.isEmpty, false);
  });

  it("is taken out as a whole, functions too, if a part of it cannot be sent", () => {
    const patch = new Patch({ status: { first: 1 } });
    const fn: PatchFunction = () => {};
    patch.fns.push(fn);
    const contribution = new Contribution(patch);
    contribution.check();
    patch.merge({ status: { first: 2, second: 1 } });
    contribution.check();
    assert.deepEqual(patch.toMergePatch(), { status: { first: 2, second: 1 } });
    patch.status.wrong = NaN;
    patch.fns.push(() => {});
    assert.throws(() => contribution.check(), { message: 'Cannot turn "status.wrong" into JSON: it is NaN' });
    assert.deepEqual([patch.toMergePatch(), patch.fns], [{ status: { first: 1 } }, [fn]]);
    assert.equal(contribution.isEmpty, true);
  });

  it("does not answer for what was there before", () => {
    const patch = new Patch();
    patch.status.wrong = NaN;
    const contribution = new Contribution(patch);
    patch.status.right = 1;
    contribution.check();
    assert.equal(contribution.isEmpty, true, "nobody can tell");
    assert.deepEqual({ ...patch.status }, { wrong: NaN, right: 1 });
  });
});
