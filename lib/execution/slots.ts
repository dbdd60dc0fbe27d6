/**
 * The places in which parts of the operator keep facts about one object, without the object knowing them: each part has a key
 * of its own, and only that part reads and writes the slot.
 */

import type { KubeObject } from "../model/object.ts";
import type { Outgoing } from "./pending_write.ts";

/** The hooks that an object calls in its slots. A slot may leave out any of them. */
export interface SlotHooks {
  /** The snapshot is another one: at the start of a turn, or because a newer state calls for no handler. */
  moved?(before: KubeObject | undefined, after: KubeObject, how: "turn" | "settled"): void;
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
}

/** The slots of one object: few, so that a list is searched faster than a map, and is smaller. */
export class Slots {
  // NB: never pushed to: an array that grows keeps room for sixteen more entries, and most objects need none of them.
  #entries: readonly Entry[] = NONE;

  /** Returns a slot, which the first call makes. With a handler's id: one for each handler. */
  of<Slot extends object>(key: SlotKey<Slot>, handler?: string): Slot {
    const known = this.known(key, handler);
    if (known !== undefined) return known;
    const slot = key.make();
    this.#entries = this.#entries.concat({ key, handler, slot });
    return slot;
  }

  /** Returns a slot, if it was made. */
  known<Slot extends object>(key: SlotKey<Slot>, handler?: string): Slot | undefined {
    for (const entry of this.#entries) {
      // The key has made it.
      if (entry.key === key && entry.handler === handler) return entry.slot as Slot;
    }
  }

  /** Whether a slot has changes that are still to be written. */
  get areUnfinished(): boolean {
    return this.#entries.some(({ slot }) => slot.isUnfinished === true);
  }

  /** The object's snapshot is another one. */
  moved(before: KubeObject | undefined, after: KubeObject, how: "turn" | "settled"): void {
    for (const { slot } of this.#entries) slot.moved?.(before, after, how);
  }

  /**
   * A daemon or timer begins to write. Returns a handle whose disposal says that the write has ended; undefined: no slot has
   * the hook.
   */
  writing(before: KubeObject, wanted: Outgoing): Disposable | undefined {
    const told = this.#entries.flatMap(({ slot }) => slot.writing?.(before, wanted) ?? []);
    if (told.length <= 1) return told[0];
    return { [Symbol.dispose]: () => told.forEach((each) => each[Symbol.dispose]()) };
  }
}

const NONE: readonly Entry[] = [];
