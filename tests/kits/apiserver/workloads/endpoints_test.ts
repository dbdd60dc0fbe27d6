import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { APPS, CORE, createLivingApi, workload } from "./world.ts";

const SLICES = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices";

describe("A Service", () => {
  it("has a slice with the Pods that it selects, and their ports", async () => {
    const api = createLivingApi();
    const ports = [{ name: "web", port: 80, targetPort: "http" }];
    await api.ok("POST", `${CORE}/services`, {
      metadata: { name: "s" },
      spec: { selector: { app: "a" }, ports },
    });
    await api.pass(0);
    const [empty] = await api.list(SLICES);
    assert.deepEqual([empty.endpoints ?? [], empty.metadata.labels["kubernetes.io/service-name"]], [[], "s"]);
    const made = workload("a", { replicas: 2 });
    made.spec.template.spec.containers[0].ports = [{ name: "http", containerPort: 8080 }];
    await api.ok("POST", `${APPS}/deployments`, made);
    await api.pass(1);
    const [slice] = await api.list(SLICES);
    assert.deepEqual(slice.ports, [{ name: "web", port: 8080, protocol: "TCP" }]);
    assert.equal(slice.endpoints.length, 2);
    assert.deepEqual(slice.endpoints[0].conditions, { ready: true, serving: true, terminating: false });
    await api.ok("DELETE", `${CORE}/pods/${slice.endpoints[0].targetRef.name}`);
    await api.pass(0.5);
    const states = (await api.list(SLICES))[0].endpoints.map(
      ({ conditions }: { conditions: { ready: boolean } }) => conditions.ready,
    );
    assert.deepEqual(states.sort(), [false, true]);
    await api.ok("DELETE", `${CORE}/services/s`);
    await api.pass(1);
    assert.deepEqual(await api.list(SLICES), []);
  });
});
