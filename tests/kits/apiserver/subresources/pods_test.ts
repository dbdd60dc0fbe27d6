import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Api, createApi, MERGE } from "../api.ts";

const PODS = "/api/v1/namespaces/default/pods";
const BUDGETS = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";

function pod(name: string, spec: object = {}): object {
  return {
    metadata: { name, labels: { app: "a" } },
    spec: { containers: [{ name: "c", image: "i" }], ...spec },
  };
}

function bind(api: Api, name: string, node: unknown) {
  return api.call("POST", `${PODS}/${name}/binding`, {
    apiVersion: "v1",
    kind: "Binding",
    metadata: { name, annotations: { by: "me" } },
    target: { kind: "Node", name: node },
  });
}

describe("The binding of a Pod", () => {
  it("puts it onto a node, once", async () => {
    const api = createApi();
    const { metadata } = await api.ok("POST", PODS, pod("a"));
    const { code, body } = await bind(api, "a", "n");
    assert.deepEqual([code, body.status], [201, "Success"]);
    const bound = await api.ok("GET", `${PODS}/a`);
    assert.deepEqual([bound.spec.nodeName, bound.metadata.annotations.by], ["n", "me"]);
    assert.equal(bound.status.conditions[0].type, "PodScheduled");
    assert.equal(bound.metadata.generation, metadata.generation);
    const again = await bind(api, "a", "m");
    assert.equal(again.code, 409);
    assert.match(again.body.message, /pod a is already assigned to node "n"/);
  });

  it("is refused without a node, for Pods that are gated, and for those that are not there", async () => {
    const api = createApi();
    await api.ok("POST", PODS, pod("a", { schedulingGates: [{ name: "example.com/wait" }] }));
    assert.equal((await bind(api, "a", "")).code, 400);
    assert.equal((await bind(api, "a", "n")).code, 409);
    assert.equal((await bind(api, "b", "n")).code, 404);
    assert.equal((await api.call("GET", `${PODS}/a/binding`)).code, 405);
  });
});

describe("The eviction of a Pod", () => {
  const evict = (api: Api, name: string, deleteOptions?: object) =>
    api.call("POST", `${PODS}/${name}/eviction`, {
      apiVersion: "policy/v1",
      kind: "Eviction",
      metadata: { name },
      deleteOptions,
    });

  async function start(budget?: object, { ready = "True", policy = {} } = {}): Promise<Api> {
    const api = createApi();
    await api.ok("POST", PODS, pod("a", { nodeName: "n" }));
    const status = { phase: "Running", conditions: [{ type: "Ready", status: ready }] };
    await api.ok("PATCH", `${PODS}/a/status`, { status }, MERGE);
    if (budget === undefined) return api;
    const spec = { minAvailable: 1, selector: { matchLabels: { app: "a" } }, ...policy };
    await api.ok("POST", BUDGETS, { metadata: { name: "b" }, spec });
    await api.ok("PATCH", `${BUDGETS}/b/status`, { status: budget }, MERGE);
    return api;
  }

  it("deletes it, where no budget forbids it", async () => {
    const api = await start();
    assert.equal((await evict(api, "a", { gracePeriodSeconds: 0 })).code, 201);
    assert.equal((await api.call("GET", `${PODS}/a`)).code, 404);
  });

  it("is refused while too few would be left, or nobody has counted yet", async () => {
    const full = await start({ observedGeneration: 1, currentHealthy: 1, desiredHealthy: 1 });
    const refused = await evict(full, "a");
    assert.deepEqual([refused.code, refused.body.reason], [429, "TooManyRequests"]);
    assert.match(refused.body.details.causes[0].message, /needs 1 healthy pods and has 1 currently/);
    assert.equal((await full.ok("GET", `${PODS}/a`)).metadata.deletionTimestamp, undefined);
    const fresh = await start({});
    assert.equal((await evict(fresh, "a")).headers.get("retry-after"), "10");
  });

  it("is let through for a Pod that is not ready, where the budget has enough without it, or says so", async () => {
    const healthy = { observedGeneration: 1, currentHealthy: 1, desiredHealthy: 1 };
    const short = { ...healthy, currentHealthy: 0 };
    const policy = { unhealthyPodEvictionPolicy: "AlwaysAllow" };
    assert.equal((await evict(await start(healthy, { ready: "False" }), "a")).code, 201);
    assert.equal((await evict(await start(short, { ready: "False" }), "a")).code, 429);
    assert.equal((await evict(await start(short, { ready: "False", policy }), "a")).code, 201);
    assert.equal((await evict(await start(short, { policy }), "a")).code, 429);
  });

  it("takes one from the budget, unless it is only tried", async () => {
    const api = await start({ observedGeneration: 1, disruptionsAllowed: 1 });
    assert.equal((await evict(api, "a", { dryRun: ["All"] })).code, 201);
    assert.equal((await api.ok("GET", `${BUDGETS}/b`)).status.disruptionsAllowed, 1);
    assert.equal((await evict(api, "a")).code, 201);
    const { status } = await api.ok("GET", `${BUDGETS}/b`);
    assert.deepEqual([status.disruptionsAllowed, Object.keys(status.disruptedPods)], [0, ["a"]]);
    assert.equal((await api.ok("GET", `${PODS}/a`)).metadata.deletionGracePeriodSeconds, 30);
  });
});

describe("Containers for debugging", () => {
  const STRATEGIC = { "content-type": "application/strategic-merge-patch+json" };
  const debug = (name: string, image = "busybox") => ({ spec: { ephemeralContainers: [{ name, image }] } });

  it("are added by their subresource, and nothing else is", async () => {
    const api = createApi();
    await api.ok("POST", PODS, pod("a"));
    const path = `${PODS}/a/ephemeralcontainers`;
    const patch = { ...debug("d"), metadata: { labels: { more: "1" } } };
    await api.ok("PATCH", path, patch, STRATEGIC);
    const { spec, metadata } = await api.ok("GET", `${PODS}/a`);
    assert.deepEqual(spec.ephemeralContainers.map(({ name }: { name: string }) => name), ["d"]);
    assert.deepEqual(metadata.labels, { app: "a" });
    assert.equal((await api.call("PATCH", path, debug("d", "other"), STRATEGIC)).code, 422);
    assert.equal((await api.call("PATCH", path, { spec: { ephemeralContainers: [] } }, MERGE)).code, 422);
  });
});

describe("What needs a running container", () => {
  it("is refused, and the refusal names the page that says so", async () => {
    const api = createApi();
    await api.ok("POST", PODS, pod("a"));
    for (const part of ["log", "exec", "attach", "portforward", "proxy"]) {
      const { code, body } = await api.call("GET", `${PODS}/a/${part}`);
      assert.deepEqual([code, body.reason], [501, "NotImplemented"]);
      assert.match(body.message, /docs\/apiserver\.md/);
    }
  });
});
