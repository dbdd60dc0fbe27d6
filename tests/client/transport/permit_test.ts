import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { limitedBy, PermitEndedError } from "../../../lib/client/transport/permit.ts";

const { signal } = new AbortController();
const lasting = (seconds: number) => ({ signal, timeLeft: () => seconds });

describe("limitedBy()", () => {
  it("asks the server for no more than the whole seconds that are left, and waits no longer itself", () => {
    assert.deepEqual(limitedBy(lasting(7.9), { path: "/a", timeout: 300 }), {
      path: "/a?timeout=7s",
      timeout: 7.9,
    });
    assert.deepEqual(limitedBy(lasting(7.9), { path: "/a?force=true", timeout: null }), {
      path: "/a?force=true&timeout=7s",
      timeout: 7.9,
    });
    assert.equal(limitedBy(lasting(7.9), { path: "/a", timeout: 3 }).timeout, 3);
  });

  it("leaves requests as they are where there is no end", () => {
    const attempt = { path: "/a", timeout: null };
    assert.deepEqual(limitedBy(lasting(Infinity), attempt), attempt);
  });

  it("refuses when less than a second is left", () => {
    for (const left of [0.99, 0, -5]) {
      assert.throws(() => limitedBy(lasting(left), { path: "/a", timeout: 300 }), PermitEndedError);
    }
  });
});
