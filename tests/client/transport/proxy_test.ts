import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { proxyFromEnvironment, withoutPassword } from "../../../lib/client/transport/proxy.ts";
import { virtualHost } from "../../../lib/runtime/virtual/host.ts";

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

  it("leaves out addresses and ranges, as Go does", () => {
    const exempt = (server: string, NO_PROXY: string): boolean =>
      proxyFor(server, { HTTPS_PROXY: "http://p", NO_PROXY }) === undefined;
    for (
      const [server, names] of [
        ["https://10.1.2.3:6443", "10.0.0.0/8"],
        ["https://10.1.2.3:6443", "10.1.2.3"],
        ["https://10.1.2.3:6443", "192.168.0.0/16, 10.1.2.0/23"],
        ["https://[fd00::1]:6443", "fd00::/8"],
        ["https://[fd00::1]:6443", "fd00:0::1"],
        ["https://[fd00::1]:6443", "[fd00::1]:6443"],
        ["https://api.test", "api.test:443"],
      ] as const
    ) {
      assert.equal(exempt(server, names), true, `${server} ${names}`);
    }
    for (
      const [server, names] of [
        ["https://11.1.2.3", "10.0.0.0/8"],
        ["https://10.1.2.3", "10.1.2.4/32"],
        ["https://10.1.2.3", "2.3"],
        ["https://10.1.2.3", "10.0.0.0/33"],
        ["https://[fd00::1]", "fe00::/8"],
        ["https://api.test", "10.0.0.0/0"],
        ["https://sub.test", ".sub.test"],
      ] as const
    ) {
      assert.equal(exempt(server, names), false, `${server} ${names}`);
    }
  });

  it("never goes to this machine through a proxy", () => {
    for (
      const server of ["https://localhost:1", "https://127.0.0.1:1", "https://127.8.9.1", "https://[::1]:1"]
    ) {
      assert.equal(proxyFor(server, { HTTPS_PROXY: "http://p" }), undefined, server);
    }
  });
});

describe("withoutPassword()", () => {
  it("replaces passwords in URLs, and nothing else", () => {
    assert.equal(withoutPassword("http://me:secret@p.test:3128/x"), "http://me:***@p.test:3128/x");
    assert.equal(withoutPassword("https://p.test:3128"), "https://p.test:3128");
    assert.equal(withoutPassword("no URL: a@b"), "no URL: a@b");
    assert.equal(withoutPassword("https://me:se@cret@exa mple:1"), "https://me:***@exa mple:1");
    assert.equal(withoutPassword("https://me:secret@127.0.0.1:99999"), "https://me:***@127.0.0.1:99999");
    assert.equal(withoutPassword("me:secret@p.test"), "me:***@p.test");
    assert.equal(withoutPassword("https://p.test:3128/a@b"), "https://p.test:3128/a@b");
  });
});
