import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import type { HttpRequest } from "../../../lib/runtime/host.ts";
import { virtualHost } from "../../../lib/runtime/virtual/host.ts";
import type { VirtualFetch } from "../../../lib/runtime/virtual/network.ts";

const GET: HttpRequest = { method: "GET", path: "/", headers: {} };
const encode = (text: string) => new TextEncoder().encode(text);
const decode = (bytes: Uint8Array | undefined) => new TextDecoder().decode(bytes);

function hostWith(fetch: VirtualFetch) {
  const { clock, network } = virtualHost();
  network.route("https://api.test", fetch);
  return { clock, network, connection: network.connect({ server: "https://api.test" }) };
}

describe("a virtual response", () => {
  it("gives the chunks of a stream as they come, then its end", async () => {
    let sender: ReadableStreamDefaultController<Uint8Array> | undefined;
    const { connection } = hostWith(() =>
      new Response(new ReadableStream({ start: (controller) => void (sender = controller) }))
    );
    const chunks = (await connection.request(GET)).body[Symbol.asyncIterator]();
    for (const line of ["one", "two"]) {
      const next = chunks.next();
      sender?.enqueue(encode(line));
      assert.equal(decode((await next).value), line);
    }
    sender?.close();
    assert.equal((await chunks.next()).done, true);
    assert.equal((await chunks.next()).done, true);
  });

  it("pulls from the stream only what is read", async () => {
    let pulled = 0;
    const { clock, connection } = hostWith(() =>
      new Response(new ReadableStream({ pull: (controller) => controller.enqueue(encode(String(pulled++))) }))
    );
    const chunks = (await connection.request(GET)).body[Symbol.asyncIterator]();
    await clock.settle();
    assert.ok(pulled <= 1, `${pulled}`);
    for (let count = 0; count < 5; count++) await chunks.next();
    await clock.settle();
    assert.ok(pulled >= 5 && pulled <= 6, `${pulled}`);
  });

  it("is without a body where the server gives none, and text() puts chunks together", async () => {
    const { connection } = hostWith((request) => {
      const { pathname } = new URL(request.url);
      if (pathname === "/none") return new Response(null, { status: 204 });
      const bytes = encode("äö");
      // Cut in the middle of a character.
      const cut = [bytes.slice(0, 1), bytes.slice(1)];
      return new Response(ReadableStream.from(cut));
    });
    const none = await connection.request({ ...GET, path: "/none" });
    assert.deepEqual([none.status, await none.text()], [204, ""]);
    assert.equal(await (await connection.request(GET)).text(), "äö");
  });

  it("decodes gzip", async () => {
    const zipped = new Uint8Array(gzipSync("zipped"));
    const { connection } = hostWith(() => new Response(zipped, { headers: { "content-encoding": "gzip" } }));
    assert.equal(await (await connection.request(GET)).text(), "zipped");
  });

  it("throws the signal's reason when aborted, and the server sees it", async () => {
    const log: string[] = [];
    const { clock, connection } = hostWith((request) => {
      request.signal.addEventListener("abort", () => log.push("aborted"));
      return new Response(
        new ReadableStream({
          start: (controller) => controller.enqueue(encode("line")),
          cancel: () => void log.push("cancelled"),
        }),
      );
    });
    const controller = new AbortController();
    const chunks = (await connection.request({ ...GET, signal: controller.signal })).body
      [Symbol.asyncIterator]();
    await chunks.next();
    const reason = new Error("idle");
    const next = chunks.next();
    controller.abort(reason);
    await assert.rejects(next, (error) => error === reason);
    await assert.rejects(chunks.next(), (error) => error === reason);
    await clock.settle();
    assert.deepEqual(log.sort(), ["aborted", "cancelled"]);
  });

  it("throws the signal's reason when aborted before the head, and drops a head that comes later", async () => {
    const come = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<Response>();
    let isCancelled = false;
    const { clock, connection } = hostWith(() => {
      come.resolve();
      return answer.promise;
    });
    const controller = new AbortController();
    const asked = connection.request({ ...GET, signal: controller.signal });
    await come.promise;
    controller.abort("changed my mind");
    await assert.rejects(asked, (error) => error === "changed my mind");
    answer.resolve(new Response(new ReadableStream({ cancel: () => void (isCancelled = true) })));
    await clock.settle();
    assert.equal(isCancelled, true);
    const again = connection.request({ ...GET, signal: controller.signal });
    await assert.rejects(again, (error) => error === "changed my mind");
  });

  it("is cancelled when the loop over it is left, or by cancel(), also while a chunk is awaited", async () => {
    let cancelled = 0;
    const { clock, connection } = hostWith(() =>
      new Response(
        new ReadableStream({
          start: (controller) => controller.enqueue(encode("line")),
          cancel: () => void cancelled++,
        }),
      )
    );
    for await (const _ of (await connection.request(GET)).body) break;
    (await connection.request(GET)).cancel();
    const chunks = (await connection.request(GET)).body[Symbol.asyncIterator]();
    await chunks.next();
    const waiting = assert.rejects(chunks.next(), /cancelled/);
    await chunks.return?.();
    await waiting;
    await clock.settle();
    assert.equal(cancelled, 3);
  });

  it("throws ECONNRESET when the server's stream breaks", async () => {
    const { connection } = hostWith(() =>
      new Response(
        new ReadableStream({
          start: (controller) => controller.enqueue(encode("half")),
          pull: (controller) => controller.error(new Error("broken")),
        }),
      )
    );
    await assert.rejects((await connection.request(GET)).text(), { code: "ECONNRESET" });
  });

  it("leaves no listener behind on the signal", async () => {
    const { connection } = hostWith((request) => {
      if (new URL(request.url).pathname === "/throws") throw new Error("no");
      return new Response("text");
    });
    const { signal } = new AbortController();
    await (await connection.request({ ...GET, signal })).text();
    for await (const _ of (await connection.request({ ...GET, signal })).body);
    (await connection.request({ ...GET, signal })).cancel();
    await assert.rejects(connection.request({ ...GET, path: "/throws", signal }));
    assert.equal(getEventListeners(signal, "abort").length, 0);
  });

  it("cannot be read twice", async () => {
    const { connection } = hostWith(() => new Response("once"));
    const response = await connection.request(GET);
    assert.equal(await response.text(), "once");
    await assert.rejects(response.text(), /twice/);
    assert.throws(() => response.body, /twice/);
  });
});
