/** What a host's connections must do when the server answers 101: bytes go both ways, also with a client certificate. */

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { createServer as createTls, type TLSSocket } from "node:tls";
import { describe, it } from "node:test";
import { createAuthority } from "../../../lib/runtime/certificates.ts";
import type { ConnectOptions, Host, HttpRequest, HttpResponse } from "../../../lib/runtime/host.ts";

const ASK: HttpRequest = {
  method: "GET",
  path: "/exec",
  headers: { connection: "Upgrade", upgrade: "echo" },
  mayUpgrade: true,
};

/** Answers 101 with two bytes in the same piece, and then echoes; "bye" ends it. */
function speak(socket: Socket): void {
  let head = "";
  socket.on("error", () => {});
  socket.on("data", (bytes: Buffer) => {
    if (head.endsWith("\r\n\r\n")) {
      if (bytes.toString() === "bye") socket.end("end");
      else socket.write(bytes);
      return;
    }
    head += bytes.toString("latin1");
    if (!head.endsWith("\r\n\r\n")) return;
    const user = (socket as TLSSocket).getPeerCertificate?.().subject?.CN ?? "none";
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nupgrade: echo\r\nx-user: ${user}\r\n\r\n\0\xff`,
      "latin1",
    );
  });
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

/** Describes how a host's connections change their protocol. */
export function upgradeSuite(makeHost: () => Host): void {
  describe("host.network.connect() at a server that changes the protocol", () => {
    const { network } = makeHost();

    async function talk(options: ConnectOptions): Promise<{ said: string; response: HttpResponse }> {
      using connection = network.connect(options);
      const response = await connection.request(ASK);
      assert.equal(response.status, 101);
      let said = "";
      for await (const bytes of response.body) {
        said += Buffer.from(bytes).toString("latin1");
        if (said === "\0\xff") response.send?.(new TextEncoder().encode("hello"));
        if (said.endsWith("hello")) response.send?.(new TextEncoder().encode("bye"));
      }
      return { said, response };
    }

    it("sends and receives bytes until the server ends", async () => {
      const server = createServer(speak);
      const port = await listen(server);
      const { said } = await talk({ server: `http://127.0.0.1:${port}` });
      assert.equal(said, "\0\xffhelloend");
      using connection = network.connect({ server: `http://127.0.0.1:${port}` });
      await assert.rejects(connection.request({ ...ASK, mayUpgrade: false }), /another protocol/);
      server.close();
    });

    it("presents client certificates there, too", async () => {
      const authority = await createAuthority({ name: "test authority" });
      const served = await authority.issue({ commonName: "s", ipAddresses: ["127.0.0.1"], server: true });
      const { certificate: cert, key } = await authority.issue({ commonName: "jane", client: true });
      const server = createTls({
        cert: served.certificate,
        key: served.key,
        ca: authority.certificate,
        requestCert: true,
      }, speak);
      const port = await listen(server);
      const { said, response } = await talk({
        server: `https://127.0.0.1:${port}`,
        ca: authority.certificate,
        cert,
        key,
      });
      assert.deepEqual([said, response.headers["x-user"]], ["\0\xffhelloend", "jane"]);
      server.close();
    });
  });
}
