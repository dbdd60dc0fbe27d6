import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createApi } from "../api.ts";

const long = (length: number) => "a".repeat(length);

describe("Names", () => {
  const cases: readonly [string, string, boolean][] = [
    ["configmaps", "a.b-c", true],
    ["configmaps", long(253), true],
    ["configmaps", long(254), false],
    ["configmaps", "A", false],
    ["configmaps", "-a", false],
    ["configmaps", "a..b", false],
    ["services", "a-1", true],
    ["services", "1-a", true],
    ["services", "a.b", false],
    ["services", long(64), false],
  ];
  for (const [plural, name, valid] of cases) {
    it(`${valid ? "take" : "refuse"} ${plural} "${name.slice(0, 10)}" of ${name.length}`, async () => {
      const api = createApi();
      const body = { metadata: { name }, spec: plural === "services" ? { ports: [{ port: 1 }] } : undefined };
      const { code, body: answer } = await api.call("POST", `/api/v1/namespaces/default/${plural}`, body);
      assert.equal(code, valid ? 201 : 422, JSON.stringify(answer));
    });
  }

  it("of roles may hold colons", async () => {
    const api = createApi();
    const path = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
    await api.ok("POST", path, { metadata: { name: "system:x" }, rules: [] });
    assert.equal((await api.ok("GET", `${path}/system:x`)).metadata.name, "system:x");
  });
});
