import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openFence } from "../../../lib/engines/replicas/fence.ts";

describe("openFence()", () => {
  it("is responsible for each object without an end, and lets writes through until the operator has ended", () => {
    const controller = new AbortController();
    const fence = openFence(controller.signal);
    const term = fence.termOf("some-uid");
    assert.ok(term !== undefined && fence.isResponsible("some-uid"));
    assert.equal(fence.termOf("other-uid"), term);
    assert.equal(fence.first, term);
    assert.equal(fence.timeLeft(term), Infinity);
    assert.ok(fence.mayWrite(term));
    controller.abort();
    assert.ok(!fence.mayWrite(term));
    assert.ok(term.signal.aborted);
  });
});
