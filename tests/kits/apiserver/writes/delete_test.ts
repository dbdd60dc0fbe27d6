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

  describe("of Pods", () => {
    const path = "/api/v1/namespaces/default/pods";
    const pod = (name: string, spec: object = {}) => ({
      metadata: { name },
      spec: { containers: [{ name: "c", image: "i" }], ...spec },
    });

    it("does not wait where nobody runs them: they are on no node, or have ended", async () => {
      const api = createApi();
      const watch = await api.watch(`${path}?watch=1`);
      await api.ok("POST", path, pod("a"));
      await api.ok("DELETE", `${path}/a?gracePeriodSeconds=30`);
      assert.equal((await api.call("GET", `${path}/a`)).code, 404);
      assert.deepEqual(await watch.take(), ["ADDED a", "MODIFIED a", "DELETED a"]);
      await api.ok("POST", path, pod("b", { nodeName: "n" }));
      await api.ok("PATCH", `${path}/b/status`, { status: { phase: "Succeeded" } }, MERGE);
      await api.ok("DELETE", `${path}/b`);
      assert.equal((await api.call("GET", `${path}/b`)).code, 404);
      await watch.stop();
    });

    it("gives those on a node their time, which can only become shorter", async () => {
      const api = createApi();
      await api.ok("POST", path, pod("a", { nodeName: "n", terminationGracePeriodSeconds: 20 }));
      const marked = await api.ok("DELETE", `${path}/a`);
      assert.deepEqual(
        [marked.metadata.deletionGracePeriodSeconds, marked.metadata.deletionTimestamp],
        [20, "2026-01-01T00:00:20Z"],
      );
      const longer = await api.ok("DELETE", `${path}/a`, { gracePeriodSeconds: 60 });
      assert.equal(longer.metadata.resourceVersion, marked.metadata.resourceVersion);
      const shorter = await api.ok("DELETE", `${path}/a`, { gracePeriodSeconds: 5 });
      assert.deepEqual(
        [shorter.metadata.deletionGracePeriodSeconds, shorter.metadata.deletionTimestamp],
        [5, "2026-01-01T00:00:05Z"],
      );
      await api.ok("DELETE", `${path}/a`, { gracePeriodSeconds: 0 });
      assert.equal((await api.call("GET", `${path}/a`)).code, 404);
    });

    it("keeps those with finalizers, even with no grace left", async () => {
      const api = createApi();
      const metadata = { name: "a", finalizers: ["example.com/f"] };
      await api.ok("POST", path, { ...pod("a", { nodeName: "n" }), metadata });
      await api.ok("DELETE", `${path}/a`, { gracePeriodSeconds: 0 });
      assert.equal((await api.ok("GET", `${path}/a`)).metadata.deletionGracePeriodSeconds, 0);
      await api.ok("PATCH", `${path}/a`, { metadata: { finalizers: null } }, MERGE);
      assert.equal((await api.call("GET", `${path}/a`)).code, 404);
    });

    it("does not let them go while their time runs, although the last finalizer goes", async () => {
      const api = createApi();
      const metadata = { name: "a", finalizers: ["example.com/f"] };
      await api.ok("POST", path, { ...pod("a", { nodeName: "n" }), metadata });
      await api.ok("DELETE", `${path}/a`);
      await api.ok("PATCH", `${path}/a`, { metadata: { finalizers: null } }, MERGE);
      assert.equal((await api.call("GET", `${path}/a`)).code, 200);
    });
  });
});
