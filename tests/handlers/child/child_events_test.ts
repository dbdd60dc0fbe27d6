import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type ChildEvent, ChildEvents } from "../../../lib/handlers/child/child_events.ts";
import { FRESH } from "../../../lib/handlers/retry.ts";
import type { KubeObject } from "../../../lib/model/object.ts";

function child(name: string, version = 1): KubeObject {
  return { kind: "Child", metadata: { name, uid: name, resourceVersion: String(version) } };
}

function event(type: ChildEvent["type"], name: string, version = 1): ChildEvent {
  return { type, object: child(name, version), old: version > 1 ? child(name, version - 1) : undefined };
}

describe("ChildEvents", () => {
  it("keeps the latest change of each child, from where the first of them had begun", () => {
    const events = new ChildEvents();
    assert.deepEqual([events.due(0), events.next], [[], undefined]);
    events.note(event("ADDED", "a", 1), 0);
    events.note(event("MODIFIED", "b", 2), 0);
    events.note(event("MODIFIED", "a", 2), 1);
    events.note(event("DELETED", "b", 3), 2);
    assert.deepEqual(events.due(2).map(({ event: { type, object, old } }) => [type, object, old]), [
      ["ADDED", child("a", 2), undefined],
      ["DELETED", child("b", 3), child("b", 1)],
    ]);
  });

  it("forgets what was handled, but not what has come meanwhile", () => {
    const events = new ChildEvents();
    events.note(event("ADDED", "a", 1), 0);
    const [first] = events.due(0);
    events.note(event("MODIFIED", "a", 2), 1);
    events.remove(first!);
    events.retry(first!, { ...FRESH, attempts: 5, due: 100 });
    const [second] = events.due(1);
    assert.deepEqual([second?.event.object, second?.retry.attempts], [child("a", 2), 0]);
    events.remove(second!);
    assert.equal(events.next, undefined);
  });

  it("says when a failed one is to be tried again; a new change counts anew", () => {
    const events = new ChildEvents();
    events.note(event("ADDED", "a", 1), 0);
    const [first] = events.due(0);
    events.retry(first!, { ...FRESH, attempts: 1, begun: { wall: 0, monotonic: 0 }, due: 10 });
    assert.deepEqual([events.due(9), events.next], [[], 10]);
    assert.equal(events.due(10)[0]?.retry.attempts, 1);
    events.note(event("MODIFIED", "a", 2), 5);
    const [again] = events.due(5);
    assert.deepEqual([again?.retry.attempts, again?.retry.begun], [0, undefined]);
  });

  it("brings back what was handled when the write of its handler is refused, unless there is a newer change", () => {
    const events = new ChildEvents();
    events.note(event("ADDED", "a", 1), 0);
    events.note(event("ADDED", "b", 1), 0);
    for (const pending of events.due(0)) {
      events.remove(pending);
      events.keepUndecided(pending, FRESH);
    }
    assert.equal(events.next, undefined);
    events.note(event("MODIFIED", "b", 2), 1);
    events.refuse((retry) => ({ ...retry, attempts: 1, due: 7 }));
    assert.deepEqual(
      events.due(10).map((
        { event: { type, object }, retry: { attempts, due } },
      ) => [type, object, attempts, due]),
      [["MODIFIED", child("b", 2), 0, 1], ["ADDED", child("a", 1), 1, 7]],
    );
    events.refuse(() => assert.fail("nothing is undecided any more"));
  });

  it("forgets what was handled when its write is on the owner, or when it has failed for good", () => {
    for (const isWritten of [true, false]) {
      const events = new ChildEvents();
      events.note(event("ADDED", "a", 1), 0);
      const [pending] = events.due(0);
      events.remove(pending!);
      events.keepUndecided(pending!, FRESH);
      if (isWritten) events.decide();
      events.refuse(() => isWritten ? assert.fail("it is decided") : undefined);
      assert.equal(events.next, undefined);
    }
  });
});
