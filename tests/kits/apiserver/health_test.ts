import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { healthResponse, partResponse } from "../../../lib/kits/apiserver/health.ts";

describe("healthResponse()", () => {
  it("names what does not work, and leaves out what is excluded", async () => {
    const bad = healthResponse("/readyz", new URLSearchParams(), ["etcd"]);
    assert.equal(bad.status, 500);
    const lines = (await bad.text()).split("\n");
    assert.deepEqual(lines.slice(0, 3), ["[+]ping ok", "[+]log ok", "[-]etcd failed: reason withheld"]);
    assert.deepEqual(lines.slice(-2), ["readyz check failed", ""]);
    const good = healthResponse("/readyz", new URLSearchParams("exclude=etcd"), ["etcd"]);
    assert.deepEqual([good.status, await good.text()], [200, "ok"]);
  });
});

describe("partResponse()", () => {
  it("tells whether one part works", async () => {
    assert.equal(partResponse("etcd", ["etcd"]).status, 500);
    assert.equal(await partResponse("ping", ["etcd"]).text(), "ok");
  });
});
