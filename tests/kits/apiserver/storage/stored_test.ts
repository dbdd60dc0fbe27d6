import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Stored } from "../../../../lib/kits/apiserver/storage/stored.ts";
import type { KubeObject } from "../../../../lib/model/object.ts";

const OWNERS = [{ manager: "me", operation: "Update", apiVersion: "v1", fieldsV1: { "f:data": {} } }];

function map(more: Partial<KubeObject> = {}): KubeObject {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "a", labels: { app: "x" }, managedFields: OWNERS },
    data: { text: "ä", "__proto__": "b" },
    size: 2n ** 60n,
    ...more,
  };
}

function settled(object: KubeObject): Stored {
  const stored = new Stored(object, 7);
  stored.settle((parts) => parts);
  return stored;
}

describe("A stored object that is settled", () => {
  it("is what it was", () => {
    const { object, metadata, labels, version } = settled(map());
    assert.deepEqual(object, map());
    assert.deepEqual([metadata, labels, version], [map().metadata, { app: "x" }, 7]);
    assert.equal(metadata.managedFields, OWNERS);
    assert.deepEqual(settled({ metadata: { name: "b" } }).object, { metadata: { name: "b" } });
  });

  it("is written as when it was fresh, but for the order of fields", () => {
    for (const object of [map(), { metadata: { name: "b" } }, map({ metadata: { name: "c" } })]) {
      const [now, before] = [settled(object), new Stored(object, 7)].map(({ text }) =>
        JSON.parse(`{${text}`)
      );
      assert.deepEqual(now, before);
    }
    const bytes = settled(map()).line("{", "\n");
    assert.equal(new TextDecoder().decode(bytes), `{${settled(map()).text}\n`);
  });

  it("shares what others of its kind have, too", () => {
    const common = { apiVersion: "v1", kind: "ConfigMap", labels: { app: "x" } };
    const stored = new Stored(map(), 7);
    stored.settle(() => common);
    assert.equal(stored.labels, common.labels);
  });

  it("has another version where it is shown as gone", () => {
    assert.equal(settled(map()).at(9).object.metadata.resourceVersion, "9");
  });
});
