/** What a host must do with an HTTP proxy. */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createAuthority } from "../../../lib/runtime/certificates.ts";
import type { Host, HttpRequest } from "../../../lib/runtime/host.ts";
import { startConnectProxy } from "../../support/connect_proxy.ts";
import { startSocksProxy } from "../../support/socks_proxy.ts";
import { startRaw } from "./raw_server.ts";

const GET: HttpRequest = { method: "GET", path: "/x", headers: {} };

/** Describes how a host reaches servers through a proxy. */
export function proxySuite(makeHost: () => Host): void {
  describe("host.network.connect() through a proxy", () => {
    const { network, clock } = makeHost();

    for (const scheme of ["http", "https"] as const) {
      it(`reaches ${scheme} servers through one tunnel, with name and password`, async () => {
        const authority = await createAuthority({ name: "ca" });
        const { certificate, key } = await authority.issue({
          commonName: "s",
          ipAddresses: ["127.0.0.1"],
          server: true,
        });
        using proxy = await startConnectProxy({ user: "user:pass word" });
        await using server = await startRaw(
          (request, response) => void response.end(`${request.method} ${request.url}`),
          scheme === "https" ? { cert: certificate, key } : undefined,
        );
        using connection = network.connect({
          server: server.url,
          ca: authority.certificate,
          proxy: `http://user:pass%20word@127.0.0.1:${proxy.port}`,
        });
        for (let round = 0; round < 5; round++) {
          assert.equal(await (await connection.request(GET)).text(), "GET /x");
          await clock.sleep(0);
        }
        assert.deepEqual(proxy.asked, [`127.0.0.1:${server.port} by user:pass word`]);
      });
    }

    for (const scheme of ["http", "https"] as const) {
      it(`reaches ${scheme} servers through a proxy of TLS, whose certificate is checked by the same authority`, async () => {
        const authority = await createAuthority({ name: "ca" });
        const other = await createAuthority({ name: "other" });
        const { certificate: cert, key } = await authority.issue({
          commonName: "s",
          ipAddresses: ["127.0.0.1"],
          dnsNames: ["localhost"],
          server: true,
        });
        using proxy = await startConnectProxy({ user: "user:pass word", tls: { cert, key } });
        const body = "x".repeat(300_000);
        await using server = await startRaw(
          (_request, response) => void response.end(body),
          scheme === "https" ? { cert, key } : undefined,
        );
        const address = `https://user:pass%20word@localhost:${proxy.port}`;
        const ca = authority.certificate;
        using connection = network.connect({ server: server.url, ca, proxy: address });
        for (let round = 0; round < 3; round++) {
          assert.equal(await (await connection.request(GET)).text(), body);
          await clock.sleep(0);
        }
        assert.deepEqual(proxy.asked, [`127.0.0.1:${server.port} by user:pass word`]);
        using wrong = network.connect({ server: server.url, ca: other.certificate, proxy: address });
        await assert.rejects(wrong.request(GET), /certificate/i);
        assert.equal(proxy.asked.length, 1, "nothing was sent to the proxy that is not trusted");
      });
    }

    it("fails where a proxy of TLS speaks plain HTTP", async () => {
      using proxy = await startConnectProxy({});
      const address = `https://127.0.0.1:${proxy.port}`;
      using connection = network.connect({ server: "http://a.test:7", proxy: address });
      await assert.rejects(connection.request(GET), Error);
      assert.deepEqual(proxy.asked, []);
    });

    it("checks the server's certificate at the end of the tunnel", async () => {
      const authority = await createAuthority({ name: "ca" });
      const other = await createAuthority({ name: "other" });
      const { certificate, key } = await authority.issue({
        commonName: "s",
        ipAddresses: ["127.0.0.1"],
        server: true,
      });
      using proxy = await startConnectProxy({ user: "user:pass word" });
      await using server = await startRaw((_request, response) => void response.end("in"), {
        cert: certificate,
        key,
      });
      const address = `http://user:pass%20word@127.0.0.1:${proxy.port}`;
      using wrong = network.connect({ server: server.url, ca: other.certificate, proxy: address });
      await assert.rejects(wrong.request(GET), /certificate/i);
    });

    it("fails with what the proxy says, and where there is none", async () => {
      using proxy = await startConnectProxy({ user: "user:pass word" });
      using refused = network.connect({
        server: "http://127.0.0.1:1",
        proxy: `http://127.0.0.1:${proxy.port}`,
      });
      await assert.rejects(refused.request(GET), /407/);
      using nowhere = network.connect({ server: "http://127.0.0.1:1", proxy: "http://127.0.0.1:1" });
      await assert.rejects(nowhere.request(GET), { code: "ECONNREFUSED" });
      for (const proxy of ["ftp://me:hunter2@127.0.0.1:1", "socks4://127.0.0.1:1", "socks5://"]) {
        assert.throws(() => network.connect({ server: "http://127.0.0.1:1", proxy }), {
          name: "TypeError",
          message:
            /^Cannot use the proxy "(ftp|socks4|socks5):\/\/(127\.0\.0\.1:1)?": it must be http:\/\/, https:\/\/ or socks5:/,
        });
      }
    });

    for (const scheme of ["http", "https"] as const) {
      it(`reaches ${scheme} servers through SOCKS5, whose names the proxy resolves`, async () => {
        const authority = await createAuthority({ name: "ca" });
        const issued = await authority.issue({ commonName: "s", dnsNames: ["inner.test"], server: true });
        await using server = await startRaw(
          (request, response) => void response.end(`${request.method} ${request.url}`),
          scheme === "https" ? { cert: issued.certificate, key: issued.key } : undefined,
        );
        const to = { host: "127.0.0.1", port: server.port };
        using proxy = await startSocksProxy({ user: "user:pass word", to });
        using connection = network.connect({
          server: `${scheme}://inner.test:7`,
          ca: authority.certificate,
          proxy: `socks5://user:pass%20word@127.0.0.1:${proxy.port}`,
        });
        for (let round = 0; round < 5; round++) {
          assert.equal(await (await connection.request(GET)).text(), "GET /x");
          await clock.sleep(0);
        }
        assert.deepEqual(proxy.asked, ["3 inner.test:7 by user:pass word"]);
      });
    }

    it("hands addresses to SOCKS5 as addresses, and needs no login where the proxy wants none", async () => {
      await using server = await startRaw((_request, response) => void response.end("in"));
      using proxy = await startSocksProxy({ to: { host: "127.0.0.1", port: server.port } });
      for (const host of ["127.0.0.1", "[fd00::a:1]", "[::1]"]) {
        using connection = network.connect({
          server: `http://${host}:8`,
          proxy: `socks5://user:unused@127.0.0.1:${proxy.port}`,
        });
        assert.equal(await (await connection.request(GET)).text(), "in");
      }
      assert.deepEqual(proxy.asked, [
        "1 127.0.0.1:8",
        "4 fd0000000000000000000000000a0001:8",
        "4 00000000000000000000000000000001:8",
      ]);
    });

    it("says why a SOCKS5 proxy refuses, and that there is none", async () => {
      using strict = await startSocksProxy({ user: "me:right" });
      using busy = await startSocksProxy({ refusal: 5 });
      await using web = await startRaw((_request, response) => void response.end("in"));
      const cases: [string, RegExp | { code: string }][] = [
        [
          `127.0.0.1:${strict.port}`,
          /Cannot reach "a\.test:7" through the SOCKS5 proxy: it wants another login/,
        ],
        [`me:wrong@127.0.0.1:${strict.port}`, /it does not take the name and password/],
        [`127.0.0.1:${busy.port}`, /the connection was refused/],
        [`127.0.0.1:${web.port}`, /no SOCKS5 proxy|closed while it was opened/],
        ["127.0.0.1:1", { code: "ECONNREFUSED" }],
      ];
      for (const [address, problem] of cases) {
        using connection = network.connect({ server: "http://a.test:7", proxy: `socks5://${address}` });
        await assert.rejects(connection.request(GET), problem);
      }
    });

    it("does not repeat the password of a proxy whose address cannot be read", () => {
      const proxy = "http://me:hunter2@127.0.0.1:99999";
      assert.throws(() => network.connect({ server: "http://127.0.0.1:1", proxy }), (error: Error) => {
        assert.ok(error instanceof TypeError);
        assert.doesNotMatch(`${error.message} ${error.stack} ${error.cause}`, /hunter2/);
        return true;
      });
    });
  });
}
