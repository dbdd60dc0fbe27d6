import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { LoginError } from "../../../lib/client/errors.ts";
import {
  isLogin,
  login,
  type LoginInfo,
  type LoginOptions,
  toConnectionInfo,
} from "../../../lib/client/auth/login.ts";
import { virtualHost } from "../../../lib/runtime/virtual/host.ts";
import { json, makeWorld, refusal } from "../fake_server.ts";
import { configOf, PEM } from "../kubeconfigs.ts";

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
        /there is no kubeconfig \("\/home\/me\/\.kube\/config"\), KUBECONFIG is not set.*service account \(name a kubeconfig;.* lotse dev\)$/,
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

const server = "https://api.test";

describe("toConnectionInfo()", () => {
  it("[B268] takes expirations without a zone for UTC, and all other forms of time", async () => {
    const host = virtualHost();
    const time = Date.UTC(2030, 0, 31, 12, 34, 56);
    const forms = [
      "2030-01-31T12:34:56",
      "2030-01-31 12:34:56",
      "2030-01-31T12:34:56Z",
      "2030-01-31T13:34:56+01:00",
      new Date(time),
      time,
    ];
    for (const expiration of forms) {
      assert.equal((await toConnectionInfo(host, { server, expiration })).expiration, time);
    }
    for (const expiration of ["soon", "", NaN, new Date(NaN)]) {
      await assert.rejects(toConnectionInfo(host, { server, expiration }), /expiration ".*" is not a time/);
    }
  });

  it("[B270] refuses data and a path together, and a certificate without its key", async () => {
    const host = virtualHost({ files: { "/pem": PEM } });
    for (const name of ["ca", "cert", "key"]) {
      const login = { server, [name]: PEM, [`${name}Path`]: "/pem" };
      await assert.rejects(toConnectionInfo(host, login), {
        name: "TypeError",
        message: new RegExp(`"${name}" and "${name}Path" are both given: take one of them`),
      });
    }
    await assert.rejects(toConnectionInfo(host, { server, cert: PEM }), /"cert" is given alone/);
    await assert.rejects(toConnectionInfo(host, { server, keyPath: "/pem" }), /"key" is given alone/);
  });

  it("refuses what it does not know, and says what was meant", async () => {
    const host = virtualHost();
    const refuse = (login: object, message: RegExp): Promise<void> =>
      assert.rejects(toConnectionInfo(host, login as LoginInfo), { name: "TypeError", message });
    await refuse({ server, default_namespace: "a" }, /"default_namespace"; did you mean "defaultNamespace"/);
    await refuse({ url: "https://api.test" }, /^Cannot log in: there is no field "url"/);
    await refuse({ server: undefined }, /^Cannot log in: the server must be an http or https URL/);
    await refuse({ server: "api.test" }, /must be an http or https URL/);
    await assert.rejects(toConnectionInfo(host, { server, ca: "rubbish" }), {
      name: "LoginError",
      message: /Cannot use "ca" of a login: .*neither PEM/,
    });
    await assert.rejects(toConnectionInfo(host, { server, caPath: "/none" }), {
      name: "LoginError",
      message: /file "\/none", the "caPath" of a login/,
    });
  });

  it("reads files, and reads them again a minute later", async () => {
    const host = virtualHost({ files: { "/cert": PEM, "/key": btoa(PEM) } });
    const info = await toConnectionInfo(host, {
      server: `${server}/`,
      certPath: "/cert",
      keyPath: "/key",
      token: "t",
    });
    assert.deepEqual([info.server, info.cert, info.key, info.token], [server, PEM, PEM, "t"]);
    assert.equal(info.refreshEvery, 60);
    await host.files.writeText("/cert", PEM.replace("MIIB", "MIIC"));
    assert.match((await info.refresh!()).cert!, /MIIC/);
  });

  it("renews as the login says", async () => {
    const host = virtualHost();
    const info = await toConnectionInfo(host, {
      server,
      token: "1",
      refresh: () => ({ server, token: "2", expiration: "2030-01-01" + "T00:00:00" }),
    });
    const next = await info.refresh!();
    assert.deepEqual([next.token, next.expiration], ["2", Date.UTC(2030, 0, 1)]);
  });
});

describe("isLogin()", () => {
  it("wants a server", () => {
    for (const value of [{ server }, { server, token: "x" }]) assert.equal(isLogin(value), true);
    for (const value of [null, undefined, "x", {}, { url: server }, { server: 5 }]) {
      assert.equal(isLogin(value), false);
    }
  });
});
