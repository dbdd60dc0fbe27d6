import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { CachedObject } from "../../lib/client/cache/object_store.ts";
import { objectKey, ObjectState } from "../../lib/execution/object_state.ts";
import type { KubeObject } from "../../lib/model/object.ts";
import type { Resource } from "../../lib/model/resource.ts";

const resource: Resource = {
  group: "lotse.test",
  version: "v1",
  plural: "examples",
  kind: "Example",
  singular: "",
  shortcuts: [],
  categories: [],
  namespaced: true,
  preferred: true,
  verbs: [],
  subresources: [],
};
const WATCH = { from: "watch" } as const;

function body(version: number): KubeObject {
  return { metadata: { name: "one", resourceVersion: String(version) } };
}

function makeState(version = 1): ObjectState {
  const kind = { resource, reportOnce: () => true };
  return new ObjectState({ cached: new CachedObject(body(version)), kind, memo: {}, firstSeen: "listing" });
}

describe("ObjectState", () => {
  it("keeps showing a reconcile the state that it began with, while the body moves on", () => {
    const state = makeState();
    assert.deepEqual(state.begin(0), { before: undefined, after: body(1) });
    state.cached.adopt(body(2), WATCH);
    assert.deepEqual([state.snapshot, state.body], [body(1), body(2)]);
    assert.equal(state.hasNews, true);
    assert.deepEqual(state.begin(0), { before: body(1), after: body(2) });
    assert.deepEqual([state.snapshot, state.hasNews], [body(2), false]);
    assert.equal(state.begin(0), undefined);
  });

  it("takes what was kept aside after a write when a reconcile begins after its time", () => {
    const opaque = (resourceVersion: string): KubeObject => ({ metadata: { name: "one", resourceVersion } });
    const state = makeState();
    state.cached.adopt(opaque("x"), { from: "write", until: 5 });
    state.cached.adopt(opaque("y"), WATCH);
    assert.deepEqual(state.begin(4)?.after, opaque("x"));
    assert.deepEqual(state.begin(5)?.after, opaque("y"));
  });

  it("takes an older state only if the server was set back, which outlasts a conflict", () => {
    const state = makeState(5);
    state.distrust("conflict");
    state.resolve(body(4));
    assert.deepEqual([state.body, state.doubt], [body(5), undefined]);
    state.distrust("restored");
    state.distrust("conflict");
    assert.equal(state.doubt, "restored");
    state.resolve(body(4));
    assert.deepEqual([state.body, state.doubt], [body(4), undefined]);
  });

  it("is absent until it is read again, and what was known by then is no news", () => {
    const state = makeState();
    state.begin(0);
    state.cached.adopt(body(2), WATCH);
    state.resolve(undefined);
    assert.deepEqual([state.isAbsent, state.hasNews], [true, false]);
    state.cached.adopt(body(3), WATCH);
    assert.deepEqual([state.isAbsent, state.hasNews], [true, true]);
    state.resolve(body(3));
    assert.equal(state.isAbsent, false);
  });

  it("reports everything once", () => {
    const [one, other] = [makeState(), makeState()];
    assert.deepEqual(["a", "a", "b"].map((what) => one.reportOnce(what)), [true, false, true]);
    assert.equal(other.reportOnce("a"), true);
  });
});

describe("objectKey()", () => {
  it("[A201] [B244] tells objects without a uid apart by kind, namespace and name", () => {
    const object = { metadata: { namespace: "a", name: "x" } };
    const keys = [
      objectKey(resource, object),
      objectKey({ ...resource, plural: "others" }, object),
      objectKey({ ...resource, group: "other.test" }, object),
      objectKey(resource, { metadata: { namespace: "b", name: "x" } }),
      objectKey(resource, { metadata: { namespace: "a", name: "y" } }),
      objectKey(resource, { metadata: { namespace: "a", name: "x", uid: "u" } }),
    ];
    assert.equal(new Set(keys).size, keys.length);
    assert.equal(objectKey(resource, { ...object, spec: { any: 1 } }), objectKey(resource, object));
  });
});

describe("the fields of ObjectState", () => {
  const ROOT = new URL("../../lib/", import.meta.url);

  function sources(folder: URL): (readonly [path: string, text: string])[] {
    return readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .map((name) => [name.replaceAll("\\", "/"), readFileSync(new URL(name, folder), "utf8")] as const);
  }

  it("are thirteen at most, each with one writer", () => {
    const text = readFileSync(new URL("execution/object_state.ts", ROOT), "utf8");
    const declared = text.slice(text.indexOf("export class ObjectState {"), text.indexOf("  constructor("));
    const fields = [...declared.matchAll(/^ {2}(readonly )?(#?\w+)(?=[:= ])/gm)];
    assert.ok(fields.length > 5 && fields.length <= 13, `${fields.length} fields`);
    // What is private is written by the class alone; what is readonly, by nobody.
    const open = fields.flatMap(([, isReadonly, name = ""]) =>
      isReadonly || name.startsWith("#") ? [] : [name]
    );
    for (const name of open) {
      const writers = sources(ROOT).filter(([, source]) => new RegExp(`\\.${name} (\\?\\?)?= `).test(source));
      assert.equal(writers.length, 1, `"${name}" is written by ${writers.map(([path]) => path).join(", ")}`);
    }
  });
});
