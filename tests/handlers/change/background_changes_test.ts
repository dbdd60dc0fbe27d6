import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { BackgroundChanges } from "../../../lib/handlers/change/background_changes.ts";
import type { KubeObject } from "../../../lib/model/object.ts";

function body(spec: KubeObject["spec"], labels?: Record<string, string>): KubeObject {
  return { metadata: { name: "one", ...labels && { labels } }, spec };
}

function write(changes: BackgroundChanges, before: KubeObject, spec: KubeObject["spec"]): void {
  using _write = changes.begin(before, { content: { spec }, fns: [] });
}

describe("BackgroundChanges", () => {
  it("are taken back, the last one first; what was empty before is empty again", () => {
    const changes = new BackgroundChanges();
    const [first, second, third] = [body({}), body({ a: { b: 1 } }), body({ a: { b: 2, c: 3 } })];
    write(changes, first, { a: { b: 1 } });
    changes.seen();
    write(changes, second, { a: { b: 2, c: 3 } });
    assert.deepEqual(changes.takenBackFrom(third), first);
    assert.deepEqual(changes.takenBackFrom(second), first);
    assert.equal(changes.takenBackFrom(first), first);
    const removed = new BackgroundChanges();
    write(removed, third, { a: { c: null } });
    assert.deepEqual(removed.takenBackFrom(body({ a: { b: 2 } })), third);
  });

  it("join: a field that is written twice has its first value again", () => {
    const changes = new BackgroundChanges();
    write(changes, body({ a: 1 }), { a: 2 });
    write(changes, body({ a: 2 }), { a: 3 });
    assert.deepEqual(changes.takenBackFrom(body({ a: 3 })), body({ a: 1 }));
  });

  it("leave what others have written, also on the same field", () => {
    const changes = new BackgroundChanges();
    write(changes, body({ a: 1 }), { a: 2 });
    assert.deepEqual(changes.takenBackFrom(body({ a: 2, b: 1 })), body({ a: 1, b: 1 }));
    const other = body({ a: 3 });
    assert.equal(changes.takenBackFrom(other), other);
  });

  it("know what functions do, but for those that throw", () => {
    const changes = new BackgroundChanges();
    const label = (object: KubeObject): void => void (object.metadata.labels = { by: "daemon" });
    const fail = (): never => {
      throw new Error("no");
    };
    {
      using _write = changes.begin(body({}), { content: {}, fns: [label] });
      using _failed = changes.begin(body({}), { content: { spec: { a: 1 } }, fns: [label, fail] });
    }
    assert.deepEqual(changes.takenBackFrom(body({ a: 1 }, { by: "daemon" })), body({}));
  });

  it("count from the moment that a write begins", () => {
    const changes = new BackgroundChanges();
    using _write = changes.begin(body({ a: 1 }), { content: { spec: { a: 2 } }, fns: [] });
    assert.deepEqual(changes.takenBackFrom(body({ a: 2 })), body({ a: 1 }));
    changes.signed(body({ a: 1 }));
    assert.deepEqual(changes.takenBackFrom(body({ a: 2 })), body({ a: 1 }), "it was not there yet");
    changes.signed(body({ a: 2 }));
    const signed = body({ a: 2 });
    assert.equal(changes.takenBackFrom(signed), signed);
  });

  it("are forgotten once records are signed with a state that holds them", () => {
    const changes = new BackgroundChanges();
    assert.equal(changes.isEmpty, true);
    write(changes, body({ a: 1 }), { a: 2 });
    changes.seen();
    changes.signed(body({ a: 2 }));
    // Beside the rest of that reconcile: no record knows of it.
    write(changes, body({ a: 2 }), { a: 3 });
    changes.seen();
    assert.deepEqual(changes.takenBackFrom(body({ a: 3 })), body({ a: 2 }));
    changes.seen();
    assert.equal(changes.isEmpty, false, "nothing was signed");
    changes.signed(body({ a: 3 }));
    changes.seen();
    assert.equal(changes.isEmpty, true);
  });
});
