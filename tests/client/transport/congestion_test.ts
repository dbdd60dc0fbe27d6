import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isOverload } from "../../../lib/client/transport/congestion.ts";
import { ApiError } from "../../../lib/client/errors.ts";
import type { ApiRequest } from "../../../lib/client/transport/transport.ts";
import { type Answer, json, makeWorld, refusal, type World, type WorldOptions } from "../fake_server.ts";

/** What the server calls the level that a request is in. */
const LEVEL = "X-Kubernetes-PF-PriorityLevel-UID";

const leases = { group: "coordination.k8s.io", version: "v1", plural: "leases" };
const widgets = { group: "example.com", version: "v1", plural: "widgets" };

/** Objects are in a low level, leases in a high one. */
function levelOf(path: string): string {
  return path.includes("leases") ? "high" : "low";
}

function busy(path: string, retryAfter?: number): Response {
  const headers: Record<string, string> = { [LEVEL]: levelOf(path) };
  if (retryAfter !== undefined) headers["retry-after"] = String(retryAfter);
  return json({ kind: "Status", code: 429, reason: "TooManyRequests" }, 429, headers);
}

function fine(path: string): Response {
  return json({}, 200, { [LEVEL]: levelOf(path) });
}

interface Bench extends World {
  /** How many are under way at the server. */
  readonly active: () => number;
  /** Sends so many, and gives how many of them have been answered so far. */
  send(
    count: number,
    more?: Partial<ApiRequest>,
  ): { readonly done: () => number; readonly failed: () => number };
  /** When requests of a path came, in seconds. */
  times(part: string): number[];
}

/** Each answer takes a tenth of a second. */
function bench(answer: Answer, networking: WorldOptions["networking"] = {}): Bench {
  let active = 0;
  const world = makeWorld({
    networking: { requestLimit: 16, errorBackoffs: Array(100).fill(0.1), ...networking },
    answer: async (request) => {
      active++;
      await world.host.clock.sleep(0.1);
      active--;
      return await answer(request);
    },
  });
  return Object.assign(world, {
    active: () => active,
    send(count: number, more: Partial<ApiRequest> = {}) {
      let [done, failed] = [0, 0];
      const subject = { verb: "patch", resource: widgets };
      for (let number = 0; number < count; number++) {
        const request = { method: "PATCH", path: `/widgets/${number}`, subject, ...more };
        world.transport.request(request).then(() => done++, () => failed++);
      }
      return { done: () => done, failed: () => failed };
    },
    times: (part: string) =>
      world.seen.filter(({ path }) => path.includes(part)).map(({ at }) => Math.round(at * 10) / 10),
  });
}

describe("isOverload()", () => {
  const error = (
    status: number,
    more: { headers?: Record<string, string>; body?: Record<string, unknown> } = {},
  ) =>
    new ApiError({
      status,
      request: "GET /",
      headers: more.headers,
      body: { kind: "Status", ...more.body } as never,
    });

  it("knows too many requests by their code, by Retry-After of 503, and by etcd's words", () => {
    assert.ok(isOverload(error(429)));
    assert.ok(isOverload(error(503, { headers: { "retry-after": "1" } })));
    assert.ok(isOverload(error(500, { body: { message: "etcdserver: too many requests" } })));
  });

  it("takes nothing else for it, above all not evictions that a budget forbids", () => {
    const causes = [{
      reason: "DisruptionBudget",
      message: "The disruption budget web needs 2 healthy pods",
    }];
    for (const other of [error(429, { body: { details: { causes } } }), error(503), error(500), error(409)]) {
      assert.equal(isOverload(other), false);
    }
    assert.equal(isOverload(new Error("too many requests")), false);
  });
});

