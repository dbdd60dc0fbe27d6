import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Caches } from "../../lib/client/cache/caches.ts";
import { type ObjectEvent, ObjectStore, type StoredObject } from "../../lib/client/cache/object_store.ts";
import { Controller, type ControllerOptions } from "../../lib/controller/controller.ts";
import type { ObjectState } from "../../lib/execution/object_state.ts";
import { PODS } from "../../lib/model/kinds.ts";
import type { KubeObject, WatchEvent } from "../../lib/model/object.ts";
import { Patch } from "../../lib/model/patch.ts";
import { virtualHost } from "../../lib/runtime/virtual/host.ts";
import { createLogger } from "../../lib/runtime/logging.ts";
import { annotations } from "../../lib/settings/persistence/presets.ts";
import { defaultSettings } from "../../lib/settings/settings.ts";

/** A controller, and what it has put into its queue: "ADDED 1 of state 0". */
const NO_HANDLERS = { fields: [], hasTurns: true };

function bench({ keepsEvents = false, changes = [] as readonly object[] } = {}) {
  const lists: Readonly<Record<string, readonly object[]>> = {
    event: keepsEvents ? [{}] : [],
    change: changes,
  };
  const handlers = { ...NO_HANDLERS, of: ({ name }: { readonly name: string }) => lists[name] ?? [] };
  const queued: string[] = [];
  const indexed: string[] = [];
  const states: ObjectState[] = [];
  const numberOf = (state: ObjectState): number => {
    if (!states.includes(state)) states.push(state);
    return states.indexOf(state);
  };
  const describe = (state: ObjectState, { type, object }: WatchEvent): string =>
    `${type} ${object.metadata.resourceVersion} of state ${numberOf(state)}`;
  const warnings: string[] = [];
  const host = virtualHost();
  const logger = createLogger({ level: "warn", write: ({ message }) => warnings.push(message) }, host.clock);
  // What reconciles need is left out: nothing is reconciled here.
  const options = {
    logger,
    queue: {
      addEvent: (state: ObjectState, { event }: ObjectEvent) => {
        queued.push(describe(state, event));
        return false;
      },
      isRetrying: () => false,
      isIdle: () => true,
    },
    registry: { of: () => handlers },
    persistence: annotations(),
    caches: new Caches(),
    host,
    observer: {},
    settings: defaultSettings(),
    memo: { shared: 1 },
    indexing: { submit: (state: ObjectState, event: WatchEvent) => indexed.push(describe(state, event)) },
  } as Partial<Record<keyof ControllerOptions, unknown>> as ControllerOptions;
  const store = new ObjectStore();
  const controller = new Controller(options);
  const tell = (
    type: WatchEvent["type"],
    version: number,
    { name = "a", uid = undefined as string | undefined, origin = "server" as const } = {},
  ): StoredObject => {
    const object: KubeObject = { metadata: { name, uid, resourceVersion: String(version) } };
    const stored = type === "DELETED" ? store.remove(object) : store.put(object);
    controller.notify(PODS, { ...stored, event: { type, object }, origin });
    return stored;
  };
  return { controller, store, tell, queued, indexed, states, warnings, handlers };
}

