import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { watchObjects } from "../../lib/client/watch.ts";
import { silentLogger } from "../../lib/runtime/logging.ts";
import { defaultSettings } from "../../lib/settings/settings.ts";
import { bookmark, event, FakeStream, listOf, makeWorld, widget, WIDGETS } from "./fake_server.ts";
import { course, PAGES, serve, start } from "./watch_world.ts";

describe("A watch stream", () => {
  it("[B221] parses an event of 3 MB that comes in many chunks", async () => {
    const stream = new FakeStream();
    const world = start(serve(() => listOf(10, []), () => stream.response), { watching: PAGES });
    await world.host.clock.settle();
    const bytes = new TextEncoder().encode(
      JSON.stringify(event("ADDED", widget("big", 11, { data: "ü".repeat(1_500_000) }))),
    );
    for (let at = 0; at < bytes.length; at += 65_537) stream.sendBytes(bytes.slice(at, at + 65_537));
    stream.sendBytes("\n");
    await world.host.clock.settle();
    assert.deepEqual(world.items, ["LISTED", "ADDED big"]);
    await world.stop();
  });

  it("survives a line that is not JSON: what came before counts, and the stream is opened again", async () => {
    const streams = [
      new FakeStream(event("ADDED", widget("a", 11))),
      new FakeStream(event("ADDED", widget("b", 12))),
    ];
    streams[0]!.sendBytes('{"type":"ADDED","obj\n');
    const world = start(serve(() => listOf(10, []), (number) => streams[number]!.response), {
      watching: PAGES,
    });
    await world.host.clock.advance(1);
    assert.deepEqual(world.items, ["LISTED", "ADDED a", "ADDED b"]);
    assert.deepEqual(course(world), ["list", "watch 10", "watch 11"]);
    assert.match(String(world.logs.find((it) => it.level === "warn")?.fields["error"]), /it is not JSON/);
    await world.stop();
  });

  it("takes a last line without its end, if it is whole", async () => {
    const streams = [new FakeStream(), new FakeStream()];
    streams[0]!.sendBytes(JSON.stringify(event("ADDED", widget("a", 11))));
    streams[0]!.end();
    const world = start(serve(() => listOf(10, []), (number) => streams[number]!.response), {
      watching: PAGES,
    });
    await world.host.clock.advance(1);
    assert.deepEqual(world.items, ["LISTED", "ADDED a"]);
    await world.stop();
  });

  it("survives a stream that is cut in the middle of a line", async () => {
    const streams = [
      new FakeStream(event("ADDED", widget("a", 11))),
      new FakeStream(event("ADDED", widget("b", 12))),
    ];
    streams[0]!.sendBytes('{"type":"MODIFIED","object":{"metadata":{"na');
    const world = start(serve(() => listOf(10, []), (number) => streams[number]!.response), {
      watching: PAGES,
    });
    await world.host.clock.settle();
    streams[0]!.break();
    await world.host.clock.advance(1);
    assert.deepEqual(world.items, ["LISTED", "ADDED a", "ADDED b"]);
    await world.stop();
  });

  it("reads bytes that are not UTF-8 and keys such as __proto__ as data", async () => {
    const stream = new FakeStream();
    const world = start(serve(() => listOf(10, []), () => stream.response), { watching: PAGES });
    await world.host.clock.settle();
    const bytes = new TextEncoder().encode(
      '{"type":"ADDED","object":{"__proto__":{"x":1},"constructor":"y","metadata":{"name":"a?","managedFields":[{}],"__proto__":{"z":1}}}}\n',
    );
    bytes[bytes.indexOf("?".charCodeAt(0))] = 0xff;
    stream.sendBytes(bytes);
    await world.host.clock.settle();
    assert.deepEqual(world.items, ["LISTED", "ADDED a\ufffd"]);
    assert.equal(({} as { x?: number }).x, undefined);
    await world.stop();
  });

  it("[B222] resumes from the last version after 70 s of silence", async () => {
    const streams = [new FakeStream(bookmark(11)), new FakeStream()];
    const world = start(serve(() => listOf(10, []), (number) => streams[number]!.response), {
      watching: PAGES,
    });
    await world.host.clock.advance(69.9);
    assert.equal(world.seen.length, 2);
    assert.equal(world.seen[1]!.signal.aborted, false);
    await world.host.clock.advance(0.2);
    assert.deepEqual(course(world), ["list", "watch 10", "watch 11"]);
    assert.equal(world.seen[1]!.signal.aborted, true, "the silent stream is closed");
    await world.stop();
  });

  it("[B223] keeps a stream that has a bookmark every 60 s", async () => {
    const stream = new FakeStream();
    const world = start(serve(() => listOf(10, []), () => stream.response), { watching: PAGES });
    for (let minute = 0; minute < 10; minute++) {
      stream.send(bookmark(11 + minute));
      await world.host.clock.advance(60);
    }
    assert.equal(world.seen.length, 2);
    await world.stop();
  });

  it("does not take its own consumer's slowness for silence", async () => {
    const streams = [new FakeStream(event("ADDED", widget("a", 11))), new FakeStream()];
    const world = start(serve(() => listOf(10, []), (number) => streams[number]!.response), {
      watching: PAGES,
      onItem: async (item) => void (item === "ADDED a" && await world.host.clock.sleep(200)),
    });
    await world.host.clock.advance(201);
    assert.equal(world.seen.length, 2);
    await world.host.clock.advance(71);
    assert.equal(world.seen.length, 3);
    await world.stop();
  });

  it("counts connecting as silence", async () => {
    const world = start(
      serve(() => listOf(10, []), () => new Promise<Response>(() => {}) as unknown as Response),
      {
        watching: PAGES,
      },
    );
    await world.host.clock.advance(71);
    assert.deepEqual(course(world), ["list", "watch 10", "watch 10"]);
    await world.stop();
  });

  it("gives up connecting after the connect timeout", async () => {
    const world = start(
      serve(() => listOf(10, []), () => new Promise<Response>(() => {}) as unknown as Response),
      {
        watching: { ...PAGES, connectTimeout: 5 },
      },
    );
    await world.host.clock.advance(5.5);
    assert.deepEqual(course(world), ["list", "watch 10", "watch 10"]);
    await world.stop();
  });

  it("reopens after the client timeout", async () => {
    const world = start(serve(() => listOf(10, []), () => new FakeStream().response), {
      watching: { ...PAGES, clientTimeout: 20 },
    });
    await world.host.clock.advance(61);
    assert.equal(course(world).length, 5);
    assert.deepEqual(world.messages("warn"), []);
    await world.stop();
    assert.equal(world.host.clock.pending, 0);
  });

  it("closes its stream when its consumer walks away", async () => {
    const world = makeWorld({
      answer: serve(() => listOf(10, []), () => new FakeStream(event("ADDED", widget("a", 11))).response),
    });
    const { client, host } = world;
    const settings = { ...defaultSettings().watching, ...PAGES };
    const { signal } = new AbortController();
    for await (
      const item of watchObjects({
        client,
        host,
        settings,
        resource: WIDGETS,
        logger: silentLogger(),
        signal,
      })
    ) {
      if (item.type === "event") break;
    }
    await host.clock.settle();
    assert.equal(world.seen[1]!.signal.aborted, true);
    assert.equal(host.clock.pending, 0);
  });
});
