import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { AppliedSpellings } from "../../../lib/client/cache/applied_spellings.ts";
import type { KubeObject } from "../../../lib/model/object.ts";

const METADATA = { name: "a", namespace: "b", labels: { mine: "1" } };
const WANTED = {
  object: { apiVersion: "v1", kind: "Secret", metadata: METADATA, stringData: { word: "x" } },
  fieldManager: "me",
};

/** What the server makes of it. */
function live(changes: Readonly<Record<string, unknown>> = {}, metadata: object = {}): KubeObject {
  const { apiVersion, kind } = WANTED.object;
  return {
    apiVersion,
    kind,
    metadata: { ...METADATA, uid: "u", ...metadata },
    data: { word: "eA==" },
    ...changes,
  };
}

describe("AppliedSpellings", () => {
  it("knows what has come out of a manifest, for the same object, manager and manifest only", () => {
    const spellings = new AppliedSpellings();
    assert.equal(spellings.has(live(), WANTED), false);
    spellings.note(live(), WANTED);
    assert.equal(spellings.has(live(), WANTED), true);
    assert.equal(spellings.has(live({}, { uid: "v" }), WANTED), false);
    assert.equal(spellings.has(live(), { ...WANTED, fieldManager: "other" }), false);
    const other = { ...WANTED.object, stringData: { word: "y" } };
    assert.equal(spellings.has(live(), { ...WANTED, object: other }), false);
  });

  it("sees what others have changed, also where the manifest does not name it", () => {
    const spellings = new AppliedSpellings();
    spellings.note(live(), WANTED);
    assert.equal(spellings.has(live({ data: { word: "eQ==" } }), WANTED), false);
    assert.equal(spellings.has(live({}, { labels: { mine: "2" } }), WANTED), false);
    assert.equal(spellings.has(live({}, { labels: undefined }), WANTED), false);
  });

  it("does not mind the status, versions, nor what controllers note in the metadata", () => {
    const spellings = new AppliedSpellings();
    spellings.note(live(), WANTED);
    const metadata = {
      resourceVersion: "9",
      generation: 2,
      labels: { mine: "1", theirs: "2" },
      annotations: { theirs: "3" },
    };
    assert.equal(spellings.has(live({ status: { phase: "Bound" } }, metadata), WANTED), true);
    const applied = { ...WANTED, object: { ...WANTED.object, status: { phase: "Bound" } } };
    spellings.note(live({ status: { phase: "Bound" } }), applied);
    assert.equal(spellings.has(live({ status: { phase: "Lost" } }), applied), false);
  });

  it("forgets the oldest of too many", () => {
    const spellings = new AppliedSpellings();
    const at = (number: number): KubeObject => live({}, { uid: `${number}` });
    for (let number = 0; number <= 10_000; number++) spellings.note(at(number), WANTED);
    assert.deepEqual([spellings.has(at(0), WANTED), spellings.has(at(1), WANTED)], [false, true]);
  });
});
