import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type ApiError, asStatus, messageOf, toApiError } from "../../lib/client/errors.ts";

const REQUEST = "GET /api/v1/pods";

function refused(text: string, headers: Record<string, string> = {}): ApiError {
  return toApiError({ status: 422, headers }, { request: REQUEST, text });
}

describe("toApiError()", () => {
  it("[B237] takes code, reason and message from a Status, drops other JSON, and cuts text to 256 characters", () => {
    const status = refused(
      '{"kind":"Status","code":422,"reason":"Invalid","message":"spec is wrong","details":{"name":"a"}}',
    );
    assert.equal(status.message, 'Server refused "GET /api/v1/pods": 422 Invalid: spec is wrong');
    assert.equal(status.status, 422);
    assert.equal(status.reason, "Invalid");
    assert.deepEqual(status.details, { name: "a" });
    const other = refused('{"message":"secret"}');
    assert.equal(other.message, 'Server refused "GET /api/v1/pods": 422');
    assert.equal(other.body, undefined);
    const text = refused("x".repeat(1000));
    assert.equal(text.message, `Server refused "GET /api/v1/pods": 422: ${"x".repeat(256)}`);
  });
});

describe("ApiError.retryAfter", () => {
  it("comes from the header, or else from the details, where they hold seconds", () => {
    const status = '{"kind":"Status","details":{"retryAfterSeconds":7}}';
    assert.equal(refused(status, { "retry-after": "3" }).retryAfter, 3);
    assert.equal(refused(status).retryAfter, 7);
    assert.equal(refused("", { "retry-after": "0" }).retryAfter, 0);
    assert.equal(refused(status, { "retry-after": "Wed, 21 Oct 2026 07:28:00 GMT" }).retryAfter, 7);
    const date = { "date": "Wed, 21 Oct 2026 07:26:30 GMT" };
    const until = { "retry-after": "Wed, 21 Oct 2026 07:28:00 GMT" };
    assert.equal(refused(status, { ...until, ...date }).retryAfter, 90, "by the server's own clock");
    assert.equal(refused("", until).retryAfter, undefined);
    assert.equal(
      refused("", { ...date, "retry-after": "Wed, 21 Oct 2026 07:00:00 GMT" }).retryAfter,
      undefined,
    );
    assert.equal(refused("", { ...date, "retry-after": "soon" }).retryAfter, undefined);
    assert.equal(refused("", { "retry-after": "-1" }).retryAfter, undefined);
    assert.equal(refused("").retryAfter, undefined);
  });
});

describe("asStatus()", () => {
  it("takes objects of kind Status only", () => {
    assert.deepEqual(asStatus({ kind: "Status", code: 1 }), { kind: "Status", code: 1 });
    for (const value of [null, undefined, 1, "Status", { kind: "Pod" }]) {
      assert.equal(asStatus(value), undefined);
    }
  });
});

describe("messageOf()", () => {
  it("says something of whatever is thrown", () => {
    assert.equal(messageOf(new Error("a")), "a");
    assert.equal(messageOf("b"), "b");
    assert.equal(messageOf(undefined), "undefined");
  });
});
