import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createApi, MERGE } from "../api.ts";

describe("Fields that cannot be changed", () => {
  it("are the data of sealed ConfigMaps and Secrets, and the type of a Secret", async () => {
    const api = createApi();
    for (const plural of ["configmaps", "secrets"]) {
      const path = `/api/v1/namespaces/default/${plural}`;
      await api.ok("POST", path, { metadata: { name: "a" }, immutable: true, data: { x: "MQ==" } });
      await api.ok("PATCH", `${path}/a`, { metadata: { labels: { l: "1" } } }, MERGE);
      for (const change of [{ data: { x: "Mg==" } }, { immutable: false }, { immutable: null }]) {
        const { code, body } = await api.call("PATCH", `${path}/a`, change, MERGE);
        assert.equal(code, 422);
        assert.equal(body.details.causes[0].message, "Forbidden: field is immutable when `immutable` is set");
      }
    }
    const typed = await api.call("PATCH", "/api/v1/namespaces/default/secrets/a", { type: "other" }, MERGE);
    assert.deepEqual(typed.body.details.causes.map(({ field }: { field: string }) => field), ["type"]);
  });

  it("are the selectors of workloads", async () => {
    const api = createApi();
    const path = "/apis/apps/v1/namespaces/default/deployments";
    const template = {
      metadata: { labels: { a: "1", b: "1" } },
      spec: { containers: [{ name: "c", image: "i" }] },
    };
    await api.ok("POST", path, {
      metadata: { name: "a" },
      spec: { selector: { matchLabels: { a: "1" } }, template },
    });
    await api.ok("PATCH", `${path}/a`, { spec: { replicas: 2 } }, MERGE);
    const { body } = await api.call(
      "PATCH",
      `${path}/a`,
      { spec: { selector: { matchLabels: { b: "1" } } } },
      MERGE,
    );
    assert.equal(body.details.causes[0].field, "spec.selector");
    assert.match(body.message, /field is immutable$/);
  });
});