describe("Congestion", () => {
  it("[N10] halves the limit with each round of refusals, never below one, and raises it with each round of answers", async () => {
    let isBusy = true;
    const world = bench(({ path }) => isBusy ? busy(path, 1) : fine(path));
    const { congestion } = world.transport;
    const sent = world.send(400);
    const limits: number[] = [];
    for (let round = 0; round < 8; round++) {
      // A round takes 1.1 s; this looks at the end of each.
      await world.host.clock.advance(round === 0 ? 1 : 1.1);
      limits.push(congestion.limit);
    }
    assert.deepEqual(limits, [8, 4, 2, 1, 1, 1, 1, 1]);
    assert.equal(world.seen.length, 16 + 8 + 4 + 2 + 1 + 1 + 1 + 1);
    isBusy = false;
    await world.host.clock.advance(16);
    assert.deepEqual([sent.done(), sent.failed()], [400, 0]);
    assert.deepEqual([congestion.limit, congestion.isOn], [16, false]);
    world.transport[Symbol.dispose]();
  });

  it("[N10] raises the limit by about one with each round of answers", async () => {
    let isBusy = true;
    const world = bench(({ path }) => isBusy ? busy(path, 1) : fine(path));
    world.send(400);
    await world.host.clock.advance(5);
    isBusy = false;
    while (world.transport.congestion.limit === 1) await world.host.clock.advance(0.1);
    const limits: number[] = [];
    for (let round = 0; round < 10; round++) {
      limits.push(world.transport.congestion.limit);
      await world.host.clock.advance(0.1);
    }
    limits.reduce((before, limit) => {
      assert.ok(limit === before || limit === before + 1, `${limits}`);
      return limit;
    });
    assert.ok((limits.at(-1) ?? 0) >= 9, `${limits}`);
    world.transport[Symbol.dispose]();
  });

  it("[N10] holds back what is in the level of a refusal for as long as it says, and nothing else", async () => {
    let isBusy = true;
    const world = bench(({ path }) => isBusy && levelOf(path) === "low" ? busy(path, 10) : fine(path));
    world.send(1);
    await world.host.clock.advance(1);
    world.send(3, { path: "/widgets/later" });
    world.send(2, { path: "/leases/one", subject: { verb: "update", resource: leases } });
    await world.host.clock.advance(8);
    assert.deepEqual(world.times("/widgets"), [0]);
    assert.deepEqual(world.times("/leases"), [1, 1]);
    isBusy = false;
    await world.host.clock.advance(10);
    // One at first, and more with each answer.
    assert.deepEqual(world.times("/widgets"), [0, 10.1, 10.2, 10.2, 10.3]);
    world.transport[Symbol.dispose]();
  });

  it("does not count streams, and holds none of them back", async () => {
    const world = bench(({ path }) => path.includes("watch") ? json({}) : busy(path, 30), {
      requestLimit: 1,
    });
    world.send(2);
    await world.host.clock.advance(1);
    const subject = { verb: "watch", resource: widgets };
    const streams = [1, 2, 3].map((n) =>
      world.transport.stream({ method: "GET", path: `/watch/${n}`, subject })
    );
    await world.host.clock.advance(1);
    assert.deepEqual(world.times("/watch"), [1, 1, 1]);
    await Promise.all(streams);
    world.transport[Symbol.dispose]();
  });

  it("lets what is urgent through before the rest, and the rest in order", async () => {
    let refusals = 1;
    const world = bench(({ path }) => refusals-- > 0 ? busy(path, 1) : fine(path), { requestLimit: 1 });
    world.send(1, { path: "/refused" });
    await world.host.clock.advance(0.5);
    world.send(2, { path: "/usual" });
    world.send(1, { path: "/urgent", urgent: true });
    await world.host.clock.advance(3);
    const order = world.seen.slice(1).map(({ path }) => path);
    assert.deepEqual(order, ["/urgent", "/usual", "/usual", "/refused"]);
    world.transport[Symbol.dispose]();
  });

  it("ends a minute after the last refusal, and lets through whoever waits then; both is logged once", async () => {
    let refusals = 40;
    const world = bench(({ path }) => refusals-- > 0 ? busy(path) : fine(path));
    world.send(20);
    await world.host.clock.advance(30);
    assert.equal(world.transport.congestion.isOn, true);
    await world.host.clock.advance(60);
    assert.deepEqual([world.transport.congestion.isOn, world.transport.congestion.limit], [false, 16]);
    assert.deepEqual(
      world.logs.filter(({ level }) => level !== "debug").map(({ level, message }) => `${level} ${message}`),
      [
        "warn The server has too many requests: they are slowed down",
        "info The server takes requests as before",
      ],
    );
    assert.equal(world.host.clock.pending, 0);
    world.transport[Symbol.dispose]();
  });

  it("slows down where there is no limit, and where servers know no levels", async () => {
    let isBusy = true;
    const world = bench(() => isBusy ? refusal(429) : json({}), { requestLimit: null });
    const sent = world.send(100);
    await world.host.clock.advance(0.5);
    assert.equal(world.transport.congestion.limit, 50);
    await world.host.clock.advance(0.7);
    assert.equal(world.transport.congestion.limit, 25);
    isBusy = false;
    await world.host.clock.advance(10);
    assert.equal(sent.done(), 100);
    await world.host.clock.advance(60);
    assert.equal(world.transport.congestion.limit, Infinity);
    world.transport[Symbol.dispose]();
  });

  it("ends requests that wait when their signal aborts, or the transport is disposed of", async () => {
    const world = bench(({ path }) => busy(path, 1000));
    const controller = new AbortController();
    world.send(1, { backoffs: [] });
    await world.host.clock.advance(1);
    const [aborted, left] = [world.send(2, { signal: controller.signal }), world.send(2)];
    await world.host.clock.advance(1);
    controller.abort(new Error("enough"));
    await world.host.clock.advance(1);
    assert.deepEqual([aborted.failed(), left.failed(), world.seen.length], [2, 0, 1]);
    world.transport[Symbol.dispose]();
    await world.host.clock.advance(1);
    assert.deepEqual([left.failed(), world.host.clock.pending], [2, 0]);
  });
});
