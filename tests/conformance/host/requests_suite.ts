/** What a host's requests must do, as far as they need no TLS. */

import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import type { IncomingMessage } from "node:http";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import type { Host, HttpRequest } from "../../../lib/runtime/host.ts";
import { signalOf, startRaw } from "./raw_server.ts";

const GET: HttpRequest = { method: "GET", path: "/", headers: {} };

/** Describes how a host sends requests and takes whole responses. */
export function requestsSuite(makeHost: () => Host): void {
  describe("host.network.connect().request()", () => {
    const { network, clock } = makeHost();

    it("sends method, path, headers and body, and gives status, headers and text", async () => {
      await using server = await startRaw(async (request, response) => {
        const body = await collect(request);
        const { method, url, headers } = request;
        response.writeHead(201, {
          "Content-Type": "application/json",
          "X-Many": ["a", "b"],
          "Set-Cookie": ["c=1", "d=2"],
        });
        response.end(
          JSON.stringify({
            method,
            url,
            body,
            type: headers["content-type"],
            host: headers.host,
            length: headers["content-length"],
          }),
        );
      });
      using connection = network.connect({ server: `${server.url}/prefix/` });
      const response = await connection.request({
        method: "PATCH",
        path: "/apis/x?fieldManager=a%2Fb&q=%C3%A4",
        headers: { "content-type": "application/merge-patch+json" },
        body: '{"a":"ä"}',
      });
      assert.equal(response.status, 201);
      assert.equal(response.headers["content-type"], "application/json");
      assert.equal(response.headers["x-many"], "a, b");
      assert.equal(response.headers["set-cookie"], "c=1, d=2");
      assert.deepEqual(JSON.parse(await response.text()), {
        method: "PATCH",
        url: "/prefix/apis/x?fieldManager=a%2Fb&q=%C3%A4",
        body: '{"a":"ä"}',
        type: "application/merge-patch+json",
        host: `127.0.0.1:${server.port}`,
        length: "10",
      });
    });

    it("sends bytes as they are, and deletes with a body", async () => {
      await using server = await startRaw(async (request, response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of request) chunks.push(chunk);
        response.end(`${request.method} ${Buffer.concat(chunks).toString("hex")}`);
      });
      using connection = network.connect({ server: server.url });
      const response = await connection.request({
        ...GET,
        method: "DELETE",
        body: Uint8Array.of(0, 255, 128),
      });
      assert.equal(await response.text(), "DELETE 00ff80");
    });

    it("gives responses without a body, and large ones", async () => {
      const large = "ä".repeat(3_000_000);
      await using server = await startRaw((request, response) => {
        if (request.url === "/none") response.writeHead(204).end();
        else response.end(large);
      });
      using connection = network.connect({ server: server.url });
      const none = await connection.request({ ...GET, path: "/none" });
      assert.deepEqual([none.status, await none.text()], [204, ""]);
      assert.equal(await (await connection.request(GET)).text(), large);
    });

    it("gives error statuses as responses, and follows no redirects", async () => {
      await using server = await startRaw((request, response) => {
        response.writeHead(Number(request.url?.slice(1)), { location: "/elsewhere" }).end("text");
      });
      using connection = network.connect({ server: server.url });
      for (const status of [302, 404, 409, 410, 500, 503]) {
        const response = await connection.request({ ...GET, path: `/${status}` });
        assert.deepEqual([response.status, await response.text()], [status, "text"]);
      }
    });

    it("turns bytes that are not UTF-8 into U+FFFD", async () => {
      await using server = await startRaw((_request, response) =>
        void response.end(Buffer.from([0x61, 0xff, 0x62]))
      );
      using connection = network.connect({ server: server.url });
      assert.equal(await (await connection.request(GET)).text(), "a\ufffdb");
    });

    it("decodes gzip in texts and bodies", async () => {
      const text = "zipped ".repeat(100_000);
      await using server = await startRaw((_request, response) => {
        response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(text));
      });
      using connection = network.connect({ server: server.url });
      const headers = { "accept-encoding": "gzip" };
      assert.equal(await (await connection.request({ ...GET, headers })).text(), text);
      const decoder = new TextDecoder();
      let read = "";
      for await (const chunk of (await connection.request({ ...GET, headers })).body) {
        read += decoder.decode(chunk, { stream: true });
      }
      assert.equal(read, text);
    });

    it("fails on gzip that is broken or cut", async () => {
      const zipped = gzipSync("zipped ".repeat(1000));
      await using server = await startRaw((request, response) => {
        response.writeHead(200, { "content-encoding": "gzip" });
        response.end(request.url === "/cut" ? zipped.subarray(0, 20) : Buffer.from("no gzip at all"));
      });
      using connection = network.connect({ server: server.url });
      for (const path of ["/cut", "/broken"]) {
        const response = await connection.request({ ...GET, path });
        await assert.rejects(response.text(), Error, path);
      }
    });

    it("uses one connection for requests in a row, whatever was done with their bodies", async () => {
      await using server = await startRaw((request, response) => {
        if (request.url === "/none") response.writeHead(204).end();
        else response.end("x".repeat(1000));
      });
      using connection = network.connect({ server: server.url });
      for (let round = 0; round < 20; round++) {
        await (await connection.request({ ...GET, method: "PATCH", body: "{}" })).text();
        for await (const _ of (await connection.request(GET)).body);
        (await connection.request({ ...GET, path: "/none" })).cancel();
        await clock.sleep(0);
      }
      assert.ok(server.accepted <= 2, `${server.accepted}`);
    });

    it("uses no connection that waited while another one turned out to be dead", async () => {
      const isDead = new WeakSet<object>();
      await using server = await startRaw((request, response) => {
        if (!isDead.has(request.socket)) setTimeout(() => response.end("x"), 20);
      });
      using connection = network.connect({ server: server.url });
      const get = async (signal?: AbortSignal): Promise<string> =>
        await (await connection.request({ ...GET, signal })).text();
      await Promise.all([get(), get(), get()]);
      for (const socket of server.sockets) isDead.add(socket);
      const late = new AbortController();
      const waiting = assert.rejects(get(late.signal), { name: "TimeoutError" });
      await clock.sleep(0.05);
      late.abort(Object.assign(new Error("Late"), { name: "TimeoutError" }));
      await waiting;
      assert.deepEqual(await Promise.all([get(), get()]), ["x", "x"]);
      assert.equal(server.accepted, 5);
    });

    it("runs many requests side by side", async () => {
      await using server = await startRaw((request, response) =>
        setTimeout(() => response.end(request.url), 20)
      );
      using connection = network.connect({ server: server.url });
      const paths = Array.from({ length: 200 }, (_, index) => `/${index}`);
      const texts = await Promise.all(
        paths.map(async (path) => (await connection.request({ ...GET, path })).text()),
      );
      assert.deepEqual(texts, paths);
    });

    it("fails with ECONNREFUSED where nobody listens", async () => {
      const closed = await startRaw(() => {});
      await closed[Symbol.asyncDispose]();
      using connection = network.connect({ server: closed.url });
      await assert.rejects(connection.request(GET), { code: "ECONNREFUSED" });
    });

    it("fails with ECONNRESET when the server closes before it answers", async () => {
      await using server = await startRaw((request) => void request.socket.destroy());
      using connection = network.connect({ server: server.url });
      await assert.rejects(connection.request(GET), { code: "ECONNRESET" });
    });

    it("fails when the server does not speak HTTP", async () => {
      const server = createServer((socket) => {
        socket.on("error", () => {});
        socket.end("SSH-2.0-OpenSSH\r\n\r\n");
      });
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      using connection = network.connect({
        server: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      });
      await assert.rejects(connection.request(GET), Error);
      server.close();
    });

    it("fails with the signal's reason when aborted before the head, and the server sees it", async () => {
      const gone = signalOf("the server sees the client go");
      const come = signalOf("the request comes");
      await using server = await startRaw((request) => {
        request.socket.on("close", () => gone.resolve());
        come.resolve();
      });
      using connection = network.connect({ server: server.url });
      const controller = new AbortController();
      const reason = new Error("changed my mind");
      const asked = connection.request({ ...GET, signal: controller.signal });
      await come.promise;
      controller.abort(reason);
      await assert.rejects(asked, (error) => error === reason);
      await gone.promise;
      await assert.rejects(
        connection.request({ ...GET, signal: controller.signal }),
        (error) => error === reason,
      );
    });

    it("leaves no listener behind on the signal", async () => {
      await using server = await startRaw((request, response) => {
        if (request.url === "/reset") request.socket.destroy();
        else response.end("text");
      });
      using connection = network.connect({ server: server.url });
      const { signal } = new AbortController();
      await (await connection.request({ ...GET, signal })).text();
      for await (const _ of (await connection.request({ ...GET, signal })).body);
      (await connection.request({ ...GET, signal })).cancel();
      await assert.rejects(connection.request({ ...GET, path: "/reset", signal }));
      await clock.sleep(0.01);
      assert.equal(getEventListeners(signal, "abort").length, 0);
    });

    it("ends what is in flight when the connection is disposed of, and takes nothing more", async () => {
      const come = signalOf("the request comes");
      await using server = await startRaw(() => come.resolve());
      const connection = network.connect({ server: server.url });
      const asked = connection.request(GET);
      await come.promise;
      connection[Symbol.dispose]();
      await assert.rejects(asked, /closed/);
      await assert.rejects(connection.request(GET), /closed/);
      connection[Symbol.dispose]();
      await clock.sleep(0.05);
      assert.equal(server.sockets.size, 0);
    });

    it("refuses to read a response twice", async () => {
      await using server = await startRaw((_request, response) => void response.end("once"));
      using connection = network.connect({ server: server.url });
      const response = await connection.request(GET);
      assert.equal(await response.text(), "once");
      await assert.rejects(async () => await response.text(), /twice/);
    });

    it("gives up connecting after connectTimeout, but lets the server take its time", async () => {
      await using server = await startRaw((_request, response) =>
        setTimeout(() => response.end("slow"), 400)
      );
      using patient = network.connect({ server: server.url, connectTimeout: 0.2 });
      assert.equal(await (await patient.request(GET)).text(), "slow");
      // TLS to a server that accepts and says nothing.
      const silent = createServer((socket) => void socket.on("error", () => {}));
      await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
      using connection = network.connect({
        server: `https://127.0.0.1:${(silent.address() as AddressInfo).port}`,
        connectTimeout: 0.2,
      });
      await assert.rejects(connection.request(GET), { code: "ETIMEDOUT" });
      silent.close();
    });

    it("sends several values of a header one by one", async () => {
      await using server = await startRaw((request, response) =>
        response.end(JSON.stringify(request.rawHeaders.filter((_, at, all) => all[at - 1] === "x-group")))
      );
      using connection = network.connect({ server: server.url });
      const headers = { "x-group": ["dev, ops", "all"] };
      assert.equal(await (await connection.request({ ...GET, headers })).text(), '["dev, ops","all"]');
    });

    it("sends headers as they are at each request, whichever object holds them", async () => {
      await using server = await startRaw((request, response) =>
        response.end(String(request.headers["x-a"]))
      );
      using connection = network.connect({ server: server.url });
      const send = async (headers: HttpRequest["headers"]): Promise<string> =>
        await (await connection.request({ ...GET, headers })).text();
      const open: Record<string, string> = { "x-a": "1" };
      const list = ["3"];
      const frozen = Object.freeze({ "x-a": list });
      const constant = Object.freeze({ "x-a": "5" });
      const seen = [await send(open), await send(frozen), await send(constant)];
      open["x-a"] = "2";
      list[0] = "4";
      seen.push(await send(open), await send(frozen), await send(constant));
      assert.deepEqual(seen, ["1", "3", "5", "2", "4", "5"]);
    });

    it("refuses paths and headers that would be read as something else", async () => {
      await using server = await startRaw((request, response) => response.end(request.headers["x-name"]));
      using connection = network.connect({ server: server.url });
      const name = { ...GET, headers: { "x-name": "plain" } };
      assert.equal(await (await connection.request(name)).text(), "plain");
      for (const value of ["a\r\nx-forged: b", "a\nb", "a\0b"]) {
        await assert.rejects(connection.request({ ...GET, headers: { "x-name": value } }), TypeError);
      }
      for (const path of ["/a b", "/a\r\nx-forged: b", "/a HTTP/1.1\r\n\r\nGET /b"]) {
        await assert.rejects(connection.request({ ...GET, path }), TypeError);
      }
      assert.equal(server.accepted, 1);
    });

    it(
      "sends nothing after a request that was answered before it was read",
      { timeout: 30_000 },
      async () => {
        const sockets = new Set<unknown>();
        await using server = await startRaw((request, response) => {
          sockets.add(request.socket);
          if (request.method === "GET") return void response.end("got");
          request.pause();
          response.writeHead(413, { "content-length": "0" }).end();
        });
        using connection = network.connect({ server: server.url });
        const body = "x".repeat(32 * 1024 * 1024);
        assert.equal((await connection.request({ ...GET, method: "POST", body })).status, 413);
        assert.equal(await (await connection.request(GET)).text(), "got");
        assert.equal(sockets.size, 2);
      },
    );

    it("refuses servers that are neither http nor https", () => {
      assert.throws(() => network.connect({ server: "ftp://127.0.0.1" }), TypeError);
    });
  });
}

async function collect(request: IncomingMessage): Promise<string> {
  request.setEncoding("utf8");
  let text = "";
  for await (const chunk of request) text += chunk;
  return text;
}
