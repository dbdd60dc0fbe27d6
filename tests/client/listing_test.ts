import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { event, FakeStream, listOf, refusal, widget } from "./fake_server.ts";
import { course, PAGES, serve, start } from "./watch_world.ts";

describe("watchObjects() with pages", () => {
  it("[B214] gives the items of the list, LISTED, and what happens from the list's version on", async () => {
    const stream = new FakeStream(event("ADDED", widget("c", 11)));
    const world = start(
      serve(() => listOf(10, [widget("a", 1), widget("b", 2)]), () => stream.response),
      { watching: PAGES },
    );
    await world.host.clock.settle();
    assert.deepEqual(world.items, ["null a", "null b", "LISTED", "ADDED c"]);
    assert.deepEqual(course(world), ["list", "watch 10"]);
    await world.stop();
  });

  it("[C2] takes page after page, and watches from the last page's version", async () => {
    const world = start(
      serve(
        ({ query }) =>
          query["continue"] === "token"
            ? listOf(12, [widget("c", 3), widget("d", 4)])
            : listOf(10, [widget("a", 1), widget("b", 2)], "token"),
        () => new FakeStream().response,
      ),
      { watching: { ...PAGES, chunkSize: 2 } },
    );
    await world.host.clock.settle();
    assert.deepEqual(world.items, ["null a", "null b", "null c", "null d", "LISTED"]);
    assert.deepEqual(world.seen.map(({ query }) => [query["limit"], query["continue"]]).slice(0, 2), [
      ["2", undefined],
      ["2", "token"],
    ]);
    assert.deepEqual(course(world), ["list", "list", "watch 12"]);
    await world.stop();
  });

  it("hands a page on before it asks for the next one", async () => {
    const asked: number[] = [];
    const world = start(
      serve(
        ({ query }) => query["continue"] ? listOf(1, [widget("b", 1)]) : listOf(1, [widget("a", 1)], "token"),
        () => new FakeStream().response,
      ),
      { watching: PAGES, onItem: () => void asked.push(world.seen.length) },
    );
    await world.host.clock.settle();
    assert.deepEqual(asked.slice(0, 2), [1, 2]);
    await world.stop();
  });

  it("[B220] lists again after a moment when the connection fails during the listing", async () => {
    let failed = false;
    const world = start(
      serve(() => {
        if (failed) return listOf(10, [widget("a", 1)]);
        failed = true;
        throw Object.assign(new Error("reset"), { code: "ECONNRESET" });
      }, () => new FakeStream().response),
      { watching: PAGES },
    );
    await world.host.clock.until(() => world.items.length === 2, { within: 0.2 });
    assert.deepEqual(world.items, ["null a", "LISTED"]);
    await world.stop();
  });

  it("[C4] lists all pages anew when the connection fails in the second one", async () => {
    let failed = false;
    const world = start(
      serve(({ query }) => {
        if (!query["continue"]) return listOf(10, [widget("a", 1)], "token");
        if (failed) return listOf(10, [widget("b", 2)]);
        failed = true;
        throw Object.assign(new Error("reset"), { code: "ECONNRESET" });
      }, () => new FakeStream().response),
      { watching: PAGES },
    );
    await world.host.clock.settle();
    assert.deepEqual(world.items, ["null a"]);
    await world.host.clock.until(() => world.items.includes("LISTED"), { within: 0.2 });
    assert.deepEqual(world.items, ["null a", "null a", "null b", "LISTED"]);
    assert.ok(world.seen[2]!.at >= 0.05 && world.seen[2]!.at <= 0.15, `after ${world.seen[2]!.at} s`);
    await world.stop();
  });

  it("[C5] lists from the start when a token has expired, and announces what vanished meanwhile", async () => {
    let lists = 0;
    const world = start(
      serve(({ query }) => {
        lists += 1;
        if (query["continue"]) return lists === 2 ? refusal(410, "Expired") : listOf(20, [widget("c", 15)]);
        return lists === 1
          ? listOf(10, [widget("a", 1), widget("b", 2)], "old")
          : listOf(20, [widget("b", 2)], "new");
      }, () => new FakeStream().response),
      { watching: PAGES },
    );
    await world.host.clock.until(() => world.items.includes("LISTED"), { within: 1 });
    assert.deepEqual(world.items, ["null a", "null b", "null b", "null c", "synthetic DELETED a", "LISTED"]);
    assert.deepEqual(course(world), ["list", "list", "list", "list", "watch 20"]);
    assert.deepEqual(world.messages("warn"), []);
    await world.stop();
  });

  it("sends no limit when there is no chunk size, and watches an empty list", async () => {
    const world = start(serve(() => listOf(7, []), () => new FakeStream().response), {
      watching: { ...PAGES, chunkSize: null },
    });
    await world.host.clock.settle();
    assert.deepEqual(world.items, ["LISTED"]);
    assert.equal(world.seen[0]!.query["limit"], undefined);
    assert.deepEqual(course(world), ["list", "watch 7"]);
    await world.stop();
  });
});
