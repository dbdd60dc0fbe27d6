import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createApi } from "../api.ts";

const MAPS = "/api/v1/namespaces/default/configmaps";

describe("POST /lotse/reset", () => {
  it("resets the server; /lotse/checkpoint says to what", async () => {
    const api = createApi();
    await api.ok("POST", MAPS, { metadata: { name: "a" } });
    await api.ok("POST", "/lotse/checkpoint");
    await api.ok("POST", MAPS, { metadata: { name: "b" } });
    const { resourceVersion } = await api.ok("POST", "/lotse/reset");
    assert.equal(resourceVersion, api.server.resourceVersion);
    const codes = [await api.call("GET", `${MAPS}/a`), await api.call("GET", `${MAPS}/b`)].map(({ code }) =>
      code
    );
    assert.deepEqual(codes, [200, 404]);
  });

  it("is the administrator's alone, in every mode", async () => {
    const tokens = { secret: { username: "alice", groups: ["system:authenticated"] } };
    for (const rbac of [false, true]) {
      const api = createApi({ rbac, tokens });
      const answer = await api.call("POST", "/lotse/reset", undefined, { authorization: "Bearer secret" });
      assert.deepEqual([answer.code, answer.body.reason], [403, "Forbidden"]);
      assert.equal(
        (await api.call("POST", "/lotse/reset", undefined, { authorization: "Bearer x" })).code,
        401,
      );
      const as = { "impersonate-user": "bob" };
      assert.equal((await api.call("POST", "/lotse/reset", undefined, as)).code, 403);
    }
  });

  it("refuses other methods and paths", async () => {
    const api = createApi();
    assert.equal((await api.call("GET", "/lotse/reset")).code, 405);
    assert.equal((await api.call("POST", "/lotse/constructor")).code, 404);
    assert.equal((await api.call("POST", "/lotse/restart", { downFor: -1 })).code, 400);
    assert.equal((await api.call("POST", "/lotse/restart", { for: 1 })).code, 400);
    assert.equal((await api.call("POST", "/lotse/restart", "[]")).code, 400);
  });
});

describe("/lotse/faults", () => {
  it("takes faults, tells what they have struck, and takes them back", async () => {
    const api = createApi();
    const rule = { resource: "configmaps", times: "all", fault: { type: "refuse", code: 429 } };
    const made = await api.call("POST", "/lotse/faults", rule);
    assert.deepEqual([made.code, made.body], [201, { id: "1", struck: 0, left: "all" }]);
    assert.equal((await api.call("GET", MAPS)).code, 429);
    assert.deepEqual(await api.ok("GET", "/lotse/faults/1"), { id: "1", struck: 1, left: "all" });
    assert.deepEqual(await api.ok("GET", "/lotse/faults"), { items: [{ id: "1", struck: 1, left: "all" }] });
    await api.ok("DELETE", "/lotse/faults/1");
    assert.equal((await api.call("GET", MAPS)).code, 200);
    await api.ok("POST", "/lotse/faults", { fault: { type: "reset" } });
    await api.ok("DELETE", "/lotse/faults");
    assert.equal((await api.call("GET", MAPS)).code, 200);
    assert.equal((await api.call("GET", "/lotse/faults/1")).code, 404);
  });

  it("are struck by no fault themselves", async () => {
    const api = createApi();
    await api.ok("POST", "/lotse/faults", { times: "all", fault: { type: "refuse", code: 500 } });
    api.server.restart({ downFor: 60 });
    assert.equal((await api.ok("DELETE", "/lotse/faults")).items.length, 0);
  });

  it("says what is wrong with a rule", async () => {
    const api = createApi();
    const { code, body } = await api.call("POST", "/lotse/faults", { fault: { type: "refuses" } });
    assert.equal(code, 400);
    assert.match(body.message, /Cannot inject a fault of type "refuses": known are refuse, /);
    assert.equal(
      (await api.call("POST", "/lotse/faults", { when: "x", fault: { type: "reset" } })).code,
      400,
    );
  });
});

describe("The other switches", () => {
  it("forget old versions, end watches, and begin anew", async () => {
    const api = createApi();
    const { metadata } = await api.ok("POST", MAPS, { metadata: { name: "a" } });
    await api.ok("POST", MAPS, { metadata: { name: "b" } });
    await api.ok("POST", "/lotse/compact");
    const past = `resourceVersion=${metadata.resourceVersion}&resourceVersionMatch=Exact&limit=9`;
    assert.equal((await api.call("GET", `${MAPS}?${past}`)).code, 410);
    const watch = await api.watch(`${MAPS}?watch=1`);
    await api.ok("POST", "/lotse/close-watches");
    await api.host.clock.settle();
    assert.equal(watch.ended, true);
    await api.ok("POST", "/lotse/restart", { downFor: 5 });
    await assert.rejects(api.call("GET", MAPS), { code: "ECONNRESET" });
    await api.host.clock.advance(5);
    assert.equal((await api.call("GET", MAPS)).code, 200);
  });
});
