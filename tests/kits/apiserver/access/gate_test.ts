import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { apiServer } from "../../../../lib/kits/apiserver/mod.ts";
import { currentHost } from "../../../../lib/runtime/current_host.ts";
import { createAuthority } from "../../../../lib/runtime/certificates.ts";
import { virtualHost } from "../../../../lib/runtime/virtual/host.ts";

const WHO = "/apis/authentication.k8s.io/v1/selfsubjectreviews";

describe("A gate", () => {
  it("takes a garbage token for nobody's, with roles and without", { timeout: 20_000 }, async () => {
    const host = currentHost();
    for (const rbac of [false, true]) {
      await using served = await apiServer({ host, rbac }).serve();
      using connection = host.network.connect({ server: served.url, ca: served.ca });
      for (const authorization of ["Bearer garbage", "bearer x"]) {
        const response = await connection.request({
          method: "GET",
          path: "/version",
          headers: { authorization },
        });
        assert.equal(response.status, 401, `${authorization}, ${rbac}`);
        await response.text();
      }
    }
  });

  it(
    "takes a certificate before any token, and no token or another scheme for nothing",
    { timeout: 20_000 },
    async () => {
      const host = currentHost();
      const authority = await createAuthority({ name: "test", now: () => host.clock.now() });
      const tokens = { known: { username: "bob", groups: ["system:authenticated"] } };
      const { certificate: cert, key } = await authority.issue({ commonName: "alice", client: true });
      const headers = { "content-type": "application/json" };
      for (const rbac of [false, true]) {
        await using served = await apiServer({ host, rbac, tokens }).serve({ authority });
        const ask = async (authorization: string, credentials: { cert?: string; key?: string }) => {
          using connection = host.network.connect({ server: served.url, ca: served.ca, ...credentials });
          const given = { ...headers, authorization };
          const asked = { method: "POST", path: WHO, headers: given, body: "{}" };
          const response = await connection.request(asked);
          const { status, code } = JSON.parse(await response.text());
          return status?.userInfo?.username ?? code;
        };
        for (const authorization of ["Bearer", "Bearer ", "Basic YTpi", "Bearer garbage", "Bearer known"]) {
          assert.equal(await ask(authorization, { cert, key }), "alice", authorization);
        }
        assert.equal(await ask("Bearer known", {}), "bob");
        for (const authorization of ["Bearer", "Basic YTpi"]) {
          // Without credentials, one is a stranger: where roles do not count, nobody could say what strangers may do.
          assert.equal(await ask(authorization, {}), rbac ? 403 : 401, authorization);
        }
      }
    },
  );

  it("takes a garbage token for nobody's in the process, too", async () => {
    const request = (headers: Record<string, string>) => new Request("https://api.test/version", { headers });
    const tokens = { "a-b": { username: "alice", groups: [] } };
    const known = { rbac: [{ rbac: true }, 401], tokens: [{ tokens }, 401], neither: [{}, 401] } as const;
    for (const [name, [options, status]] of Object.entries(known)) {
      const server = apiServer({ host: virtualHost(), ...options });
      const answer = await server.fetch(request({ authorization: "Bearer garbage" }));
      assert.equal(answer.status, status, name);
      assert.equal((await server.fetch(request({}))).status, 200);
    }
    const server = apiServer({ host: virtualHost(), tokens });
    const asked = new Request(`https://api.test${WHO}`, {
      method: "POST",
      headers: { authorization: "Bearer a-b", "content-type": "application/json" },
      body: "{}",
    });
    const { status } = await (await server.fetch(asked)).json();
    assert.equal(status.userInfo.username, "alice");
  });

  it("knows users and groups by their certificates", { timeout: 20_000 }, async () => {
    const host = currentHost();
    const authority = await createAuthority({ name: "test", now: () => host.clock.now() });
    await using served = await apiServer({ host, rbac: true }).serve({ authority });
    const alice = await authority.issue({
      commonName: "alice",
      organizations: ["painters", "poets"],
      client: true,
    });
    const ask = async (credentials: { cert?: string; key?: string }, method: string, path: string) => {
      using connection = host.network.connect({ server: served.url, ca: served.ca, ...credentials });
      const headers = { "content-type": "application/json" };
      const response = await connection.request({
        method,
        path,
        headers,
        ...(method === "POST" ? { body: "{}" } : {}),
      });
      return { code: response.status, body: JSON.parse(await response.text()) };
    };
    const credentials = { cert: alice.certificate, key: alice.key };
    assert.deepEqual((await ask(credentials, "POST", WHO)).body.status.userInfo, {
      username: "alice",
      groups: ["painters", "poets", "system:authenticated"],
    });
    assert.equal((await ask(credentials, "GET", "/api/v1/pods")).code, 403);
    const stranger = await ask({}, "GET", "/api/v1/pods");
    assert.equal(stranger.code, 403);
    assert.match(stranger.body.message, /User "system:anonymous" cannot list resource "pods"/);
    assert.equal((await ask({}, "GET", "/version")).code, 200);
  });

  it("takes the name of an extra field as it is if it cannot be unescaped", async () => {
    const server = apiServer({ host: virtualHost(), rbac: true });
    const headers = {
      "impersonate-user": "ann",
      "impersonate-extra-%zz": "a",
      "impersonate-extra-b%2fc": "d",
    };
    const body = '{"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview"}';
    const request = new Request("https://api.test/apis/authentication.k8s.io/v1/selfsubjectreviews", {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body,
    });
    const { status: { userInfo } } = await (await server.fetch(request)).json();
    assert.deepEqual(userInfo.extra, { "%zz": ["a"], "b/c": ["d"] });
  });

  it("refuses to act as groups, a uid or extra fields alone", async () => {
    const server = apiServer({ host: virtualHost() });
    for (const name of ["impersonate-group", "impersonate-uid", "impersonate-extra-team"]) {
      const response = await server.fetch(
        new Request("https://api.test/version", { headers: { accept: "application/json", [name]: "a" } }),
      );
      assert.equal(response.status, 400, name);
      assert.match((await response.json()).message, /without impersonating a user name/);
    }
  });

  it("tells each namespace who signs the server's certificate", { timeout: 20_000 }, async () => {
    const host = currentHost();
    const server = apiServer({ host, rbac: true });
    await using served = await server.serve();
    const found = await server.fetch(
      new Request("https://api.test/api/v1/namespaces/default/configmaps/kube-root-ca.crt"),
    );
    assert.equal((await found.json()).data["ca.crt"], served.ca);
  });

  it("puts what it tells of the authority right when somebody changes or deletes it", async () => {
    const host = virtualHost();
    const server = apiServer({ host, rbac: true });
    const ask = async (method: string, body?: string) => {
      const request = new Request("https://api.test/api/v1/namespaces/default/configmaps/kube-root-ca.crt", {
        method,
        headers: { "content-type": "application/merge-patch+json" },
        body,
      });
      return await (await server.fetch(request)).json();
    };
    await host.clock.advance(1);
    const { data } = await ask("GET");
    await ask("PATCH", '{"data":{"ca.crt":"another","more":"x"}}');
    await host.clock.advance(1);
    const again = await ask("GET");
    assert.deepEqual(again.data, data);
    await host.clock.advance(60);
    assert.equal((await ask("GET")).metadata.resourceVersion, again.metadata.resourceVersion, "it rests");
    await ask("DELETE");
    await host.clock.advance(1);
    assert.deepEqual((await ask("GET")).data, data);
  });
});
