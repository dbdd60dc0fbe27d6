import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { KubeObject } from "../../../lib/model/object.ts";
import { applyMergePatch, Patch } from "../../../lib/model/patch.ts";
import { annotations, auto, migrate } from "../../../lib/settings/persistence/presets.ts";
import {
  currentEssence,
  type Persistence,
  type ProgressRecord,
} from "../../../lib/settings/persistence/storage.ts";

const OBJECT: KubeObject = {
  apiVersion: "example.com/v1",
  kind: "Room",
  metadata: { name: "one" },
  spec: { a: 1 },
};
const STATE = "last-handled-configuration";
const record: ProgressRecord = {
  started: "2026-01-31T12:00:00.000Z",
  retries: 1,
  success: false,
  failure: false,
};

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
    persistence.diffBase.room?.decide({ apiVersion: "example.com/v2", kind: "Room" }, true);
    persistence.diffBase.room?.decide({ apiVersion: "example.com/v1", kind: "Hall" }, true);
    assert.deepEqual(placesOf(noted(persistence)), IN_ANNOTATIONS);
    persistence.diffBase.room?.decide(OBJECT, true);
    const { annotations: left, status } = placesOf(noted(persistence));
    assert.deepEqual([left, Object.keys(status as object).sort()], [[], IN_STATUS]);
  });

  it("takes what lies in the other place for outdated, and moves all of it with one patch", () => {
    const persistence = auto();
    const before = noted(persistence);
    assert.equal(persistence.diffBase.isOutdated(before), false);
    persistence.diffBase.room?.decide(OBJECT, true);
    assert.equal(persistence.diffBase.isOutdated(before), true);
    const moved = noted(persistence, before);
    assert.deepEqual(placesOf(moved).annotations, []);
    assert.equal(persistence.diffBase.isOutdated(moved), false);
    persistence.diffBase.room?.decide(OBJECT, false);
    assert.equal(persistence.diffBase.isOutdated(moved), true);
    assert.deepEqual(placesOf(noted(persistence, moved)), IN_ANNOTATIONS);
  });

  it("lets a migration know the kinds that have room", () => {
    const to = auto();
    const persistence = migrate({ to, from: [annotations({ prefix: "old.example.com" })] });
    assert.equal(persistence.diffBase.room, to.diffBase.room);
    assert.notEqual(persistence.diffBase.room, undefined);
  });
});
