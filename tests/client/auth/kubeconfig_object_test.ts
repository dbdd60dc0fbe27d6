import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { KubeConfig } from "@kubernetes/client-node";
import { credentialsFrom } from "../../../lib/client/auth/login.ts";
import { fromKubeConfig, isKubeConfig } from "../../../lib/client/auth/kubeconfig_object.ts";
import { virtualHost } from "../../../lib/runtime/virtual/host.ts";
import { configOf, PEM } from "../kubeconfigs.ts";

function objectOf(parts: Parameters<typeof configOf>[0]): KubeConfig {
  const config = new KubeConfig();
  config.loadFromString(configOf(parts));
  return config;
}

describe("fromKubeConfig()", () => {
  it("reads the official client's object: cluster, user, namespace", async () => {
    const data = btoa(PEM);
    const config = objectOf({
      cluster: {
        "server": "https://api.test/",
        "certificate-authority-data": data,
        "tls-server-name": "kubernetes",
        "proxy-url": "http://proxy:1",
      },
      user: { "client-certificate-data": data, "client-key-data": data, "as": "somebody" },
      context: { namespace: "team" },
    });
    const { refresh, refreshEvery, ...info } = await fromKubeConfig(virtualHost(), config);
    assert.deepEqual(JSON.parse(JSON.stringify(info)), {
      server: "https://api.test",
      ca: PEM,
      serverName: "kubernetes",
      proxy: "http://proxy:1",
      cert: PEM,
      key: PEM,
      impersonate: { user: "somebody" },
      defaultNamespace: "team",
    });
    assert.ok(refreshEvery === 60 && refresh !== undefined);
  });

  it("takes tokens, passwords, token files and exec plugins", async () => {
    const host = virtualHost({ files: { "/token": "from a file" } });
    const tokenOf = async (user: Record<string, unknown>): Promise<string | undefined> =>
      (await fromKubeConfig(host, objectOf({ user }))).token;
    assert.equal(await tokenOf({ token: "plain" }), "plain");
    assert.equal(
      await tokenOf({ "auth-provider": { name: "tokenFile", config: { tokenFile: "/token" } } }),
      "from a file",
    );
    const { username, password } = await fromKubeConfig(
      host,
      objectOf({ user: { username: "u", password: "p" } }),
    );
    assert.deepEqual([username, password], ["u", "p"]);
    await assert.rejects(
      tokenOf({ exec: { command: "nobody", apiVersion: "client.authentication.k8s.io/v1beta1" } }),
      {
        name: "LoginError",
        message: /exec plugin "nobody" of user "u" in kubeconfig "\(a KubeConfig object\)"/,
      },
    );
  });

  it("asks the object for what only it knows, at each renewal", async () => {
    const config = objectOf({ user: { "auth-provider": { name: "mine", config: {} } } });
    let count = 0;
    config.addAuthenticator({
      isAuthProvider: (user) => user.authProvider?.name === "mine",
      applyAuthentication: (_user, options) => {
        options.headers = { ...options.headers as object, Authorization: `Bearer ${++count}` };
        return Promise.resolve();
      },
    });
    const info = await fromKubeConfig(virtualHost(), config);
    assert.deepEqual([info.scheme, info.token], ["Bearer", "1"]);
    assert.equal((await info.refresh!()).token, "2");
  });

  it("says what is missing", async () => {
    await assert.rejects(fromKubeConfig(virtualHost(), new KubeConfig()), {
      name: "LoginError",
      message: /leads to no cluster \(load a kubeconfig, or set the context\)/,
    });
  });
});

describe("credentialsFrom()", () => {
  it("takes the object, a way in, or what renews itself", async () => {
    const host = virtualHost();
    const config = objectOf({ user: { token: "t" } });
    assert.ok(isKubeConfig(config));
    assert.equal((await (await credentialsFrom(config, { host })).current()).token, "t");
    const info = { server: "https://api.test", token: "t" };
    const credentials = await credentialsFrom(info, { host });
    assert.equal((await credentials.current()).token, "t");
    assert.equal(await credentialsFrom(credentials, { host }), credentials);
    credentials.invalidate(await credentials.current());
    await assert.rejects(credentials.current(), { name: "LoginError", message: /were refused/ });
  });
});
