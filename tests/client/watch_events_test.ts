import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { watchObjects } from "../../lib/client/watch.ts";
import { silentLogger } from "../../lib/runtime/logging.ts";
import { defaultSettings } from "../../lib/settings/settings.ts";
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
} from "./fake_server.ts";
import { course, PAGES, serve, start } from "./watch_world.ts";

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
      const item of watchObjects({
        client,
        host,
        settings,
        resource: WIDGETS,
        logger: silentLogger(),
        signal,
      })
    ) {
      if (item.type === "event" && objects.push(item.event.object) === 2) break;
    }
    assert.deepEqual(objects, [widget("a", 1), widget("a", 11)]);
  });
});
