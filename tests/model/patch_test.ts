import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../../lib/model/object.ts";
import { Patch } from "../../lib/model/patch.ts";

interface Spec {
  engine: string;
  replicas?: number;
  storage?: { size: string; class?: string };
}
interface Status {
  state?: string;
  conditions?: { type: string; status: string }[];
}

describe("Patch", () => {
  it("[A217] stays empty when it is only read", () => {
    const patch = new Patch();
    assert.equal(patch.spec.get, undefined);
    assert.equal(patch.status.conditions, undefined);
    assert.equal(patch.metadata.labels.a, undefined);
    assert.equal(patch.meta.annotations.a, undefined);
    assert.equal(patch.meta.finalizers, undefined);
    assert.ok(patch.isEmpty);
    assert.deepEqual(patch.toMergePatch(), {});
  });

  it("collects what is written into its sections", () => {
    const patch = new Patch<Spec, Status>();
    patch.status.state = "Ready";
    patch.spec.replicas = null;
    patch.spec.storage = { size: "1Gi", class: null };
    patch.metadata.labels.a = "b";
    patch.meta.annotations["example.com/x"] = null;
    assert.ok(!patch.isEmpty);
    assert.deepEqual(patch.toMergePatch(), {
      status: { state: "Ready" },
      spec: { replicas: null, storage: { size: "1Gi", class: null } },
      metadata: { labels: { a: "b" }, annotations: { "example.com/x": null } },
    });
  });

  it("takes whole sections, null among them", () => {
    const patch = new Patch<Spec, Status>();
    const status: Status = { state: "Ready" };
    patch.status = status;
    patch.status.state = "Failed";
    assert.equal(status.state, "Ready", "the user's object is not written into");
    patch.spec = null;
    assert.deepEqual(patch.toMergePatch(), { spec: null, status: { state: "Failed" } });
    patch.spec = { engine: "mysql" };
    patch.status = { conditions: [] };
    assert.deepEqual(patch.toMergePatch(), { spec: { engine: "mysql" }, status: { conditions: [] } });
    patch.clear();
    patch.metadata = { labels: { a: "1" } };
    assert.deepEqual(patch.toMergePatch(), { metadata: { labels: { a: "1" } } });
    patch.meta = null;
    assert.deepEqual(patch.toMergePatch(), { metadata: null });
  });

  it("leaves out empty labels and annotations of the metadata only", () => {
    const patch = new Patch();
    patch.metadata = { labels: {}, annotations: {}, name: "x" };
    patch.status = { labels: {} };
    assert.deepEqual(patch.toMergePatch(), { metadata: { name: "x" }, status: { labels: {} } });
  });

  it("deletes a whole section also after it was read", () => {
    const patch = new Patch();
    patch.status.a = 1;
    patch.status = null;
    assert.equal(patch.status.a, undefined);
    assert.ok(!patch.isEmpty);
    assert.deepEqual(patch.toMergePatch(), { status: null });
  });

  it("keeps references to its sections good", () => {
    const patch = new Patch();
    const { status, meta } = patch;
    patch.status = { a: 1 };
    patch.merge({ status: { b: 2 }, metadata: { labels: { x: "1" } } });
    status.c = 3;
    meta.labels.y = "2";
    assert.deepEqual(patch.toMergePatch(), {
      status: { a: 1, b: 2, c: 3 },
      metadata: { labels: { x: "1", y: "2" } },
    });
    const same = patch.status;
    patch.status = same;
    assert.deepEqual(patch.toMergePatch().status, { a: 1, b: 2, c: 3 });
  });

  it("merges raw patches, for other stanzas too, nulls included", () => {
    const patch = new Patch({ data: { a: "1" }, spec: { x: { y: 1 } } });
    patch.merge({ data: { b: null }, spec: { x: { z: 2 } }, roleRef: null });
    patch.merge({ metadata: null });
    assert.deepEqual(patch.toMergePatch(), {
      data: { a: "1", b: null },
      spec: { x: { y: 1, z: 2 } },
      roleRef: null,
      metadata: null,
    });
  });

  it("does not lose what untyped code sets on it directly", () => {
    const patch = new Patch();
    (patch as unknown as JsonObject)["data"] = { a: "1" };
    assert.ok(!patch.isEmpty);
    assert.deepEqual(patch.toMergePatch(), { data: { a: "1" } });
    patch.clear();
    assert.deepEqual(patch.toMergePatch(), {});
  });

  it("gives an own copy", () => {
    const patch = new Patch();
    patch.status.list = [{ a: 1 }];
    const copy = patch.toMergePatch() as { status: { list: { a: number }[] } };
    copy.status.list.push({ a: 2 });
    assert.deepEqual(patch.toMergePatch(), { status: { list: [{ a: 1 }] } });
  });

  it("counts functions, and forgets everything when cleared", () => {
    const patch = new Patch();
    patch.fns.push((body) => void (body.x = 1));
    assert.ok(!patch.isEmpty);
    patch.status.a = 1;
    patch.spec = null;
    patch.clear();
    assert.ok(patch.isEmpty);
    assert.deepEqual([patch.fns, patch.toMergePatch()], [[], {}]);
  });

  it("leaves out what is undefined, and says where something cannot be JSON", () => {
    const patch = new Patch();
    patch.status.a = undefined;
    assert.ok(patch.isEmpty);
    patch.status.at = new Date(0);
    assert.deepEqual(patch.toMergePatch(), { status: { at: "1970-01-01T00:00:00.000Z" } });
    patch.status.ratio = { x: 0 / 0 };
    assert.ok(!patch.isEmpty);
    assert.throws(() => patch.toMergePatch(), { name: "TypeError", message: /"status\.ratio\.x".*NaN/ });
  });

  it("takes __proto__ and constructor for keys", () => {
    const patch = new Patch();
    const hostile: JsonObject = JSON.parse(
      '{"status":{"__proto__":{"polluted":1}},"__proto__":{"polluted":2}}',
    );
    patch.merge(hostile);
    patch.status["__proto__"] = { polluted: 3 };
    patch.metadata.labels["__proto__"] = "x";
    patch.spec["constructor"] = { prototype: { polluted: 4 } } as never;
    const merged = patch.toMergePatch();
    assert.equal(
      JSON.stringify(merged),
      '{"status":{"__proto__":{"polluted":3}},"__proto__":{"polluted":2},' +
        '"metadata":{"labels":{"__proto__":"x"}},"spec":{"constructor":{"prototype":{"polluted":4}}}}',
    );
    assert.equal(({} as JsonObject).polluted, undefined);
  });

  it("takes patches of typed objects where a patch of any object is wanted", () => {
    const take = (patch: Patch): boolean => patch.isEmpty;
    assert.ok(take(new Patch<Spec, Status>()));
  });
});
