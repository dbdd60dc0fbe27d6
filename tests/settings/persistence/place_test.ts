import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject, KubeObject } from "../../../lib/model/object.ts";
import { applyMergePatch, Patch } from "../../../lib/model/patch.ts";
import {
  annotationsOf,
  dropAnnotation,
  dropStatus,
  writeAnnotation,
  writeStatus,
} from "../../../lib/settings/persistence/place.ts";

function patched(change: (patch: Patch) => void): JsonObject {
  const patch = new Patch();
  change(patch);
  return patch.toMergePatch();
}

describe("writeAnnotation()", () => {
  const key = "lotse.dev/fn";
  /** So many bytes of others' annotations, in characters of two bytes each. */
  const bodyWith = (bytes: number): KubeObject => ({
    metadata: { annotations: { [key]: "old", x: "ü".repeat((bytes - 1) / 2) } },
  });

  it("leaves alone what would be more than Kubernetes takes, a marker included, and tells so", () => {
    const note = { own: key.length + 100, marker: "lotse.dev/kopf-managed".length + "yes".length };
    const room = 256 * 1024 - note.own - note.marker;
    for (const [others, hasRoom] of [[room, true], [room + 2, false]] as const) {
      // An odd number: the name "x" is one more byte.
      const body = bodyWith(others - (others + 1) % 2);
      const change = patched((patch) => {
        patch.metadata.annotations[key] = "pending";
        assert.equal(writeAnnotation({ patch, body }, key, "t".repeat(100)), hasRoom);
      });
      assert.deepEqual(change, hasRoom ? { metadata: { annotations: { [key]: "t".repeat(100) } } } : {});
    }
    assert.equal(writeAnnotation({ patch: new Patch(), body: bodyWith(300_001) }, key, "old"), true);
  });
});

describe("writeAnnotation() and dropAnnotation()", () => {
  const body: KubeObject = { metadata: { annotations: { a: "1" } } };

  it("take a pending change back where the object is as it should be", () => {
    const result = patched((patch) => {
      writeAnnotation({ patch, body }, "a", "2");
      writeAnnotation({ patch, body }, "a", "1");
      writeAnnotation({ patch, body }, "b", "2");
      dropAnnotation({ patch, body }, "b");
    });
    assert.deepEqual(result, {});
  });

  it("change what differs", () => {
    assert.deepEqual(patched((patch) => writeAnnotation({ patch, body }, "a", "2")), {
      metadata: { annotations: { a: "2" } },
    });
    assert.deepEqual(patched((patch) => dropAnnotation({ patch, body }, "a")), {
      metadata: { annotations: { a: null } },
    });
  });
});

describe("writeStatus() and dropStatus()", () => {
  const body: KubeObject = { metadata: {}, status: { mine: 1, x: { y: { one: 1, two: 2 } } } };
  const drop = (...fields: string[]) => (patch: Patch) =>
    fields.forEach((field) => dropStatus({ patch, body }, field.split(".")));
  const after = (change: (patch: Patch) => void) => applyMergePatch(body, patched(change)).status;

  it("remove parents that are left empty, down to the given one", () => {
    assert.deepEqual(after(drop("status.x.y.one")), { mine: 1, x: { y: { two: 2 } } });
    assert.deepEqual(after(drop("status.x.y.one", "status.x.y.two")), { mine: 1 });
    assert.deepEqual(after(drop("status.mine")), { x: { y: { one: 1, two: 2 } } });
    assert.deepEqual(patched(drop("status.x.y.three", "status.z")), {});
  });

  it("can be mixed in any order", () => {
    const write = (patch: Patch) => writeStatus({ patch, body }, ["status", "x", "y", "new"], 3);
    for (
      const order of [[drop("status.x.y.one", "status.x.y.two"), write], [
        write,
        drop("status.x.y.one", "status.x.y.two"),
      ]]
    ) {
      assert.deepEqual(after((patch) => order.forEach((change) => change(patch))), {
        mine: 1,
        x: { y: { new: 3 } },
      });
    }
    const twice = after((patch) => {
      drop("status.x.y.one", "status.x.y.two")(patch);
      write(patch);
      drop("status.x.y.new")(patch);
    });
    assert.deepEqual(twice, { mine: 1 });
  });
});

describe("annotationsOf()", () => {
  it("gives none for metadata of any odd shape", () => {
    for (const metadata of [undefined, null, "x", { annotations: null }, { annotations: ["x"] }]) {
      assert.deepEqual(annotationsOf({ metadata } as unknown as KubeObject), {});
    }
  });
});
