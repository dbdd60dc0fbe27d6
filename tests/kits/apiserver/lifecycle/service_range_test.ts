import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createApi } from "../api.ts";

describe("createServiceRange()", () => {
  it("makes the default ServiceCIDR", async () => {
    const path = "/apis/networking.k8s.io/v1/servicecidrs";
    const { items } = await createApi().ok("GET", path);
    assert.deepEqual(items[0].spec, { cidrs: ["10.96.0.0/12"] });
    assert.equal(items[0].status.conditions[0].type, "Ready");
  });
});

describe("createServerService()", () => {
  it("makes the Service that stands for the server", async () => {
    const path = "/api/v1/namespaces/default/services";
    const { items } = await createApi().ok("GET", path);
    assert.deepEqual(
      items.map(({ metadata, spec }: { metadata: { name: string }; spec: { clusterIP: string } }) => [
        metadata.name,
        spec.clusterIP,
      ]),
      [["kubernetes", "10.96.0.1"]],
    );
  });
});
