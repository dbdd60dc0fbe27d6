import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openFence } from "../../lib/execution/fence.ts";

describe("openFence()", () => {
  it("is responsible for each object without an end, and lets writes through until the operator has ended", () => {
    const [handlers, writes] = [new AbortController(), new AbortController()];
    const fence = openFence({ handlers: handlers.signal, fence: writes.signal });
    const term = fence.termOf("some-uid");
    assert.ok(term !== undefined && fence.isResponsible("some-uid"));
    assert.equal(fence.termOf("other-uid"), term);
    assert.equal(fence.first, term);
    handlers.abort();
    assert.ok(term.signal.aborted);
    assert.equal(term.timeLeft(), Infinity, "the last writes go out after handlers were told to stop");
    writes.abort();
    assert.equal(term.timeLeft(), 0);
  });
});
