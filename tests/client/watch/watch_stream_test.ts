import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ObjectStore } from "../../../lib/client/cache/object_store.ts";
import { readStreamEvent } from "../../../lib/client/watch/watch_stream.ts";
import { watchObjects } from "../../../lib/client/watch/watcher.ts";
import { silentLogger } from "../../../lib/runtime/logging.ts";
import { defaultSettings } from "../../../lib/settings/settings.ts";
import {
  bookmark,
  event,
  FakeStream,
  listOf,
  makeWorld,
  refusal,
  statusOf,
  widget,
  WIDGETS,
} from "../fake_server.ts";
import { course, PAGES, serve, start } from "../watch_world.ts";

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
      const items of watchObjects({
        client,
        host,
        settings,
        resource: WIDGETS,
        logger: silentLogger(),
        store: new ObjectStore(),
        signal,
      })
    ) {
      if (items.some(({ type }) => type === "event")) break;
    }
    await host.clock.settle();
    assert.equal(world.seen[1]!.signal.aborted, true);
    assert.equal(host.clock.pending, 0);
  });
});

describe("Events of a watch", () => {
  it("[B216] goes on from a bookmark's version after the stream breaks", async () => {
    const streams = [new FakeStream(bookmark(42)), new FakeStream()];
    const world = start(serve(() => listOf(10, []), (number) => streams[number]!.response), {
      watching: PAGES,
    });
    await world.host.clock.advance(5);
    streams[0]!.break();
    await world.host.clock.advance(1);
    assert.deepEqual(course(world), ["list", "watch 10", "watch 42"]);
    assert.deepEqual(world.items, ["LISTED"]);
    await world.stop();
  });

  it("goes on from the last event's version, also that of a deletion", async () => {
    const streams = [
      new FakeStream(event("MODIFIED", widget("a", 11)), event("DELETED", widget("a", 12))),
      new FakeStream(),
    ];
    const world = start(serve(() => listOf(10, []), (number) => streams[number]!.response), {
      watching: PAGES,
    });
    await world.host.clock.advance(5);
    streams[0]!.end();
    await world.host.clock.advance(1);
    assert.deepEqual(course(world), ["list", "watch 10", "watch 12"]);
    assert.deepEqual(world.items, ["LISTED", "MODIFIED a", "DELETED a"]);
    await world.stop();
  });

  it("[B217] lists anew after an ERROR event with code 410, and announces what vanished", async () => {
    let lists = 0;
    const world = start(
      serve(
        () => ++lists === 1 ? listOf(10, [widget("a", 1), widget("b", 2)]) : listOf(20, [widget("b", 2)]),
        (number) =>
          new FakeStream(...number === 0 ? [event("ERROR", statusOf(410, "Expired"))] : []).response,
      ),
      { watching: PAGES },
    );
    await world.host.clock.until(() => lists === 2, { within: 0.2 });
    assert.deepEqual(world.items, ["null a", "null b", "LISTED", "null b", "synthetic DELETED a", "LISTED"]);
    assert.deepEqual(world.messages("warn"), []);
    assert.ok(world.seen[2]!.at >= 0.05, "not at once");
    await world.stop();
  });

  it("[B238] treats HTTP 410 in the same way", async () => {
    let lists = 0;
    const world = start(
      serve(
        () => listOf(++lists * 10, []),
        (number) => number === 0 ? refusal(410, "Expired") : new FakeStream().response,
      ),
      { watching: PAGES },
    );
    await world.host.clock.until(() => lists === 2, { within: 0.2 });
    assert.deepEqual(course(world), ["list", "watch 10", "list", "watch 20"]);
    assert.deepEqual(world.messages("warn"), []);
    await world.stop();
  });

  it("[B218] resumes after any other ERROR event, with a warning", async () => {
    const streams = [
      new FakeStream(event("ERROR", statusOf(666))),
      new FakeStream(event("ADDED", widget("a", 11))),
    ];
    const world = start(serve(() => listOf(10, []), (number) => streams[number]!.response), {
      watching: PAGES,
    });
    await world.host.clock.advance(1);
    assert.deepEqual(world.items, ["LISTED", "ADDED a"]);
    assert.deepEqual(course(world), ["list", "watch 10", "watch 10"]);
    assert.deepEqual(world.messages("warn"), ["Watching failed, will be tried again"]);
    await world.stop();
  });

  it("[B219] skips events of unknown types with a warning, and lines that are no events", async () => {
    const stream = new FakeStream(
      event("UNKNOWN", widget("a", 11)),
      42,
      null,
      event("ADDED", "text"),
      event("ADDED", widget("b", 12)),
    );
    const world = start(serve(() => listOf(10, []), () => stream.response), { watching: PAGES });
    await world.host.clock.settle();
    assert.deepEqual(world.items, ["LISTED", "ADDED b"]);
    assert.equal(world.messages("warn").length, 4);
    await world.stop();
  });

  it("drops managedFields by copying", async () => {
    const [listed, added] = [widget("a", 1), widget("a", 11)];
    for (const object of [listed, added]) object.metadata.managedFields = [{ manager: "x" }];
    const objects: unknown[] = [];
    const world = makeWorld({
      answer: serve(
        () => listOf(10, [listed]),
        () => new FakeStream(event("ADDED", added)).response,
      ),
    });
    const { client, host } = world;
    const settings = { ...defaultSettings().watching, ...PAGES };
    const { signal } = new AbortController();
    for await (
      const items of watchObjects({
        client,
        host,
        settings,
        resource: WIDGETS,
        logger: silentLogger(),
        store: new ObjectStore(),
        signal,
      })
    ) {
      for (const item of items) if (item.type === "event") objects.push(item.event.object);
      if (objects.length === 2) break;
    }
    assert.deepEqual(objects, [widget("a", 1), widget("a", 11)]);
  });
});

describe("readStreamEvent()", () => {
  it("takes the code of an ERROR event, and 500 where it has none", () => {
    const codes = [{ kind: "Status", code: 403 }, { kind: "Status" }, {}].map((object) => {
      const event = readStreamEvent({ type: "ERROR", object }, "WATCH /x");
      return event.type === "ERROR" ? event.error.status : undefined;
    });
    assert.deepEqual(codes, [403, 500, 500]);
  });
});
