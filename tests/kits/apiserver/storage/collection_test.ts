import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  type Change,
  Collection,
  lowerBound,
  rangeOf,
} from "../../../../lib/kits/apiserver/storage/collection.ts";
import { Stored } from "../../../../lib/kits/apiserver/storage/stored.ts";

/** Writes objects into a collection, one version after the other. */
class Writer {
  readonly collection = new Collection("things");
  version = 0;
  time = 0;

  put(key: string): Stored {
    const current = new Stored({ metadata: { name: key } }, ++this.version);
    this.#apply(key, current);
    return current;
  }

  remove(key: string): void {
    this.version++;
    this.#apply(key, undefined);
  }

  keysAt(version: number): readonly string[] | undefined {
    return this.collection.at(version)?.keys.slice();
  }

  #apply(key: string, current: Stored | undefined): void {
    const { version, time, collection } = this;
    collection.apply({ version, key, time, previous: collection.get(key), current });
  }
}

describe("Collection", () => {
  it("keeps only the text of all but its newest thousand objects", () => {
    const writer = new Writer();
    const [old, ...others] = Array.from({ length: 1002 }, (_, i) => writer.put(`a${i}`));
    assert.notEqual(old?.object, old?.object);
    assert.equal(others.at(-1)?.object, others.at(-1)?.object);
    assert.deepEqual(old?.object, { metadata: { name: "a0" } });
  });

  it("keeps its keys in order, whatever the order of writing", () => {
    const writer = new Writer();
    for (const key of ["b/x", "a/y", "a/x", "c/z", "a-b/x"]) writer.put(key);
    writer.remove("a/y");
    assert.deepEqual(writer.keysAt(writer.version), ["a-b/x", "a/x", "b/x", "c/z"]);
  });

  it("selects a namespace and no other that begins alike", () => {
    const writer = new Writer();
    for (const key of ["a-b/x", "a/x", "a/z", "aa/x", "a0/x"]) writer.put(key);
    const { collection } = writer;
    assert.deepEqual(
      collection.select(collection.present(), "a/").map(({ object }) => object.metadata.name),
      ["a/x", "a/z"],
    );
  });

  it("at() undoes changes, creations and removals alike", () => {
    const writer = new Writer();
    const first = writer.put("a");
    writer.put("b");
    const then = writer.version;
    writer.remove("b");
    writer.put("a");
    writer.put("c");
    assert.deepEqual(writer.keysAt(then), ["a", "b"]);
    assert.equal(writer.collection.at(then)?.get("a"), first);
    assert.deepEqual(writer.keysAt(writer.version), ["a", "c"]);
  });

  it("since() gives exactly the later changes", () => {
    const writer = new Writer();
    for (const key of ["a", "b", "c"]) writer.put(key);
    assert.deepEqual(writer.collection.since(1)?.map(({ key }) => key), ["b", "c"]);
    assert.deepEqual(writer.collection.since(3), []);
  });

  it("compact() forgets what was before, and keeps what came after", () => {
    const writer = new Writer();
    for (const key of ["a", "b", "c"]) writer.put(key);
    writer.collection.compact(2);
    assert.equal(writer.collection.since(1), undefined);
    assert.equal(writer.collection.at(1), undefined);
    assert.deepEqual(writer.collection.since(2)?.map(({ key }) => key), ["c"]);
  });

  it("forgets changes older than five minutes, but never the last hundred", () => {
    const writer = new Writer();
    for (let i = 0; i < 150; i++) writer.put("a");
    assert.equal(writer.collection.since(0)?.length, 150);
    writer.time = 300_001;
    writer.put("b");
    assert.equal(writer.collection.since(0), undefined);
    assert.equal(writer.collection.since(51)?.length, 100);
    assert.equal(writer.collection.since(50), undefined);
  });

  it("tells listeners of each change, in order", () => {
    const writer = new Writer();
    const seen: string[] = [];
    const listener = {
      offer: ({ key, current }: Change) => void seen.push(current === undefined ? `-${key}` : key),
    };
    writer.collection.listeners.add(listener);
    writer.put("a");
    writer.remove("a");
    writer.collection.listeners.delete(listener);
    writer.put("b");
    assert.deepEqual(seen, ["a", "-a"]);
  });
});

describe("lowerBound() and rangeOf()", () => {
  it("find where keys begin and end", () => {
    const keys = ["a/x", "b/x", "b/y", "c/x"];
    assert.equal(lowerBound(keys, "b/xx"), 2);
    assert.equal(lowerBound(keys, "z"), 4);
    assert.deepEqual(rangeOf(keys, "b/"), [1, 3]);
    assert.deepEqual(rangeOf(keys, ""), [0, 4]);
    assert.deepEqual(rangeOf(keys, "d/"), [4, 4]);
  });
});
