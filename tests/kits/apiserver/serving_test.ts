import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { apiServer } from "../../../lib/kits/apiserver/mod.ts";
import { currentHost } from "../../../lib/runtime/current_host.ts";
import { parseYaml } from "../../../lib/runtime/yaml.ts";
import type { Answer } from "./api.ts";

const timeout = 20_000;

describe("serve()", () => {
  it(
    "lets in those with the kubeconfig's certificate or the token, and nobody else",
    { timeout },
    async () => {
      const host = currentHost();
      await using served = await apiServer({ host }).serve();
      const [config] = parseYaml(served.kubeconfig) as Answer[];
      const [{ cluster }] = config.clusters;
      const [{ user }] = config.users;
      assert.equal(cluster.server, served.url);
      const ca = atob(cluster["certificate-authority-data"]);
      const credentials = { cert: atob(user["client-certificate-data"]), key: atob(user["client-key-data"]) };
      const ask = async (
        options: { cert?: string; key?: string },
        headers = {},
        path = "/api/v1/namespaces",
      ) => {
        using connection = host.network.connect({ server: served.url, ca, ...options });
        const response = await connection.request({ method: "GET", path, headers });
        return { status: response.status, body: JSON.parse(await response.text()) };
      };
      assert.equal((await ask(credentials)).body.items.length, 4);
      assert.equal((await ask({}, { authorization: `Bearer ${served.token}` })).status, 200);
      const stranger = await ask({}, { authorization: "Bearer x" });
      assert.deepEqual([stranger.status, stranger.body.reason], [401, "Unauthorized"]);
      assert.equal((await ask({}, {}, "/version")).status, 200);
    },
  );

  it("streams watches as they happen, and cuts them on close()", { timeout }, async () => {
    const host = currentHost();
    const server = apiServer({ host });
    const served = await server.serve();
    using connection = host.network.connect({ server: served.url, ca: served.ca });
    const headers = { authorization: `Bearer ${served.token}` };
    const path = "/api/v1/namespaces/default/secrets";
    const watch = await connection.request({ method: "GET", path: `${path}?watch=true`, headers });
    const body = watch.body[Symbol.asyncIterator]();
    const event = body.next();
    await server.fetch(
      new Request(`https://api.test${path}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: '{"metadata":{"name":"a"}}',
      }),
    );
    const { value } = await event;
    assert.equal(JSON.parse(new TextDecoder().decode(value)).object.metadata.name, "a");
    await served.close();
    await body.next().then(({ done }) => assert.equal(done, true), () => {});
    await assert.rejects(connection.request({ method: "GET", path, headers }));
  });

  it("breaks connections where a fault says so, and serves the next ones", { timeout }, async () => {
    const host = currentHost();
    const server = apiServer({ host });
    await using served = await server.serve();
    using connection = host.network.connect({ server: served.url, ca: served.ca });
    const headers = { authorization: `Bearer ${served.token}` };
    const ask = () => connection.request({ method: "GET", path: "/api/v1/namespaces", headers });
    server.faults.inject({ fault: { type: "reset" } });
    await assert.rejects(ask());
    server.faults.inject({ fault: { type: "refuse", code: 503 } });
    assert.equal((await ask()).status, 503);
    const answer = await ask();
    assert.deepEqual([answer.status, JSON.parse(await answer.text()).items.length], [200, 4]);
  });
});
