import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject, KubeObject } from "../../../lib/model/object.ts";
import { applyMergePatch, Patch } from "../../../lib/model/patch.ts";
import { combineNotes } from "../../../lib/settings/persistence/combined.ts";
import {
  annotationNotes,
  annotations,
  auto,
  migrate,
  statusNotes,
} from "../../../lib/settings/persistence/presets.ts";
import {
  currentEssence,
  type Persistence,
  type ProgressRecord,
} from "../../../lib/settings/persistence/storage.ts";

const record: ProgressRecord = { retries: 1, success: false, failure: false };
const LHC = "lotse.dev/last-handled-configuration";

const places = [
  annotationNotes({ prefix: "lotse.dev", form: "lotse" }),
  statusNotes({ form: "lotse", stateField: "status.lotse.state" }),
];
const { diffBase, progress } = combineNotes(places);

function patched(change: (patch: Patch) => void): JsonObject {
  const patch = new Patch();
  change(patch);
  return patch.toMergePatch();
}

describe("combineNotes(), of the state", () => {
  it("[A87] reads the second storage where the first has nothing", () => {
    const body: KubeObject = { metadata: {}, status: { lotse: { state: '{"spec":2}' } } };
    assert.deepEqual(diffBase.fetch(body), { spec: 2 });
    assert.deepEqual(diffBase.fetch({ ...body, metadata: { annotations: { [LHC]: '{"spec":1}' } } }), {
      spec: 1,
    });
    assert.deepEqual(diffBase.fetch({ ...body, metadata: { annotations: { [LHC]: "garbage" } } }), {
      spec: 2,
    });
    assert.equal(diffBase.fetch({ metadata: {} }), undefined);
  });

  it("writes to all, and keeps all notes out of the essence", () => {
    const body: KubeObject = { metadata: {}, spec: { a: 1 } };
    const after = applyMergePatch(
      body,
      patched((patch) => diffBase.store({ patch, body, essence: diffBase.build(body) })),
    );
    assert.deepEqual(after.metadata.annotations, { [LHC]: '{"spec":{"a":1}}' });
    assert.deepEqual(after.status, { lotse: { state: '{"spec":{"a":1}}' } });
    assert.deepEqual(diffBase.build(after, [["status"]]), { spec: { a: 1 } });
    assert.equal(diffBase.isOutdated(after), false);
    assert.equal(diffBase.isOutdated(after, [["status", "x"]]), true);
  });

  it("needs a place", () => assert.throws(() => combineNotes([]), RangeError));
});

describe("combineNotes(), of progress", () => {
  const both: KubeObject = {
    metadata: { annotations: { "lotse.dev/fn": '{"retries":1}' } },
    status: { lotse: { progress: { fn: { retries: 2 }, other: { retries: 3 } } } },
  };

  it("reads from the first that has something", () => {
    assert.equal(progress.fetch(both, "fn")?.retries, 1);
    assert.equal(progress.fetch(both, "other")?.retries, 3);
    assert.equal(progress.fetch(both, "none"), undefined);
    assert.deepEqual(progress.ids(both), ["fn", "other"]);
  });

  it("writes to all, or to those that are writable", () => {
    const body: KubeObject = { metadata: {} };
    assert.deepEqual(
      Object.keys(patched((patch) => progress.store({ patch, body, id: "fn", record }))).sort(),
      ["metadata", "status"],
    );
    const first = combineNotes(places, { writable: 1 }).progress;
    assert.deepEqual(Object.keys(patched((patch) => first.store({ patch, body, id: "fn", record }))), [
      "metadata",
    ]);
    assert.deepEqual(first.keys("fn"), ["lotse.dev/fn"]);
    assert.equal(progress.keys("fn").length, 2);
  });

  it("purges everywhere", () => {
    const patch = patched((patch) =>
      ["fn", "other"].forEach((id) => progress.purge({ patch, body: both, id }))
    );
    assert.deepEqual(patch, { metadata: { annotations: { "lotse.dev/fn": null } }, status: { lotse: null } });
  });

  it("sweeps everywhere", () => {
    const body: KubeObject = {
      metadata: { annotations: { "lotse.dev/touch-dummy": "x" } },
      status: { lotse: { dummy: "x", a: 1 } },
    };
    assert.deepEqual(patched((patch) => progress.sweep(patch, body)), {
      metadata: { annotations: { "lotse.dev/touch-dummy": null } },
      status: { lotse: { dummy: null } },
    });
  });
});

const OBJECT: KubeObject = {
  apiVersion: "example.com/v1",
  kind: "Room",
  metadata: { name: "one" },
  spec: { a: 1 },
};
const STATE = "last-handled-configuration";
/** The object with a state and the record of one handler, noted where the kind has its place. */
function noted(persistence: Persistence, body: KubeObject = OBJECT): KubeObject {
  const patch = new Patch();
  persistence.progress.store({ patch, body, id: "fn", record });
  persistence.diffBase.store({ patch, body, essence: currentEssence(persistence, body) });
  return applyMergePatch(body, patch.toMergePatch());
}

