/** What a host must do with an HTTP proxy. */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createAuthority } from "../../../lib/runtime/certificates.ts";
import type { Host, HttpRequest } from "../../../lib/runtime/host.ts";
import { startConnectProxy } from "../../support/connect_proxy.ts";
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
      assert.throws(
        () => network.connect({ server: "http://127.0.0.1:1", proxy: "socks5://127.0.0.1:1" }),
        TypeError,
      );
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
