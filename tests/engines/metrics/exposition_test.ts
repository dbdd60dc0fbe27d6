import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Scrapes } from "../../../lib/engines/metrics/exposition.ts";
import { currentHost } from "../../../lib/runtime/current_host.ts";
import type { Clock } from "../../../lib/runtime/host.ts";
import { virtualHost } from "../../../lib/runtime/virtual/host.ts";

const GET = { method: "GET" };
const LONG = "metric 1\n".repeat(100_000);

/** Something to read, and how often it was made. */
function make(options: { readonly clock?: Clock; readonly render?: () => Promise<string> } = {}) {
  const host = virtualHost();
  let made = 0;
  const scrapes = new Scrapes({
    clock: options.clock ?? host.clock,
    contentType: "text/plain; version=0.0.4",
    render: () => {
      made++;
      return options.render?.() ?? Promise.resolve(LONG);
    },
  });
  return { scrapes, clock: host.clock, made: () => made };
}

describe("Scrapes", () => {
  it("gives the whole text, in pieces, and its type and length", async () => {
    const { scrapes } = make();
    const response = await scrapes.answer(GET);
    assert.equal(response.headers.get("content-type"), "text/plain; version=0.0.4");
    assert.equal(response.headers.get("content-length"), String(LONG.length));
    const sizes: number[] = [];
    const decoder = new TextDecoder();
    let text = "";
    for await (const piece of response.body ?? []) {
      sizes.push(piece.length);
      text += decoder.decode(piece, { stream: true });
    }
    assert.equal(text, LONG);
    assert.ok(Math.max(...sizes) <= 65_536);
    assert.equal(scrapes.open, 0);
  });

  it("makes the text once for those who ask together, and anew for who comes later", async () => {
    const { scrapes, made } = make();
    const together = await Promise.all([scrapes.answer(GET), scrapes.answer(GET), scrapes.answer(GET)]);
    assert.equal(made(), 1);
    const texts = await Promise.all(together.map((response) => response.text()));
    assert.ok(texts.every((text) => text === LONG));
    await (await scrapes.answer(GET)).text();
    assert.equal(made(), 2);
  });

  it("sends the seventeenth away for ten seconds, until somebody has finished or gone", async () => {
    const { scrapes, made } = make();
    const readers = [];
    for (let count = 0; count < 16; count++) readers.push(await scrapes.answer(GET));
    for (let count = 0; count < 50; count++) {
      const refused = await scrapes.answer(GET);
      assert.deepEqual([refused.status, refused.headers.get("retry-after")], [503, "10"]);
    }
    assert.equal(made(), 16, "nothing is made for those");
    await readers[0]?.text();
    assert.equal((await scrapes.answer(GET)).status, 200);
    assert.equal((await scrapes.answer(GET)).status, 503);
    await readers[1]?.body?.cancel();
    assert.equal((await scrapes.answer(GET)).status, 200);
    assert.equal(scrapes.open, 16);
  });

  it("cuts off who has not finished after a minute", async () => {
    const { scrapes, clock } = make();
    const slow = (await scrapes.answer(GET)).body?.getReader();
    await slow?.read();
    await clock.advance(59);
    await slow?.read();
    assert.equal(scrapes.open, 1);
    await clock.advance(1);
    assert.equal(scrapes.open, 0);
    await assert.rejects(async () => await slow?.read(), /within 60 s/);
    await slow?.cancel().catch(() => {});
    assert.equal(scrapes.open, 0, "its place is given back once");
  });

  it("lets no place get lost on who asks for the head alone, nor where the text cannot be made", async () => {
    const { scrapes } = make({ render: () => Promise.reject(new Error("on purpose")) });
    for (let count = 0; count < 20; count++) await assert.rejects(scrapes.answer(GET), /on purpose/);
    assert.equal(scrapes.open, 0);
    const healthy = make();
    for (let count = 0; count < 20; count++) {
      const response = await healthy.scrapes.answer({ method: "HEAD" });
      assert.deepEqual([response.status, response.body], [200, null]);
    }
    assert.equal(healthy.scrapes.open, 0);
  });
});

/** Asks for a path on a real socket, and takes nothing of the answer but its first bytes. */
async function ask(
  port: number,
  path: string,
): Promise<{ readonly socket: Socket; readonly status: number }> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`);
  await once(socket, "readable");
  const head = String(socket.read(12));
  return { socket, status: Number(head.slice(-3)) };
}

describe("Scrapes on a real server", () => {
  it("are bounded where fifty clients read a byte a second, and probes are answered beside them", {
    timeout: 60_000,
  }, async () => {
    const { network } = currentHost();
    const { scrapes, clock } = make({ render: () => Promise.resolve(LONG.repeat(12)) });
    await using server = await network.serve({
      fetch: ({ url, method }) => url.endsWith("/metrics") ? scrapes.answer({ method }) : new Response("ok"),
    });
    const slow = await Promise.all(Array.from({ length: 50 }, () => ask(server.port, "/metrics")));
    try {
      // Bytes a second, for real: what was given to a client must not be more than it has taken.
      for (let second = 0; second < 2; second++) {
        await sleep(1000);
        for (const { socket } of slow) socket.read(1);
      }
      const statuses = slow.map(({ status }) => status);
      assert.deepEqual([200, 503].map((each) => statuses.filter((status) => status === each).length), [
        16,
        34,
      ]);
      assert.equal(scrapes.open, 16);
      const probe = await ask(server.port, "/livez");
      assert.equal(probe.status, 200);
      probe.socket.destroy();
      const served = slow.filter(({ status }) => status === 200).map(({ socket }) => socket);
      const closed = Promise.all(
        served.map((socket) => new Promise((resolve) => socket.on("close", resolve))),
      );
      await clock.advance(60);
      assert.equal(scrapes.open, 0);
      for (const socket of served) socket.resume();
      await closed;
      assert.ok(served.every(({ bytesRead }) => bytesRead < LONG.length * 12), "nobody got all of it");
      const next = await ask(server.port, "/metrics");
      assert.equal(next.status, 200);
      next.socket.destroy();
    } finally {
      for (const { socket } of slow) socket.destroy();
    }
  });
});
