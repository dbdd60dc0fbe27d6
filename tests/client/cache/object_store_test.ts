import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  CachedObject,
  ObjectStore,
  type StoredObject,
  VersionOrder,
} from "../../../lib/client/cache/object_store.ts";
import type { KubeObject } from "../../../lib/model/object.ts";
import { widget } from "../fake_server.ts";

/** With the object of the state before. */
function parsed({ before, ...stored }: StoredObject): object {
  return { ...stored, before: before?.object };
}

describe("ObjectStore", () => {
  it("returns what a listing did not name, once, in its last known state", () => {
    const store = new ObjectStore();
    store.beginListing();
    for (const name of ["a", "b", "c"]) store.put(widget(name, 1));
    assert.deepEqual(store.sweep(), []);
    store.put(widget("a", 2));
    store.remove(widget("b", 3));
    store.beginListing();
    store.put(widget("c", 1));
    assert.equal(store.size, 2);
    assert.deepEqual(store.sweep().map(({ object }) => object), [widget("a", 2)]);
    assert.equal(store.size, 1);
    assert.deepEqual(store.sweep(), []);
  });

  it("tells objects without a uid apart by namespace and name", () => {
    const store = new ObjectStore();
    for (const [namespace, name] of [["x", "a"], ["y", "a"], ["x", "b"], [undefined, "a"]]) {
      store.put({ metadata: { namespace, name } });
    }
    store.put({ metadata: { namespace: "x", name: "a" } });
    assert.equal(store.size, 4);
  });

  it("returns one object for all states, but another one for what comes after a deletion", () => {
    const store = new ObjectStore();
    const { cached } = store.put(widget("a", 1));
    assert.deepEqual(parsed(store.put(widget("a", 2))), {
      cached,
      adoption: "newer",
      before: widget("a", 1),
    });
    assert.deepEqual(parsed(store.put(widget("a", 2))), { cached, adoption: "same", before: widget("a", 2) });
    assert.deepEqual(parsed(store.remove(widget("a", 3))), {
      cached,
      adoption: "newer",
      before: widget("a", 2),
    });
    assert.deepEqual(cached.object, widget("a", 3));
    assert.notEqual(store.put(widget("a", 4)).cached, cached);
    assert.equal(store.remove(widget("never seen", 5)).adoption, "newer");
  });

  it("keeps what is known of an object that it takes over", () => {
    const [first, second] = [new ObjectStore(), new ObjectStore()];
    const { cached } = first.put(widget("a", 5));
    second.take(cached);
    second.beginListing();
    assert.deepEqual(parsed(second.put(widget("a", 4))), {
      cached,
      adoption: "older",
      before: widget("a", 5),
    });
    assert.deepEqual(second.sweep(), []);
    const third = new ObjectStore();
    third.take(cached);
    third.beginListing();
    assert.deepEqual(third.sweep(), [cached], "no listing of its own has shown it");
  });

  it("notes what the server has shown last, whatever was written or read since", () => {
    const store = new ObjectStore();
    const { cached } = store.put(widget("a", 1));
    cached.adopt(widget("a", 9), { from: "write", until: 0 });
    assert.equal(cached.shown, "1");
    store.put(widget("a", 5));
    assert.deepEqual([cached.shown, cached.object], ["5", widget("a", 9)]);
  });

  it("takes what a listing has shown when the server was set back, however old that is", () => {
    const store = new ObjectStore();
    store.beginListing();
    for (const [name, version] of [["a", 9], ["b", 3]] as const) store.put(widget(name, version));
    store.beginListing();
    for (const [name, version] of [["a", 5], ["b", 3]] as const) store.put(widget(name, version));
    assert.deepEqual(store.get(widget("a", 5))?.object, widget("a", 9));
    assert.deepEqual(store.restore().map(({ object }) => object), [widget("a", 5), widget("b", 3)]);
  });
});

