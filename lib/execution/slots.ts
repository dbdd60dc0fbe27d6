/**
 * The places in which parts of the operator keep facts about one object, without the object knowing them: each part has a key
 * of its own, and only that part reads and writes the slot.
 */

import type { StoredState } from "../client/cache/stored_state.ts";
import type { KubeObject } from "../model/object.ts";
import type { Outgoing } from "./pending_write.ts";

/** The hooks that an object calls in its slots. A slot may leave out any of them. */
export interface SlotHooks {
  /** The snapshot is another one: at the start of a turn, or because a newer state calls for no handler. */
  moved?(before: StoredState | undefined, after: StoredState, how: "turn" | "settled"): void;
  /** A daemon or timer begins to write onto the object; disposing says that the write has ended. */
  writing?(before: KubeObject, wanted: Outgoing): Disposable;
  /** Whether changes of an earlier turn are still to be written, so that each event is a reason to try again. */
  readonly isUnfinished?: boolean;
}

/** The key of a slot: by identity, with the type of the slot. */
export class SlotKey<Slot extends object> {
  /** Makes an empty slot. */
  readonly make: () => Slot;

  constructor(make: () => Slot) {
    this.make = make;
  }
}

interface Entry {
  readonly key: SlotKey<object>;
  readonly handler: string | undefined;
  readonly slot: object & SlotHooks;
  /** The entry that was made before. */
  readonly next: Entry | undefined;
}

/** The slots of one object: few, so that a chain is searched faster than a map; and smaller than a list, as most have one. */
export class Slots {
  #last: Entry | undefined;

  /** Returns a slot, which the first call makes. With a handler's id: one for each handler. */
  of<Slot extends object>(key: SlotKey<Slot>, handler?: string): Slot {
    const known = this.known(key, handler);
    if (known !== undefined) return known;
    const slot = key.make();
    this.#last = { key, handler, slot, next: this.#last };
    return slot;
  }

  /** Returns a slot, if it was made. */
  known<Slot extends object>(key: SlotKey<Slot>, handler?: string): Slot | undefined {
    for (let entry = this.#last; entry !== undefined; entry = entry.next) {
      // The key has made it.
      if (entry.key === key && entry.handler === handler) return entry.slot as Slot;
    }
  }

  /** Whether a slot has changes that are still to be written. */
  get areUnfinished(): boolean {
    for (let entry = this.#last; entry !== undefined; entry = entry.next) {
      if (entry.slot.isUnfinished === true) return true;
    }
    return false;
  }

  /** The object's snapshot is another one. */
  moved(before: StoredState | undefined, after: StoredState, how: "turn" | "settled"): void {
    for (let entry = this.#last; entry !== undefined; entry = entry.next) {
      entry.slot.moved?.(before, after, how);
    }
  }

  /**
   * A daemon or timer begins to write. Returns a handle whose disposal says that the write has ended; undefined: no slot has
   * the hook.
   */
  writing(before: KubeObject, wanted: Outgoing): Disposable | undefined {
    let told: Disposable | undefined;
    for (let entry = this.#last; entry !== undefined; entry = entry.next) {
      const one = entry.slot.writing?.(before, wanted);
      if (one !== undefined) told = told === undefined ? one : both(told, one);
    }
    return told;
  }
}

function both(one: Disposable, other: Disposable): Disposable {
  return {
    [Symbol.dispose]: () => {
      one[Symbol.dispose]();
      other[Symbol.dispose]();
    },
  };
}
