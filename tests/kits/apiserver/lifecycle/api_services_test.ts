import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { apiServer } from "../../../../lib/kits/apiserver/mod.ts";
import { virtualHost } from "../../../../lib/runtime/virtual/host.ts";

const SERVICES = "https://api.test/apis/apiregistration.k8s.io/v1/apiservices";

describe("APIServices", () => {
  it("are there for each version that is served, once somebody asks for them", async () => {
    const server = apiServer({ host: virtualHost() });
    const before = server.resourceVersion;
    const groups = await (await server.fetch(new Request("https://api.test/apis"))).json();
    assert.equal(server.resourceVersion, before);
    const { items } = await (await server.fetch(new Request(SERVICES))).json();
    assert.notEqual(server.resourceVersion, before);
    const wanted = groups.groups.flatMap((
      { name, versions }: { name: string; versions: { version: string }[] },
    ) => name === "apiregistration.k8s.io" ? [] : versions.map(({ version }) => `${version}.${name}`));
    const found = items.map(({ metadata }: { metadata: { name: string } }) => metadata.name);
    assert.deepEqual(found.sort(), ["v1.", ...wanted].sort());
    for (const { status } of items) assert.equal(status.conditions[0].reason, "Local");
  });

  it("that stand for other servers are kept, say that nobody answers, and their groups are not available", async () => {
    const host = virtualHost();
    const server = apiServer({ host });
    const headers = { "content-type": "application/json" };
    const service = {
      metadata: { name: "v1.metrics.example.com" },
      spec: {
        group: "metrics.example.com",
        version: "v1",
        groupPriorityMinimum: 10,
        versionPriority: 10,
        service: { name: "metrics", namespace: "default" },
      },
    };
    const get = (url: string) => server.fetch(new Request(url));
    const group = "https://api.test/apis/metrics.example.com/v1";
    assert.equal((await get(`${group}/pods`)).status, 404);
    const made = await server.fetch(
      new Request(SERVICES, { method: "POST", headers, body: JSON.stringify(service) }),
    );
    assert.equal(made.status, 201);
    await host.clock.advance(1);
    const { spec, status: { conditions: [available] } } =
      await (await get(`${SERVICES}/v1.metrics.example.com`)).json();
    assert.deepEqual([spec.service.port, available.status, available.reason], [
      443,
      "False",
      "ServiceNotFound",
    ]);
    for (const path of ["", "/pods", "/namespaces/default/pods/a"]) {
      const response = await get(`${group}${path}`);
      assert.deepEqual([response.status, await response.text()], [503, "service unavailable\n"]);
    }
  });
});
