import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Caches } from "../../lib/client/cache/caches.ts";
import { CachedObject } from "../../lib/client/cache/object_store.ts";
import type { Client } from "../../lib/client/client.ts";
import { Inheritance } from "../../lib/controller/inheritance.ts";
import { ObjectState } from "../../lib/execution/object_state.ts";
import { PODS } from "../../lib/model/kinds.ts";
import { silentLogger } from "../../lib/runtime/logging.ts";

const kind = { resource: PODS, reportOnce: () => false };

function inherited(number: number): ObjectState {
  const cached = new CachedObject({
    metadata: { uid: `u${number}`, name: `n${number}`, resourceVersion: "5" },
  });
  const state = new ObjectState({ cached, kind, memo: {}, firstSeen: "listing", isInherited: true });
  state.distrust("inherited");
  return state;
}

/** Counts requests. `newer`: the uids of objects that have another version by now. */
function world({ newer = [] as string[], refuses = false } = {}) {
  const requests = { reads: 0, lists: 0 };
  const versionOf = (uid: string): string => newer.includes(uid) ? "6" : "5";
  const client = {
    async *list() {
      requests.lists++;
      if (refuses) throw new Error("forbidden");
      const items = Array.from({ length: 600 }, (_, number) => ({
        metadata: { uid: `u${number}`, resourceVersion: versionOf(`u${number}`) },
      }));
      yield await Promise.resolve({ items, resourceVersion: "9", continue: undefined });
    },
  } as unknown as Client; // only its lists are asked for
  const writer = {
    read: ({ body: { metadata } }: Pick<ObjectState, "resource" | "body">) => {
      requests.reads++;
      return Promise.resolve({ metadata: { ...metadata, resourceVersion: versionOf(metadata.uid ?? "") } });
    },
  };
  const inheritance = new Inheritance({ client, writer, caches: new Caches(), logger: silentLogger() });
  return { inheritance, requests };
}

describe("Inheritance", () => {
  it("reads an object, and lists versions once when very many objects are to be read", async () => {
    const { inheritance, requests } = world({ newer: ["u501"] });
    const states = Array.from({ length: 510 }, (_, number) => inherited(number));
    for (const state of states) await inheritance.confirm(state, {});
    assert.deepEqual(requests, { reads: 501, lists: 1 });
    assert.ok(states.every(({ doubt, isInherited }) => doubt === undefined && !isInherited));
    assert.equal(states[501]?.body.metadata.resourceVersion, "6");
  });

  it("lists anew for objects that are taken over later", async () => {
    const { inheritance, requests } = world();
    for (let number = 0; number < 501; number++) await inheritance.confirm(inherited(number), {});
    inheritance.begin();
    await inheritance.confirm(inherited(501), {});
    assert.deepEqual(requests, { reads: 501, lists: 1 });
  });

  it("reads all where the server refuses the list", async () => {
    const { inheritance, requests } = world({ refuses: true });
    for (let number = 0; number < 503; number++) await inheritance.confirm(inherited(number), {});
    assert.deepEqual(requests, { reads: 503, lists: 1 });
  });
});
