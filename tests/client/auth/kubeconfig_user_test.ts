import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Identity } from "../../../lib/client/auth/kubeconfig_user.ts";
import { readUser } from "../../../lib/client/auth/kubeconfig_user.ts";
import { PEM, sourceOf } from "../kubeconfigs.ts";

const CLUSTER = { server: "https://api.test", config: {} };

/** What is there of a user's identity. */
async function read(
  content: Record<string, unknown>,
  files: Record<string, string> = {},
): Promise<Partial<Identity>> {
  const identity = await readUser(sourceOf(files), content, { cluster: CLUSTER });
  return JSON.parse(JSON.stringify(identity));
}

describe("readUser()", () => {
  it("takes certificates, inline or in files", async () => {
    const [cert, key] = [PEM, PEM.replaceAll("CERTIFICATE", "PRIVATE KEY")];
    assert.deepEqual(await read({ "client-certificate-data": btoa(cert), "client-key-data": btoa(key) }), {
      cert,
      key,
      files: false,
    });
    const files = { "/kube/me.crt": cert, "/kube/me.key": key };
    assert.deepEqual(await read({ "client-certificate": "me.crt", "client-key": "me.key" }, files), {
      cert,
      key,
      files: true,
    });
  });

  it("refuses a certificate without its key, and the other way round", async () => {
    await assert.rejects(read({ "client-certificate-data": PEM }), {
      name: "LoginError",
      message:
        'Cannot use the client-certificate of user "u" in kubeconfig "/kube/config": its client-key is missing',
    });
    await assert.rejects(read({ "client-key-data": PEM }), { message: /its client-certificate is missing/ });
  });

  it("takes tokens, and prefers a file's", async () => {
    assert.deepEqual(await read({ token: "t" }), { token: "t", files: false });
    const files = { "/kube/token": " from-file\n" };
    assert.deepEqual(await read({ token: "t", tokenFile: "token" }, files), {
      token: "from-file",
      files: true,
    });
    await assert.rejects(read({ tokenFile: "none" }), {
      name: "LoginError",
      message: /"\/kube\/none", the tokenFile of/,
    });
    await assert.rejects(read({ tokenFile: "token" }, { "/kube/token": "\n" }), { message: /it is empty/ });
  });

  it("takes users with passwords, and nobody at all", async () => {
    assert.deepEqual(await read({ username: "me", password: "pw" }), {
      username: "me",
      password: "pw",
      files: false,
    });
    assert.deepEqual(await read({}), { files: false });
  });

  it("takes whom to act as", async () => {
    const content = {
      "token": "t",
      "as": "jane",
      "as-uid": "1",
      "as-groups": ["a", 2, "b"],
      "as-user-extra": { "x/y": ["1"], "z": null },
    };
    assert.deepEqual((await read(content)).impersonate, {
      user: "jane",
      uid: "1",
      groups: ["a", "2", "b"],
      extra: { "x/y": ["1"], "z": [] },
    });
    await assert.rejects(read({ "as-groups": ["a"] }), { name: "LoginError", message: /need "as"/ });
  });

  it("asks a program only where nothing else is given", async () => {
    const exec = { apiVersion: "client.authentication.k8s.io/v1", interactiveMode: "Never", command: "none" };
    assert.equal((await read({ token: "t", exec })).token, "t");
    await assert.rejects(read({ exec }), { name: "LoginError", message: /exec plugin "none"/ });
  });
});