describe("Controller", () => {
  it("queues what is news, and drops echoes unless something is still to be done", () => {
    const { tell, queued, states } = bench();
    tell("ADDED", 5);
    tell("MODIFIED", 6);
    states[0]?.begin(0);
    for (const version of [6, 4]) tell("MODIFIED", version);
    assert.deepEqual(queued, ["ADDED 5 of state 0", "MODIFIED 6 of state 0"]);
    states[0]?.pending.keep(new Patch({ spec: { a: 1 } }));
    tell("MODIFIED", 4);
    assert.deepEqual(queued.slice(2), ["MODIFIED 4 of state 0"]);
  });

  it("makes no turn of versions that differ in nothing, for the handlers for which the object is at rest alone", () => {
    const { tell, queued, states, handlers } = bench({ changes: [{ id: "fn" }] });
    tell("ADDED", 5);
    const [state] = states;
    state?.begin(0);
    for (const [version, settledFor] of [[6, handlers], [7, undefined], [8, { ...handlers }]] as const) {
      if (state !== undefined) state.settledFor = settledFor;
      tell("MODIFIED", version);
    }
    assert.deepEqual(queued, ["ADDED 5 of state 0", "MODIFIED 7 of state 0", "MODIFIED 8 of state 0"]);
  });

  it("queues the event of an own write that no reconcile has begun with yet", () => {
    const { tell, queued, states } = bench();
    tell("ADDED", 5);
    states[0]?.begin(0);
    const written = { metadata: { name: "a", resourceVersion: "6" } };
    states[0]?.cached.adopt(written, { from: "write", until: 0 });
    tell("MODIFIED", 6);
    assert.deepEqual(queued.slice(1), ["MODIFIED 6 of state 0"]);
  });

  it("drops events that came during a turn if its end shows their state, but no news, no deletion and no raw event", () => {
    const { controller, tell, states } = bench();
    tell("ADDED", 5);
    const [state] = states as [ObjectState];
    const eventOf = (type: WatchEvent["type"], version: number): ObjectEvent => ({
      ...tell(type, version),
      event: { type, object: { metadata: { name: "a", resourceVersion: String(version) } } },
      origin: "server",
    });
    const echo = eventOf("MODIFIED", 6);
    assert.equal(controller.drops(state, [echo]), false, "no turn has begun with it");
    state.begin(0);
    assert.equal(controller.drops(state, [echo]), true);
    state.pending.keep(new Patch({ spec: { a: 1 } }));
    assert.equal(controller.drops(state, [echo]), false, "something is still to be written");
    const other = bench({ keepsEvents: true });
    other.tell("ADDED", 5);
    other.states[0]?.begin(0);
    assert.equal(other.controller.drops(other.states[0] as ObjectState, [echo]), false, "raw events");
  });

  it("drops no deletion", () => {
    const { controller, tell, states } = bench();
    const { cached } = tell("ADDED", 5);
    const [state] = states as [ObjectState];
    state.begin(0);
    const event = { type: "DELETED", object: cached.object } as const;
    assert.equal(controller.drops(state, [{ cached, event, adoption: "newer", origin: "server" }]), false);
  });

  it("queues all events of a resource with raw event handlers, and indexes all of any", () => {
    const { tell, queued, states, indexed } = bench({ keepsEvents: true });
    tell("ADDED", 5);
    states[0]?.begin(0);
    tell("MODIFIED", 4);
    assert.deepEqual(queued, ["ADDED 5 of state 0", "MODIFIED 4 of state 0"]);
    assert.deepEqual(indexed, queued);
  });

  it("[A138] [G10] handles what has come under the name of an object only when that has gone, with a memo of its own", () => {
    const { controller, tell, queued, indexed, states } = bench({ keepsEvents: true });
    tell("ADDED", 1);
    tell("DELETED", 2);
    tell("ADDED", 3);
    tell("MODIFIED", 4);
    tell("ADDED", 1, { name: "other" });
    assert.deepEqual(queued, ["ADDED 1 of state 0", "DELETED 2 of state 0", "ADDED 1 of state 2"]);
    assert.equal(indexed.length, 5);
    const [old, young] = states as [ObjectState, ObjectState];
    old.memo.mine = true;
    controller.forget(old);
    assert.deepEqual(queued.slice(3), ["ADDED 3 of state 1", "MODIFIED 4 of state 1"]);
    assert.deepEqual([old.memo, young.memo], [{ shared: 1, mine: true }, { shared: 1 }]);
    controller.forget(old);
    assert.equal(controller.size, 2);
    assert.deepEqual([...controller.counts()], [["pods", 2]]);
  });

  it("keeps what waits for it when its deletion is told once more", () => {
    const { controller, tell, queued, states } = bench();
    const { cached } = tell("ADDED", 1);
    tell("DELETED", 2);
    tell("ADDED", 3);
    const event = { type: "DELETED", object: cached.object } as const;
    controller.notify(PODS, { cached, event, adoption: "newer", origin: "server" });
    controller.forget(states[0] as ObjectState);
    assert.deepEqual(queued.at(-1), "ADDED 3 of state 1");
  });

  it("keeps no more of what comes and goes under the name of an object than `queueing.eventLimit` says", () => {
    const { controller, tell, queued, states, warnings } = bench({ keepsEvents: true });
    tell("ADDED", 1);
    tell("DELETED", 2);
    for (let version = 3; version < 1003; version += 2) {
      tell("ADDED", version);
      tell("DELETED", version + 1);
    }
    tell("ADDED", 1003);
    assert.ok(controller.size <= 102, `${controller.size} objects are known`);
    assert.equal(warnings.length, 1);
    controller.forget(states[0] as ObjectState);
    assert.ok(queued.length <= 103, `${queued.length} events are handled`);
  });

  it("marks objects that have gone, so that nobody wakes them", () => {
    const { controller, tell, states } = bench();
    tell("ADDED", 1);
    const [state] = states as [ObjectState];
    assert.equal(state.isForgotten, false);
    controller.forget(state);
    assert.equal(state.isForgotten, true);
  });

  it("returns the memo of an object that is known, and keeps that of one that informers tell of later", () => {
    const { controller, tell, states } = bench();
    const object = { metadata: { name: "a", uid: "u", resourceVersion: "1" } };
    const early = controller.memoOf(PODS, object, undefined);
    early.mine = true;
    assert.equal(controller.memoOf(PODS, object, undefined), early);
    const { cached } = tell("ADDED", 1, { uid: "u" });
    assert.equal(states[0]?.memo, early);
    assert.equal(controller.memoOf(PODS, object, cached), early);
    assert.notEqual(
      controller.memoOf(PODS, undefined, undefined),
      controller.memoOf(PODS, undefined, undefined),
    );
  });

  it("asks the server for an object that was there when the server was set back", () => {
    const { controller, store, queued, states, tell } = bench();
    tell(null, 9);
    states[0]?.begin(0);
    store.beginListing();
    tell(null, 5);
    for (const cached of store.restore()) {
      controller.notify(PODS, {
        cached,
        event: { type: null, object: cached.object },
        adoption: "newer",
        origin: "restored",
      });
    }
    assert.deepEqual(queued, ["null 9 of state 0", "null 5 of state 0"]);
    assert.equal(states[0]?.doubt, "restored");
  });
});
