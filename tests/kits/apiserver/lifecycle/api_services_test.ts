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
    for (const { status, spec } of items) {
      assert.equal(status.conditions[0].reason, "Local");
      assert.ok(spec.groupPriorityMinimum > 1000, `${spec.group} has its priority`);
    }
  });

  it("that stand for other servers are refused, with a word about where that is written", async () => {
    const server = apiServer({ host: virtualHost() });
    const response = await server.fetch(
      new Request(SERVICES, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({
          metadata: { name: "v1.metrics.example.com" },
          spec: {
            group: "metrics.example.com",
            version: "v1",
            groupPriorityMinimum: 10,
            versionPriority: 10,
            service: { name: "metrics", namespace: "default" },
          },
        }),
      }),
    );
    const { code, message } = await response.json();
    assert.equal(code, 501);
    assert.match(message, /APIServices with a service.*: see docs\/apiserver\.md$/);
  });
});
