/** What a host must do with an HTTP proxy. */

import assert from "node:assert/strict";
import { connect as connectSocket } from "node:net";
import type { AddressInfo } from "node:net";
import { createServer } from "node:http";
import { describe, it } from "node:test";
import { createAuthority } from "../../../lib/runtime/certificates.ts";
import type { Host, HttpRequest } from "../../../lib/runtime/host.ts";
import { startRaw } from "./raw_server.ts";

const GET: HttpRequest = { method: "GET", path: "/x", headers: {} };

interface Proxy extends Disposable {
  readonly port: number;
  readonly asked: string[];
}

/** A proxy that tunnels for `user:pass word`, and for nobody else. */
async function startProxy(): Promise<Proxy> {
  const asked: string[] = [];
  const open = new Set<{ destroy(): void }>();
  const proxy = createServer((_request, response) => void response.writeHead(400).end());
  proxy.on("connect", (request, client) => {
    open.add(client);
    client.on("error", () => {});
    const sent = Buffer.from(request.headers["proxy-authorization"]?.split(" ")[1] ?? "", "base64")
      .toString();
    asked.push(`${request.url} by ${sent}`);
    if (sent !== "user:pass word") {
      return void client.end("HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n");
    }
    const [host, port] = (request.url ?? "").split(":");
    const upstream = connectSocket(Number(port), host, () => {
      client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      upstream.pipe(client);
      client.pipe(upstream);
    });
    open.add(upstream);
    upstream.on("error", () => client.destroy());
    upstream.on("close", () => client.destroy());
    client.on("close", () => upstream.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  return {
    port: (proxy.address() as AddressInfo).port,
    asked,
    [Symbol.dispose]() {
      proxy.close();
      for (const socket of open) socket.destroy();
    },
  };
}

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
        using proxy = await startProxy();
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
      using proxy = await startProxy();
      await using server = await startRaw((_request, response) => void response.end("in"), {
        cert: certificate,
        key,
      });
      const address = `http://user:pass%20word@127.0.0.1:${proxy.port}`;
      using wrong = network.connect({ server: server.url, ca: other.certificate, proxy: address });
      await assert.rejects(wrong.request(GET), /certificate/i);
    });

    it("fails with what the proxy says, and where there is none", async () => {
      using proxy = await startProxy();
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
  });
}
