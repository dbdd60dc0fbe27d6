import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Answer, MERGE } from "../api.ts";
import { APPS, CORE, createLivingApi, template, workload } from "./world.ts";

const ONE = `${APPS}/daemonsets/a`;

describe("A DaemonSet", () => {
  it("has a Pod on each node, and on each that comes", async () => {
    const api = createLivingApi(2);
    await api.ok("POST", `${APPS}/daemonsets`, workload("a"));
    await api.pass(2);
    const on = async () => (await api.list(`${CORE}/pods`)).map(({ spec }: Answer) => spec.nodeName).sort();
    assert.deepEqual(await on(), ["node-1", "node-2"]);
    const { status } = await api.ok("GET", ONE);
    assert.deepEqual(status, {
      currentNumberScheduled: 2,
      numberMisscheduled: 0,
      desiredNumberScheduled: 2,
      numberReady: 2,
      observedGeneration: 1,
      updatedNumberScheduled: 2,
      numberAvailable: 2,
    });
    await api.ok("POST", "/api/v1/nodes", { metadata: { name: "more" } });
    await api.pass(2);
    assert.deepEqual(await on(), ["more", "node-1", "node-2"]);
  });

  it("rests when somebody has copied its revision", async () => {
    const api = createLivingApi(1);
    await api.ok("POST", `${APPS}/daemonsets`, workload("a"));
    await api.pass(2);
    const [{ metadata, ...revision }] = await api.list(`${APPS}/controllerrevisions`);
    const { labels, ownerReferences } = metadata;
    const copy = { ...revision, metadata: { name: "copy", labels, ownerReferences }, revision: 2 };
    await api.ok("POST", `${APPS}/controllerrevisions`, copy);
    await api.pass(2);
    const { resourceVersion } = (await api.ok("GET", `${APPS}/controllerrevisions`)).metadata;
    await api.ok("PATCH", ONE, { metadata: { labels: { l: "1" } } }, MERGE);
    await api.pass(10);
    const after = await api.ok("GET", `${APPS}/controllerrevisions`);
    assert.ok(Number(after.metadata.resourceVersion) - Number(resourceVersion) < 20);
    assert.deepEqual(after.items.map(({ revision }: Answer) => revision).sort(), [1, 2]);
  });

  it("leaves out nodes that it does not select or bear", async () => {
    const api = createLivingApi(3);
    await api.pass(0);
    await api.ok("PATCH", "/api/v1/nodes/node-1", { metadata: { labels: { disk: "ssd" } } }, MERGE);
    const taint = { taints: [{ key: "own", effect: "NoSchedule" }] };
    await api.ok(
      "PATCH",
      "/api/v1/nodes/node-2",
      { metadata: { labels: { disk: "ssd" } }, spec: taint },
      MERGE,
    );
    const made = workload("a");
    made.spec.template.spec.nodeSelector = { disk: "ssd" };
    await api.ok("POST", `${APPS}/daemonsets`, made);
    await api.pass(2);
    assert.deepEqual((await api.list(`${CORE}/pods`)).map(({ spec }) => spec.nodeName), ["node-1"]);
  });

  it("replaces its Pods one by one when the template changes", async () => {
    const api = createLivingApi(2);
    await api.ok("POST", `${APPS}/daemonsets`, workload("a"));
    await api.pass(2);
    await api.ok("PATCH", ONE, { spec: { template: template("a", "j") } }, MERGE);
    let least = 2;
    for (let i = 0; i < 20; i++) {
      await api.pass(0.5);
      least = Math.min(least, (await api.ok("GET", ONE)).status.numberReady);
    }
    assert.equal(least, 1);
    const images = (await api.list(`${CORE}/pods`)).map(({ spec }) => spec.containers[0].image);
    assert.deepEqual(images, ["j", "j"]);
  });
});
