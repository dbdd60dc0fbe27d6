import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { dropManagedFields, toQuery } from "../../lib/client/list_pages.ts";
import { event, FakeStream, json, listOf, makeWorld, refusal, widget, WIDGETS } from "./fake_server.ts";
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

describe("Client.list()", () => {
  it("[B215] fills in the kind and apiVersion of items from the list", async () => {
    const world = makeWorld({
      answer: () => listOf(1, [{ metadata: { name: "a" } }, { kind: "Other", metadata: { name: "b" } }]),
    });
    for await (const { items } of world.client.list(WIDGETS)) {
      assert.deepEqual(items.map(({ kind, apiVersion }) => [kind, apiVersion]), [
        ["Widget", "example.com/v1"],
        ["Other", "example.com/v1"],
      ]);
    }
  });

  it("[C3] sends the limit that it is told, none or 0 too, and follows a token in any case", async () => {
    for (const [chunkSize, limit] of [[null, undefined], [0, "0"], [undefined, "500"]] as const) {
      const world = makeWorld({
        answer: ({ query }) => listOf(1, [], query["continue"] ? undefined : "more?&"),
      });
      const pages = await Array.fromAsync(world.client.list(WIDGETS, { chunkSize }));
      assert.equal(pages.length, 2);
      assert.deepEqual(world.seen.map(({ query }) => [query["limit"], query["continue"]]), [
        [limit, undefined],
        [limit, "more?&"],
      ]);
    }
  });

  it("asks for a version with the first page only, and for compressed answers", async () => {
    const world = makeWorld({ answer: ({ query }) => listOf(1, [], query["continue"] ? undefined : "t") });
    const options = { resourceVersion: "5", resourceVersionMatch: "Exact", namespace: "ns" } as const;
    await Array.fromAsync(world.client.list(WIDGETS, options));
    assert.deepEqual(world.seen.map(({ query }) => query["resourceVersion"]), ["5", undefined]);
    assert.equal(world.seen[0]!.headers["accept-encoding"], "gzip");
    assert.equal(world.seen[0]!.path, "/apis/example.com/v1/namespaces/ns/widgets");
  });

  it("asks for no page that nobody wants", async () => {
    const world = makeWorld({ answer: () => listOf(1, [widget("a", 1)], "more") });
    for await (const _page of world.client.list(WIDGETS)) break;
    assert.equal(world.seen.length, 1);
  });

  it("throws 410 for a token that outlived its list: the caller begins again", async () => {
    const world = makeWorld({
      answer: ({ query }) => query["continue"] ? refusal(410, "Expired") : listOf(1, [], "old"),
    });
    await assert.rejects(Array.fromAsync(world.client.list(WIDGETS)), { status: 410, reason: "Expired" });
  });

  it("takes lists without items as empty", async () => {
    for (const body of [{ metadata: {}, items: null }, { items: [] }]) {
      const world = makeWorld({ answer: () => json(body) });
      assert.deepEqual(await Array.fromAsync(world.client.list(WIDGETS)), [
        { items: [], resourceVersion: undefined, continue: undefined },
      ]);
    }
  });

  it("refuses an answer that is no list: everything would look deleted", async () => {
    for (const text of ["", "{}", "[]", "null", '"items"', '{"kind":"Widget","metadata":{}}']) {
      const world = makeWorld({ answer: () => new Response(text) });
      await assert.rejects(Array.fromAsync(world.client.list(WIDGETS)), {
        name: "SyntaxError",
        message: 'Cannot read the answer to "GET /apis/example.com/v1/widgets": it is not a list',
      });
    }
  });

  it("leaves out items that are no objects", async () => {
    const world = makeWorld({ answer: () => listOf(1, [null, 1, {}, { metadata: null }, widget("a", 1)]) });
    const [page] = await Array.fromAsync(world.client.list(WIDGETS));
    assert.deepEqual(page?.items.map(({ metadata }) => metadata.name), ["a"]);
  });
});

describe("dropManagedFields()", () => {
  it("takes them out, and leaves everything else, strange keys too", () => {
    const object = JSON.parse(
      '{"metadata":{"name":"a","managedFields":[{}],"__proto__":{"x":1}},"__proto__":2}',
    );
    assert.equal(
      JSON.stringify(dropManagedFields(object)),
      '{"metadata":{"name":"a","__proto__":{"x":1}},"__proto__":2}',
    );
    const bare = { metadata: {} };
    assert.equal(dropManagedFields(bare), bare);
  });
});

describe("toQuery()", () => {
  it("gives what is there, encoded", () => {
    assert.equal(
      toQuery({ a: "x y&z=1", b: undefined, c: 5, d: "", e: true }),
      "?a=x%20y%26z%3D1&c=5&e=true",
    );
    assert.equal(toQuery({}), "");
  });
});
