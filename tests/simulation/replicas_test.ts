/**
 * Replicas through random faults: killed, stopped, suspended, cut off, with clocks that are set and answers that are lost.
 *
 * At no moment are two replicas responsible for one shard; and when the faults are over, each shard has one, evenly. `RUNS` and
 * `LOTSE_SEED` say how many runs, and which.
 */

import assert from "node:assert/strict";
import process from "node:process";
import { describe, it } from "node:test";
import { createVirtualRandom } from "../../lib/runtime/virtual/random.ts";
import { ReplicaGroup, type TestReplica } from "../support/replica_group.ts";

const RUNS = Number(process.env["RUNS"] ?? 1);
const SEED = Number(process.env["LOTSE_SEED"] ?? 1);
/** The durations of Kubernetes, or short ones; members of one run have the same. */
const DURATIONS = [{}, { leaseDuration: 3, renewDeadline: 2, retryPeriod: 0.5 }];

/** One run: its faults by the seed. */
class FaultyRun {
  readonly #group: ReplicaGroup;
  readonly #random: { next(): number };
  /** Undoes faults when their time is over, in seconds from the beginning. */
  readonly #ends: { readonly at: number; readonly end: () => void }[] = [];
  #time = 0;

  constructor(group: ReplicaGroup, random: { next(): number }) {
    this.#group = group;
    this.#random = random;
  }

  async run(seconds: number): Promise<void> {
    for (; this.#time < seconds; this.#time += 1) {
      for (const each of this.#ends.filter(({ at }) => at === this.#time)) each.end();
      if (this.#random.next() < 0.25) this.#fault();
      await this.#group.advance(1);
    }
  }

  /** Ends all faults, and waits until all is at rest. */
  async calm(): Promise<void> {
    for (const { at, end } of this.#ends) if (at >= this.#time) end();
    for (const each of this.#alive()) {
      each.fate = () => "pass";
      for (const running of each.running.values()) running.resolve();
    }
    while (this.#alive().length < 2) this.#group.add();
    await this.#group.advance(150);
  }

  #alive(): TestReplica[] {
    return this.#group.replicas.filter(({ isDead }) => !isDead);
  }

  #upTo(limit: number): number {
    return Math.floor(this.#random.next() * limit);
  }

  #for(end: () => void): void {
    this.#ends.push({ at: this.#time + 1 + this.#upTo(this.#random.next() < 0.3 ? 40 : 12), end });
  }

  #fault(): void {
    const alive = this.#alive();
    const one = alive[this.#upTo(alive.length)];
    const kind = this.#upTo(10);
    if (one === undefined || (alive.length < 4 && kind < 3)) return void this.#group.add();
    switch (kind) {
      case 0:
        return one.kill();
      case 1:
        return void one.stop(3 + this.#upTo(10));
      case 2:
        one.isIsolated = true;
        return this.#for(() => one.isIsolated = one.isDead);
      case 3:
        one.clock.freeze();
        return this.#for(() => one.isDead || one.clock.thaw());
      case 4:
        one.clock.freeze({ isMachine: true });
        return this.#for(() => one.isDead || one.clock.thaw());
      case 5:
        return one.clock.step((this.#random.next() - 0.5) * 7200);
      case 6:
        this.#group.isOut = true;
        return this.#for(() => this.#group.isOut = false);
      case 7:
        one.fate = () => this.#random.next() < 0.2 ? "lose" : this.#random.next() < 0.2 ? "refuse" : "pass";
        return this.#for(() => one.fate = () => "pass");
      case 8: {
        const running = one.run(this.#upTo(one.settings.shards));
        return this.#for(() => running.resolve());
      }
      default:
        return void this.#group.add();
    }
  }
}

describe("Replicas", () => {
  for (let run = 0; run < RUNS; run++) {
    it(`are never two for one shard, and one each in the end, whatever fails (seed ${SEED + run})`, async () => {
      const random = createVirtualRandom(SEED + run);
      const shards = [1, 5, 8][Math.floor(random.next() * 3)];
      const durations = DURATIONS[Math.floor(random.next() * 2)];
      const settings = { shards, drainTimeout: 5, ...durations };
      await using group = new ReplicaGroup({ seed: SEED + run, settings });
      for (let count = 0; count < 3; count++) group.add();
      const faults = new FaultyRun(group, random);
      await faults.run(150);
      await faults.calm();
      const held = group.held().filter((_, index) => !group.replicas[index]?.isDead);
      assert.deepEqual(
        held.flat().sort((a, b) => a - b),
        Array.from({ length: shards ?? 0 }, (_, shard) => shard),
      );
      const counts = held.map((each) => each.length);
      assert.ok(Math.max(...counts) - Math.min(...counts) <= 1, counts.join(" "));
    });
  }
});
