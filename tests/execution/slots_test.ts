import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { StoredState } from "../../lib/client/cache/stored_state.ts";
import { type SlotHooks, SlotKey, Slots } from "../../lib/execution/slots.ts";
import type { KubeObject } from "../../lib/model/object.ts";

class Slot implements SlotHooks {
  readonly told: string[] = [];
  isUnfinished = false;

  moved(before: StoredState | undefined, after: StoredState, how: string): void {
    this.told.push(`${before?.object.metadata.name} ${after.object.metadata.name} ${how}`);
  }

  writing(): Disposable {
    this.told.push("begins");
    return { [Symbol.dispose]: () => void this.told.push("ends") };
  }
}

const ONE = new SlotKey(() => new Slot());
const OTHER = new SlotKey(() => new Slot());
const QUIET = new SlotKey(() => ({ count: 0 }));

function body(name: string): KubeObject {
  return { metadata: { name } };
}

describe("Slots", () => {
  it("have one slot for each key and handler, which the first who asks makes", () => {
    const slots = new Slots();
    assert.equal(slots.known(ONE), undefined);
    const one = slots.of(ONE);
    assert.equal(slots.of(ONE), one);
    assert.equal(slots.known(ONE), one);
    assert.notEqual(slots.of(OTHER), one);
    assert.notEqual(slots.of(ONE, "a"), one);
    assert.equal(slots.of(ONE, "a"), slots.of(ONE, "a"));
    assert.notEqual(slots.of(ONE, "a"), slots.of(ONE, "b"));
  });

  it("are told of another snapshot and of writes, as far as they want to know", () => {
    const slots = new Slots();
    slots.of(QUIET).count = 1;
    assert.equal(slots.writing(body("a"), { content: {}, fns: [] }), undefined);
    const [one, other] = [slots.of(ONE), slots.of(OTHER)];
    slots.moved(undefined, new StoredState(body("a")), "turn");
    slots.moved(new StoredState(body("a")), new StoredState(body("b")), "settled");
    slots.writing(body("b"), { content: {}, fns: [] })?.[Symbol.dispose]();
    const told = ["undefined a turn", "a b settled", "begins", "ends"];
    assert.deepEqual([one.told, other.told], [told, told]);
  });

  it("are unfinished as long as one of them is", () => {
    const slots = new Slots();
    const [slot] = [slots.of(ONE), slots.of(QUIET)];
    assert.equal(slots.areUnfinished, false);
    slot.isUnfinished = true;
    assert.equal(slots.areUnfinished, true);
  });
});
