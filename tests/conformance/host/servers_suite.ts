/** What a host's servers must do. The clients are the host's own. */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { connect as connectPlain } from "node:net";
import process from "node:process";
import { connect as connectTls } from "node:tls";
import { before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import {
  type Authority,
  createAuthority,
  type IssuedCertificate,
} from "../../../lib/runtime/certificates.ts";
import type { Host, HttpRequest, Peer, ServerTls } from "../../../lib/runtime/host.ts";
import { signalOf } from "./raw_server.ts";

const STARVED = fileURLToPath(new URL("starved.ts", import.meta.url));

/** Runs a program that may open no more than 100 files. */
async function runStarved(): Promise<{ readonly stdout: string; readonly stderr: string }> {
  const options = process.versions.deno === undefined ? [] : ["run", "-A"];
  const script = 'ulimit -n 100 && exec "$0" "$@"';
  return await promisify(execFile)("sh", ["-c", script, process.execPath, ...options, STARVED]);
}

const GET: HttpRequest = { method: "GET", path: "/", headers: {} };

/** Describes how a host serves HTTP and HTTPS. */
export function serversSuite(makeHost: () => Host): void {
  const { network, clock } = makeHost();
  let authority: Authority;
  let tls: ServerTls;
  let ca: string;

  async function material(name: string): Promise<ServerTls> {
    const { certificate, key } = await authority.issue({
      commonName: name,
      ipAddresses: ["127.0.0.1"],
      dnsNames: ["localhost"],
      server: true,
    });
    return { cert: certificate, key };
  }

  before(async () => {
    authority = await createAuthority({ name: "test authority" });
    ca = authority.certificate;
    tls = await material("first");
  });

  for (const scheme of ["http", "https"] as const) {
    describe(`host.network.serve() over ${scheme}`, () => {
      const serve = (fetch: (request: Request, peer: Peer) => Response | Promise<Response>) =>
        network.serve({ fetch, ...scheme === "https" && { tls } });
      const connect = (port: number) => network.connect({ server: `${scheme}://127.0.0.1:${port}`, ca });

      it("hands requests over, and gives back status, headers and body", async () => {
        await using server = await serve(async (request, peer) => {
          const { method, url, headers } = request;
          const body = {
            method,
            url,
            body: await request.text(),
            sent: headers.get("x-sent"),
            address: peer.address,
          };
          return Response.json(body, { status: 201, headers: { "x-given": "1" } });
        });
        using connection = connect(server.port);
        const response = await connection.request({
          method: "POST",
          path: "/a%20b?c=%C3%A4",
          headers: { "x-sent": "yes" },
          body: "ä",
        });
        assert.equal(response.status, 201);
        assert.equal(response.headers["x-given"], "1");
        assert.match(response.headers["content-type"] ?? "", /^application\/json/);
        assert.deepEqual(JSON.parse(await response.text()), {
          method: "POST",
          url: `${scheme}://127.0.0.1:${server.port}/a%20b?c=%C3%A4`,
          body: "ä",
          sent: "yes",
          address: "127.0.0.1",
        });
      });

      it("takes long addresses, such as those with selectors of thousands of values", async () => {
        await using server = await serve((request) => Response.json(new URL(request.url).search.length));
        using connection = connect(server.port);
        const response = await connection.request({ ...GET, path: `/?${"a".repeat(200_000)}` });
        assert.deepEqual([response.status, await response.text()], [200, "200001"]);
      });

      it("gives responses without a body, empty ones and large ones", async () => {
        const large = "ä".repeat(2_000_000);
        await using server = await serve((request) => {
          const { pathname } = new URL(request.url);
          if (pathname === "/none") return new Response(null, { status: 204 });
          return new Response(pathname === "/empty" ? "" : large);
        });
        using connection = connect(server.port);
        const none = await connection.request({ ...GET, path: "/none" });
        assert.deepEqual([none.status, await none.text()], [204, ""]);
        assert.equal(await (await connection.request({ ...GET, path: "/empty" })).text(), "");
        const whole = await connection.request(GET);
        assert.equal(await whole.text(), large);
      });

      it("turns a throw into a plain 500", async () => {
        await using server = await serve((request) => {
          if (new URL(request.url).pathname === "/later") return Promise.reject(new Error("later"));
          throw new Error("secret");
        });
        using connection = connect(server.port);
        for (const path of ["/", "/later"]) {
          const response = await connection.request({ ...GET, path });
          assert.deepEqual([response.status, await response.text()], [500, "Internal Server Error"]);
        }
      });

      it("flushes a streaming response chunk by chunk, and its head before", async () => {
        let sender: ReadableStreamDefaultController<Uint8Array> | undefined;
        await using server = await serve(() => {
          return new Response(
            new ReadableStream<Uint8Array>({ start: (controller) => void (sender = controller) }),
          );
        });
        using connection = connect(server.port);
        const response = await connection.request(GET);
        const chunks = response.body[Symbol.asyncIterator]();
        for (const line of ["one\n", "two\n", "three\n"]) {
          sender?.enqueue(new TextEncoder().encode(line));
          const { value } = await chunks.next();
          assert.equal(new TextDecoder().decode(value), line);
        }
        sender?.close();
        assert.equal((await chunks.next()).done, true);
      });

      it("aborts the request's signal, and cancels the stream, when the client goes away", async () => {
        const aborted = signalOf("the signal is aborted");
        const cancelled = signalOf("the stream is cancelled");
        await using server = await serve((request) => {
          request.signal.addEventListener("abort", () => aborted.resolve());
          const line = new TextEncoder().encode("line\n");
          return new Response(
            new ReadableStream({
              start: (controller) => controller.enqueue(line),
              cancel: () => cancelled.resolve(),
            }),
          );
        });
        using connection = connect(server.port);
        for await (const _ of (await connection.request(GET)).body) break;
        await aborted.promise;
        await cancelled.promise;
      });

      it("aborts the request's signal when the client goes away before the response", async () => {
        const come = signalOf("the request comes");
        const aborted = signalOf("the signal is aborted");
        await using server = await serve((request) => {
          request.signal.addEventListener("abort", () => aborted.resolve());
          come.resolve();
          return new Promise(() => {});
        });
        using connection = connect(server.port);
        const controller = new AbortController();
        const asked = connection.request({ ...GET, signal: controller.signal });
        await come.promise;
        controller.abort(new Error("gone"));
        await assert.rejects(asked, /gone/);
        await aborted.promise;
      });

      it("does not abort the signal of a request that was answered", async () => {
        let signal: AbortSignal | undefined;
        await using server = await serve((request) => {
          signal = request.signal;
          return new Response("answered");
        });
        using connection = connect(server.port);
        assert.equal(await (await connection.request(GET)).text(), "answered");
        await clock.sleep(0.05);
        assert.equal(signal?.aborted, false);
      });

      it("cuts the connection when a stream breaks, so that nobody takes half for whole", async () => {
        await using server = await serve(() => {
          let count = 0;
          return new Response(
            new ReadableStream({
              async pull(controller) {
                await clock.sleep(0.02);
                if (count++ > 1) throw new Error("broken");
                controller.enqueue(new TextEncoder().encode("line\n"));
              },
            }),
          );
        });
        using connection = connect(server.port);
        await assert.rejects(async () => (await connection.request(GET)).text(), { code: "ECONNRESET" });
      });

      it(
        "cuts the connection when a stream breaks while the client does not read",
        { timeout: 30_000 },
        async () => {
          const CHUNK = new Uint8Array(64 * 1024);
          const cut = signalOf("the connection is cut");
          let sender: ReadableStreamDefaultController<Uint8Array> | undefined;
          let pulled = 0;
          await using server = await serve((request) => {
            request.signal.addEventListener("abort", () => cut.resolve());
            return new Response(
              new ReadableStream({
                start: (controller) => void (sender = controller),
                pull(controller) {
                  pulled++;
                  controller.enqueue(CHUNK.slice());
                },
              }, { highWaterMark: 0 }),
            );
          });
          using connection = connect(server.port);
          const response = await connection.request(GET);
          // Sleeps for real: that the stream stands still shows only in time.
          for (let before = -1; before < pulled; await clock.sleep(0.2)) before = pulled;
          sender?.error(new Error("broken"));
          await cut.promise;
          await assert.rejects(async () => {
            for await (const _ of response.body);
          }, { code: "ECONNRESET" });
        },
      );

      it("pulls no more than the client reads", { timeout: 30_000 }, async () => {
        const CHUNK = new Uint8Array(64 * 1024);
        const COUNT = 2000;
        let pulled = 0;
        await using server = await serve(() => {
          return new Response(
            new ReadableStream({
              pull(controller) {
                if (pulled++ < COUNT) controller.enqueue(CHUNK.slice());
                else controller.close();
              },
            }),
          );
        });
        using connection = connect(server.port);
        const response = await connection.request(GET);
        // Sleeps for real: that the stream stands still shows only in time.
        await clock.sleep(0.4);
        assert.ok(pulled < COUNT / 2, `${pulled} chunks were pulled`);
        let size = 0;
        for await (const chunk of response.body) size += chunk.length;
        assert.equal(size, COUNT * CHUNK.length);
      });

      it("close() ends streams at once, without grace", async () => {
        const server = await serve(() => new Response(new ReadableStream({ start() {} })));
        using connection = connect(server.port);
        const response = await connection.request(GET);
        const reading = assert.rejects(async () => {
          for await (const _ of response.body);
        }, { code: "ECONNRESET" });
        const before = clock.monotonic();
        await server.close();
        assert.ok(clock.monotonic() - before < 0.5);
        await reading;
        await assert.rejects(connection.request(GET), { code: "ECONNREFUSED" });
        await server.close();
      });

      it("close() with grace closes idle connections, and lets requests end", async () => {
        const come = signalOf("the request comes");
        const server = await serve(async (request) => {
          if (new URL(request.url).pathname === "/quick") return new Response("quick");
          come.resolve();
          await clock.sleep(0.15);
          return new Response("in time");
        });
        using connection = connect(server.port);
        await (await connection.request({ ...GET, path: "/quick" })).text();
        const asked = connection.request(GET);
        await come.promise;
        const before = clock.monotonic();
        const closing = server.close(3);
        assert.equal(await (await asked).text(), "in time");
        await closing;
        assert.ok(clock.monotonic() - before < 1.5, "it did not wait for the whole grace");
      });

      for (
        const [phase, sent] of [
          ["says nothing", ""],
          ["stops within a head", "POST / HTTP/1.1\r\nhost: a\r\n"],
          ["stops within a body", "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 100\r\n\r\n{"],
          ["sends no further request", "GET / HTTP/1.1\r\nhost: a\r\n\r\n"],
        ] as const
      ) {
        it(`closes the connection of a client that ${phase}`, { timeout: 30_000 }, async () => {
          await using server = await network.serve({
            fetch: async (request) => new Response(await request.text()),
            limits: { head: 0.5, body: 0.5, idle: 0.5 },
            ...scheme === "https" && { tls },
          });
          // Sleeps for real: sockets know no virtual clock.
          const client = await dial(server.port, scheme);
          if (sent !== "") client.write(sent);
          assert.equal(
            await Promise.race([client.closed, clock.sleep(10).then(() => "still open")]),
            "closed",
          );
          using connection = connect(server.port);
          assert.equal((await connection.request(GET)).status, 200);
        });
      }

      it("takes no more connections than its limit while all are busy, and new ones when one has ended", async () => {
        const come = signalOf("both requests come");
        const answered = signalOf("the answers are due");
        let count = 0;
        await using server = await network.serve({
          fetch: async () => {
            if (++count === 2) come.resolve();
            await answered.promise;
            return new Response("ok");
          },
          limits: { connections: 2 },
          ...scheme === "https" && { tls },
        });
        const clients = [await dial(server.port, scheme), await dial(server.port, scheme)];
        for (const client of clients) client.write("GET / HTTP/1.1\r\nhost: a\r\n\r\n");
        await come.promise;
        using connection = connect(server.port);
        await assert.rejects(connection.request(GET));
        answered.resolve();
        using later = connect(server.port);
        for (let tries = 0; tries < 50; tries++) {
          const answer = await later.request(GET).catch(() => undefined);
          if (answer?.status === 200) return clients.forEach((client) => client.end());
          await clock.sleep(0.05);
        }
        assert.fail("no connection was taken again");
      });

      it("closes the connection that says nothing for longest, where there would be too many", async () => {
        await using server = await network.serve({
          fetch: () => new Response("ok"),
          limits: { connections: 2 },
          ...scheme === "https" && { tls },
        });
        const first = await dial(server.port, scheme);
        const second = await dial(server.port, scheme);
        // NB: Bun hands out plain connections only when a request has come by them.
        for (const client of [first, second]) client.write("GET / HTTP/1.1\r\nhost: a\r\n\r\n");
        await clock.sleep(0.2);
        using connection = connect(server.port);
        assert.equal((await connection.request(GET)).status, 200);
        assert.equal(
          await Promise.race([first.closed, clock.sleep(10).then(() => "still open")]),
          "closed",
        );
        assert.equal(
          await Promise.race([second.closed, clock.sleep(0.1).then(() => "still open")]),
          "still open",
        );
        second.end();
      });

      it("accepts() tells whether connections are taken, and hands nothing over", async () => {
        let requests = 0;
        const handle = (): Response => new Response(`${++requests}`);
        for (const hostname of ["127.0.0.1", "0.0.0.0"]) {
          const server = await network.serve({ hostname, fetch: handle, ...scheme === "https" && { tls } });
          assert.deepEqual([await server.accepts(5), requests], [true, 0], hostname);
          await server.close();
          assert.equal(await server.accepts(5), false, "nobody listens");
        }
      });

      it("listens where it is told to, and fails with EADDRINUSE where somebody does already", async () => {
        await using server = await serve(() => new Response("mine"));
        assert.ok(server.port > 0);
        assert.equal(server.hostname, "127.0.0.1");
        const again = network.serve({
          port: server.port,
          fetch: () => new Response("theirs"),
          ...scheme === "https" && { tls },
        });
        await assert.rejects(again, { code: "EADDRINUSE" });
      });
    });
  }

  describe("host.network.serve() with TLS", () => {
    it("accepts() is right about a listener of a process that has run out of descriptors", async () => {
      const { stdout, stderr } = await runStarved();
      const { before, heard, accepts } = JSON.parse(stdout || JSON.stringify(stderr)) as Record<
        string,
        boolean
      >;
      assert.equal(before, true, stderr);
      assert.equal(accepts, heard, `a client outside: ${heard ? "answered" : "no answer"}`);
    });

    it("updateTls() changes the certificate for new connections, and keeps old ones", async () => {
      const second = await material("second");
      await using server = await network.serve({ tls, fetch: () => new Response("ok") });
      using connection = network.connect({ server: `https://127.0.0.1:${server.port}`, ca });
      assert.equal(await (await connection.request(GET)).text(), "ok");
      assert.equal(await presented(server.port), "CN=first");
      server.updateTls(second);
      assert.equal(await presented(server.port), "CN=second");
      assert.equal(await (await connection.request(GET)).text(), "ok");
      assert.throws(() => server.updateTls({ ...second, cert: "no PEM" }), /certificate/);
      assert.equal(await presented(server.port), "CN=second");
    });

    it("tells who the client is, if it has a certificate of the right authority", async () => {
      const jane = await authority.issue({ commonName: "jane", client: true });
      const stranger = await (await createAuthority({ name: "other" })).issue({
        commonName: "jane",
        client: true,
      });
      await using server = await network.serve({
        tls: { ...tls, ca },
        fetch: (_request, peer) =>
          new Response(peer.certificate && new X509Certificate(peer.certificate).subject),
      });
      const ask = async (client?: IssuedCertificate) => {
        using connection = network.connect({
          server: `https://127.0.0.1:${server.port}`,
          ca,
          ...client && { cert: client.certificate, key: client.key },
        });
        return await (await connection.request(GET)).text();
      };
      assert.equal(await ask(jane), "CN=jane");
      assert.equal(await ask(stranger), "");
      assert.equal(await ask(), "");
    });

    it("refuses clients without a certificate where one is required", async () => {
      const jane = await authority.issue({ commonName: "jane", client: true });
      await using server = await network.serve({
        tls: { ...tls, ca, requireCertificate: true },
        fetch: () => new Response("in"),
      });
      const url = `https://127.0.0.1:${server.port}`;
      using known = network.connect({ server: url, ca, cert: jane.certificate, key: jane.key });
      assert.equal(await (await known.request(GET)).text(), "in");
      using unknown = network.connect({ server: url, ca });
      await assert.rejects(unknown.request(GET), Error);
    });

    it("offers HTTP/1.1 only", async () => {
      await using server = await network.serve({ tls, fetch: () => new Response("ok") });
      assert.equal(await agreed(server.port), "http/1.1");
    });
  });
}

/** The subject of the certificate that a server presents to a new connection. */
function presented(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connectTls({
      host: "127.0.0.1",
      port,
      rejectUnauthorized: false,
      ALPNProtocols: ["http/1.1"],
    }, () => {
      const { raw } = socket.getPeerCertificate();
      socket.destroy();
      resolve(new X509Certificate(raw).subject);
    });
    socket.on("error", reject);
  });
}

/** The protocol that a server agrees to with a client that could speak either. */
function agreed(port: number): Promise<string | false | null> {
  return new Promise((resolve, reject) => {
    const options = { host: "127.0.0.1", port, rejectUnauthorized: false, ALPNProtocols: ["h2", "http/1.1"] };
    const socket = connectTls(options, () => {
      resolve(socket.alpnProtocol);
      socket.destroy();
    });
    socket.on("error", reject);
  });
}

interface Dialled {
  write(text: string): void;
  end(): void;
  readonly closed: Promise<"closed">;
}

/** Opens a connection by hand, and resolves when it stands. */
async function dial(port: number, scheme: "http" | "https"): Promise<Dialled> {
  const socket = scheme === "https"
    ? connectTls({ host: "127.0.0.1", port, rejectUnauthorized: false })
    : connectPlain({ host: "127.0.0.1", port });
  const closed = new Promise<"closed">((resolve) => socket.on("close", () => resolve("closed")));
  socket.on("error", () => {});
  socket.on("data", () => {}); // what is not read would keep the end from being seen
  await new Promise((resolve) => socket.once(scheme === "https" ? "secureConnect" : "connect", resolve));
  return { write: (text) => void socket.write(text), end: () => void socket.destroy(), closed };
}
