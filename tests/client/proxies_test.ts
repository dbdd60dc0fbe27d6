import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { proxyFromEnvironment } from "../../lib/client/proxies.ts";
import { virtualHost } from "../../lib/runtime/virtual.ts";

function proxyFor(server: string, env: Record<string, string>): string | undefined {
  return proxyFromEnvironment(virtualHost({ env }), server);
}

describe("proxyFromEnvironment()", () => {
  it("takes the proxy for the server's scheme, in either case of letters", () => {
    const env = { HTTPS_PROXY: "http://secure.test:1", http_proxy: "plain.test:2" };
    assert.equal(proxyFor("https://api.test", env), "http://secure.test:1");
    assert.equal(proxyFor("http://api.test", env), "http://plain.test:2");
    assert.equal(proxyFor("https://api.test", {}), undefined);
    assert.equal(proxyFor("https://api.test", { HTTPS_PROXY: "" }), undefined);
  });

  it("leaves out what NO_PROXY names: hosts, domains, ports, everything", () => {
    const exempt = (NO_PROXY: string): boolean =>
      proxyFor("https://api.sub.test:6443", { HTTPS_PROXY: "http://p", NO_PROXY }) === undefined;
    for (
      const names of [
        "api.sub.test",
        "sub.test",
        ".sub.test",
        "*.sub.test",
        "a, API.sub.test",
        "api.sub.test:6443",
        "*",
      ]
    ) {
      assert.equal(exempt(names), true, names);
    }
    for (const names of ["", "b.test", "ub.test", "api.sub.test:443", "pi.sub.test"]) {
      assert.equal(exempt(names), false, names);
    }
  });
});
