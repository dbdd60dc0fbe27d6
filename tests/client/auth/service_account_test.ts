import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { hasServiceAccount, loadServiceAccount } from "../../../lib/client/auth/service_account.ts";
import { virtualHost } from "../../../lib/runtime/virtual/host.ts";
import { PEM } from "../kubeconfigs.ts";

const FOLDER = "/var/run/secrets/kubernetes.io/serviceaccount";

describe("loadServiceAccount()", () => {
  it("takes token, authority and namespace from the pod's folder, and the server from its environment", async () => {
    const host = virtualHost({
      files: { [`${FOLDER}/token`]: "t\n", [`${FOLDER}/ca.crt`]: PEM, [`${FOLDER}/namespace`]: "mine\n" },
      env: { KUBERNETES_SERVICE_HOST: "10.0.0.1", KUBERNETES_SERVICE_PORT: "6443" },
    });
    assert.equal(await hasServiceAccount({ host }), true);
    const { refresh, refreshEvery, ...info } = await loadServiceAccount({ host });
    assert.deepEqual(info, {
      server: "https://10.0.0.1:6443",
      ca: PEM.trim(),
      token: "t",
      defaultNamespace: "mine",
    });
    assert.equal(typeof refresh, "function");
    assert.equal(refreshEvery, 60);
  });

  it("[B274] is content with a token: no namespace, no authority, the service's name", async () => {
    const host = virtualHost({ files: { [`${FOLDER}/token`]: "t" } });
    const info = await loadServiceAccount({ host });
    assert.equal(info.token, "t");
    assert.equal(info.server, "https://kubernetes.default.svc");
    assert.deepEqual([info.ca, info.defaultNamespace], [undefined, undefined]);
  });

  it("reads the token again", async () => {
    const host = virtualHost({ files: { "/sa/token": "old" } });
    const info = await loadServiceAccount({ host, folder: "/sa" });
    await host.files.writeText("/sa/token", "new");
    assert.equal((await info.refresh!()).token, "new");
  });

  it("addresses IPv6 hosts", async () => {
    const host = virtualHost({ files: { "/sa/token": "t" }, env: { KUBERNETES_SERVICE_HOST: "fd00::1" } });
    assert.equal((await loadServiceAccount({ host, folder: "/sa" })).server, "https://[fd00::1]:443");
  });

  it("says what is missing", async () => {
    const host = virtualHost({ files: { "/empty/token": " \n" } });
    assert.equal(await hasServiceAccount({ host }), false);
    await assert.rejects(loadServiceAccount({ host }), {
      name: "LoginError",
      message: new RegExp(`"${FOLDER}/token"`),
    });
    await assert.rejects(loadServiceAccount({ host, folder: "/empty" }), {
      name: "LoginError",
      message: /it is empty/,
    });
  });
});
