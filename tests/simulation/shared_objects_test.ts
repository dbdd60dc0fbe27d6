/**
 * Operators with replicas through random faults: killed, suspended, cut off, stopped; with clocks that differ.
 *
 * Proven from the requests that the API server takes, in their order: a replica writes an object only while the Lease of the
 * object's shard names that replica; a success that is noted on an object is not repeated; no change is lost. `RUNS` and
 * `LOTSE_SEED` say how many runs, and which.
 */

import assert from "node:assert/strict";
import process from "node:process";
import { describe, it } from "node:test";
import { shardOf } from "../../lib/engines/replicas/shard_fence.ts";
import { type Runner, start, testCluster } from "../../lib/kits/testing/mod.ts";
import { createVirtualRandom } from "../../lib/runtime/virtual/random.ts";
import { type JsonObject, kinds, operator } from "../../mod.ts";

const RUNS = Number(process.env["RUNS"] ?? 1);
const SEED = Number(process.env["LOTSE_SEED"] ?? 1);
const REPLICAS = 3;
const OBJECTS = 6;
const when = ({ name }: { readonly name: string }): boolean => name.startsWith("m");

/** What the API server has taken so far. */
class Witness {
  /** The number of the replica that has an identity. */
  readonly #identities = new Map<string, number>();
  /** The holder of each shard's Lease, by the Lease's name. */
  readonly #holders = new Map<string, string>();
  /** The states of objects that are noted as handled: "name value". */
  readonly noted = new Set<string>();
  readonly faults: string[] = [];
  readonly #shards: number;
  readonly #uids = new Map<string, string>();

  constructor(shards: number) {
    this.#shards = shards;
  }

  /** Looks at a request before it is answered, and at the object that the answer holds. */
  async look(request: Request, answer: (request: Request) => Promise<Response>): Promise<Response> {
    const [, replica] = /^https:\/\/replica-(\d+)\./.exec(request.url) ?? [];
    if (replica === undefined || request.method === "GET") return await answer(request);
    const { pathname } = new URL(request.url);
    const name = pathname.split("/")[6] ?? "";
    const text = await request.clone().text();
    if (pathname.includes("/configmaps/")) this.#checkHolder(Number(replica), name);
    const response = await answer(request);
    if (response.status >= 300) return response;
    const object: JsonObject = JSON.parse(await response.clone().text());
    if (pathname.includes("/leases")) this.#sawLease(Number(replica), object);
    else if (pathname.includes("/configmaps/")) this.#sawNote(name, text);
    return response;
  }

  made(name: string, uid: string): void {
    this.#uids.set(name, uid);
  }

  #leaseOf(name: string): string {
    if (this.#shards === 1) return "operator";
    return `operator-${shardOf(this.#uids.get(name) ?? "", this.#shards)}-of-${this.#shards}`;
  }

  #checkHolder(replica: number, name: string): void {
    const holder = this.#holders.get(this.#leaseOf(name)) ?? "";
    if (this.#identities.get(holder) === replica) return;
    this.faults.push(
      `replica ${replica} writes ${name}, which is of ${this.#identities.get(holder)} (${holder})`,
    );
  }

  #sawLease(replica: number, object: JsonObject): void {
    const { metadata, spec } = object as {
      metadata?: { name?: string };
      spec?: { holderIdentity?: string };
    };
    const name = metadata?.name ?? "";
    const holder = spec?.holderIdentity ?? "";
    if (!name.includes("-member-")) this.#holders.set(name, holder);
    else if (holder !== "") this.#identities.set(holder, replica);
  }

  #sawNote(name: string, text: string): void {
    const { metadata } = JSON.parse(text) as { metadata?: { annotations?: Record<string, string | null> } };
    const essence = metadata?.annotations?.["lotse.dev/last-handled-configuration"];
    const { data } = essence ? JSON.parse(essence) as { data?: { v?: string } } : {};
    if (data?.v !== undefined) this.noted.add(`${name} ${data.v}`);
  }
}

