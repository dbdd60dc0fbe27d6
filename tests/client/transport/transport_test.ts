import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { type ApiError, LoginError } from "../../../lib/client/errors.ts";
import type { AttemptOutcome, RequestObserver } from "../../../lib/client/transport/transport.ts";
import { VERSION } from "../../../lib/runtime/version.ts";
import { answerWith, GET, json, refusal, send, SERVER, type WorldOptions } from "../fake_server.ts";

describe("Transport.request()", () => {
  it("gives the answer's status, headers and parsed body", async () => {
    const world = answerWith(() => json({ a: 1 }, 201, { "x-y": "z" }));
    const response = await world.transport.request(GET);
    assert.equal(response.status, 201);
    assert.equal(response.headers["x-y"], "z");
    assert.deepEqual(response.body, { a: 1 });
    assert.equal(world.host.clock.pending, 0, "no timer is left");
  });

  it("gives text where text is asked for, and undefined for an empty body", async () => {
    const world = answerWith(({ path }) => new Response(path === "/log" ? "line 1\nline 2" : undefined));
    assert.equal(
      (await world.transport.request({ method: "GET", path: "/log", text: true })).body,
      "line 1\nline 2",
    );
    assert.equal((await world.transport.request(GET)).body, undefined);
  });

  it("sends who we are, what we take, and a body with its type", async () => {
    const world = answerWith(() => json({}), { info: { token: "t" } });
    await world.transport.request(GET);
    await world.transport.request({
      method: "PATCH",
      path: "/x",
      body: { a: 1 },
      contentType: "application/merge-patch+json",
    });
    await world.transport.request({
      method: "POST",
      path: "/x",
      body: "a: 1",
      contentType: "application/yaml",
      accept: "text/plain",
    });
    await world.transport.request({ method: "POST", path: "/x", body: { b: 2 } });
    const [get, patch, yaml, post] = world.seen;
    assert.equal(get!.headers["authorization"], "Bearer t");
    assert.equal(get!.headers["accept"], "application/json");
    assert.equal(get!.headers["content-type"], undefined);
    assert.deepEqual([patch!.headers["content-type"], patch!.body], [
      "application/merge-patch+json",
      '{"a":1}',
    ]);
    assert.deepEqual([yaml!.headers["content-type"], yaml!.headers["accept"], yaml!.body], [
      "application/yaml",
      "text/plain",
      "a: 1",
    ]);
    assert.equal(post!.headers["content-type"], "application/json");
  });

  it("[N24.1] sends nothing that could change a cluster where it only reads", async () => {
    const world = answerWith(() => json({}), { readOnly: true });
    const reviews = "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews";
    await world.transport.request(GET);
    await world.transport.request({ method: "POST", path: reviews, body: {} });
    const forbidden = [
      ["POST", "/api/v1/namespaces/a/pods"],
      ["PUT", "/api/v1/namespaces/a/pods/b"],
      ["PATCH", "/api/v1/namespaces/a/pods/b"],
      ["DELETE", "/api/v1/namespaces/a/pods/b"],
      ["POST", `${reviews}/a`],
      ["POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews"],
      ["POST", `/api/v1/namespaces/a/pods?x=${reviews}`],
      ["GET", "/api/v1/namespaces/a/pods/b/exec?command=rm"],
      ["GET", "/api/v1/namespaces/a/services/b/proxy/delete"],
    ] as const;
    for (const [method, path] of forbidden) {
      await assert.rejects(world.transport.request({ method, path }), {
        name: "TypeError",
        message: `Cannot send ${method} ${path}: this client only reads`,
      });
      await assert.rejects(world.transport.stream({ method, path }), TypeError);
    }
    assert.equal(world.seen.length, 2);
  });

  it("[B276] names itself and its version, unless the login has a name of its own", async () => {
    const agentOf = async (options: Partial<WorldOptions>): Promise<string | undefined> => {
      const world = answerWith(() => json({}), options);
      await world.transport.request(GET);
      return world.seen[0]!.headers["user-agent"];
    };
    assert.equal(await agentOf({}), `lotse/${VERSION}`);
    assert.equal(await agentOf({ userAgent: "lotse/1.2.3" }), "lotse/1.2.3");
    assert.equal(await agentOf({ info: { userAgent: "mine/7" } }), "mine/7");
  });

  it("asks for compressed answers where they are large, and reads them", async () => {
    const world = answerWith(() =>
      new Response(new Uint8Array(gzipSync('{"a":1}')), { headers: { "content-encoding": "gzip" } })
    );
    const { body } = await world.transport.request({ ...GET, gzip: true });
    assert.deepEqual(body, { a: 1 });
    assert.equal(world.seen[0]!.headers["accept-encoding"], "gzip");
  });

  it("refuses an answer that is not JSON, once", async () => {
    const world = answerWith(() => new Response("<html>"));
    const { error } = await send(world);
    assert.ok(error instanceof SyntaxError);
    assert.match(error.message, /"GET \/api\/v1\/pods": it is not JSON/);
    assert.equal(world.seen.length, 1);
  });

  it("keeps __proto__ in answers as data", async () => {
    const world = answerWith(() => new Response('{"__proto__":{"x":1}}'));
    const { body } = await world.transport.request<object>(GET);
    assert.deepEqual(Object.keys(body), ["__proto__"]);
    assert.equal(Object.getPrototypeOf(body), Object.prototype);
  });

  it("gives up after the timeout, its own or the settings', also while the body is coming", async () => {
    const silent = (): Response => new Response(new ReadableStream({ start() {} }));
    const never = (): Promise<Response> => new Promise(() => {});
    for (const answer of [silent, never]) {
      const world = answerWith(answer, { networking: { requestTimeout: 20, errorBackoffs: [] } });
      const { error } = await send(world);
      assert.equal((error as Error).name, "TimeoutError");
      assert.equal(world.host.clock.monotonic(), 20);
      await send(world, { ...GET, timeout: 5 });
      assert.equal(world.host.clock.monotonic(), 25);
      assert.equal(world.seen[1]!.signal.aborted, true);
    }
  });

  it("gives up an answer that does not begin, before one that does not end; who names a time gets that", async () => {
    const never = (): Promise<Response> => new Promise(() => {});
    const silent = (): Response => new Response(new ReadableStream({ start() {} }));
    const networking = { requestTimeout: 20, responseTimeout: 8, errorBackoffs: [] };
    const takes = async (answer: () => Response | Promise<Response>, timeout?: number): Promise<number> => {
      const world = answerWith(answer, { networking });
      const { error } = await send(world, { ...GET, timeout });
      assert.equal((error as Error).name, "TimeoutError");
      assert.match((error as Error).message, new RegExp(`within ${world.host.clock.monotonic()} seconds`));
      return world.host.clock.monotonic();
    };
    assert.deepEqual([await takes(never), await takes(silent)], [8, 20]);
    assert.deepEqual([await takes(never, 12), await takes(silent, 12), await takes(never, 5)], [12, 12, 5]);
  });

  it("lets only so many through at once, the others in order; watches do not count", async () => {
    const doors: (() => void)[] = [];
    const answer = () => new Promise<Response>((resolve) => doors.push(() => resolve(json({}))));
    const world = answerWith(answer, { networking: { requestLimit: 2 } });
    const paths = () => world.seen.map(({ path }) => path);
    const get = (path: string, signal?: AbortSignal) =>
      world.transport.request({ method: "GET", path, signal });
    const watching = [1, 2, 3].map((n) => world.transport.stream({ method: "GET", path: `/w${n}` }));
    const [first, second] = [get("/1"), get("/2")];
    const controller = new AbortController();
    const third = assert.rejects(get("/3", controller.signal), /enough/);
    const fourth = get("/4");
    await world.host.clock.settle();
    assert.deepEqual(paths(), ["/w1", "/w2", "/w3", "/1", "/2"]);
    controller.abort(new Error("enough"));
    await third;
    doors[3]!();
    await first;
    await world.host.clock.settle();
    assert.deepEqual(paths().slice(5), ["/4"]);
    Object.assign(world.transport.networking, { requestLimit: 3 });
    const fifth = get("/5");
    await world.host.clock.settle();
    assert.deepEqual(paths().slice(6), ["/5"], "the limit is read anew each time");
    for (const open of doors) open();
    await Promise.all([second, fourth, fifth, ...watching]);
    world.transport[Symbol.dispose]();
  });

  it("counts a request's time from when it is sent, and no time between its attempts", async () => {
    let refusals = 1;
    const world = answerWith(({ path }) => {
      if (path === "/slow") return new Promise(() => {});
      return refusals-- > 0 ? refusal(500) : json({});
    }, { networking: { requestLimit: 1, requestTimeout: 20, errorBackoffs: [100] } });
    const slow = assert.rejects(
      world.transport.request({ method: "GET", path: "/slow", backoffs: [] }),
      /did not answer within 20 s/,
    );
    const refused = world.transport.request(GET);
    await world.host.clock.advance(30);
    await slow;
    // The refused one is waiting for its second attempt, in nobody's way.
    await world.transport.request({ method: "GET", path: "/quick" });
    await world.host.clock.advance(100);
    await refused;
    assert.deepEqual(world.seen.map(({ path, at }) => [path, at]), [
      ["/slow", 0],
      ["/api/v1/pods", 20],
      ["/quick", 30],
      ["/api/v1/pods", 120],
    ]);
  });

  it("ends with the signal's reason when it aborts: before, during, and between attempts", async () => {
    const reason = new Error("enough");
    const attempts: number[] = [];
    const observer = {
      requestBegins: (_request: unknown, { number }: { number: number }) => void attempts.push(number),
    };
    const world = answerWith(() => refusal(500), { observer });
    await assert.rejects(world.transport.request({ ...GET, signal: AbortSignal.abort(reason) }), reason);
    assert.deepEqual([world.seen.length, attempts.length], [0, 0]);
    const controller = new AbortController();
    const between = assert.rejects(world.transport.request({ ...GET, signal: controller.signal }), reason);
    await world.host.clock.settle();
    controller.abort(reason);
    await between;
    assert.equal(world.seen.length, 1);
    world.answer(() => new Promise(() => {}));
    const second = new AbortController();
    const during = assert.rejects(world.transport.request({ ...GET, signal: second.signal }), reason);
    await world.host.clock.advance(1);
    second.abort(reason);
    await during;
    assert.equal(world.seen.length, 2);
    assert.equal(world.host.clock.pending, 0);
  });
});

