import assert from "node:assert/strict";
import { AsyncLocalStorage } from "node:async_hooks";
import { afterEach, beforeEach, describe, it } from "node:test";
import { promisify } from "node:util";
import { type GlobalName, takeOverGlobals } from "../../../lib/runtime/virtual/globals.ts";
import { type VirtualHost, virtualHost } from "../../../lib/runtime/virtual/host.ts";

const ALL: readonly GlobalName[] = ["timers", "Date", "fetch"];

describe("takeOverGlobals()", () => {
  let host: VirtualHost;
  let told: string[];
  let takeover: Disposable | undefined;
  const inside = new AsyncLocalStorage<boolean>();

  const take = (taken: readonly GlobalName[]): void => {
    const { clock, network } = host;
    takeover = takeOverGlobals({
      clock,
      network,
      taken: new Set(taken),
      isInside: () => inside.getStore() === true,
      bind: (fn) => {
        const value = inside.getStore() ?? false;
        return () => inside.run(value, fn);
      },
      onRealTimer: (name) => void told.push(name),
    });
  };

  beforeEach(() => {
    host = virtualHost();
    told = [];
  });

  afterEach(() => {
    takeover?.[Symbol.dispose]();
  });

  it("lets the virtual clock move timers that are set inside, and what they call sets more", async () => {
    take(ALL);
    const times: number[] = [];
    inside.run(true, () => {
      setTimeout(
        (text: string) => {
          times.push(Date.now() - host.clock.now());
          setTimeout(() => void times.push(text.length), 60_000);
        },
        3_600_000,
        "four",
      );
      clearTimeout(setTimeout(() => void times.push(-1), 1000));
    });
    await host.clock.advance(3600);
    assert.deepEqual(times, [0]);
    await host.clock.advance(60);
    assert.deepEqual(times, [0, 4]);
  });

  it("repeats intervals until they are cleared", async () => {
    take(ALL);
    let count = 0;
    inside.run(true, () => {
      const timer = setInterval(() => {
        if (++count === 3) clearInterval(timer);
      }, 1000);
    });
    await host.clock.advance(10);
    assert.equal(count, 3);
  });

  it("takes over AbortSignal.timeout(), performance.now() and promisified timers", async () => {
    take(ALL);
    const [signal, slept] = inside.run(
      true,
      () => [AbortSignal.timeout(5000), promisify(setTimeout)(7000, "x")],
    );
    assert.equal(inside.run(true, () => performance.now()), 0);
    await host.clock.advance(7);
    assert.equal((signal.reason as Error).name, "TimeoutError");
    assert.equal(await slept, "x");
    assert.equal(inside.run(true, () => performance.now()), 7000);
  });

  it("gives the virtual time for dates without a time of their own; they stay dates", () => {
    take(ALL);
    inside.run(true, () => {
      assert.equal(new Date().toISOString(), "2026-01-01T00:00:00.000Z");
      assert.equal(new Date(0).getTime(), 0);
      assert.equal(Date(), new Date(host.clock.now()).toString());
      assert.ok(new Date() instanceof Date);
    });
    assert.ok(Math.abs(new Date().getTime() - host.clock.now()) > 1000);
  });

  it("leaves everybody else alone, and all as it was afterwards", async () => {
    const before = [setTimeout, setInterval, clearTimeout, Date, fetch, AbortSignal.timeout];
    take(ALL);
    await new Promise((resolve) => setTimeout(resolve, 1));
    assert.notEqual(setTimeout, before[0]);
    takeover?.[Symbol.dispose]();
    const after = [setTimeout, setInterval, clearTimeout, Date, fetch, AbortSignal.timeout];
    assert.deepEqual(after.map((each, index) => each === before[index]), before.map(() => true));
    assert.ok(performance.now() > 0);
  });

  it("fetches what is routed in the host's network, and nothing else", async () => {
    take(ALL);
    const seen: string[] = [];
    host.network.route("https://tea.test", async (request) => {
      seen.push(`${request.method} ${new URL(request.url).pathname} ${await request.text()}`);
      return Response.json({ cups: 2 }, { status: 201 });
    });
    await inside.run(true, async () => {
      const response = await fetch("https://tea.test/pots?x=1", { method: "POST", body: "hot" });
      assert.deepEqual([response.status, await response.json()], [201, { cups: 2 }]);
      await assert.rejects(fetch("https://elsewhere.test/"), {
        name: "TypeError",
        message: /nobody listens/,
      });
    });
    assert.deepEqual(seen, ["POST /pots hot"]);
  });

  it("tells of timers inside that are the runtime's, where they are not taken over", async () => {
    take(["Date"]);
    await inside.run(true, () => new Promise((resolve) => setTimeout(resolve, 1)));
    await new Promise((resolve) => setTimeout(resolve, 1));
    assert.deepEqual(told, ["setTimeout"]);
  });
});
