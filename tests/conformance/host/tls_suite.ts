/** What a host's TLS connections must do: private authorities, client certificates of all sorts, names, refusals. */

import assert from "node:assert/strict";
import { createPrivateKey } from "node:crypto";
import type { TLSSocket } from "node:tls";
import { before, describe, it } from "node:test";
import {
  type Authority,
  createAuthority,
  type IssuedCertificate,
} from "../../../lib/runtime/certificates.ts";
import type { Host, HttpRequest } from "../../../lib/runtime/host.ts";
import { type RawServer, signalOf, startRaw } from "./raw_server.ts";
import { RSA_AUTHORITY, RSA_CERTIFICATE, RSA_KEY } from "./rsa_certificates.ts";

const DAY = 24 * 60 * 60 * 1000;
const GET: HttpRequest = { method: "GET", path: "/", headers: {} };

/** Describes how a host speaks TLS as a client. */
export function tlsSuite(makeHost: () => Host): void {
  describe("host.network.connect() with TLS", () => {
    const { network, clock } = makeHost();
    let authority: Authority;
    let other: Authority;
    let served: IssuedCertificate;
    let named: IssuedCertificate;
    let client: IssuedCertificate;

    before(async () => {
      authority = await createAuthority({ name: "test authority" });
      other = await createAuthority({ name: "other authority" });
      served = await authority.issue({ commonName: "server", ipAddresses: ["127.0.0.1"], server: true });
      named = await authority.issue({
        commonName: "server",
        dnsNames: ["kubernetes.default.svc"],
        server: true,
      });
      client = await authority.issue({ commonName: "jane", organizations: ["system:masters"], client: true });
    });

    function start({ certificate, key }: IssuedCertificate): Promise<RawServer> {
      return startRaw((request, response) => {
        const socket = request.socket as TLSSocket; // the server speaks TLS
        const subject = socket.getPeerCertificate().subject as { CN?: string } | undefined;
        if (request.url === "/watch") return void response.writeHead(200).write("line\n");
        response.end(JSON.stringify({ authorized: socket.authorized, user: subject?.CN }));
      }, {
        cert: certificate,
        key,
        ca: [authority.certificate, RSA_AUTHORITY],
        requestCert: true,
        rejectUnauthorized: false,
      });
    }

    it("trusts the given authority", async () => {
      await using server = await start(served);
      using connection = network.connect({ server: server.url, ca: authority.certificate });
      assert.deepEqual(JSON.parse(await (await connection.request(GET)).text()), { authorized: false });
    });

    it("trusts any of several authorities", async () => {
      await using server = await start(served);
      using connection = network.connect({
        server: server.url,
        ca: `${other.certificate}\n${authority.certificate}`,
      });
      assert.equal((await connection.request(GET)).status, 200);
    });

    it("refuses servers of other authorities, and says why", async () => {
      await using server = await start(served);
      using wrong = network.connect({ server: server.url, ca: other.certificate });
      await assert.rejects(wrong.request(GET), /certificate/i);
      using none = network.connect({ server: server.url });
      await assert.rejects(none.request(GET), /certificate/i);
    });

    it("trusts a server's own certificate, as Go does, and no other that its authority has signed", async () => {
      await using server = await start(served);
      await using elsewhere = await start(named);
      using own = network.connect({ server: server.url, ca: `${client.certificate}\n${served.certificate}` });
      assert.equal((await own.request(GET)).status, 200);
      using another = network.connect({ server: server.url, ca: named.certificate });
      await assert.rejects(another.request(GET), /certificate/i);
      using misnamed = network.connect({ server: elsewhere.url, ca: named.certificate });
      await assert.rejects(misnamed.request(GET), /certificate/i);
      const serverName = "kubernetes.default.svc";
      using renamed = network.connect({ server: elsewhere.url, ca: named.certificate, serverName });
      assert.equal((await renamed.request(GET)).status, 200);
    });

    it("trusts no server by its own certificate that has expired", async () => {
      const old = await createAuthority({ name: "old authority", now: () => Date.now() - 30 * DAY });
      const expired = await old.issue({
        commonName: "old",
        ipAddresses: ["127.0.0.1"],
        server: true,
        days: 1,
      });
      await using server = await start(expired);
      using connection = network.connect({ server: server.url, ca: expired.certificate });
      await assert.rejects(connection.request(GET), /certificate/i);
    });

    it("presents client certificates, with keys of all forms", async () => {
      await using server = await start(served);
      const sec1 = createPrivateKey(client.key).export({ type: "sec1", format: "pem" }).toString();
      const pkcs1 = createPrivateKey(RSA_KEY).export({ type: "pkcs1", format: "pem" }).toString();
      const forms = [
        { cert: client.certificate, key: client.key, user: "jane" },
        { cert: client.certificate, key: sec1, user: "jane" },
        { cert: RSA_CERTIFICATE, key: RSA_KEY, user: "rsa-user" },
        { cert: RSA_CERTIFICATE, key: pkcs1, user: "rsa-user" },
      ];
      for (const { cert, key, user } of forms) {
        using connection = network.connect({ server: server.url, ca: authority.certificate, cert, key });
        const response = await connection.request(GET);
        assert.deepEqual(JSON.parse(await response.text()), { authorized: true, user }, key.slice(0, 40));
      }
    });

    it("keeps connections with different certificates apart", async () => {
      await using server = await start(served);
      using jane = network.connect({
        server: server.url,
        ca: authority.certificate,
        cert: client.certificate,
        key: client.key,
      });
      using nobody = network.connect({ server: server.url, ca: authority.certificate });
      for (let round = 0; round < 3; round++) {
        assert.equal(JSON.parse(await (await jane.request(GET)).text()).user, "jane");
        assert.equal(JSON.parse(await (await nobody.request(GET)).text()).user, undefined);
      }
    });

    it("checks nothing when told so, for this connection only", async () => {
      await using server = await start(served);
      using careless = network.connect({ server: server.url, insecure: true });
      assert.equal((await careless.request(GET)).status, 200);
      using careful = network.connect({ server: server.url });
      await assert.rejects(careful.request(GET), /certificate/i);
    });

    it("checks the server's name, or the one expected in its place", async () => {
      await using server = await start(named);
      const ca = authority.certificate;
      using wrong = network.connect({ server: server.url, ca });
      await assert.rejects(wrong.request(GET), Error);
      using right = network.connect({ server: server.url, ca, serverName: "kubernetes.default.svc" });
      assert.equal((await right.request(GET)).status, 200);
      using misspelt = network.connect({ server: server.url, ca, serverName: "kubernetes.default" });
      await assert.rejects(misspelt.request(GET), Error);
    });

    it("makes one handshake for requests in a row", async () => {
      await using server = await start(served);
      using connection = network.connect({ server: server.url, ca: authority.certificate });
      for (let round = 0; round < 20; round++) {
        await (await connection.request({ ...GET, method: "PATCH", body: "{}" })).text();
        await clock.sleep(0);
      }
      assert.ok(server.accepted <= 2, `${server.accepted}`);
    });

    it("throws when the server resets a stream, and frees the socket of an aborted one", async () => {
      await using server = await start(served);
      using connection = network.connect({ server: server.url, ca: authority.certificate });
      const chunks = (await connection.request({ ...GET, path: "/watch" })).body[Symbol.asyncIterator]();
      await chunks.next();
      for (const socket of server.sockets) socket.destroy();
      await assert.rejects(chunks.next(), { code: "ECONNRESET" });
      const controller = new AbortController();
      const aborted = await connection.request({ ...GET, path: "/watch", signal: controller.signal });
      const gone = signalOf("the server sees the client go");
      for (const socket of server.sockets) socket.on("close", () => gone.resolve());
      controller.abort(new Error("aborted"));
      await assert.rejects(async () => {
        for await (const _ of aborted.body);
      }, /aborted/);
      await gone.promise;
    });

    it("stops the sender while nobody reads", { timeout: 30_000 }, async () => {
      const CHUNK = Buffer.alloc(64 * 1024, "x");
      const COUNT = 2000;
      let sent = 0;
      await using server = await startRaw((_request, response) => {
        const send = () => {
          while (sent < COUNT) {
            sent++;
            if (!response.write(CHUNK)) return void response.once("drain", send);
          }
          response.end();
        };
        send();
      }, { cert: served.certificate, key: served.key });
      using connection = network.connect({ server: server.url, ca: authority.certificate });
      const response = await connection.request(GET);
      // Sleeps for real: that the sender stands still shows only in time.
      await clock.sleep(0.5);
      const before = sent;
      assert.ok(before < COUNT / 4, `${before} chunks were sent before anybody read`);
      await clock.sleep(0.5);
      assert.equal(sent, before);
      let size = 0;
      for await (const chunk of response.body) {
        size += chunk.length;
        // Slower than the sender: what comes meanwhile has to wait outside.
        if (size < 2_000_000) await clock.sleep(0.005);
        assert.ok(sent * CHUNK.length - size < 40_000_000);
      }
      assert.equal(size, COUNT * CHUNK.length);
      assert.equal((await connection.request(GET)).status, 200);
    });

    it("says which of its materials it cannot use", () => {
      const connect = (options: { ca?: string; cert?: string; key?: string }) => () =>
        network.connect({ server: "https://127.0.0.1:1", ...options });
      const garbage = "-----BEGIN CERTIFICATE-----\nTm8gY2VydGlmaWNhdGU=\n-----END CERTIFICATE-----\n";
      const { certificate: cert, key } = client;
      assert.throws(connect({ ca: "not PEM" }), /certificate authority.*PEM/);
      assert.throws(connect({ ca: garbage }), /certificate authority/);
      assert.throws(connect({ cert: garbage, key }), /the certificate:/);
      assert.throws(connect({ cert, key: "not PEM" }), /the key:/);
      assert.throws(connect({ cert }), /key is missing/);
      assert.throws(connect({ key }), /certificate is missing/);
      assert.throws(connect({ cert, key: RSA_KEY }), /does not belong/);
    });
  });
}
