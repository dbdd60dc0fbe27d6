import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { LoginError } from "../../../lib/client/errors.ts";
import { bookmark, event, FakeStream, listOf, refusal, widget } from "../fake_server.ts";
import { course, PAGES, serve, start } from "../watch_world.ts";

describe("watchObjects() with streamed lists", () => {
  it("[C7] asks for initial events and for no version, and does not list", async () => {
    const world = start(() => new FakeStream().response);
    await world.host.clock.settle();
    assert.equal(world.seen.length, 1);
    assert.deepEqual(world.seen[0]!.query, {
      watch: "true",
      allowWatchBookmarks: "true",
      sendInitialEvents: "true",
      resourceVersionMatch: "NotOlderThan",
    });
    await world.stop();
  });

  it("[C8] gives ADDED as null until the bookmark, then LISTED, then events as they are", async () => {
    const stream = new FakeStream(
      event("ADDED", widget("a", 1)),
      event("ADDED", widget("b", 2)),
      bookmark(5, true),
      event("ADDED", widget("c", 6)),
    );
    const world = start(() => stream.response);
    await world.host.clock.settle();
    assert.deepEqual(world.items, ["null a", "null b", "LISTED", "ADDED c"]);
    await world.stop();
  });

  it("[C9] gives LISTED once where there are no objects", async () => {
    const stream = new FakeStream(bookmark(5, true));
    const world = start(() => stream.response);
    await world.host.clock.settle();
    stream.send(bookmark(6));
    await world.host.clock.settle();
    assert.deepEqual(world.items, ["LISTED"]);
    assert.equal(world.state().listed, true);
    await world.stop();
  });

  it("passes MODIFIED and DELETED as they are before the bookmark too", async () => {
    const stream = new FakeStream(
      event("ADDED", widget("a", 1)),
      event("MODIFIED", widget("a", 2)),
      event("DELETED", widget("b", 3)),
      bookmark(5, true),
    );
    const world = start(() => stream.response);
    await world.host.clock.settle();
    assert.deepEqual(world.items, ["null a", "MODIFIED a", "DELETED b", "LISTED"]);
    await world.stop();
  });

  it("goes on from the bookmark's version with the same stream, and resumes from the last one", async () => {
    const streams = [new FakeStream(event("ADDED", widget("a", 1)), bookmark(5, true)), new FakeStream()];
    const world = start(serve(() => refusal(500), (number) => streams[number]!.response));
    await world.host.clock.advance(5);
    streams[0]!.break();
    await world.host.clock.advance(1);
    assert.deepEqual(course(world), ["initial", "watch 5"]);
    await world.stop();
  });

  it("[C12] restarts the whole initial stream when it is cut before the bookmark", async () => {
    const streams = [
      new FakeStream(event("ADDED", widget("a", 1))),
      new FakeStream(event("ADDED", widget("b", 2)), bookmark(5, true)),
    ];
    const world = start(serve(() => refusal(500), (number) => streams[number]!.response));
    await world.host.clock.settle();
    streams[0]!.end();
    await world.host.clock.until(() => world.items.includes("LISTED"), { within: 1 });
    assert.deepEqual(course(world), ["initial", "initial"]);
    assert.deepEqual(world.items, ["null a", "null b", "synthetic DELETED a", "LISTED"]);
    await world.stop();
  });

  it("takes pages from a server that refuses to stream lists, and does not ask again for that kind", async () => {
    for (const code of [400, 422]) {
      const answer = serve(() => listOf(10, [widget("a", 1)]), (_number, { query }) => {
        return query["sendInitialEvents"] ? refusal(code, "Invalid") : new FakeStream().response;
      });
      const world = start(answer);
      await world.host.clock.settle();
      assert.deepEqual(course(world), ["initial", "list", "watch 10"]);
      assert.deepEqual(world.items, ["null a", "LISTED"]);
      assert.deepEqual(world.messages("warn"), []);
      assert.ok(world.transport.unstreamed.has("widgets.v1.example.com"));
      await world.stop();
    }
  });

  it("takes pages from a server that ignores the wish, told by bookmarks without an end or by silence", async () => {
    for (const lines of [[event("ADDED", widget("a", 1)), bookmark(5)], [event("ADDED", widget("a", 1))]]) {
      const answer = serve(() => listOf(10, [widget("a", 1)]), (_number, { query }) => {
        return new FakeStream(...query["sendInitialEvents"] ? lines : []).response;
      });
      const world = start(answer);
      await world.host.clock.advance(16);
      assert.deepEqual(course(world), ["initial", "list", "watch 10"]);
      assert.deepEqual(world.items, ["null a", "null a", "LISTED"]);
      assert.ok(world.transport.unstreamed.has("widgets.v1.example.com"));
      await world.stop();
    }
  });

  it("never takes pages where streaming is forced", async () => {
    const world = start(() => refusal(422, "Invalid"), { watching: { initialStreaming: true } });
    await world.host.clock.advance(100);
    assert.ok(course(world).every((step) => step === "initial"));
    assert.ok(world.seen.length > 5 && world.seen.length < 20, `${world.seen.length} requests`);
    await world.stop();
  });

  it("takes pages, this once, when three streams in a row break before the bookmark", async () => {
    const answer = serve(() => listOf(10, []), (_number, { query }) => {
      const stream = new FakeStream();
      if (query["sendInitialEvents"]) stream.break();
      return stream.response;
    });
    const world = start(answer);
    await world.host.clock.until(() => world.items.includes("LISTED"), { within: 5 });
    assert.deepEqual(course(world), ["initial", "initial", "initial", "list", "watch 10"]);
    assert.equal(world.transport.unstreamed.size, 0);
    await world.stop();
  });

  it("takes pages at once, and this once, when the server's cache is behind", async () => {
    const behind = {
      type: "ERROR",
      object: {
        kind: "Status",
        apiVersion: "v1",
        status: "Failure",
        message: "Timeout: Too large resource version: 9, current: 8",
        reason: "Timeout",
        code: 504,
        details: {
          retryAfterSeconds: 1,
          causes: [{ reason: "ResourceVersionTooLarge", message: "Too large" }],
        },
      },
    };
    let lists = 0;
    const answer = serve(() => listOf(10, [widget("a", 1)]), (_number, { query }) => {
      if (query["sendInitialEvents"] === undefined) return refusal(410);
      return new FakeStream(lists++ === 0 ? behind : bookmark(11, true)).response;
    });
    const world = start(answer);
    const started = world.host.clock.monotonic();
    await world.host.clock.until(() => world.items.includes("LISTED"), { within: 5 });
    assert.equal(world.host.clock.monotonic(), started, "nothing was waited for");
    assert.deepEqual(world.messages("warn"), []);
    await world.host.clock.until(() => course(world).length === 4, { within: 5 });
    assert.deepEqual(course(world), ["initial", "list", "watch 10", "initial"]);
    await world.stop();
  });

  it("is watching, and healthy again, once the set is complete", async () => {
    const world = start(() => {
      return world.seen.length < 3 ? refusal(503) : new FakeStream(bookmark(5, true)).response;
    });
    await world.host.clock.until(() => world.items.includes("LISTED"));
    assert.deepEqual([world.state().phase, world.state().failures], ["watching", 2]);
    await world.host.clock.advance(1.1);
    assert.deepEqual([world.state().failures, world.state().lastError], [0, undefined]);
    await world.stop();
  });

  it("does not take a server that does not answer at all for one that does not stream", async () => {
    let isAwake = false;
    const world = start(() =>
      isAwake ? new FakeStream(bookmark(5, true)).response : new Promise<Response>(() => {})
    );
    await world.host.clock.advance(16);
    isAwake = true;
    await world.host.clock.until(() => world.items.includes("LISTED"), { within: 20 });
    assert.equal(world.transport.unstreamed.size, 0);
    assert.deepEqual(course(world), ["initial", "initial", "initial"].slice(0, course(world).length));
    await world.stop();
  });

  it("is as patient with silence as with any stream once the set is complete", async () => {
    const world = start(() => new FakeStream(bookmark(5, true)).response);
    await world.host.clock.advance(69);
    assert.equal(world.seen.length, 1);
    await world.host.clock.advance(2);
    assert.deepEqual(course(world), ["initial", "watch 5"]);
    await world.stop();
  });
});