/** Says where notes are. */
function placesOf({ metadata, status }: KubeObject): { annotations: string[]; status: unknown } {
  return { annotations: Object.keys(metadata.annotations ?? {}).sort(), status: status?.lotse };
}

const IN_ANNOTATIONS = { annotations: ["lotse.dev/fn", `lotse.dev/${STATE}`], status: undefined };
const IN_STATUS = ["progress", STATE].sort();

describe("auto()", () => {
  it("keeps notes in annotations until it knows better, by version and kind", () => {
    const persistence = auto();
    assert.deepEqual(placesOf(noted(persistence)), IN_ANNOTATIONS);
    persistence.diffBase.room?.decide({ apiVersion: "example.com/v2", kind: "Room" }, "yes");
    persistence.diffBase.room?.decide({ apiVersion: "example.com/v1", kind: "Hall" }, "yes");
    assert.deepEqual(placesOf(noted(persistence)), IN_ANNOTATIONS);
    persistence.diffBase.room?.decide(OBJECT, "yes");
    const { annotations: left, status } = placesOf(noted(persistence));
    assert.deepEqual([left, Object.keys(status as object).sort()], [[], IN_STATUS]);
  });

  it("leaves annotations as they are until the state changes, and moves all of them then", () => {
    const persistence = auto();
    const before = noted(persistence);
    const essence = currentEssence(persistence, before);
    persistence.diffBase.room?.decide(OBJECT, "yes");
    assert.equal(persistence.diffBase.isOutdated(before), false);
    assert.deepEqual(patched((patch) => persistence.diffBase.store({ patch, body: before, essence })), {});
    const moved = noted(persistence, { ...before, spec: { a: 2 } });
    assert.deepEqual(placesOf(moved).annotations, []);
    assert.equal(persistence.diffBase.isOutdated(moved), false);
  });

  it("takes notes out of a status where they are not safe, once annotations have them", () => {
    const persistence = auto();
    const { room } = persistence.diffBase;
    room?.decide(OBJECT, "yes");
    const before = noted(persistence);
    room?.decide(OBJECT, "unknown");
    assert.equal(persistence.diffBase.isOutdated(before), false);
    for (const leave of [() => room?.decide(OBJECT, "no"), () => room?.close(OBJECT)]) {
      leave();
      assert.equal(persistence.diffBase.isOutdated(before), true);
      const copied = noted(persistence, before);
      assert.deepEqual(placesOf(copied).annotations, IN_ANNOTATIONS.annotations);
      assert.notEqual(placesOf(copied).status, undefined);
      assert.equal(persistence.diffBase.isOutdated(copied), true);
      const moved = noted(persistence, copied);
      assert.deepEqual(placesOf(moved), IN_ANNOTATIONS);
      assert.equal(persistence.diffBase.isOutdated(moved), false);
    }
    room?.decide(OBJECT, "yes");
    assert.equal(room?.isFor(OBJECT), false, "a status that was given up stays so");
  });

  it("believes annotations where both places have notes: a release that knows no others came later", () => {
    const persistence = auto();
    const fn = { retries: 2, success: false, failure: false };
    const stale = '{"spec":{"a":0}}';
    const body = { ...noted(persistence), status: { lotse: { progress: { fn }, [STATE]: stale } } };
    for (const room of ["no", "yes"] as const) {
      persistence.diffBase.room?.decide(OBJECT, room);
      assert.equal(persistence.progress.fetch(body, "fn")?.retries, 1);
      assert.deepEqual(persistence.diffBase.fetch(body), { spec: { a: 1 } });
    }
  });

  it("passes a pasted annotation over where the status has the object's own note", () => {
    const persistence = auto();
    persistence.diffBase.room?.decide(OBJECT, "yes");
    const own = noted(persistence, { ...OBJECT, metadata: { name: "one", uid: "1" } });
    const annotations = { [LHC]: '{"$lotse":{"format":1,"of":"other/2"},"spec":{"a":7}}' };
    const body = { ...own, metadata: { ...own.metadata, annotations } };
    const foreign: unknown[] = [];
    const onForeign = (note: unknown): void => void foreign.push(note);
    assert.deepEqual(persistence.diffBase.fetch(body, { onForeign }), { spec: { a: 1 } });
    assert.deepEqual(foreign, []);
    assert.equal(persistence.diffBase.isOutdated(body), true);
  });

  it("lets a migration know the kinds that have room", () => {
    const to = auto();
    const persistence = migrate({ to, from: [annotations({ prefix: "old.example.com" })] });
    assert.equal(persistence.diffBase.room, to.diffBase.room);
    assert.notEqual(persistence.diffBase.room, undefined);
  });
});
