import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { startApiServer } from "../../../lib/kits/apiserver/mod.ts";
import { currentHost } from "../../../lib/runtime/current_host.ts";

describe("startApiServer()", () => {
  it(
    "serves on this machine without a host to pass, with a token of one's own",
    { timeout: 20_000 },
    async () => {
      await using api = await startApiServer({ token: "secret", hostname: "localhost" });
      assert.match(api.url, /^https:\/\/localhost:\d+$/);
      using connection = currentHost().network.connect({ server: api.url, ca: api.ca });
      const ask = async (headers: Record<string, string>) => {
        const response = await connection.request({
          method: "GET",
          path: "/api/v1/namespaces/default",
          headers,
        });
        await response.text();
        return response.status;
      };
      assert.equal(await ask({ authorization: "Bearer secret" }), 200);
      assert.equal(await ask({}), 401);
      assert.equal(api.server.resourceVersion.length > 0, true);
    },
  );

  it(
    "lets nobody in without credentials where it listens at all addresses",
    { timeout: 20_000 },
    async () => {
      for (const rbac of [false, true]) {
        await using api = await startApiServer({ hostname: "0.0.0.0", rbac });
        assert.match(api.url, /^https:\/\/127\.0\.0\.1:\d+$/);
        using connection = currentHost().network.connect({ server: api.url, ca: api.ca });
        for (const path of ["/api/v1/namespaces", "/apis", "/lotse/faults", "/metrics"]) {
          const response = await connection.request({ method: "GET", path, headers: {} });
          await response.text();
          assert.equal([401, 403].includes(response.status), true, `${path}: ${response.status}`);
        }
      }
    },
  );
});
