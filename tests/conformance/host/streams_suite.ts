/** What a host's streaming response bodies must do: watches live on them. */

import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { describe, it } from "node:test";
import { createGzip } from "node:zlib";
import type { Host, HttpRequest, HttpResponse } from "../../../lib/runtime/host.ts";
import { signalOf, startRaw } from "./raw_server.ts";

const GET: HttpRequest = { method: "GET", path: "/", headers: {} };

/** Describes how a host gives bodies chunk by chunk. */
export function streamsSuite(makeHost: () => Host): void {
  describe("host.network response.body", () => {
    const { network, clock } = makeHost();

    it("gives each chunk as it comes", async () => {
      let sender: ServerResponse | undefined;
      await using server = await startRaw((_request, response) => {
        sender = response;
        response.writeHead(200).flushHeaders();
      });
      using connection = network.connect({ server: server.url });
      const chunks = iterate(await connection.request(GET));
      for (const line of ["one\n", "two\n", "three\n"]) {
        sender?.write(line);
        assert.equal(await nextText(chunks), line);
      }
      sender?.end();
      assert.equal(await nextText(chunks), undefined);
      assert.equal(await nextText(chunks), undefined);
    });

    it("gives the head at once, also when no body comes for now", async () => {
      await using server = await startRaw((_request, response) =>
        response.writeHead(200, { "x-head": "here" }).flushHeaders()
      );
      using connection = network.connect({ server: server.url });
      const response = await connection.request(GET);
      assert.equal(response.headers["x-head"], "here");
      response.cancel();
    });

    for (const how of ["resets", "closes"] as const) {
      for (const when of ["while a chunk is awaited", "before anybody reads"] as const) {
        it(`throws when the server ${how} the connection mid-body, ${when}`, async () => {
          let socket: Socket | undefined;
          await using server = await startRaw((request, response) => {
            socket = request.socket;
            response.writeHead(200).write("half a li");
          });
          using connection = network.connect({ server: server.url });
          const response = await connection.request(GET);
          const cut = () => how === "resets" ? socket?.resetAndDestroy() : socket?.destroy();
          if (when === "before anybody reads") {
            cut();
            await clock.sleep(0.05);
          } else {
            setTimeout(cut, 20);
          }
          await assert.rejects(async () => {
            for await (const _ of response.body);
          }, { code: "ECONNRESET" });
        });
      }
    }

    it("throws when the server ends before the promised length", async () => {
      await using server = await startRaw((request, response) => {
        response.writeHead(200, { "content-length": "1000" }).write("short");
        setTimeout(() => request.socket.end(), 20);
      });
      using connection = network.connect({ server: server.url });
      await assert.rejects(async () => (await connection.request(GET)).text(), { code: "ECONNRESET" });
    });

    it("throws the signal's reason when aborted mid-body, and the server sees it", async () => {
      const gone = signalOf("the server sees the client go");
      await using server = await startRaw((request, response) => {
        request.socket.on("close", () => gone.resolve());
        response.writeHead(200).write("line\n");
      });
      using connection = network.connect({ server: server.url });
      const controller = new AbortController();
      const chunks = iterate(await connection.request({ ...GET, signal: controller.signal }));
      assert.equal(await nextText(chunks), "line\n");
      const reason = new Error("idle for too long");
      setTimeout(() => controller.abort(reason), 20);
      await assert.rejects(nextText(chunks), (error) => error === reason);
      await assert.rejects(nextText(chunks), (error) => error === reason);
      await gone.promise;
    });

    it("throws the signal's reason when aborted while a text is read", async () => {
      await using server = await startRaw((_request, response) =>
        void response.writeHead(200).write("line\n")
      );
      using connection = network.connect({ server: server.url });
      const controller = new AbortController();
      const response = await connection.request({ ...GET, signal: controller.signal });
      setTimeout(() => controller.abort("enough"), 20);
      await assert.rejects(response.text(), (error) => error === "enough");
    });

    it("frees the connection when the loop over it is left", async () => {
      const gone = signalOf("the server sees the client go");
      await using server = await startRaw((request, response) => {
        request.socket.on("close", () => gone.resolve());
        response.writeHead(200).write("line\n");
      });
      using connection = network.connect({ server: server.url });
      for await (const _ of (await connection.request(GET)).body) break;
      await gone.promise;
    });

    it("cancel() frees the connection without reading", async () => {
      const gone = signalOf("the server sees the client go");
      await using server = await startRaw((request, response) => {
        request.socket.on("close", () => gone.resolve());
        response.writeHead(200).write("line\n");
      });
      using connection = network.connect({ server: server.url });
      const response = await connection.request(GET);
      response.cancel();
      await gone.promise;
      await assert.rejects(async () => {
        for await (const _ of response.body);
      });
    });

    it("stops the sender while nobody reads, and loses nothing", { timeout: 30_000 }, async () => {
      const CHUNK = Buffer.alloc(64 * 1024, "x");
      const COUNT = 2000; // 128 MB: more than all buffers on the way hold
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
      });
      using connection = network.connect({ server: server.url });
      const response = await connection.request(GET);
      // Sleeps for real: that the sender stands still shows only in time.
      await clock.sleep(0.4);
      assert.ok(sent < COUNT / 2, `${sent} chunks were sent before anybody read`);
      const chunks = iterate(response);
      let size = (await chunks.next()).value?.length ?? 0;
      await clock.sleep(0.4);
      assert.ok(sent < COUNT / 2, `${sent} chunks were sent after the first one was read`);
      for (let next = await chunks.next(); !next.done; next = await chunks.next()) size += next.value.length;
      assert.equal(size, COUNT * CHUNK.length);
    });

    it(
      "keeps a hundred streams apart, and has room for requests beside them",
      { timeout: 30_000 },
      async () => {
        const open: ServerResponse[] = [];
        await using server = await startRaw((request, response) => {
          if (request.url === "/list") return void response.end("listed");
          open.push(response);
          response.writeHead(200).write(`hello ${request.url}\n`);
        });
        using connection = network.connect({ server: server.url });
        const streams = await Promise.all(Array.from({ length: 100 }, async (_, index) => {
          return iterate(await connection.request({ ...GET, path: `/${index}` }));
        }));
        assert.deepEqual(
          await Promise.all(streams.map(nextText)),
          streams.map((_, index) => `hello /${index}\n`),
        );
        assert.equal(await (await connection.request({ ...GET, path: "/list" })).text(), "listed");
        for (const response of open) response.write("again\n");
        assert.deepEqual(await Promise.all(streams.map(nextText)), streams.map(() => "again\n"));
        for (const response of open) response.end();
        assert.deepEqual(await Promise.all(streams.map(nextText)), streams.map(() => undefined));
      },
    );

    it("decodes gzip chunk by chunk, as it was flushed", async () => {
      const zip = createGzip();
      await using server = await startRaw((_request, response) => {
        response.writeHead(200, { "content-encoding": "gzip" });
        zip.pipe(response);
        zip.write("first\n");
        zip.flush();
      });
      using connection = network.connect({ server: server.url });
      const chunks = iterate(await connection.request({ ...GET, headers: { "accept-encoding": "gzip" } }));
      assert.equal(await nextText(chunks), "first\n");
      zip.write("second\n");
      zip.flush();
      assert.equal(await nextText(chunks), "second\n");
      zip.end();
      assert.equal(await nextText(chunks), undefined);
    });
  });
}

function iterate(response: HttpResponse): AsyncIterator<Uint8Array> {
  return response.body[Symbol.asyncIterator]();
}

async function nextText(chunks: AsyncIterator<Uint8Array>): Promise<string | undefined> {
  const { done, value } = await chunks.next();
  return done ? undefined : new TextDecoder().decode(value);
}
