import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { virtualHost } from "../../../lib/runtime/virtual/host.ts";

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
