import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ApiError, LoginError } from "../../../lib/client/errors.ts";
import {
  isConnectionError,
  isRetriable,
  nextDelay,
  startBackoffs,
  stayAfter,
} from "../../../lib/client/transport/retries.ts";
import { answerWith, json, pauses, refusal, send } from "../fake_server.ts";

const asking = (status: number): ApiError =>
  new ApiError({ status, request: "GET /", headers: { "retry-after": "9" } });

describe("isRetriable()", () => {
  it("finds certificates that do not fit not worth it, also one level down", () => {
    const inner = Object.assign(new Error("wrong name"), { code: "ERR_TLS_CERT_ALTNAME_INVALID" });
    assert.equal(isRetriable(inner), false);
    assert.equal(isRetriable(new Error("Cannot connect", { cause: inner })), false);
    assert.equal(isRetriable(Object.assign(new Error("reset"), { code: "ECONNRESET" })), true);
  });

  it("finds an application with a misspelt field not worth it, which the server calls its own fault", () => {
    const failure = (message: string) =>
      new ApiError({ status: 500, request: "PATCH /", body: { apiVersion: "v1", kind: "Status", message } });
    const misspelt =
      "failed to create typed patch object (default/a; /v1, Kind=ConfigMap): .dta: field not declared in schema";
    assert.equal(isRetriable(failure(misspelt)), false);
    assert.equal(isRetriable(failure("etcdserver: request timed out")), true);
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

describe("stayAfter()", () => {
  it("obeys a server that asks us to stay away, for five minutes at most", () => {
    const asked = (seconds: number): ApiError =>
      new ApiError({ status: 503, request: "GET /", headers: { "retry-after": `${seconds}` } });
    assert.deepEqual([1, 300, 86_400].map((seconds) => stayAfter(asked(seconds))), [1, 300, 300]);
    assert.equal(stayAfter(new ApiError({ status: 503, request: "GET /" })), undefined);
    assert.equal(nextDelay(startBackoffs(1), asked(86_400), true), 300);
  });
});

describe("Transport.request() and errors", () => {
  it("[B228] sends a request with 429 or 5xx again, as often as there are backoffs", async () => {
    for (const code of [429, 500, 503, 599]) {
      const world = answerWith(() => refusal(code), { networking: { errorBackoffs: [0, 0, 0] } });
      const { error } = await send(world);
      assert.equal((error as ApiError).status, code);
      assert.equal(world.seen.length, 4);
    }
  });

  it("[B229] sends a request with any other refusal once", async () => {
    for (const code of [400, 403, 404, 409, 410, 422, 499]) {
      const world = answerWith(() => refusal(code), { networking: { errorBackoffs: [0, 0, 0] } });
      assert.equal((await send(world)).error instanceof ApiError, true);
      assert.equal(world.seen.length, 1);
    }
  });

  it("[B230] treats connection errors and timeouts as 5xx", async () => {
    const reset = (): never => {
      throw Object.assign(new Error("reset"), { code: "ECONNRESET" });
    };
    for (const answer of [reset, () => new Promise<Response>(() => {})]) {
      const world = answerWith(answer, { networking: { errorBackoffs: [0, 0, 0], requestTimeout: 5 } });
      await send(world);
      assert.equal(world.seen.length, 4);
    }
    const half = answerWith(() =>
      new Response(
        new ReadableStream({
          start(controller) {
            controller.enqueue(new TextEncoder().encode('{"a":'));
            controller.error(new Error("crash"));
          },
        }),
      ), { networking: { errorBackoffs: [0] } });
    await send(half);
    assert.equal(half.seen.length, 2);
  });

  it("does not send a request again to a server that it does not trust", async () => {
    const world = answerWith(() => {
      throw Object.assign(new Error("self-signed certificate"), { code: "DEPTH_ZERO_SELF_SIGNED_CERT" });
    });
    assert.match(String((await send(world)).error), /self-signed certificate/);
    assert.equal(world.seen.length, 1);
  });

  it("[B231] takes a number as one pause", async () => {
    const world = answerWith(() => refusal(500), { networking: { errorBackoffs: 5 } });
    await send(world);
    assert.deepEqual(pauses(world), [5]);
  });

  it("[B232] makes one attempt where there are no backoffs", async () => {
    const world = answerWith(() => refusal(500), { networking: { errorBackoffs: [] } });
    await send(world);
    assert.equal(world.seen.length, 1);
  });

  it("[B233] begins a re-iterable object anew for each request, also an endless one", async () => {
    const endless = {
      *[Symbol.iterator](): Generator<number> {
        for (let pause = 1;; pause++) yield pause;
      },
    };
    let left = 3;
    const world = answerWith(() => left-- > 0 ? refusal(500) : json({}), {
      networking: { errorBackoffs: endless },
    });
    await send(world);
    left = 2;
    await send(world);
    assert.deepEqual(pauses(world), [1, 2, 3, 0, 1, 2]);
  });

  it("[B234] waits as long as Retry-After asks, or longer; exactly as long where that is enforced", async () => {
    const answer = (): Response => json({}, 429, { "retry-after": "10" });
    const world = answerWith(answer, { networking: { errorBackoffs: [5, 10, 15] } });
    await send(world);
    assert.deepEqual(pauses(world), [10, 10, 15]);
    const enforced = answerWith(answer, {
      networking: { errorBackoffs: [5, 10, 15], enforceRetryAfter: true },
    });
    await send(enforced);
    assert.deepEqual(pauses(enforced), [10, 10, 10]);
  });

  it("[B235] finds the same in details.retryAfterSeconds", async () => {
    const answer = (): Response => refusal(429, "TooManyRequests", { details: { retryAfterSeconds: 10 } });
    const world = answerWith(answer, { networking: { errorBackoffs: [5, 10, 15] } });
    await send(world);
    assert.deepEqual(pauses(world), [10, 10, 15]);
    const enforced = answerWith(answer, {
      networking: { errorBackoffs: [5, 10, 15], enforceRetryAfter: true },
    });
    await send(enforced);
    assert.deepEqual(pauses(enforced), [10, 10, 10]);
  });

  it("[B236] makes nine attempts in 54 s by default", async () => {
    const world = answerWith(() => refusal(500));
    await send(world);
    assert.equal(world.seen.length, 9);
    assert.equal(world.host.clock.monotonic(), 54);
  });

  it("says on each retry what failed, and to whom it is told", async () => {
    let left = 2;
    const world = answerWith(() => left-- > 0 ? refusal(500) : json({}));
    await send(world);
    const warnings = world.logs.filter((it) => it.level === "warn");
    assert.deepEqual(warnings.map(({ fields }) => [fields["request"], fields["attempt"], fields["delay"]]), [
      ["GET /api/v1/pods", 1, 1],
      ["GET /api/v1/pods", 2, 1],
    ]);
  });

  it("gives the error of the first answer that is worth no more attempts", async () => {
    const answers = [refusal(503), refusal(409, "Conflict")];
    const world = answerWith(() => answers.shift()!);
    const { error } = await send(world);
    assert.equal((error as ApiError).reason, "Conflict");
    assert.match((error as ApiError).message, /"GET \/api\/v1\/pods": 409 Conflict: it is 409/);
  });
});
