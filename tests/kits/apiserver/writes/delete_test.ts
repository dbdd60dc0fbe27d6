import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createApi, database, DATABASES, defineDatabases, MERGE } from "../api.ts";

const A = `${DATABASES}/a`;

describe("deleteObject()", () => {
  it("marks an object that has finalizers, once, and lets it go with the last of them", async () => {
    const api = createApi();
    await defineDatabases(api);
    await api.ok("POST", DATABASES, {
      ...database("a"),
      metadata: { name: "a", finalizers: ["a/x", "a/y"] },
    });
    await api.host.clock.advance(5);
    const { metadata } = await api.ok("DELETE", A);
    assert.deepEqual([metadata.deletionTimestamp, metadata.deletionGracePeriodSeconds, metadata.generation], [
      "2026-01-01T00:00:05Z",
      0,
      2,
    ]);
    await api.host.clock.advance(5);
    const again = await api.ok("DELETE", A);
    assert.deepEqual(again.metadata, metadata, "the second deletion changes nothing");
    const more = await api.call("PATCH", A, { metadata: { finalizers: ["a/x", "a/y", "a/z"] } }, MERGE);
    assert.equal(more.code, 422);
    await api.ok("PATCH", A, { metadata: { finalizers: ["a/y"] } }, MERGE);
    assert.equal((await api.call("GET", A)).code, 200);
    await api.ok("PATCH", A, { metadata: { finalizers: [] }, spec: { replicas: 2 } }, MERGE);
    assert.equal((await api.call("GET", A)).code, 404);
  });

  it("deletes at once what has none, and says so in a Status", async () => {
    const api = createApi();
    await defineDatabases(api);
    const { metadata } = await api.ok("POST", DATABASES, database("a"));
    assert.deepEqual(await api.ok("DELETE", A), {
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Success",
      details: { name: "a", group: "example.com", kind: "databases", uid: metadata.uid },
    });
    assert.equal((await api.call("DELETE", A)).code, 404);
  });

  it("does not wait for Pods, whatever grace they have", async () => {
    const api = createApi();
    const path = "/api/v1/namespaces/default/pods";
    await api.ok("POST", path, {
      metadata: { name: "p" },
      spec: { nodeName: "n", containers: [{ name: "c", image: "i" }] },
    });
    await api.ok("DELETE", `${path}/p?gracePeriodSeconds=30`);
    assert.equal((await api.call("GET", `${path}/p`)).code, 404);
  });
});
