import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { HttpRequest } from "../../../lib/runtime/host.ts";
import { virtualHost } from "../../../lib/runtime/virtual/host.ts";

const GET: HttpRequest = { method: "GET", path: "/", headers: {} };
const SERVER = { server: "https://api.test" };

describe("VirtualNetwork", () => {
  it("leads requests for an origin into its function", async () => {
    const { network } = virtualHost();
    network.route("https://api.test:443/ignored", async (request, peer) => {
      const { method, url } = request;
      return Response.json({
        method,
        url,
        body: await request.text(),
        sent: request.headers.get("x-sent"),
        address: peer.address,
      });
    });
    using connection = network.connect({ server: "https://api.test/prefix/" });
    const response = await connection.request({
      method: "PATCH",
      path: "/a?b=c",
      headers: { "x-sent": "1" },
      body: "ä",
    });
    assert.equal(response.status, 200);
    assert.match(response.headers["content-type"] ?? "", /json/);
    assert.deepEqual(JSON.parse(await response.text()), {
      method: "PATCH",
      url: "https://api.test/prefix/a?b=c",
      body: "ä",
      sent: "1",
      address: "127.0.0.1",
    });
  });

  it("gives ECONNREFUSED where nobody listens, or nobody does any more", async () => {
    const { network } = virtualHost();
    using connection = network.connect(SERVER);
    await assert.rejects(connection.request(GET), { code: "ECONNREFUSED" });
    network.route("https://api.test", () => new Response("in"));
    assert.equal((await connection.request(GET)).status, 200);
    network.route("https://api.test", undefined);
    await assert.rejects(connection.request(GET), { code: "ECONNREFUSED" });
  });

  it("fails with what a routed function throws: so faults are injected", async () => {
    const { network } = virtualHost();
    network.route("https://api.test", () => {
      throw Object.assign(new Error("The network is down"), { code: "ENETDOWN" });
    });
    using connection = network.connect(SERVER);
    await assert.rejects(connection.request(GET), { code: "ENETDOWN" });
  });

  it("is waited for by the clock, also where the function works outside of promises", async () => {
    const { clock, network } = virtualHost();
    network.route("https://api.test", async () => {
      // Sleeps for real: so do hashes, files and imports that a server waits for.
      await new Promise((resolve) => setTimeout(resolve, 20));
      return new Response("done");
    });
    using connection = network.connect(SERVER);
    let text = "";
    void connection.request(GET).then((response) => response.text()).then((value) => text = value);
    assert.equal(network.inFlight, 1);
    await clock.settle();
    assert.equal(text, "done");
    assert.equal(network.inFlight, 0);
  });

  it("takes virtual time where the function sleeps on the clock", async () => {
    const { clock, network } = virtualHost({ start: 0 });
    network.route("https://api.test", async () => {
      await clock.sleep(30);
      return new Response("late");
    });
    using connection = network.connect(SERVER);
    let arrived = 0;
    void connection.request(GET).then(() => arrived = clock.now());
    const started = performance.now();
    await clock.advance(29);
    assert.equal(arrived, 0);
    await clock.advance(2);
    assert.equal(arrived, 30_000);
    assert.ok(performance.now() - started < 80, "nobody waits in real time for a sleeper");
  });

  it("lets time pass though a server never answers", async () => {
    const { clock, network } = virtualHost();
    network.route("https://api.test", () => new Promise(() => {}));
    using connection = network.connect(SERVER);
    const controller = new AbortController();
    const reason = new Error("timed out");
    clock.after(10, () => controller.abort(reason));
    const asked = assert.rejects(
      connection.request({ ...GET, signal: controller.signal }),
      (error) => error === reason,
    );
    await clock.advance(3600);
    await asked;
    assert.equal(network.inFlight, 0);
  });

  it("does not wait for idle streams", async () => {
    const { clock, network } = virtualHost();
    network.route("https://api.test", () => new Response(new ReadableStream({ start() {} })));
    using connection = network.connect(SERVER);
    const chunks = (await connection.request(GET)).body[Symbol.asyncIterator]();
    const reading = chunks.next();
    assert.equal(network.inFlight, 0);
    const started = performance.now();
    await clock.advance(3600);
    assert.ok(performance.now() - started < 80);
    network.breakAll();
    await assert.rejects(reading, { code: "ECONNRESET" });
  });

  it("breakAll() cuts streams, texts and requests without an answer, and the server sees it", async () => {
    const { clock, network } = virtualHost();
    const log: string[] = [];
    network.route("https://api.test", (request) => {
      const { pathname } = new URL(request.url);
      request.signal.addEventListener("abort", () => log.push(`${pathname} aborted`));
      if (pathname === "/silent") return new Promise(() => {});
      const stream = new ReadableStream({
        start: (controller) => controller.enqueue(new TextEncoder().encode("line\n")),
        cancel: () => void log.push(`${pathname} cancelled`),
      });
      return new Response(stream);
    });
    using connection = network.connect(SERVER);
    const silent = assert.rejects(connection.request({ ...GET, path: "/silent" }), { code: "ECONNRESET" });
    const chunks = (await connection.request({ ...GET, path: "/watch" })).body[Symbol.asyncIterator]();
    await chunks.next();
    const text = assert.rejects((await connection.request({ ...GET, path: "/text" })).text(), {
      code: "ECONNRESET",
    });
    network.breakAll();
    await assert.rejects(chunks.next(), { code: "ECONNRESET" });
    await Promise.all([silent, text]);
    await clock.settle();
    assert.deepEqual(log.sort(), [
      "/silent aborted",
      "/text aborted",
      "/text cancelled",
      "/watch aborted",
      "/watch cancelled",
    ]);
    network.route("https://api.test", () => new Response("again"));
    assert.equal((await connection.request(GET)).status, 200);
  });

  it("ends what is in flight when a connection is disposed of, and leaves others alone", async () => {
    const { network } = virtualHost();
    network.route("https://api.test", () => new Promise(() => {}));
    const [closed, open] = [network.connect(SERVER), network.connect(SERVER)];
    const asked = assert.rejects(closed.request(GET), /closed/);
    const other = assert.rejects(open.request(GET), { code: "ECONNRESET" });
    closed[Symbol.dispose]();
    await asked;
    await assert.rejects(closed.request(GET), /closed/);
    assert.equal(network.inFlight, 1);
    network.breakAll();
    await other;
  });

  it("runs the same way each time", async () => {
    const run = async () => {
      const { clock, network, random } = virtualHost({ seed: 9, start: 0 });
      const log: string[] = [];
      network.route("https://api.test", async (request) => {
        await clock.sleep(random.next());
        log.push(`served ${new URL(request.url).pathname}@${clock.now()}`);
        return new Response("ok");
      });
      using connection = network.connect(SERVER);
      const ask = async (name: string) => {
        for (let round = 0; round < 10; round++) {
          await (await connection.request({ ...GET, path: `/${name}${round}` })).text();
          log.push(`got ${name}${round}@${clock.now()}`);
        }
      };
      const asking = Promise.all(["a", "b", "c"].map(ask));
      await clock.advance(60);
      await asking;
      return log;
    };
    const first = await run();
    assert.equal(first.length, 60);
    assert.deepEqual(await run(), first);
  });
});