describe("Transport.request() and credentials", () => {
  it("repeats a request with new credentials after 401, at once", async () => {
    let token = 1;
    const credentials = {
      current: () => Promise.resolve({ server: SERVER, token: `t${token}` }),
      invalidate: () => void token++,
    };
    const world = answerWith(
      ({ headers }) => headers["authorization"] === "Bearer t3" ? json({}) : refusal(401),
      { credentials },
    );
    await send(world);
    assert.deepEqual(world.seen.map(({ headers }) => headers["authorization"]), [
      "Bearer t1",
      "Bearer t2",
      "Bearer t3",
    ]);
    assert.equal(world.host.clock.monotonic(), 0);
  });

  it("gives up when fresh credentials are refused again and again", async () => {
    let token = 1;
    const credentials = {
      current: () => Promise.resolve({ server: SERVER, token: `t${token++}` }),
      invalidate: () => {},
    };
    const world = answerWith(() => refusal(401), { credentials });
    const { error } = await send(world);
    assert.ok(error instanceof LoginError);
    assert.equal((error.cause as ApiError).status, 401);
    assert.equal(world.seen.length, 5);
  });

  it("fails with the login's error, without retries", async () => {
    const failure = new LoginError("Cannot log in");
    const credentials = { current: () => Promise.reject(failure), invalidate: () => {} };
    const world = answerWith(() => json({}), { credentials });
    assert.equal((await send(world)).error, failure);
    assert.equal(world.seen.length, 0);
  });
});

