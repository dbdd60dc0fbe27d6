import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { KnownObjects } from "../../../lib/client/cache/object_store.ts";
import { watchObjects } from "../../../lib/client/watch/watcher.ts";
import { silentLogger } from "../../../lib/runtime/logging.ts";
import { defaultSettings } from "../../../lib/settings/settings.ts";
import { event, FakeStream, listOf, makeWorld, statusOf, widget, WIDGETS } from "../fake_server.ts";
import { PAGES, serve, start } from "../watch_world.ts";

describe("watchObjects() and what it knows", () => {
  it("announces a vanished object in its last known state, and an object made anew under its name as another one", async () => {
    const seen: unknown[] = [];
    let lists = 0;
    const world = makeWorld({
      answer: serve(
        () => {
          const reborn = widget("a", 15);
          reborn.metadata.uid = "uid-a2";
          return ++lists === 1 ? listOf(10, [widget("a", 1, { spec: { size: 1 } })]) : listOf(20, [reborn]);
        },
        (number) =>
          new FakeStream(
            ...number === 0
              ? [event("MODIFIED", widget("a", 11, { spec: { size: 2 } })), event("ERROR", statusOf(410))]
              : [],
          ).response,
      ),
    });
    const controller = new AbortController();
    const run = (async () => {
      const settings = { ...defaultSettings().watching, ...PAGES };
      const { client, host } = world;
      const options = {
        client,
        host,
        settings,
        resource: WIDGETS,
        logger: silentLogger(),
        signal: controller.signal,
      };
      for await (const item of watchObjects(options)) if (item.type === "event") seen.push(item);
    })();
    await world.host.clock.advance(1);
    controller.abort();
    await run;
    assert.deepEqual(seen.slice(2), [
      {
        type: "event",
        event: {
          type: null,
          object: { ...widget("a", 15), metadata: { ...widget("a", 15).metadata, uid: "uid-a2" } },
        },
      },
      {
        type: "event",
        event: { type: "DELETED", object: widget("a", 11, { spec: { size: 2 } }) },
        synthetic: true,
      },
    ]);
  });

  it("announces what vanished while it did not run, where it is given what was known", async () => {
    const known = new KnownObjects();
    let lists = 0;
    const answer = serve(
      () => ++lists === 1 ? listOf(10, [widget("a", 1), widget("b", 2)]) : listOf(20, [widget("b", 2)]),
      () => new FakeStream().response,
    );
    const first = start(answer, { watching: PAGES, watch: { known } });
    await first.host.clock.settle();
    await first.stop();
    const second = start(answer, { watching: PAGES, watch: { known } });
    await second.host.clock.settle();
    assert.deepEqual(second.items, ["null b", "synthetic DELETED a", "LISTED"]);
    await second.stop();
  });
});

describe("watchObjects() and deletions", () => {
  it("does not announce an object as deleted twice", async () => {
    let lists = 0;
    const answer = serve(
      () => ++lists === 1 ? listOf(10, [widget("a", 1)]) : listOf(20, []),
      (number) => {
        const lines = [event("DELETED", widget("a", 11)), event("ERROR", statusOf(410))];
        return new FakeStream(...number === 0 ? lines : []).response;
      },
    );
    const world = start(answer, { watching: PAGES });
    await world.host.clock.advance(1);
    assert.deepEqual(world.items, ["null a", "LISTED", "DELETED a", "LISTED"]);
    await world.stop();
  });
});

describe("KnownObjects", () => {
  it("gives what a listing did not name, once, in its last known state", () => {
    const known = new KnownObjects();
    known.begin();
    for (const name of ["a", "b", "c"]) known.mark(widget(name, 1));
    assert.deepEqual(known.sweep(), []);
    known.mark(widget("a", 2));
    known.remove(widget("b", 3));
    known.begin();
    known.mark(widget("c", 1));
    assert.equal(known.size, 2);
    assert.deepEqual(known.sweep(), [widget("a", 2)]);
    assert.equal(known.size, 1);
    assert.deepEqual(known.sweep(), []);
  });

  it("tells objects without a uid apart by namespace and name", () => {
    const known = new KnownObjects();
    for (const [namespace, name] of [["x", "a"], ["y", "a"], ["x", "b"], [undefined, "a"]]) {
      known.mark({ metadata: { namespace, name } });
    }
    known.mark({ metadata: { namespace: "x", name: "a" } });
    assert.equal(known.size, 4);
  });
});
