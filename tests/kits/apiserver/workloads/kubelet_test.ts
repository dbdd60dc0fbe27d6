import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { MERGE } from "../api.ts";
import { conditions, CORE, createLivingApi } from "./world.ts";

function pod(name: string, spec: object = {}, annotations: object = {}): object {
  return { metadata: { name, annotations }, spec: { containers: [{ name: "c", image: "i" }], ...spec } };
}

describe("A Pod", () => {
  it("is bound at once, and runs after a second, or as long as it says", async () => {
    const api = createLivingApi();
    await api.ok("POST", `${CORE}/pods`, pod("a"));
    await api.ok("POST", `${CORE}/pods`, pod("slow", {}, { "lotse.dev/start-seconds": "5" }));
    await api.pass(0.9);
    const early = await api.ok("GET", `${CORE}/pods/a`);
    assert.deepEqual([early.spec.nodeName, early.status.phase], ["node-1", "Pending"]);
    assert.equal(early.status.containerStatuses[0].state.waiting.reason, "ContainerCreating");
    await api.pass(0.1);
    const { status } = await api.ok("GET", `${CORE}/pods/a`);
    assert.equal(status.phase, "Running");
    assert.deepEqual(conditions({ status }), [
      "ContainersReady=True",
      "Initialized=True",
      "PodReadyToStartContainers=True",
      "PodScheduled=True",
      "Ready=True",
    ]);
    assert.match(status.podIP, /^10\.244\./);
    assert.deepEqual([status.containerStatuses[0].ready, status.containerStatuses[0].started], [true, true]);
    await api.pass(3);
    assert.equal((await api.ok("GET", `${CORE}/pods/slow`)).status.phase, "Pending");
    await api.pass(1);
    assert.equal((await api.ok("GET", `${CORE}/pods/slow`)).status.phase, "Running");
  });

  it("waits where no node takes it, for what it mounts, and for its gates", async () => {
    const api = createLivingApi();
    await api.ok("POST", `${CORE}/pods`, pod("far", { nodeSelector: { disk: "ssd" } }));
    const volumes = [{ name: "v", configMap: { name: "m" } }];
    await api.ok("POST", `${CORE}/pods`, pod("mounts", { volumes }));
    await api.ok(
      "POST",
      `${CORE}/pods`,
      pod("gated", { readinessGates: [{ conditionType: "example.com/g" }] }),
    );
    await api.pass(3);
    assert.deepEqual(conditions(await api.ok("GET", `${CORE}/pods/far`)), [
      "PodScheduled=False Unschedulable",
    ]);
    assert.equal((await api.ok("GET", `${CORE}/pods/mounts`)).status.phase, "Pending");
    assert.ok(
      conditions(await api.ok("GET", `${CORE}/pods/gated`)).includes("Ready=False ReadinessGatesNotReady"),
    );
    await api.ok("POST", "/api/v1/nodes", { metadata: { name: "ssd", labels: { disk: "ssd" } } });
    await api.ok("POST", `${CORE}/configmaps`, { metadata: { name: "m" } });
    const open = [{ type: "example.com/g", status: "True" }];
    const gated = await api.ok("GET", `${CORE}/pods/gated`);
    const status = { conditions: [...gated.status.conditions, ...open] };
    await api.ok("PATCH", `${CORE}/pods/gated/status`, { status }, MERGE);
    await api.pass(3);
    for (const name of ["far", "mounts"]) {
      assert.equal((await api.ok("GET", `${CORE}/pods/${name}`)).status.phase, "Running");
    }
    assert.ok(conditions(await api.ok("GET", `${CORE}/pods/gated`)).includes("Ready=True"));
  });

  it("goes a second after it was deleted, or at once without grace", async () => {
    const api = createLivingApi();
    for (const name of ["a", "b"]) await api.ok("POST", `${CORE}/pods`, pod(name));
    await api.pass(1);
    await api.ok("DELETE", `${CORE}/pods/a`);
    await api.ok("DELETE", `${CORE}/pods/b?gracePeriodSeconds=0`);
    assert.equal((await api.call("GET", `${CORE}/pods/b`)).code, 404);
    await api.pass(0.9);
    assert.equal((await api.ok("GET", `${CORE}/pods/a`)).metadata.deletionGracePeriodSeconds, 30);
    await api.pass(0.1);
    assert.equal((await api.call("GET", `${CORE}/pods/a`)).code, 404);
  });

  it("keeps the status that somebody else gives it, when it has failed", async () => {
    const api = createLivingApi();
    await api.ok("POST", `${CORE}/pods`, pod("a"));
    await api.pass(2);
    await api.ok("PATCH", `${CORE}/pods/a/status`, { status: { phase: "Failed" } }, MERGE);
    await api.pass(60);
    assert.equal((await api.ok("GET", `${CORE}/pods/a`)).status.phase, "Failed");
  });

  it("stays as it is without nodes", async () => {
    const api = createLivingApi(0);
    await api.ok("POST", `${CORE}/pods`, pod("a"));
    await api.pass(60);
    const { spec, status } = await api.ok("GET", `${CORE}/pods/a`);
    assert.deepEqual([spec.nodeName, status.phase], [undefined, "Pending"]);
  });

  it("has the service account of its namespace, and Events tell of its life", async () => {
    const api = createLivingApi();
    await api.ok("POST", `${CORE}/pods`, pod("a"));
    await api.ok(
      "POST",
      `${CORE}/pods`,
      pod("far", { nodeSelector: { disk: "ssd" }, serviceAccountName: "own" }),
    );
    await api.pass(2);
    await api.ok("DELETE", `${CORE}/pods/a`);
    const { spec } = await api.ok("GET", `${CORE}/pods/a`);
    assert.deepEqual([spec.serviceAccountName, spec.serviceAccount], ["default", "default"]);
    assert.equal((await api.ok("GET", `${CORE}/pods/far`)).spec.serviceAccountName, "own");
    await api.pass(2);
    const events = await api.list(`${CORE}/events`);
    const told = (name: string) =>
      events.filter(({ involvedObject }) => involvedObject.name === name)
        .map(({ reason, source, type }) => `${type} ${reason} ${source.component}`);
    assert.deepEqual(told("a").sort(), [
      "Normal Created kubelet",
      "Normal Killing kubelet",
      "Normal Pulled kubelet",
      "Normal Scheduled default-scheduler",
      "Normal Started kubelet",
    ]);
    assert.deepEqual(told("far"), ["Warning FailedScheduling default-scheduler"], "once");
    const [started] = events.filter(({ reason }) => reason === "Started");
    assert.equal(started.involvedObject.fieldPath, "spec.containers{c}");
  });
});