/** One run: its faults by the seed. */
class SharedRun {
  readonly #random: { next(): number };
  readonly #run: Runner;
  readonly #values = new Map<string, number>();
  readonly #witness: Witness;

  constructor(run: Runner, witness: Witness, random: { next(): number }) {
    this.#run = run;
    this.#witness = witness;
    this.#random = random;
  }

  get values(): ReadonlyMap<string, number> {
    return this.#values;
  }

  async go(seconds: number): Promise<void> {
    for (let time = 0; time < seconds; time++) {
      if (this.#random.next() < 0.12) this.#fault();
      if (this.#random.next() < 0.5) await this.#change();
      await this.#run.advance(this.#random.next() * 2);
      for (const replica of this.#run.replicas) if (this.#random.next() < 0.1) replica.rejoin();
    }
    for (const replica of this.#run.replicas) replica.rejoin();
    await this.#run.advance(60);
  }

  #fault(): void {
    const alive = this.#run.replicas.filter(({ isRunning }) => isRunning);
    const one = alive[Math.floor(this.#random.next() * alive.length)];
    const kind = Math.floor(this.#random.next() * 5);
    if (one === undefined) return;
    if (kind === 0) one.isolate();
    else if (kind <= 2) one.suspend(this.#random.next() * 12);
    else if (alive.length > 1 && this.#random.next() < 0.3) kind === 3 ? one.kill() : one.stop();
  }

  async #change(): Promise<void> {
    const { api } = this.#run;
    const name = `m${Math.floor(this.#random.next() * OBJECTS)}`;
    const value = (this.#values.get(name) ?? 0) + 1;
    this.#values.set(name, value);
    const data = { v: String(value) };
    if (value > 1) return void await api.patch(kinds.ConfigMap, { name, namespace: "default" }, { data });
    const { metadata } = await api.create(kinds.ConfigMap, {
      metadata: { name, namespace: "default" },
      data,
    });
    this.#witness.made(name, metadata.uid ?? "");
  }
}

describe("Replicas that share objects", () => {
  for (let run = 0; run < RUNS; run++) {
    const seed = SEED + run;
    it(`[N28.2] write in turn, repeat no success, and lose no change, whatever fails (seed ${seed})`, async () => {
      const random = createVirtualRandom(seed);
      const shards = random.next() < 0.5 ? 1 : 4;
      const witness = new Witness(shards);
      await using cluster = await testCluster({ seed });
      const fetch = (request: Request): Promise<Response> =>
        witness.look(request, (each) => Promise.resolve(cluster.fetch(each)));
      const handled = new Map<string, string>();
      const make = () => {
        const op = operator({
          replicas: { shards, leaseDuration: 3, renewDeadline: 2, retryPeriod: 0.5, drainTimeout: 2 },
        });
        const handle = async (
          { name, body, clock, signal }: {
            readonly name: string;
            readonly body: object;
            readonly clock: { sleep(seconds: number, signal: AbortSignal): Promise<boolean> };
            readonly signal: AbortSignal;
          },
        ): Promise<void> => {
          const { v = "" } = (body as { data?: { v?: string } }).data ?? {};
          if (witness.noted.has(`${name} ${v}`)) witness.faults.push(`${name} ${v} is handled again`);
          await clock.sleep(0.5, signal);
          if (!signal.aborted) handled.set(name, v);
        };
        op.on.create(kinds.ConfigMap, { id: "make", when, backoff: 1 }, handle);
        op.on.update(kinds.ConfigMap, { id: "change", when, backoff: 1 }, handle);
        return op;
      };
      await using runner = await start(make, { cluster: { ...cluster, fetch }, replicas: REPLICAS });
      const faulty = new SharedRun(runner, witness, random);
      await faulty.go(60);
      assert.deepEqual(witness.faults, []);
      const last = [...faulty.values].map(([name, value]) => [name, String(value)]).sort();
      assert.deepEqual([...handled].sort(), last, "the last state of each object was handled");
      for (const [name, value] of faulty.values) assert.ok(witness.noted.has(`${name} ${value}`), name);
    });
  }
});
