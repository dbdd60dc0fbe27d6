import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ObjectStore } from "../../../lib/client/cache/object_store.ts";
import { StreamOrder } from "../../../lib/client/watch/stream_order.ts";
import { virtualHost } from "../../../lib/runtime/virtual/host.ts";
import { bookmark, event, FakeStream, listOf, widget } from "../fake_server.ts";
import { course, PAGES, serve, start } from "../watch_world.ts";

describe("A watch whose versions", () => {
  it("come twice gives each event once", async () => {
    const twice = [
      event("ADDED", widget("a", 11)),
      event("MODIFIED", widget("a", 12)),
      event("DELETED", widget("a", 13)),
      event("ADDED", widget("b", 14)),
    ].flatMap((each) => [each, each]);
    const world = start(serve(() => listOf(10, []), () => new FakeStream(...twice).response), {
      watching: PAGES,
    });
    await world.host.clock.advance(5);
    assert.deepEqual(world.items, ["LISTED", "ADDED a", "MODIFIED a", "DELETED a", "ADDED b"]);
    assert.deepEqual(course(world), ["list", "watch 10"]);
    await world.stop();
  });

  it("come too late are not given, but the set is listed anew", async () => {
    let lists = 0;
    const world = start(
      serve(
        () => ++lists === 1 ? listOf(10, []) : listOf(12, [widget("b", 12)]),
        (number) => {
          const lines = [event("DELETED", widget("a", 12)), event("MODIFIED", widget("a", 11))];
          return new FakeStream(...number === 0 ? lines : []).response;
        },
      ),
      { watching: PAGES },
    );
    await world.host.clock.advance(5);
    assert.deepEqual(world.items, ["LISTED", "DELETED a", "null b", "LISTED"]);
    assert.deepEqual(course(world), ["list", "watch 10", "list", "watch 12"]);
    assert.deepEqual(world.messages("warn"), ["Watch stream is out of order, listing again"]);
    await world.stop();
  });

  it("go backwards in a bookmark is listed anew, and all objects are to be looked at again", async () => {
    let lists = 0;
    const restored: string[] = [];
    const world = start(
      serve(
        () => ++lists === 1 ? listOf(100, [widget("a", 90)]) : listOf(50, [widget("a", 40)]),
        (number) => new FakeStream(...number === 0 ? [bookmark(50)] : []).response,
      ),
      { watching: PAGES, onItem: (item) => void restored.push(item) },
    );
    await world.host.clock.advance(5);
    assert.deepEqual(world.items, ["null a", "LISTED", "null a", "null a", "LISTED"]);
    assert.deepEqual(course(world), ["list", "watch 100", "list", "watch 50"]);
    assert.ok(
      world.messages("warn").includes(
        "The server was set back to an older state, all objects are reconciled again",
      ),
    );
    await world.stop();
  });

  it("have no order are let alone after a few disorders", async () => {
    const world = start(
      serve(() => listOf(10, []), (number) => {
        return new FakeStream(event("ADDED", widget("a", 30)), event("ADDED", widget(`b${number}`, 5)))
          .response;
      }),
      { watching: PAGES },
    );
    await world.host.clock.advance(60);
    assert.equal(course(world).filter((each) => each === "list").length, 6);
    assert.ok(world.items.includes("ADDED b5"));
    await world.stop();
  });

  it("are not known to the server, so that its streams stay mute, is listed anew", async () => {
    const world = start(serve(() => listOf(10, []), () => new FakeStream().response), { watching: PAGES });
    await world.host.clock.advance(150);
    assert.deepEqual(course(world), ["list", "watch 10", "watch 10", "list", "watch 10"]);
    await world.stop();
  });
});

describe("StreamOrder", () => {
  it("knows what came in the same chunk, and was not taken in yet", () => {
    const order = new StreamOrder(new ObjectStore(), virtualHost().clock);
    const late = { type: "MODIFIED", object: widget("a", 11) };
    const newer = { type: "MODIFIED", object: widget("a", 12) };
    assert.equal(order.placeOf(late, "12", [newer]), "repeated");
    assert.equal(order.placeOf(late, "12", [{ ...newer, type: "DELETED" }]), "misplaced");
    assert.equal(order.placeOf(late, "12", [{ type: "ADDED", object: widget("b", 12) }]), "misplaced");
  });

  it("tells an object from another one that had its name", () => {
    const order = new StreamOrder(new ObjectStore(), virtualHost().clock);
    const withUid = (uid: string, version: number) => {
      const object = widget("a", version);
      return { ...object, metadata: { ...object.metadata, uid } };
    };
    const late = { type: "MODIFIED", object: withUid("old", 11) };
    assert.equal(order.placeOf(late, "12", [{ type: "ADDED", object: withUid("new", 12) }]), "misplaced");
    assert.equal(order.placeOf(late, "12", [{ type: "MODIFIED", object: withUid("old", 12) }]), "repeated");
  });

  it("knows that a set is older than the one before it", () => {
    const order = new StreamOrder(new ObjectStore(), virtualHost().clock);
    assert.equal(order.restart("100"), false);
    assert.equal(order.restart("120"), false);
    assert.equal(order.restart("110"), true);
  });

  it("distrusts versions after five disorders in ten minutes, and not in eleven", async () => {
    for (const [pause, isTrusted] of [[100, false], [165, true]] as const) {
      const { clock } = virtualHost();
      const store = new ObjectStore();
      const order = new StreamOrder(store, clock);
      for (let disorder = 0; disorder < 5; disorder++) {
        if (disorder > 0) await clock.advance(pause);
        order.complain();
      }
      assert.equal(store.order.compare("1", "2") === "older", isTrusted, `${pause}`);
    }
  });
});
