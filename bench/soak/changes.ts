/**
 * The changes that the operator has to follow, and the truth about them.
 *
 * There are so many slots, each with a name; an object is created in an empty slot, changed, deleted, and after a while another
 * one gets its name. One change per slot at a time, and each is repeated until the server has taken it, so that it is known
 * what there is also when the server dies in the middle of a request.
 */

import { setTimeout as sleep } from "node:timers/promises";
import { type Api, MERGE_PATCH, RefusedError } from "../creations/api.ts";
import { GROUP, type Item, ITEMS, type ItemSpec } from "./kind.ts";

/** An object as it should be. */
export interface Truth {
  readonly name: string;
  readonly shard: string;
  n: number;
  isDeleted: boolean;
}

interface Slot {
  readonly name: string;
  uid?: string;
  isBusy: boolean;
}

export interface ChangesOptions {
  readonly api: Api;
  readonly slots: number;
  readonly perSecond: number;
  /** From 0 to 1. */
  readonly random: () => number;
}

const PAUSE_MS = 200;
const TIMEOUT_MS = 20_000;

export class Changes {
  /** By uid. */
  readonly truth = new Map<string, Truth>();
  readonly counts = { created: 0, changed: 0, deleted: 0, repeated: 0 };
  readonly #options: ChangesOptions;
  readonly #slots: readonly Slot[];
  #n = 0;

  constructor(options: ChangesOptions) {
    this.#options = options;
    this.#slots = Array.from({ length: options.slots }, (_, index) => ({
      name: `item-${index}`,
      isBusy: false,
    }));
  }

  /** Changes this and that until the signal aborts; resolves when the last change is made. */
  async run(signal: AbortSignal): Promise<void> {
    const pending = new Set<Promise<void>>();
    const begun = performance.now();
    for (let number = 1; !signal.aborted; number++) {
      const idle = this.#slots.filter(({ isBusy }) => !isBusy);
      const slot = idle[Math.floor(this.#options.random() * idle.length)];
      if (slot !== undefined) {
        const change = this.#change(slot).finally(() => pending.delete(change));
        pending.add(change);
      }
      await sleep(Math.max(0, begun + number * 1000 / this.#options.perSecond - performance.now()));
    }
    await Promise.all(pending);
  }

  /** Deletes all that is left. */
  async clear(): Promise<void> {
    for (const slot of this.#slots) {
      if (slot.uid !== undefined) await this.#delete(slot, slot.uid);
    }
  }

  async #change(slot: Slot): Promise<void> {
    slot.isBusy = true;
    const dice = this.#options.random();
    try {
      if (slot.uid === undefined) await this.#create(slot);
      else if (dice < 0.25) await this.#delete(slot, slot.uid);
      else await this.#update(slot, slot.uid);
    } finally {
      slot.isBusy = false;
    }
  }

  async #create(slot: Slot): Promise<void> {
    const { name } = slot;
    const n = ++this.#n;
    const shard = `shard-${n % 5}`;
    const spec: ItemSpec = { n, shard, flaky: this.#options.random() < 0.1 };
    const body = { apiVersion: `${GROUP}/v1`, kind: "Item", metadata: { name }, spec };
    const item = await this.#insist(async () => {
      try {
        return await this.#send<Item>("POST", ITEMS, body);
      } catch (error) {
        if (!(error instanceof RefusedError) || error.status !== 409) throw error;
      }
      return await this.#send<Item>("GET", `${ITEMS}/${name}`).catch(orGone);
    });
    // The last one of that name is still there, or has just gone: another time.
    if (item?.spec.n !== n) return;
    slot.uid = item.metadata.uid;
    this.truth.set(slot.uid, { name, shard, n, isDeleted: false });
    this.counts.created++;
  }

  async #update(slot: Slot, uid: string): Promise<void> {
    const n = ++this.#n;
    const body = { metadata: { uid }, spec: { n } };
    await this.#insist(() => this.#send("PATCH", `${ITEMS}/${slot.name}`, body, MERGE_PATCH));
    this.truth.get(uid)!.n = n;
    this.counts.changed++;
  }

  async #delete(slot: Slot, uid: string): Promise<void> {
    const body = { apiVersion: "v1", kind: "DeleteOptions", preconditions: { uid } };
    await this.#insist(() => this.#send("DELETE", `${ITEMS}/${slot.name}`, body).catch(orGone));
    slot.uid = undefined;
    this.truth.get(uid)!.isDeleted = true;
    this.counts.deleted++;
  }

  /** Until the server takes it. */
  async #insist<T>(send: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await send();
      } catch (error) {
        const isFinal = error instanceof RefusedError && error.status < 500 && error.status !== 429 &&
          error.status !== 403;
        if (isFinal) throw error;
        this.counts.repeated++;
        await sleep(PAUSE_MS);
      }
    }
  }

  async #send<T>(method: string, path: string, body?: unknown, type?: string): Promise<T> {
    const late = new AbortController();
    try {
      return await Promise.race([
        this.#options.api.send<T>(method, path, body, type),
        sleep(TIMEOUT_MS, undefined, { signal: late.signal }).then(() => Promise.reject(new Error("Late"))),
      ]);
    } finally {
      late.abort();
    }
  }
}

function orGone(error: unknown): undefined {
  if (error instanceof RefusedError && (error.status === 404 || error.status === 409)) return;
  throw error;
}

/** The same numbers for the same seed: mulberry32. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
