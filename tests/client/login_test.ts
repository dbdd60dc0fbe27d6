import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { LoginError } from "../../lib/client/errors.ts";
import { login, type LoginOptions } from "../../lib/client/login.ts";
import { virtualHost } from "../../lib/runtime/virtual.ts";
import { json, makeWorld, refusal } from "./fake_server.ts";
import { configOf } from "./kubeconfigs.ts";

const FOLDER = "/var/run/secrets/kubernetes.io/serviceaccount";
const FILES = {
  "/home/me/.kube/config": configOf({ user: { token: "home" } }),
  "/named": configOf({ user: { token: "named" } }),
  "/env": configOf({ user: { token: "env" } }),
  [`${FOLDER}/token`]: "pod",
};

/** Logs in where these files and variables are, and gives the token. */
async function tokenOf(
  options: { without?: string[]; env?: Record<string, string> } & Omit<LoginOptions, "host">,
): Promise<string | undefined> {
  const { without = [], env = {}, ...rest } = options;
  const files = Object.fromEntries(Object.entries(FILES).filter(([path]) => !without.includes(path)));
  const host = virtualHost({ files, env: { HOME: "/home/me", ...env } });
  return (await (await login({ host, ...rest })).current()).token;
}

describe("login()", () => {
  it("takes the first that is there: named, KUBECONFIG, the pod, the home folder", async () => {
    const env = { KUBECONFIG: "/env" };
    assert.equal(await tokenOf({ kubeconfig: "/named", env }), "named");
    assert.equal(await tokenOf({ env }), "env");
    assert.equal(await tokenOf({}), "pod");
    assert.equal(await tokenOf({ without: [`${FOLDER}/token`] }), "home");
    assert.equal(await tokenOf({ context: "it" }), "home", "a context is one of a kubeconfig's");
  });

  it("does not fall back where what was named is wrong", async () => {
    await assert.rejects(tokenOf({ kubeconfig: "/none" }), { name: "LoginError", message: /"\/none"/ });
    await assert.rejects(tokenOf({ env: { KUBECONFIG: "/none" } }), {
      name: "LoginError",
      message: /"\/none"/,
    });
    await assert.rejects(tokenOf({ context: "other" }), { name: "LoginError", message: /context "other"/ });
  });

  it("says what it looked for where there is nothing", async () => {
    await assert.rejects(tokenOf({ without: Object.keys(FILES) }), {
      name: "LoginError",
      message:
        /there is no kubeconfig \("\/home\/me\/\.kube\/config"\), KUBECONFIG is not set.*service account/,
    });
  });

  it("reads everything again when a server refuses, and fails when that changes nothing", async () => {
    const host = virtualHost({ files: { "/config": configOf({ user: { token: "old" } }) } });
    const failures: LoginError[] = [];
    const credentials = await login({
      host,
      kubeconfig: "/config",
      onFailure: (error) => void failures.push(error),
    });
    const world = makeWorld({
      host,
      credentials,
      answer: ({ headers }) => headers["authorization"] === "Bearer new" ? json({}) : refusal(401),
    });
    const request = { method: "GET", path: "/" };
    await assert.rejects(world.transport.request(request), LoginError);
    assert.equal(failures.length, 1);
    await host.files.writeText("/config", configOf({ user: { token: "new" } }));
    assert.equal((await world.transport.request(request)).status, 200);
    assert.equal(world.transport.defaultNamespace, "default");
  });
});
