import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ApiException, CoreV1Api, PatchStrategy, setHeaderOptions } from "@kubernetes/client-node";
import { makeApiClient } from "../../lib/client/api_classes.ts";
import { json, makeWorld, refusal } from "./fake_server.ts";

describe("makeApiClient()", () => {
  it("sends what the official client's classes ask for over our transport", async () => {
    const pod = { kind: "Pod", metadata: { name: "a", creationTimestamp: "2026-01-02T03:04:05Z" } };
    const world = makeWorld({ answer: () => json(pod), info: { token: "secret" } });
    const api = makeApiClient(CoreV1Api, () => world.transport);
    const found = await api.readNamespacedPod({ name: "a/b", namespace: "x", pretty: "true" });
    assert.equal(found.metadata?.name, "a");
    assert.ok(found.metadata?.creationTimestamp instanceof Date);
    const [request] = world.seen;
    assert.deepEqual([request?.method, request?.path, request?.query], [
      "GET",
      "/api/v1/namespaces/x/pods/a%2Fb",
      { pretty: "true" },
    ]);
    assert.equal(request?.headers["authorization"], "Bearer secret");
  });

  it("sends bodies, with the media type that the call asks for", async () => {
    const world = makeWorld({ answer: () => json({}) });
    const api = makeApiClient(CoreV1Api, () => world.transport);
    await api.createNamespace({ body: { metadata: { name: "a" } } });
    await api.patchNamespace(
      { name: "a", body: { metadata: { labels: { b: "c" } } } },
      setHeaderOptions("Content-Type", PatchStrategy.MergePatch),
    );
    const [create, patch] = world.seen;
    assert.deepEqual([create?.method, create?.headers["content-type"]], ["POST", "application/json"]);
    assert.deepEqual(JSON.parse(create?.body ?? ""), { metadata: { name: "a" } });
    assert.deepEqual([patch?.method, patch?.headers["content-type"]], [
      "PATCH",
      "application/merge-patch+json",
    ]);
    assert.deepEqual(JSON.parse(patch?.body ?? ""), { metadata: { labels: { b: "c" } } });
  });

  it("throws the official client's errors where the server refuses, after our retries", async () => {
    let requests = 0;
    const world = makeWorld({
      answer: () => ++requests === 1 ? refusal(500) : refusal(404),
      networking: { errorBackoffs: [1] },
    });
    const api = makeApiClient(CoreV1Api, () => world.transport);
    const outcome = api.readNamespace({ name: "a" }).catch((error: unknown) => error);
    await world.host.clock.advance(5);
    const error = await outcome;
    assert.ok(error instanceof ApiException);
    assert.deepEqual([error.code, requests], [404, 2]);
  });
});
