import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Concurrency } from "../../../lib/handlers/reconcile/concurrency.ts";
import type { ObjectState } from "../../../lib/execution/object_state.ts";
import type { ReconcileHandler } from "../../../lib/handlers/reconcile/reconcile_handler.ts";

/** Concurrency for two; states are named by numbers. */
function bench(accepts: (state: number) => boolean = () => true) {
  const woken: number[] = [];
  const states = Array.from({ length: 6 }, (_, number) => ({ number }) as unknown as ObjectState);
  const numberOf = (state: ObjectState): number => states.indexOf(state);
  const slots = new Concurrency({
    wake: (state) => {
      woken.push(numberOf(state));
      return accepts(numberOf(state));
    },
  });
  const handler = { id: "fn", concurrency: 2 } as ReconcileHandler;
  const enter = (number: number): Disposable | undefined => slots.enter(handler, states[number]!);
  return { slots, states, woken, enter };
}

describe("Concurrency", () => {
  it("lets any number in where there is no limit", () => {
    const { slots, states } = bench();
    for (const state of states) {
      assert.notEqual(slots.enter({ id: "fn" } as ReconcileHandler, state), undefined);
    }
  });

  it("wakes those who found none, in the order in which they came, as many as there are slots for", () => {
    const { enter, woken } = bench();
    const [first, second] = [enter(0), enter(1)];
    assert.deepEqual([2, 3, 4].map(enter), [undefined, undefined, undefined]);
    first?.[Symbol.dispose]();
    first?.[Symbol.dispose]();
    assert.deepEqual(woken, [2]);
    const third = enter(2);
    assert.notEqual(third, undefined);
    second?.[Symbol.dispose]();
    third?.[Symbol.dispose]();
    assert.deepEqual(woken, [2, 3, 4]);
  });

  it("keeps the place of one whose slot was taken by another", () => {
    const { enter, woken } = bench();
    const [first] = [enter(0), enter(1)];
    for (const number of [2, 3]) enter(number);
    first?.[Symbol.dispose]();
    const other = enter(4);
    assert.equal(enter(2), undefined);
    other?.[Symbol.dispose]();
    assert.deepEqual(woken, [2, 2]);
  });

  it("lets the next one through if one that was woken has gone, has to wait, or does not come", () => {
    const { slots, states, enter, woken } = bench((number) => number !== 3);
    const [first] = [enter(0), enter(1)];
    for (const number of [2, 3, 4, 5]) enter(number);
    first?.[Symbol.dispose]();
    slots.turnEnds(states[4]!);
    assert.deepEqual(woken, [2]);
    slots.turnEnds(states[2]!);
    assert.deepEqual(woken, [2, 3, 4]);
    slots.forget(states[4]!);
    assert.deepEqual(woken, [2, 3, 4, 5]);
  });
});