describe("CachedObject", () => {
  const WRITE = { from: "write", until: 100 } as const;
  const WATCH = { from: "watch" } as const;

  it("takes newer states, whoever brings them, and no older ones", () => {
    const cached = new CachedObject(widget("a", 10));
    assert.equal(cached.adopt(widget("a", 9), WATCH), "older");
    assert.equal(cached.adopt(widget("a", 12), WRITE), "newer");
    assert.equal(cached.adopt(widget("a", 11), WATCH), "older");
    assert.equal(cached.adopt(widget("a", 12), WATCH), "same");
    assert.equal(cached.adopt(widget("a", 11), { from: "read" }), "older");
    assert.equal(cached.adopt(widget("a", 13), { from: "read" }), "newer");
    assert.equal(cached.adopt(widget("a", 15), WRITE), "newer");
    assert.equal(cached.adopt(widget("a", 16), WATCH), "newer", "the event of a write is not waited for");
    assert.deepEqual(cached.object, widget("a", 16));
  });

  it("keeps aside what comes before the event of a write, where versions have no order", () => {
    const cached = new CachedObject(opaque("x"));
    assert.equal(cached.adopt(opaque("y"), WRITE), "newer");
    assert.equal(cached.waitsUntil, undefined);
    assert.equal(cached.adopt(opaque("w"), WATCH), "early");
    assert.equal(cached.waitsUntil, 100);
    assert.deepEqual(cached.object, opaque("y"));
    assert.equal(cached.adopt(opaque("y"), WATCH), "same");
    assert.equal(cached.waitsUntil, undefined);
    assert.equal(cached.adopt(opaque("z"), WATCH), "newer");
  });

  it("takes the newest of what was kept aside when its time is over", () => {
    const cached = new CachedObject(opaque("x"));
    cached.adopt(opaque("y"), WRITE);
    cached.adopt(opaque("v"), WATCH);
    cached.adopt(opaque("w"), WATCH);
    cached.takeSkipped(99);
    assert.deepEqual(cached.object, opaque("y"));
    cached.takeSkipped(100);
    assert.deepEqual(cached.object, opaque("w"));
    assert.equal(cached.adopt(opaque("u"), WATCH), "newer");
  });

  it("takes an older state of a server that was set back", () => {
    const cached = new CachedObject(widget("a", 10));
    cached.replace(widget("a", 4));
    assert.deepEqual(cached.object, widget("a", 4));
    assert.equal(cached.adopt(widget("a", 5), WATCH), "newer");
  });
});

describe("VersionOrder", () => {
  it("compares decimal versions, and only equality once the streams were out of order", () => {
    const order = new VersionOrder();
    const compared = (): string[] =>
      [["10", "9"], ["9", "10"], ["9", "9"]].map(([a, b]) => order.compare(a, b));
    assert.deepEqual(compared(), ["newer", "older", "same"]);
    assert.equal(order.compare("x", "9"), "unknown");
    assert.equal(order.compare(undefined, undefined), "unknown");
    order.distrust();
    assert.deepEqual(compared(), ["unknown", "unknown", "same"]);
  });

  it("compares versions as numbers of any length", () => {
    const order = new VersionOrder();
    assert.equal(order.compare("9", "10"), "older");
    assert.equal(order.compare("10", "9"), "newer");
    assert.equal(order.compare("10", "10"), "same");
    assert.equal(order.compare("90071992547409931234567890", "90071992547409931234567891"), "older");
    assert.equal(order.compare("007", "7"), "same");
    assert.equal(order.compare("0", "00"), "same");
  });

  it("knows nothing but equality where there is no order", () => {
    for (const odd of [undefined, "", "abc", "1.5", "-1", "1e3", " 1"]) {
      assert.equal(new VersionOrder().compare(odd, "1"), "unknown", String(odd));
      assert.equal(new VersionOrder().compare("1", odd), "unknown", String(odd));
    }
    assert.equal(new VersionOrder().compare("abc", "abc"), "same");
  });
});

function opaque(resourceVersion: string): KubeObject {
  return { metadata: { name: "a", resourceVersion } };
}

describe("ObjectStore, with a window", () => {
  const packing = { parsed: 2, shortest: 0 };

  function filled(): { store: ObjectStore; all: CachedObject[] } {
    const store = new ObjectStore(undefined, packing);
    return { store, all: ["a", "b", "c", "d"].map((name) => store.put(widget(name, 1)).cached) };
  }

  function packed(all: readonly CachedObject[]): boolean[] {
    return all.map(({ state }) => state.isPacked);
  }

  it("keeps the objects parsed that came or were read last, and packs the others", () => {
    const { store, all: [a, b, c, d] } = filled();
    const all = [a!, b!, c!, d!];
    assert.deepEqual(packed(all), [true, true, false, false]);
    assert.deepEqual(a!.object, widget("a", 1));
    assert.equal(a!.object, a!.object, "it stays parsed");
    assert.deepEqual(packed(all), [false, true, true, false]);
    store.put(widget("b", 2));
    assert.deepEqual(packed(all), [false, false, true, true]);
    for (const one of store.values()) assert.equal(one.object.metadata.uid, one.identity);
    assert.equal(packed(all).filter((is) => !is).length, 2, "whoever reads all of them parses two at a time");
  });

  it("asks for no parsed object where its version is known, and keeps the state that somebody holds", () => {
    const { store, all } = filled();
    const [a] = all;
    const held = a!.state;
    assert.equal(store.put(widget("a", 1)).adoption, "same");
    assert.equal(a!.adopt(widget("a", 0), { from: "read" }), "older");
    store.take(a!);
    assert.equal(store.sweep().length, 0);
    assert.deepEqual(packed(all), [true, true, false, false]);
    const { before } = store.put(widget("a", 2));
    assert.equal(before, held);
    assert.deepEqual(held.object, widget("a", 1));
    assert.deepEqual(a!.object, widget("a", 2));
  });

  it("packs the objects that it takes from another store by its own window", () => {
    const { all } = filled();
    const other = new ObjectStore(undefined, { parsed: 1, shortest: 0 });
    for (const each of all) other.take(each);
    assert.deepEqual(packed(all), [true, true, true, false]);
  });
});
