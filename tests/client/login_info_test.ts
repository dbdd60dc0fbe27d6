import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isLogin, type LoginInfo, toConnectionInfo } from "../../lib/client/login_info.ts";
import { virtualHost } from "../../lib/runtime/virtual.ts";
import { PEM } from "./kubeconfigs.ts";

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
    assert.equal(info.refreshAfter, host.clock.now() + 60_000);
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