describe("watchObjects() on the whole", () => {
  it("ends when its signal aborts: while listing, watching, waiting, and before it begins", async () => {
    const never = new Promise<Response>(() => {}) as unknown as Response;
    for (
      const answer of [
        () => never,
        serve(() => listOf(1, []), () => new FakeStream().response),
        () => refusal(403),
      ]
    ) {
      const world = start(answer, { watching: PAGES });
      await world.host.clock.settle();
      await world.stop();
      assert.equal(world.host.clock.pending, 0, "no timer is left");
      assert.equal(world.host.network.inFlight, 0);
    }
    const signal = AbortSignal.abort();
    const world = start(() => never, { watch: { signal } });
    await world.stop();
    assert.equal(world.seen.length, 0);
  });

  it("gives nothing any more once its signal has aborted", async () => {
    const controller = new AbortController();
    const stream = new FakeStream();
    stream.sendBytes(
      ["a", "b"].map((name) => `${JSON.stringify(event("ADDED", widget(name, 11)))}\n`).join(""),
    );
    const world = start(serve(() => listOf(10, []), () => stream.response), {
      watching: PAGES,
      watch: { signal: controller.signal },
      onItem: (item) => void (item === "ADDED a" && controller.abort()),
    });
    await world.host.clock.settle();
    assert.deepEqual(world.items, ["LISTED", "ADDED a"]);
    await world.stop();
  });

  it("leaves no listeners on its signal, however often it begins anew", async () => {
    const { signal } = new AbortController();
    let listeners = 0;
    const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)];
    const spied = Object.assign(signal, {
      addEventListener: (type: string, listener: EventListener, options?: AddEventListenerOptions) => {
        listeners += 1;
        add(type, listener, options);
      },
      removeEventListener: (type: string, listener: EventListener) => {
        listeners -= 1;
        remove(type, listener);
      },
    });
    const answer = serve(() => listOf(10, []), () => {
      const stream = new FakeStream();
      stream.end();
      return stream.response;
    });
    const world = start(answer, { watching: PAGES, watch: { signal: spied } });
    await world.host.clock.advance(600);
    assert.ok(world.seen.length > 20);
    assert.ok(listeners <= 2, `${listeners} listeners`);
  });

  it("sends selectors with lists and watches, for all namespaces where none is named", async () => {
    const world = start(serve(() => listOf(10, []), () => new FakeStream().response), {
      watching: PAGES,
      watch: { namespace: undefined, labelSelector: "a=1,b in (c)", fieldSelector: "metadata.name=x" },
    });
    await world.host.clock.settle();
    for (const { query, path } of world.seen) {
      assert.equal(path, "/apis/example.com/v1/widgets");
      assert.equal(query["labelSelector"], "a=1,b in (c)");
      assert.equal(query["fieldSelector"], "metadata.name=x");
    }
    await world.stop();
  });

  it("goes on trying when there are no credentials, and says why it waits", async () => {
    let isLoggedIn = false;
    const credentials = {
      current: () =>
        isLoggedIn
          ? Promise.resolve({ server: "https://api.test" })
          : Promise.reject(new LoginError("Cannot log in")),
      invalidate: () => {},
    };
    const world = start(serve(() => listOf(10, []), () => new FakeStream().response), {
      watching: PAGES,
      credentials,
    });
    await world.host.clock.advance(10);
    assert.ok(world.state().lastError instanceof LoginError);
    isLoggedIn = true;
    await world.host.clock.until(() => world.items.includes("LISTED"), { within: 31 });
    await world.host.clock.advance(2);
    assert.equal(world.state().lastError, undefined);
    await world.stop();
  });
});
