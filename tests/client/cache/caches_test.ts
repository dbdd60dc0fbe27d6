import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Caches } from "../../../lib/client/cache/caches.ts";
import { ObjectStore } from "../../../lib/client/cache/object_store.ts";
import { BY_OWNER } from "../../../lib/client/cache/store_index.ts";
import { PODS } from "../../../lib/model/kinds.ts";
import type { KubeObject } from "../../../lib/model/object.ts";

function pod(name: string, namespace: string, version = 1): KubeObject {
  const ownerReferences = [{ apiVersion: "v1", kind: "Owner", name: "o", uid: "o" }];
  const metadata = { name, namespace, uid: `${namespace}/${name}`, ownerReferences };
  return { metadata: { ...metadata, resourceVersion: String(version) } };
}

function informer(...objects: readonly KubeObject[]) {
  const store = new ObjectStore();
  for (const object of objects) store.put(object);
  return { store, phase: "synced" as "synced" | "starting", accepts: () => true };
}

describe("Caches", () => {
  it("finds objects in the store of their namespace, or of all", () => {
    const caches = new Caches();
    caches.add(PODS, "a", informer(pod("one", "a")));
    caches.add(PODS, "b", informer(pod("one", "b")));
    assert.equal(caches.find(PODS, { namespace: "b", name: "one" })?.object.metadata.uid, "b/one");
    assert.equal(caches.get(PODS, pod("one", "a"))?.object.metadata.uid, "a/one");
    assert.equal(caches.find(PODS, { namespace: "c", name: "one" }), undefined);
    assert.equal(caches.find({ ...PODS, plural: "others" }, { namespace: "a", name: "one" }), undefined);
    assert.equal([...caches.values(PODS)].length, 2);
    assert.deepEqual([...caches.by(PODS, BY_OWNER, "o")].map(({ object }) => object.metadata.uid), [
      "a/one",
      "b/one",
    ]);
    for (const scope of ["", "*"]) {
      const wide = new Caches();
      wide.add(PODS, scope, informer(pod("one", "a")));
      assert.equal(wide.find(PODS, { namespace: "a", name: "one" })?.object.metadata.uid, "a/one");
    }
  });

  it("says whether all objects of a kind are known", () => {
    const caches = new Caches();
    assert.equal(caches.isSynced(PODS), false);
    const [first, second] = [informer(), { ...informer(), phase: "starting" as const }];
    caches.add(PODS, "a", first);
    assert.equal(caches.isSynced(PODS), true);
    caches.add(PODS, "b", second);
    assert.equal(caches.isSynced(PODS), false);
    caches.remove(PODS, "b", second.store);
    assert.equal(caches.isSynced(PODS), true);
  });

  it("forgets a store only if no other has taken its place", () => {
    const caches = new Caches();
    const [first, second] = [informer(pod("one", "a")), informer(pod("two", "a"))];
    caches.add(PODS, "", first);
    caches.add(PODS, "", second);
    caches.remove(PODS, "", first.store);
    assert.equal([...caches.values(PODS)].length, 1);
    caches.remove(PODS, "", second.store);
    assert.deepEqual(caches.resources, []);
  });

  it("takes what the server has answered, never goes back, and tells of it", () => {
    const caches = new Caches();
    const told: string[] = [];
    caches.onAnswered = (_, { adoption, before }, { author }) =>
      told.push(`${adoption} ${before?.version} ${author}`);
    caches.add(PODS, "a", {
      ...informer(pod("one", "a", 5)),
      accepts: ({ metadata }) => metadata.name !== "hidden",
    });
    const answer = { sent: undefined, author: "u" };
    for (const version of [7, 6]) caches.answer(PODS, pod("one", "a", version), answer);
    for (const name of ["new", "hidden"]) caches.answer(PODS, pod(name, "a", 8), answer);
    caches.answer(PODS, pod("new", "elsewhere", 8), answer);
    assert.deepEqual(told, ["newer 5 u", "older 7 u", "newer undefined u"]);
    assert.equal(caches.find(PODS, { namespace: "a", name: "one" })?.object.metadata.resourceVersion, "7");
    assert.equal(caches.find(PODS, { namespace: "a", name: "new" })?.object.metadata.resourceVersion, "8");
    assert.equal(caches.find(PODS, { namespace: "a", name: "hidden" }), undefined);
  });

  it("tells of newer states that neither a watch nor an answer has brought", () => {
    const caches = new Caches();
    const told: (string | undefined)[] = [];
    caches.onAdopted = (_, { cached, before }) =>
      told.push(before?.version, cached.object.metadata.resourceVersion);
    const known = informer(pod("one", "a", 1));
    caches.add(PODS, "a", known);
    const cached = caches.get(PODS, pod("one", "a"));
    known.store.put(pod("one", "a", 2));
    cached?.adopt(pod("one", "a", 3), { from: "read" });
    cached?.adopt(pod("one", "a", 4), { from: "write", until: 0 });
    caches.answer(PODS, pod("one", "a", 5), { sent: undefined, author: undefined });
    known.store.remove(pod("one", "a", 6));
    cached?.adopt(pod("one", "a", 7), { from: "read" });
    assert.deepEqual(told, ["2", "3", "3", "4"]);
  });

  it("[N21.7] takes no late answer about an object that has gone: it would stay for ever", () => {
    const caches = new Caches();
    const known = informer(pod("one", "a", 5));
    caches.add(PODS, "*", known);
    known.store.remove(pod("one", "a", 7));
    caches.answer(PODS, pod("one", "a", 6), { sent: undefined, author: undefined });
    assert.equal(caches.find(PODS, { namespace: "a", name: "one" }), undefined);
    caches.answer(PODS, pod("two", "a", 8), { sent: undefined, author: undefined });
    assert.equal(caches.find(PODS, { namespace: "a", name: "two" })?.object.metadata.name, "two");
  });
});
