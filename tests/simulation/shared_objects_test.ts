/**
 * Operators with replicas through random faults: killed, suspended, cut off, stopped, started; with clocks that are set, an API
 * server that is away, and connections that are reset.
 *
 * Proven from the requests that the API server takes, in their order (`term_witness.ts`): a replica writes an object only while the
 * Lease of the object's shard names that replica; a success that is noted on an object is not repeated; no change is lost. `RUNS`
 * and `LOTSE_SEED` say how many runs, and which.
 */

import assert from "node:assert/strict";
import process from "node:process";
import { describe, it } from "node:test";
import { type Runner, start, testCluster } from "../../lib/kits/testing/mod.ts";
import type { Random } from "../../lib/runtime/host.ts";
import { createVirtualRandom } from "../../lib/runtime/virtual/random.ts";
import { type JsonObject, kinds, type Operator, operator, TemporaryError } from "../../mod.ts";
import { type Fate, lookBy, ReplicaNetwork } from "../support/replica_network.ts";
import { TermWitness } from "../support/term_witness.ts";
import { definitionOf, Example, EXAMPLES } from "../support/worlds.ts";

const RUNS = Number(process.env["RUNS"] ?? 1);
const SEED = Number(process.env["LOTSE_SEED"] ?? 1);
const REPLICAS = 3;
const NAMES = 6;
const SECONDS = 60;

/** An object that was made, by its uid. */
interface Made {
  readonly name: string;
  v: number;
  isDeleted: boolean;
}

/** One run: its faults by the seed. */
class SharedRun {
  readonly #random: Random;
  readonly #run: Runner;
  readonly #network: ReplicaNetwork;
  readonly #witness: TermWitness;
  readonly #made = new Map<string, Made>();
  /** Undoes faults when their time is over, in steps from the beginning. */
  readonly #ends: { readonly at: number; readonly end: () => void }[] = [];
  /** Until when machines are suspended, by the numbers of their replicas. */
  readonly #asleep = new Map<number, number>();
  #step = 0;

  constructor(
    { run, network, witness, random }: {
      run: Runner;
      network: ReplicaNetwork;
      witness: TermWitness;
      random: Random;
    },
  ) {
    this.#run = run;
    this.#network = network;
    this.#witness = witness;
    this.#random = random;
  }

  get made(): ReadonlyMap<string, Made> {
    return this.#made;
  }

