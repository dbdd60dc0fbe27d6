import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { differsUnseen, seenStatus } from "../../lib/controller/unseen.ts";
import type { KubeObject } from "../../lib/model/object.ts";
import type { HandlersOfKind } from "../../lib/registry/registry.ts";
import { combineNotes } from "../../lib/settings/persistence/combined.ts";
import { annotations, auto, status } from "../../lib/settings/persistence/presets.ts";
import type { Persistence } from "../../lib/settings/persistence/storage.ts";

const NONE = { events: [], changes: [], backgrounds: [], reconciles: [], children: [], fields: [] };

/** The members of the status that matter, sorted; undefined: anything may. */
function seenBy(
  handlers: Partial<Record<keyof typeof NONE, readonly unknown[]>>,
  persistence: Pick<Persistence, "diffBase" | "progress"> = annotations(),
): readonly string[] | undefined {
  // As much of handlers as is looked at.
  const seen = seenStatus({ ...NONE, ...handlers } as unknown as HandlersOfKind, persistence);
  return seen && [...seen].sort();
}

describe("seenStatus()", () => {
  it("names the members of handlers' fields, and those that hold notes", () => {
    assert.deepEqual(seenBy({ changes: [{}] }), []);
    assert.deepEqual(seenBy({ reconciles: [{}], fields: [["status", "phase", "name"], ["spec", "size"]] }), [
      "phase",
    ]);
    assert.deepEqual(seenBy({ changes: [{}] }, status({ name: "mine" })), ["mine"]);
    assert.deepEqual(seenBy({ changes: [{}] }, auto()), ["lotse"]);
  });

  it("cannot say it where functions filter, where any event counts, or for an unknown storage", () => {
    for (const filter of [{ when: () => true }, { labels: { a: () => true } }, { old: () => true }]) {
      assert.equal(seenBy({ changes: [{}, filter] }), undefined);
      assert.equal(seenBy({ changes: [{}], reconciles: [filter] }), undefined);
    }
    for (const type of ["events", "backgrounds", "children"]) {
      assert.equal(seenBy({ changes: [{}], [type]: [{}] }), undefined, type);
    }
    assert.equal(seenBy({}), undefined);
    for (const field of [[], ["status"], ["metadata"], ["metadata", "resourceVersion"]]) {
      assert.equal(seenBy({ changes: [{}], fields: [field] }), undefined, field.join("."));
    }
    const { diffBase, progress } = annotations();
    const own = { ...progress, statusFields: undefined };
    assert.equal(
      seenBy({ changes: [{}] }, { diffBase, progress: own as unknown as typeof progress }),
      undefined,
    );
    const several = combineNotes([{ diffBase, progress }, { diffBase, progress: own as never }]);
    assert.equal(seenBy({ changes: [{}] }, several), undefined);
  });
});

const BEFORE: KubeObject = {
  apiVersion: "v1",
  kind: "Thing",
  metadata: { name: "a", resourceVersion: "1", labels: { tier: "gold" }, finalizers: ["x"] },
  spec: { size: 1, list: [{ a: null }] },
  status: { phase: "A", other: { count: 1 } },
};

function changed(changes: Record<string, unknown>): KubeObject {
  const copy = structuredClone(BEFORE);
  const metadata = { ...copy.metadata, resourceVersion: "2", ...changes.metadata as object };
  return { ...copy, ...changes, metadata };
}

describe("differsUnseen()", () => {
  const isUnseen = (after: KubeObject, ...seen: string[]): boolean =>
    differsUnseen(BEFORE, after, new Set(seen));

  it("passes over versions, and members of the status that nobody looks at", () => {
    assert.ok(isUnseen(changed({})));
    assert.ok(isUnseen(changed({ status: { phase: "B" } })));
    assert.ok(isUnseen(changed({ status: undefined })));
    assert.ok(isUnseen(changed({ status: { phase: "A" } }), "phase"));
    assert.ok(isUnseen(changed({ status: { phase: "A", other: { count: 2 } } }), "phase", "more"));
  });

  it("sees everything else", () => {
    const visible = [
      { status: { phase: "B", other: { count: 1 } } },
      { status: {} },
      { status: { ...BEFORE.status, more: 1 } },
      { spec: { size: 2, list: [{ a: null }] } },
      { spec: { size: 1, list: [{}] } },
      { spec: undefined },
      { data: {} },
      { metadata: { labels: { tier: "gold", more: "" } } },
      { metadata: { finalizers: [] } },
      { metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } },
      { metadata: { annotations: { note: "" } } },
      { metadata: { generation: 2 } },
    ];
    for (const each of visible) assert.ok(!isUnseen(changed(each), "phase", "more"), JSON.stringify(each));
    const { spec: _spec, ...rest } = changed({});
    assert.ok(!isUnseen(rest));
  });
});