describe("Transport and its observers", () => {
  it("show each attempt with its outcome", async () => {
    const calls: string[] = [];
    const observer: RequestObserver = {
      requestBegins: ({ method, path }, { number }) => void calls.push(`${number} ${method} ${path}`),
      requestEnds: (_request, { number, status, seconds, body, error }: AttemptOutcome) => {
        calls.push(
          `${number} ${status} ${seconds} ${JSON.stringify(body)} ${(error as Error | undefined)?.name}`,
        );
      },
    };
    const world = answerWith(async () => {
      await world.host.clock.sleep(2);
      return world.seen.length === 1 ? refusal(500) : json({ a: 1 });
    }, { observer });
    await send(world, { method: "GET", path: "/x" });
    assert.deepEqual(calls, [
      "1 GET /x",
      "1 500 2 undefined ApiError",
      "2 GET /x",
      '2 200 2 {"a":1} undefined',
    ]);
  });

  it("show connection errors without a status", async () => {
    const outcomes: AttemptOutcome[] = [];
    const world = answerWith(() => {
      throw Object.assign(new Error("reset"), { code: "ECONNRESET" });
    }, {
      observer: { requestEnds: (_request, outcome) => void outcomes.push(outcome) },
      networking: { errorBackoffs: [] },
    });
    await send(world);
    assert.equal(outcomes.length, 1);
    assert.equal(outcomes[0]!.status, undefined);
    assert.match(String(outcomes[0]!.error), /reset/);
  });
});

describe("Transport.stream()", () => {
  it("gives the answer when its head has come, and lets its body take its time", async () => {
    const parts: string[] = [];
    let more: ReadableStreamDefaultController<Uint8Array> | undefined;
    const world = answerWith(() =>
      new Response(new ReadableStream({ start: (controller) => void (more = controller) }))
    );
    const signal = new AbortController().signal;
    const response = await world.transport.stream({ ...GET, timeout: 5, signal });
    const reading = (async () => {
      for await (const chunk of response.body) parts.push(new TextDecoder().decode(chunk));
    })();
    await world.host.clock.advance(1000);
    more!.enqueue(new TextEncoder().encode("late"));
    more!.close();
    await reading;
    assert.deepEqual(parts, ["late"]);
  });

  it("ends the body when the signal aborts, with and without a timeout", async () => {
    for (const timeout of [5, null]) {
      const world = answerWith(() => new Response(new ReadableStream({ start() {} })));
      const controller = new AbortController();
      const response = await world.transport.stream({ ...GET, timeout, signal: controller.signal });
      const reading = assert.rejects(async () => {
        for await (const _chunk of response.body);
      }, /enough/);
      controller.abort(new Error("enough"));
      await reading;
      assert.equal(world.seen[0]!.signal.aborted, true);
    }
  });

  it("throws what the server refuses", async () => {
    const world = answerWith(() => refusal(404, "NotFound"));
    await assert.rejects(world.transport.stream(GET), { name: "ApiError", status: 404, reason: "NotFound" });
  });
});
