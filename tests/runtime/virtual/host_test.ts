import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createVirtualRandom, virtualHost } from "../../../lib/runtime/virtual/host.ts";

describe("virtualHost()", () => {
  it("begins at the same time with the same chance, each time", () => {
    const [first, second] = [virtualHost(), virtualHost()];
    assert.equal(first.clock.now(), Date.UTC(2026, 0, 1));
    assert.equal(first.random.uuid(), second.random.uuid());
    assert.notEqual(virtualHost({ seed: 2 }).random.uuid(), virtualHost().random.uuid());
    assert.equal(first.name, "virtual");
  });

  it("gives hosts that know nothing of each other", async () => {
    const [first, second] = [virtualHost(), virtualHost()];
    first.network.route("https://api.test", () => new Response("first"));
    await first.files.writeText("/a", "first");
    await first.clock.advance(10);
    assert.equal(await second.files.exists("/a"), false);
    assert.equal(second.clock.monotonic(), 0);
    using connection = second.network.connect({ server: "https://api.test" });
    await assert.rejects(connection.request({ method: "GET", path: "/", headers: {} }), {
      code: "ECONNREFUSED",
    });
  });
});

describe("createVirtualRandom()", () => {
  it("gives the same numbers for the same seed, and others for another one", () => {
    const numbers = (seed: number) => {
      const random = createVirtualRandom(seed);
      return Array.from({ length: 5 }, () => random.next());
    };
    assert.deepEqual(numbers(1), numbers(1));
    assert.notDeepEqual(numbers(1), numbers(2));
    // The same on each runtime, today and later: recorded runs are replayed by their seed.
    assert.deepEqual(numbers(1).map((number) => Math.floor(number * 1e6)), [
      627073,
      2735,
      527447,
      981050,
      968377,
    ]);
  });

  it("next() spreads evenly over [0, 1)", () => {
    const random = createVirtualRandom(5);
    const counts = new Array(10).fill(0);
    for (let round = 0; round < 10_000; round++) counts[Math.floor(random.next() * 10)]++;
    assert.equal(counts.length, 10);
    assert.ok(counts.every((count) => count > 850 && count < 1150), String(counts));
  });

  it("bytes() and uuid() come from the same seed", () => {
    assert.deepEqual(createVirtualRandom(3).bytes(8), createVirtualRandom(3).bytes(8));
    assert.equal(createVirtualRandom(3).uuid(), createVirtualRandom(3).uuid());
    assert.match(
      createVirtualRandom(3).uuid(),
      /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
  });
});
