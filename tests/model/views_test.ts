import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { inspect } from "node:util";
import type { JsonObject, KubeObject } from "../../lib/model/object.ts";
import { liveViews, readOnly, snapshotViews } from "../../lib/model/views.ts";

const make = (): KubeObject => ({
  metadata: { name: "a", labels: { l: "1" }, annotations: { a: "1" } },
  spec: { size: 1, deep: { list: [1] } },
  status: { state: "Ready" },
});

describe("snapshotViews()", () => {
  it("[A133] shows missing stanzas as empty, without making them", () => {
    const body = { apiVersion: "v1" } as unknown as KubeObject; // from a stranger
    const { spec, status, meta, labels, annotations } = snapshotViews(body);
    assert.deepEqual([spec, status, meta, labels, annotations], [{}, {}, {}, {}, {}]);
    assert.equal(
      meta.uid ?? meta.name ?? meta.namespace ?? meta.creationTimestamp ?? meta.deletionTimestamp,
      undefined,
    );
    const live = liveViews(() => body);
    for (const view of [live.spec, live.status, live.meta, live.labels, live.annotations]) {
      assert.deepEqual({ ...view }, {});
    }
    assert.deepEqual(body, { apiVersion: "v1" });
  });

  it("shows the body's parts, as plain objects", () => {
    const views = snapshotViews(make());
    assert.deepEqual(views.body, make());
    assert.deepEqual([views.spec, views.status], [make().spec, make().status]);
    assert.deepEqual([views.labels, views.annotations], [{ l: "1" }, { a: "1" }]);
    assert.equal(views.meta.name, "a");
    assert.deepEqual(structuredClone(views.spec), make().spec);
  });

  it("refuses changes at any depth", () => {
    const views = snapshotViews<JsonObject, JsonObject>(make());
    assert.throws(() => ((views.spec as JsonObject).size = 2), TypeError);
    assert.throws(() => (views.spec as { deep: { list: number[] } }).deep.list.push(2), TypeError);
    assert.throws(() => ((views.labels as Record<string, string>).x = "1"), TypeError);
    assert.throws(() => ((snapshotViews({ metadata: {} }).status as JsonObject).x = 1), TypeError);
    assert.deepEqual(views.body, make());
  });

  it("takes stanzas that are no objects for empty", () => {
    const body = { metadata: { labels: "x" }, spec: "text", status: [1] } as unknown as KubeObject; // from a stranger
    const { spec, status, labels } = snapshotViews(body);
    assert.deepEqual([spec, status, labels], [{}, {}, {}]);
  });
});

describe("liveViews()", () => {
  it("show the newest state, destructured or not", () => {
    let body = make();
    const views = liveViews<JsonObject, JsonObject>(() => body);
    const { spec, status, meta, labels, annotations } = views;
    body = { metadata: { name: "b", labels: { l: "2", m: "3" } }, spec: { size: 2 } };
    assert.equal(spec.size, 2);
    assert.equal(meta.name, "b");
    assert.equal(labels.m, "3");
    assert.equal(status.state, undefined);
    assert.equal(annotations.a, undefined);
    assert.equal(views.body.metadata.name, "b");
  });

  it("behave as objects: keys, spreading, JSON, deep equality, membership", () => {
    let body = make();
    const { spec, body: whole } = liveViews<JsonObject, JsonObject>(() => body);
    body = { metadata: { name: "c" }, spec: { size: 3, more: null } };
    assert.deepEqual(Object.keys(spec), ["size", "more"]);
    assert.deepEqual({ ...spec }, { size: 3, more: null });
    assert.equal(JSON.stringify(whole), '{"metadata":{"name":"c"},"spec":{"size":3,"more":null}}');
    assert.ok("size" in spec && !("deep" in spec) && Object.hasOwn(spec, "more"));
    assert.equal(String(spec), "[object Object]");
  });

  it("show consoles the newest state", () => {
    let body = make();
    const { spec } = liveViews<JsonObject, JsonObject>(() => body);
    body = { metadata: {}, spec: { size: 4 } };
    assert.match(inspect(spec), /size: 4/);
  });

  it("refuse changes at any depth", () => {
    const body = make();
    const { spec, labels } = liveViews<JsonObject, JsonObject>(() => body);
    const writable = spec as JsonObject;
    assert.throws(() => (writable.size = 2), { name: "TypeError", message: /read-only/ });
    assert.throws(() => delete writable.size, TypeError);
    assert.throws(() => Object.defineProperty(writable, "x", { value: 1 }), TypeError);
    assert.throws(() => Object.setPrototypeOf(writable, null), TypeError);
    assert.throws(() => ((labels as Record<string, string>).l = "2"), TypeError);
    assert.throws(() => (spec as { deep: { list: number[] } }).deep.list.push(2), TypeError);
    assert.deepEqual(body, make());
  });

  it("give own keys only, __proto__ among them", () => {
    const body: KubeObject = { metadata: {}, spec: JSON.parse('{"__proto__":{"a":1},"constructor":2}') };
    const { spec } = liveViews<JsonObject, JsonObject>(() => body);
    assert.deepEqual(spec["__proto__"], { a: 1 });
    assert.equal(spec.constructor as unknown, 2);
    assert.deepEqual(Object.keys(spec), ["__proto__", "constructor"]);
  });
});

describe("readOnly()", () => {
  it("gives the value itself, frozen", () => {
    const value = { a: { b: 1 } };
    assert.equal(readOnly(value), value);
    assert.ok(Object.isFrozen(value.a));
    assert.equal(readOnly(undefined), undefined);
    assert.equal(readOnly(5), 5);
  });
});
