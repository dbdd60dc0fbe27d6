import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Store } from "../../../../lib/kits/apiserver/store.ts";
import {
  Lookup,
  ofClaim,
  ofController,
  ofLabel,
  ofNone,
  ofSelector,
} from "../../../../lib/kits/apiserver/workloads/lookup.ts";
import type { KubeObject } from "../../../../lib/model/object.ts";
import { virtualHost } from "../../../../lib/runtime/virtual/host.ts";

function object(name: string, metadata: object = {}, spec: object = {}): KubeObject {
  return {
    apiVersion: "v1",
    kind: "Thing",
    metadata: { name, namespace: "one", ...metadata },
    spec: { ...spec },
  };
}

const owned = (uid: string, controller = true) => ({
  ownerReferences: [{ apiVersion: "v1", kind: "Owner", name: uid, uid, controller }],
});

function lookupOf(name: string, objects: readonly KubeObject[]) {
  const store = new Store(virtualHost().clock);
  const collection = store.collection(name);
  const put = (each: KubeObject): void => void store.put(collection, `one/${each.metadata.name}`, each);
  for (const each of objects) put(each);
  const lookup = new Lookup(collection);
  store.onChange((change) => lookup.follow(change));
  const names = (found: ReturnType<Lookup["any"]>): unknown[] => found.map(({ metadata }) => metadata.name);
  return {
    put,
    remove: (key: string) => store.remove(collection, key),
    any: (...terms: readonly string[]) => names(lookup.any(terms)),
    rarest: (...terms: readonly string[]) => names(lookup.rarest(terms)),
  };
}

describe("Lookup", () => {
  it("finds objects by their controller, in order, as they come, change owners and go", () => {
    const { put, remove, any } = lookupOf("pods", [
      object("b", owned("x")),
      object("a", owned("x")),
      object("c"),
      object("d", owned("x", false)),
    ]);
    assert.deepEqual(any(ofController("x")), ["a", "b"]);
    assert.deepEqual(any(ofNone("one")), ["c", "d"]);
    assert.deepEqual(any(ofNone("one"), ofController("x")), ["a", "b", "c", "d"]);
    put(object("a", owned("y")));
    put(object("e", owned("x")));
    remove("one/b");
    assert.deepEqual([any(ofController("x")), any(ofController("y"))], [["e"], ["a"]]);
    assert.deepEqual(any(ofController("nobody")), []);
  });

  it("finds the objects with the rarest of some labels", () => {
    const { rarest } = lookupOf("pods", [
      object("a", { labels: { app: "shop", tier: "web" } }),
      object("b", { labels: { app: "shop" } }),
    ]);
    assert.deepEqual(rarest(ofLabel("one", ["app", "shop"]), ofLabel("one", ["tier", "web"])), ["a"]);
    assert.deepEqual(rarest(ofLabel("two", ["app", "shop"])), []);
  });

  it("finds Services by a label that they select, and volumes by their claim", () => {
    const services = lookupOf("services", [
      object("all", {}, { selector: {} }),
      object("none"),
      object("shop", {}, { selector: { app: "shop", tier: "web" } }),
    ]);
    assert.deepEqual(services.any(ofSelector("one"), ofSelector("one", ["app", "shop"])), ["all", "shop"]);
    const alike = lookupOf("services", [
      object("a", {}, { selector: { app: "shop", shard: "a" } }),
      object("b", {}, { selector: { app: "shop", shard: "b" } }),
      object("c", {}, { selector: { app: "shop", shard: "c" } }),
    ]);
    const ofB = [["app", "shop"], ["shard", "b"]].map((pair) => ofSelector("one", pair as [string, string]));
    assert.deepEqual(alike.any(...ofB), ["a", "b"]); // the first one by a label that all have
    const volumes = lookupOf("persistentvolumes", [
      object("free"),
      object("taken", {}, { claimRef: { namespace: "one", name: "data" } }),
    ]);
    assert.deepEqual(volumes.any(ofClaim()), ["free"]);
    assert.deepEqual(volumes.any(ofClaim({ namespace: "one", name: "data" })), ["taken"]);
  });
});
