import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { AppliedStates } from "../../../lib/client/cache/applied_states.ts";
import { Caches } from "../../../lib/client/cache/caches.ts";
import { ObjectStore } from "../../../lib/client/cache/object_store.ts";
import { CONFIG_MAPS } from "../../../lib/model/kinds.ts";
import type { KubeObject } from "../../../lib/model/object.ts";

const METADATA = { name: "a", namespace: "b" };
const WANTED = {
  object: { apiVersion: "v1", kind: "ConfigMap", metadata: METADATA, data: { a: "1" } },
  fieldManager: "me",
};

function liveIn(version: string): KubeObject {
  return { ...WANTED.object, metadata: { ...METADATA, uid: "u", resourceVersion: version } };
}

/** A store with one object, and what is remembered of it. */
function setUp(isFollowed = true): { readonly store: ObjectStore; readonly states: AppliedStates } {
  const store = new ObjectStore();
  const caches = new Caches();
  caches.add(CONFIG_MAPS, "", { store, phase: "synced" as never, accepts: () => true });
  return { store, states: new AppliedStates({ caches, isFollowed: () => isFollowed }) };
}

describe("AppliedStates", () => {
  it("knows a state that was noted, for the same manager and the same application only", () => {
    const { store, states } = setUp();
    store.put(liveIn("1"));
    assert.equal(states.look(CONFIG_MAPS, WANTED), undefined);
    states.note(CONFIG_MAPS, WANTED, liveIn("1"));
    const known = states.look(CONFIG_MAPS, WANTED) as KubeObject;
    assert.deepEqual(known, liveIn("1"));
    known.metadata.labels = { mine: "1" };
    assert.deepEqual(states.look(CONFIG_MAPS, WANTED), liveIn("1"), "it is the caller's own copy");
    assert.equal(states.look(CONFIG_MAPS, { ...WANTED, fieldManager: "other" }), undefined);
    const less = { ...WANTED.object, data: {} };
    assert.equal(states.look(CONFIG_MAPS, { ...WANTED, object: less }), undefined);
    store.put(liveIn("2"));
    assert.equal(states.look(CONFIG_MAPS, WANTED), undefined, "it has changed");
    states.note(CONFIG_MAPS, WANTED, liveIn("1"));
    assert.equal(states.look(CONFIG_MAPS, WANTED), undefined, "an older state was noted");
  });

  it("forgets what is being deleted, by name or all", () => {
    const { store, states } = setUp();
    store.put(liveIn("1"));
    for (const address of [METADATA, undefined]) {
      states.note(CONFIG_MAPS, WANTED, liveIn("1"));
      states.forget(CONFIG_MAPS, address);
      assert.equal(states.look(CONFIG_MAPS, WANTED), undefined);
    }
  });

  it("says what is missing, and knows nothing of kinds that nobody follows", () => {
    assert.equal(setUp().states.look(CONFIG_MAPS, WANTED), "missing");
    assert.equal(setUp(false).states.look(CONFIG_MAPS, WANTED), undefined);
  });
});