  async go(steps: number): Promise<void> {
    for (; this.#step < steps; this.#step++) {
      for (const { at, end } of this.#ends) if (at === this.#step) end();
      if (this.#random.next() < 0.2) this.#fault();
      if (this.#random.next() < 0.6) await this.#change();
      await this.#run.advance(this.#random.next() * 2);
    }
    for (const { at, end } of this.#ends) if (at >= this.#step) end();
    // After the longest suspension, a request that hung until its timeout of 75 s, a lease and a start.
    await this.#run.advance(150);
  }

  #fault(): void {
    const alive = this.#run.replicas.filter(({ isRunning }) => isRunning);
    const one = alive[Math.floor(this.#random.next() * alive.length)];
    if (one === undefined || alive.length < 2) return void this.#run.addReplica();
    const number = this.#run.replicas.indexOf(one);
    switch (Math.floor(this.#random.next() * 10)) {
      case 0:
        return one.kill();
      case 1:
        return one.stop();
      case 2:
        return one.suspend(1 + this.#random.next() * 12);
      case 3: {
        const seconds = 1 + this.#random.next() * 12;
        this.#asleep.set(number, this.#run.host.clock.monotonic() + seconds);
        return one.suspend(seconds, { machine: true });
      }
      case 4:
        one.isolate();
        return this.#for(8, () => one.rejoin());
      case 5: {
        const seconds = (this.#random.next() - 0.5) * 7200;
        // A machine that is suspended, and whose clocks say that no time has passed, cannot know it: docs/replicas.md.
        if (this.#run.host.clock.monotonic() > (this.#asleep.get(number) ?? 0)) one.stepClock(seconds);
        return;
      }
      case 6:
        this.#network.out = this.#random.next() < 0.5 ? "refuses" : "hangs";
        if (this.#network.out === "refuses") this.#network.resetStreams();
        return this.#for(8, () => this.#network.out = "no");
      case 7:
        return this.#network.resetStreams(number);
      case 8: {
        const fates: readonly Fate[] = ["lose", "lose answer", "hang"];
        const fate = fates[Math.floor(this.#random.next() * 3)]!;
        this.#network.fate = (replica) => replica === number && this.#random.next() < 0.4 ? fate : "pass";
        return this.#for(6, () => this.#network.fate = () => "pass");
      }
      default:
        if (alive.length < 4) this.#run.addReplica();
    }
  }

  #for(most: number, end: () => void): void {
    this.#ends.push({ at: this.#step + 1 + Math.floor(this.#random.next() * most), end });
  }

  async #change(): Promise<void> {
    const { api } = this.#run;
    const address = { name: `m${Math.floor(this.#random.next() * NAMES)}`, namespace: "default" };
    const found = await api.get(Example, address).catch(() => undefined);
    const uid = found?.metadata.uid ?? "";
    const made = this.#made.get(uid);
    if (made === undefined) {
      const object = { metadata: address, spec: { v: "1" } };
      const { metadata } = await api.create(Example, object);
      this.#witness.made(address.name, metadata.uid ?? "");
      this.#made.set(metadata.uid ?? "", { name: address.name, v: 1, isDeleted: false });
    } else if (this.#random.next() < 0.15) {
      made.isDeleted = true;
      await api.delete(Example, address);
    } else if (!made.isDeleted) {
      await api.patch(Example, address, { spec: { v: String(++made.v) } });
    }
  }
}

/** The values that handlers have ended with: "uid" to v, and uids whose deletion was handled. */
interface Ends {
  readonly values: Map<string, string>;
  readonly deleted: Set<string>;
}

/** Returns a function that makes the operator of a replica. */
function operatorsOf(
  witness: TermWitness,
  ends: Ends,
  { shards, random }: { shards: number; random: Random },
) {
  let replicas = 0;
  return (): Operator => {
    const by = replicas++;
    const op = operator({
      replicas: { shards, leaseDuration: 3, renewDeadline: 2, retryPeriod: 0.5, drainTimeout: 2 },
    });
    const make = (handler: string) =>
    async ({ name, uid, spec, patch, clock, signal }: {
      readonly name: string;
      readonly uid: string;
      readonly spec: Readonly<Record<string, unknown>>;
      readonly patch: { readonly status: Record<string, unknown> };
      readonly clock: { sleep(seconds: number, signal: AbortSignal): Promise<boolean> };
      readonly signal: AbortSignal;
    }): Promise<void> => {
      const call = { uid, v: String(spec["v"]), handler };
      witness.called(by, call);
      await clock.sleep(random.next() * 0.6, signal);
      if (random.next() < 0.3) throw new TemporaryError("Not yet", { delay: 0.5 });
      const child = { metadata: { name, namespace: "default" }, data: { v: call.v } };
      await op.api.apply(kinds.ConfigMap, child, { force: true });
      signal.throwIfAborted();
      patch.status[handler] = call.v;
      ends.values.set(uid, call.v);
      witness.ended(by, call);
    };
    const options = { backoff: 1 } as const;
    // Two handlers: the success of one is noted while the other one is not done.
    for (const id of ["first", "second"]) {
      op.on.create(Example, { ...options, id }, make(id));
      op.on.update(Example, { ...options, id: `${id}-again` }, make(`${id}-again`));
    }
    op.on.delete(Example, { ...options, id: "drop" }, async ({ uid, clock, signal }) => {
      witness.called(by, { uid, v: "", handler: "drop" });
      await clock.sleep(random.next() * 0.6, signal);
      signal.throwIfAborted();
      ends.deleted.add(uid);
    });
    return op;
  };
}

async function runOnce(seed: number): Promise<TermWitness> {
  const random = createVirtualRandom(seed);
  const shards = random.next() < 0.5 ? 1 : 4;
  const witness = new TermWitness({
    operator: "operator",
    shards,
    resource: EXAMPLES.plural,
    children: "configmaps",
  });
  const ends: Ends = { values: new Map(), deleted: new Set() };
  await using cluster = await testCluster({ seed, manifests: definitionOf(EXAMPLES) as JsonObject });
  const network = new ReplicaNetwork({
    clock: cluster.host.clock,
    serve: cluster.fetch,
    look: lookBy(witness),
  });
  const make = operatorsOf(witness, ends, { shards, random });
  await using run = await start(make, { cluster: { ...cluster, fetch: network.fetch }, replicas: REPLICAS });
  const faulty = new SharedRun({ run, network, witness, random });
  await faulty.go(SECONDS);
  assert.deepEqual(witness.faults, []);
  for (const [uid, { name, v, isDeleted }] of faulty.made) {
    const found = await run.api.get(Example, { name, namespace: "default" }).catch(() => undefined);
    if (isDeleted) {
      assert.notEqual(found?.metadata.uid, uid, `${name} is gone`);
      assert.ok(ends.deleted.has(uid) || !witness.finalized.has(uid), `the deletion of ${name} was handled`);
      continue;
    }
    assert.equal(ends.values.get(uid), String(v), `the last state of ${name} was handled`);
    const again = v === 1 ? "" : "-again";
    const isNoted = ["first", "second"].every((handler) =>
      witness.noted.has(`${uid} ${v} ${handler}${again}`)
    ) ||
      ["first", "second"].every((handler) => witness.noted.has(`${uid} ${v} ${handler}`));
    assert.ok(isNoted, `both handlers of ${name} are noted`);
  }
  return witness;
}

describe("Replicas that share objects", () => {
  for (let run = 0; run < RUNS; run++) {
    const seed = SEED + run;
    it(`[N28.2] write in turn, repeat no success, and lose no change, whatever fails (seed ${seed})`, async (t) => {
      const { writes, moves } = await runOnce(seed);
      t.diagnostic?.(`${writes} writes, ${moves} changes of hands`);
    });
  }
});
