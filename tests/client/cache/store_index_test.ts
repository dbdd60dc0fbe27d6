import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  BY_NAME,
  BY_OWNER,
  type IndexedEntry,
  nameKey,
  StoreIndex,
} from "../../../lib/client/cache/store_index.ts";
import { ObjectStore } from "../../../lib/client/cache/object_store.ts";
import type { KubeObject } from "../../../lib/model/object.ts";

function pod(name: string, version: number, node: string | undefined = "n1"): KubeObject {
  return { metadata: { name, uid: name, namespace: "ns", resourceVersion: String(version) }, spec: { node } };
}

const BY_NODE = {
  keysOf: ({ spec }: KubeObject): readonly string[] => {
    const { node } = spec as { node?: string };
    return node === undefined ? [] : [node];
  },
};

function names(store: ObjectStore, key: string): (string | undefined)[] {
  return [...store.by(BY_NODE, key)].map(({ object }) => object.metadata.name);
}

function entry(name: string): IndexedEntry {
  return { object: pod(name, 1), keys: undefined };
}

describe("StoreIndex", () => {
  it("follows what watches bring, what writes answer, what is taken over, and what goes", () => {
    const store = new ObjectStore();
    store.put(pod("a", 1));
    assert.deepEqual(names(store, "n1"), ["a"]);
    const { cached } = store.put(pod("b", 2));
    store.put(pod("a", 3, "n2"));
    assert.deepEqual([names(store, "n1"), names(store, "n2")], [["b"], ["a"]]);
    cached.adopt(pod("b", 4, "n2"), { from: "read" });
    assert.deepEqual([names(store, "n1"), names(store, "n2")], [[], ["a", "b"]]);
    store.put(pod("b", 5, undefined));
    assert.deepEqual(names(store, "n2"), ["a"]);
    const other = new ObjectStore();
    assert.deepEqual(names(other, "n3"), []);
    other.take(cached);
    cached.adopt(pod("b", 6, "n3"), { from: "read" });
    assert.deepEqual([names(other, "n3"), names(store, "n3")], [["b"], []]);
    store.beginListing();
    store.put(pod("c", 7, "n2"));
    store.sweep();
    assert.deepEqual(names(store, "n2"), ["c"]);
    store.remove(pod("c", 8, "n2"));
    assert.deepEqual(names(store, "n2"), []);
  });

  it("has the keys of an object that has moved, though its state is the same, in each of several indexes", () => {
    const byName = { keysOf: ({ metadata: { name = "" } }: KubeObject) => [name] };
    const found = (store: ObjectStore, byNodeFirst: boolean): number[] => {
      const node = () => [...store.by(BY_NODE, "n1")].length;
      const name = () => [...store.by(byName, "a")].length;
      return byNodeFirst ? [node(), name()] : [name(), node()];
    };
    // NB: indexes have the numbers of the order in which they are asked first.
    for (const order of [true, false]) {
      const [first, second] = [new ObjectStore(), new ObjectStore()];
      const { cached } = first.put(pod("a", 1));
      assert.deepEqual(found(first, true), [1, 1]);
      assert.deepEqual(found(second, order), [0, 0]);
      second.take(cached);
      assert.deepEqual(found(second, order), [1, 1]);
      second.remove(pod("a", 2));
      assert.deepEqual(found(second, order), [0, 0]);
    }
  });

  it("finds one object, several, and one again under a key, whatever lists of keys are given", () => {
    const keys: Record<string, string[]> = { a: ["x"], b: ["x", "y", "x"], c: ["y"] };
    const index = new StoreIndex({ keysOf: ({ metadata: { name = "" } }) => keys[name] ?? [] }, 0);
    const [a, b, c] = ["a", "b", "c"].map((name) => entry(name));
    const under = (key: string): string =>
      [...index.get(key)].map(({ object }) => object.metadata.name).join(" ");
    assert.equal(under("x"), "");
    index.put(b!);
    assert.deepEqual([under("x"), under("y")], ["b", "b"]);
    index.put(a!);
    index.put(c!);
    assert.deepEqual([under("x"), under("y")], ["b a", "b c"]);
    keys.b?.splice(0, 3, "z"); // NB: the same list, which somebody has changed.
    index.put(b!);
    assert.deepEqual([under("x"), under("y"), under("z")], ["a", "c", "b"]);
    for (const each of [a, b, c, c]) index.remove(each!);
    assert.deepEqual(["x", "y", "z"].map(under), ["", "", ""]);
    index.put(a!);
    assert.equal(under("x"), "a");
  });

  it("finds many objects under a key, and forgets them one by one", () => {
    const index = new StoreIndex({ keysOf: () => ["x"] }, 0);
    const all = Array.from({ length: 100 }, (_, number) => entry(String(number)));
    for (const each of all) index.put(each);
    assert.deepEqual([...index.get("x")], all);
    for (const [number, each] of all.entries()) {
      index.remove(each);
      assert.deepEqual([...index.get("x")], all.slice(number + 1));
    }
  });

  it("looks at each object once, and at none when it is asked, however many there are", () => {
    const store = new ObjectStore();
    for (let number = 0; number < 20_000; number++) store.put(pod(`${number}`, 1, `n${number % 2000}`));
    let looks = 0;
    const keysOf = (object: KubeObject): readonly string[] => (looks += 1, BY_NODE.keysOf(object));
    const by = { keysOf };
    assert.equal([...store.by(by, "n7")].length, 10);
    assert.equal(looks, 20_000);
    for (let number = 0; number < 20_000; number++) {
      assert.equal([...store.by(by, `n${number % 2000}`)].length, 10);
    }
    assert.equal(looks, 20_000, "asking costs none");
    store.put(pod("7", 2, "n8"));
    assert.ok(looks - 20_000 <= 2, `${looks - 20_000} looks for one change`);
    assert.deepEqual([[...store.by(by, "n7")].length, [...store.by(by, "n8")].length], [9, 11]);
  });

  it("takes what throws for an object without keys, and says so", () => {
    const errors: unknown[] = [];
    const index = new StoreIndex({
      keysOf: () => {
        throw new Error("own fault");
      },
      onError: (error) => errors.push((error as Error).message),
    }, 0);
    index.put(entry("a"));
    assert.deepEqual(errors, ["own fault"]);
  });
});

describe("BY_NAME and BY_OWNER", () => {
  it("know objects by name and namespace, and by their owners, whatever strangers write there", () => {
    assert.deepEqual(BY_NAME.keysOf(pod("a", 1)), [nameKey({ namespace: "ns", name: "a" })]);
    const owned = (ownerReferences: unknown): KubeObject => ({ metadata: { ownerReferences } } as KubeObject);
    assert.deepEqual(BY_OWNER.keysOf(owned([{ uid: "u" }, { uid: 5 }, null, { uid: "v" }])), ["u", "v"]);
    assert.deepEqual([undefined, null, "u", {}].map((each) => BY_OWNER.keysOf(owned(each))), [
      [],
      [],
      [],
      [],
    ]);
  });
});
