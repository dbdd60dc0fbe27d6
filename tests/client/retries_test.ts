import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ApiError, LoginError } from "../../lib/client/errors.ts";
import { isConnectionError, isRetriable, nextDelay, startBackoffs } from "../../lib/client/retries.ts";

const asking = (status: number): ApiError =>
  new ApiError({ status, request: "GET /", headers: { "retry-after": "9" } });

describe("isRetriable()", () => {
  it("finds certificates that do not fit not worth it, also one level down", () => {
    const inner = Object.assign(new Error("wrong name"), { code: "ERR_TLS_CERT_ALTNAME_INVALID" });
    assert.equal(isRetriable(inner), false);
    assert.equal(isRetriable(new Error("Cannot connect", { cause: inner })), false);
    assert.equal(isRetriable(Object.assign(new Error("reset"), { code: "ECONNRESET" })), true);
  });
});

describe("isConnectionError()", () => {
  it("tells the network's errors from refusals and from mistakes in a program", () => {
    assert.equal(isConnectionError(new Error("socket hang up")), true);
    for (
      const error of [
        asking(500),
        new LoginError("no"),
        new TypeError("x"),
        new SyntaxError("y"),
        "text",
        undefined,
      ]
    ) {
      assert.equal(isConnectionError(error), false);
    }
  });
});

describe("nextDelay()", () => {
  it("gives pause after pause, and then none", () => {
    const backoffs = startBackoffs([1, 2]);
    const delays = [1, 2, 3].map(() => nextDelay(backoffs, new Error("x"), false));
    assert.deepEqual(delays, [1, 2, undefined]);
  });

  it("obeys Retry-After of 429 and 5xx only", () => {
    assert.deepEqual([429, 503, 403].map((status) => nextDelay(startBackoffs(1), asking(status), false)), [
      9,
      9,
      1,
    ]);
  });
});
