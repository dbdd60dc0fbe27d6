import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readProvider } from "../../../lib/client/auth/auth_provider.ts";
import { loadKubeconfig } from "../../../lib/client/auth/kubeconfig.ts";
import { virtualHost } from "../../../lib/runtime/virtual/host.ts";
import { configOf, idToken, sourceOf } from "../kubeconfigs.ts";

const NOW = virtualHost().clock.now();

/** A token that expires so many seconds from now on. */
function tokenFor(seconds: number, name = "me"): string {
  return idToken(NOW, seconds, name);
}

describe("readProvider()", () => {
  const read = (provider: Record<string, unknown>) => readProvider(sourceOf(), provider);
  const oidc = (config: Record<string, unknown>) => ({ name: "oidc", config });

  it("takes an id token until shortly before it expires", async () => {
    const token = tokenFor(3600, "\u00fc?>~");
    assert.deepEqual(await read(oidc({ "id-token": token })), { token, expiration: NOW + 3_590_000 });
  });

  it("leaves what is no JSON Web Token to the server", async () => {
    for (const token of ["abc", "a.b.c", "e30.e30.e30"]) {
      assert.deepEqual(await read(oidc({ "id-token": token })), { token, expiration: undefined });
    }
  });

  it("says plainly that a token has expired, with both times", async () => {
    const message =
      /auth-provider "oidc" of user "u" .*has expired at \d{4}-.*Z, and it is \d{4}-.*Z: log in again/;
    for (const seconds of [-60, 0, 9]) {
      const config = {
        "id-token": tokenFor(seconds),
        "idp-issuer-url": "https://idp.test",
      };
      await assert.rejects(read(oidc(config)), { name: "LoginError", message });
    }
    const gcp = { name: "gcp", config: { "access-token": "a", "expiry": "2001-01-01T00:00:00Z" } };
    await assert.rejects(read(gcp), { name: "LoginError", message: /"gcp" .*has expired at 2001/ });
  });

  it("takes what other providers have left, and passes none over that has left nothing", async () => {
    assert.deepEqual(await read({ name: "gcp", config: { "access-token": "a" } }), {
      token: "a",
      expiration: undefined,
    });
    const cases: [Record<string, unknown>, RegExp][] = [
      [oidc({ "refresh-token": "r" }), /"oidc" of user "u" in kubeconfig ".*": it has no id-token/],
      [{ name: "azure", config: {} }, /"azure" .*it is not supported.*exec plugin/],
      [{}, /auth-provider "" .*not supported/],
      [{ name: ["oidc"] }, /"name" is a list, and must be a text/],
    ];
    for (const [provider, message] of cases) {
      await assert.rejects(read(provider), { name: "LoginError", message });
    }
  });

  it("is asked where no token is given, and read again when the token expires", async () => {
    const path = "/kube/config";
    const user = { "auth-provider": oidc({ "id-token": tokenFor(100) }) };
    const host = virtualHost({ files: { [path]: configOf({ user }) } });
    const info = await loadKubeconfig({ host, paths: [path] });
    assert.deepEqual([info.token, info.expiration], [tokenFor(100), NOW + 90_000]);
    await host.files.writeText(
      path,
      configOf({ user: { "auth-provider": oidc({ "id-token": tokenFor(999) }) } }),
    );
    assert.equal((await info.refresh!()).token, tokenFor(999));
    await host.files.writeText(path, configOf({ user: { ...user, token: "t" } }));
    assert.equal((await info.refresh!()).token, "t");
    await host.files.writeText(path, configOf({ user: { ...user, exec: { command: "x" } } }));
    await assert.rejects(info.refresh!(), /both an exec plugin and an auth-provider/);
  });
});