describe("VirtualNetwork.serve()", () => {
  it("listens under an address of its own until it is closed", async () => {
    const { network } = virtualHost();
    const server = await network.serve({ fetch: () => new Response("served") });
    const other = await network.serve({ fetch: () => new Response("other") });
    assert.notEqual(server.port, other.port);
    using connection = network.connect({ server: `http://${server.hostname}:${server.port}` });
    assert.equal(await (await connection.request(GET)).text(), "served");
    await assert.rejects(network.serve({ port: server.port, fetch: () => new Response() }), {
      code: "EADDRINUSE",
    });
    await server.close();
    await assert.rejects(connection.request(GET), { code: "ECONNREFUSED" });
    await using again = await network.serve({ port: server.port, fetch: () => new Response("again") });
    assert.equal(again.port, server.port);
    assert.equal(await (await connection.request(GET)).text(), "again");
  });

  it("turns a throw into a plain 500", async () => {
    const { network } = virtualHost();
    await using server = await network.serve({ fetch: () => Promise.reject(new Error("secret")) });
    using connection = network.connect({ server: `http://127.0.0.1:${server.port}` });
    const response = await connection.request(GET);
    assert.deepEqual([response.status, await response.text()], [500, "Internal Server Error"]);
  });

  it("close() cuts what is open, at once or when its grace is over", async () => {
    const { clock, network } = virtualHost({ start: 0 });
    for (const grace of [0, 10]) {
      const server = await network.serve({ fetch: () => new Response(new ReadableStream({ start() {} })) });
      using connection = network.connect({ server: `http://127.0.0.1:${server.port}` });
      const chunks = (await connection.request(GET)).body[Symbol.asyncIterator]();
      const started = clock.now();
      let cutAfter = NaN;
      const reading = chunks.next().catch(() => cutAfter = (clock.now() - started) / 1000);
      const closing = server.close(grace);
      await clock.advance(20);
      await Promise.all([reading, closing]);
      assert.equal(cutAfter, grace);
    }
  });

  it("close() with grace does not wait when nothing is open", async () => {
    const { clock, network } = virtualHost();
    const server = await network.serve({ fetch: () => new Response("quick") });
    using connection = network.connect({ server: `http://127.0.0.1:${server.port}` });
    await (await connection.request(GET)).text();
    await server.close(60);
    assert.equal(clock.pending, 0);
  });

  it("shows the client's certificate where it asks for one, and refuses clients without where it requires one", async () => {
    const { network } = virtualHost();
    const tls = { cert: "cert", key: "key", ca: "ca", requireCertificate: true };
    await using server = await network.serve({
      tls,
      fetch: (_request, peer) => new Response(peer.certificate),
    });
    const url = `https://127.0.0.1:${server.port}`;
    using known = network.connect({ server: url, cert: "mine", key: "key" });
    assert.equal(await (await known.request(GET)).text(), "mine");
    using unknown = network.connect({ server: url });
    await assert.rejects(unknown.request(GET), /certificate/);
    server.updateTls({ cert: "cert", key: "key" });
    assert.equal(await (await unknown.request(GET)).text(), "");
  });
});
