import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { TurnDaemons } from "../../lib/handlers/background/background_part.ts";
import { Concurrency } from "../../lib/handlers/reconcile/concurrency.ts";
import { Kinds, mannersOf } from "../../lib/handlers/manners.ts";
import type { Sees } from "../../lib/handlers/part.ts";
import { differsUnseen } from "../../lib/handlers/unseen.ts";
import type { KubeObject } from "../../lib/model/object.ts";
import type { HandlersOfKind } from "../../lib/handlers/registry.ts";
import { combineNotes } from "../../lib/settings/persistence/combined.ts";
import { annotations, auto, status } from "../../lib/settings/persistence/presets.ts";
import type { Persistence } from "../../lib/settings/persistence/storage.ts";

type Given = Partial<
  Record<"event" | "change" | "background" | "reconcile" | "child", readonly unknown[]>
>;

const MANNERS = mannersOf({
  daemons: {} as TurnDaemons,
  concurrency: new Concurrency({ wake: () => true }),
  introduce: () => {},
});

/** What a kind with these handlers looks at. */
function seenOf(given: Given, persistence: Pick<Persistence, "diffBase" | "progress"> = annotations()): Sees {
  // As much of handlers, and of what is kept, as is looked at.
  const of = ({ name }: { readonly name: string }): readonly unknown[] => given[name as keyof Given] ?? [];
  return new Kinds(MANNERS, persistence as Persistence).of({ of } as unknown as HandlersOfKind).sees;
}

/** The members of the status that matter, sorted; undefined: anything may. */
function statusOf(...args: Parameters<typeof seenOf>): readonly string[] | undefined {
  const sees = seenOf(...args);
  return sees && [...sees.status].sort();
}

describe("what a kind looks at", () => {
  it("names the members of handlers' fields, and those that hold notes", () => {
    assert.deepEqual(statusOf({ change: [{}] }), []);
    const reconcile = [{ field: ["status", "phase", "name"] }, { field: ["spec", "size"] }];
    assert.deepEqual(statusOf({ reconcile }), ["phase"]);
    assert.deepEqual(statusOf({ reconcile, change: [{ field: ["status", "more"] }] }), ["more", "phase"]);
    assert.deepEqual(statusOf({ change: [{}] }, status({ name: "mine" })), ["mine"]);
    assert.deepEqual(statusOf({ change: [{}] }, auto()), ["lotse"]);
  });

  it("says whether notes among the annotations may be looked at", () => {
    assert.equal(seenOf({ change: [{}] })?.annotations, false);
    assert.equal(seenOf({ change: [{}], reconcile: [{ annotations: { a: "b" } }] })?.annotations, true);
    assert.equal(seenOf({ change: [{ field: ["metadata", "annotations", "a"] }] })?.annotations, true);
    assert.equal(seenOf({ change: [{ field: ["metadata", "labels"] }] })?.annotations, false);
  });

  it("cannot be said where functions filter, where any event counts, or for an unknown storage", () => {
    for (
      const filter of [
        { when: () => true },
        { labels: { a: () => true } },
        { annotations: { a: () => true } },
        { old: () => true },
        { new: () => true },
        { value: () => true },
      ]
    ) {
      assert.equal(seenOf({ change: [{}, filter] }), undefined);
      assert.equal(seenOf({ change: [{}], reconcile: [filter] }), undefined);
    }
    for (const type of ["event", "background", "child"]) {
      assert.equal(seenOf({ change: [{}], [type]: [{}] }), undefined, type);
    }
    assert.equal(seenOf({}), undefined);
    for (const field of [[], ["status"], ["metadata"], ["metadata", "resourceVersion"]]) {
      assert.equal(seenOf({ change: [{ field }] }), undefined, field.join("."));
    }
    const { diffBase, progress } = annotations();
    const own = { ...progress, statusFields: undefined };
    assert.equal(
      seenOf({ change: [{}] }, { diffBase, progress: own as unknown as typeof progress }),
      undefined,
    );
    const several = combineNotes([{ diffBase, progress }, { diffBase, progress: own as never }]);
    assert.equal(seenOf({ change: [{}] }, several), undefined);
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
      { metadata: { ownerReferences: [{ apiVersion: "v1", kind: "Thing", name: "b", uid: "2" }] } },
    ];
    for (const each of visible) assert.ok(!isUnseen(changed(each), "phase", "more"), JSON.stringify(each));
    const { spec: _spec, ...rest } = changed({});
    assert.ok(!isUnseen(rest));
  });
});
