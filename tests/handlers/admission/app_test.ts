/** What strangers can make the admission server do: it reads no more than a review can be. */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { admissionApp } from "../../../lib/handlers/admission/app.ts";
import { silentLogger } from "../../../lib/runtime/logging.ts";
import type { ReviewFn } from "../../../lib/settings/admission_server.ts";

const MIB = 1024 * 1024;

function appOf(review: unknown) {
  const convert = () => assert.fail("No conversion is asked for");
  return admissionApp({ review: review as ReviewFn, convert, logger: silentLogger() });
}

function post(
  body: string,
  headers: Record<string, string> = { "content-type": "application/json" },
): Request {
  return new Request("https://hooks.test/", { method: "POST", body, headers });
}

describe("admissionApp()", () => {
  it("refuses what is too large, too rich or too deep before it is parsed", async () => {
    const reviewed: unknown[] = [];
    const app = appOf((payload: unknown) => (reviewed.push(payload), {}));
    const status = async (body: string) => (await app.fetch(post(body))).status;
    assert.equal(await status(`"${"x".repeat(7 * MIB)}"`), 413);
    assert.equal(await status(`[${"[],".repeat(500_000)}0]`), 413);
    assert.equal(await status(`${"[".repeat(501)}${"]".repeat(501)}`), 400);
    assert.deepEqual(reviewed, []);
  });

  it("takes the word of a header for the size of a review, so that its body need not be made a stream", async () => {
    const app = appOf(() => ({}));
    const status = async (length: string, more: Record<string, string> = {}) => {
      const headers = { "content-type": "application/json", "content-length": length, ...more };
      const request = post("{}", headers);
      const stream = request.body;
      let isAsked = false;
      Object.defineProperty(request, "body", { get: () => (isAsked = true, stream) });
      return [(await app.fetch(request)).status, isAsked];
    };
    assert.deepEqual(await status("2"), [200, false]);
    assert.deepEqual(await status(String(7 * MIB + 1)), [413, false]);
    assert.deepEqual(await status("many"), [413, false]);
    assert.deepEqual(await status("2", { "transfer-encoding": "chunked" }), [200, true]);
  });

  it("counts values, and not the signs in texts", async () => {
    const app = appOf(() => ({}));
    const rich = JSON.stringify({ a: ',[{"\\'.repeat(600_000) });
    assert.equal((await app.fetch(post(rich))).status, 200);
  });

  it("takes JSON only, with whatever parameters", async () => {
    const app = appOf(() => ({}));
    const status = async (type: string) => (await app.fetch(post("{}", { "content-type": type }))).status;
    assert.equal(await status("application/json"), 200);
    assert.equal(await status("Application/JSON; charset=utf-8"), 200);
    assert.equal(await status("text/plain"), 415);
    assert.equal(await status("application/yaml"), 415);
  });

  it("tells clients to come again while it has enough to do, and takes them afterwards", async () => {
    const open = Promise.withResolvers<object>();
    const app = appOf(() => open.promise);
    const large = () =>
      app.fetch(post(JSON.stringify("x".repeat(6 * MIB)), {
        "content-type": "application/json",
        "content-length": String(6 * MIB),
      }));
    const first = Array.from({ length: 10 }, large);
    const refused = await large();
    assert.equal(refused.status, 429);
    assert.equal(refused.headers.get("retry-after"), "1");
    open.resolve({});
    assert.deepEqual((await Promise.all(first)).map(({ status }) => status), Array(10).fill(200));
    assert.equal((await large()).status, 200);
  });
});
