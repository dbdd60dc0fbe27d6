import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ObjectEvent } from "../../lib/client/cache/object_store.ts";
import { Leaving } from "../../lib/controller/leaving.ts";
import type { ObjectState } from "../../lib/execution/object_state.ts";
import type { WatchEvent } from "../../lib/model/object.ts";

/** A namesake; nothing of it is looked at but who it is. */
function namesake(key: string): ObjectState {
  return { key } as ObjectState;
}

function told(type: WatchEvent["type"], resourceVersion: string): ObjectEvent {
  return { event: { type, object: { metadata: { resourceVersion } } } } as ObjectEvent;
}

/** What waits, as "b ADDED 1". */
function waitingIn({ waiting }: Leaving): string[] {
  return waiting.map(([{ key }, { event: { type, object } }]) =>
    `${key} ${type} ${object.metadata.resourceVersion}`
  );
}

describe("Leaving", () => {
  const [b, c, d] = [namesake("b"), namesake("c"), namesake("d")];

  it("keeps the newest of each namesake where nobody wants each event", () => {
    const leaving = new Leaving(namesake("a"));
    leaving.add(b, told("ADDED", "1"), { keepAll: false });
    leaving.add(b, told("DELETED", "2"), { keepAll: false });
    leaving.add(c, told("ADDED", "3"), { keepAll: false });
    leaving.add(c, told("MODIFIED", "4"), { keepAll: false });
    assert.deepEqual(waitingIn(leaving), ["b DELETED 2", "c MODIFIED 4"]);
  });

  it("keeps all up to the limit, then the newest of each kind, and says so once", () => {
    const leaving = new Leaving(namesake("a"));
    const options = { keepAll: true, limit: 3 };
    const answers = ["1", "2", "3", "4", "5"].map((version) =>
      leaving.add(b, told(version === "1" ? "ADDED" : "MODIFIED", version), options).isOverrun
    );
    assert.deepEqual(answers, [false, false, false, true, false]);
    assert.deepEqual(waitingIn(leaving), ["b ADDED 1", "b MODIFIED 5"]);
  });

  it("drops namesakes that had come and gone when there are too many of them", () => {
    const leaving = new Leaving(namesake("a"));
    const options = { keepAll: true, limit: 4 };
    for (const state of [b, c]) {
      leaving.add(state, told("ADDED", "1"), options);
      leaving.add(state, told("DELETED", "2"), options);
    }
    assert.deepEqual(leaving.add(d, told("ADDED", "5"), options), { isOverrun: true, dropped: [b, c] });
    assert.deepEqual(waitingIn(leaving), ["d ADDED 5"]);
    const narrow = new Leaving(namesake("a"));
    narrow.add(b, told("ADDED", "1"), { keepAll: true, limit: 1 });
    narrow.add(b, told("DELETED", "2"), { keepAll: true, limit: 1 });
    assert.deepEqual(
      waitingIn(narrow),
      ["b ADDED 1", "b DELETED 2"],
      "the latest one stays, though it has gone",
    );
  });

  it("bounds the namesakes also where no limit is set, unless each event is wanted", () => {
    const [some, all] = [new Leaving(namesake("a")), new Leaving(namesake("a"))];
    for (let n = 0; n < 1000; n++) {
      const state = namesake(`n${n}`);
      some.add(state, told("DELETED", "1"), { keepAll: false });
      all.add(state, told("DELETED", "1"), { keepAll: true });
    }
    assert.ok(some.waiting.length <= 100);
    assert.equal(all.waiting.length, 1000);
  });
});
