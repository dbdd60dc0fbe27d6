/**
 * Shards under load, in virtual time: replicas are added, killed and ended while objects change. Each state of each object is handled,
 * and none by two replicas at once. `STORY_SIZE=full`: 2,000 objects, 10 changes a second, from 3 replicas to 5 and to 2.
 */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { start, testCluster } from "../../lib/kits/testing/mod.ts";
import { type JsonObject, type Operator, operator } from "../../mod.ts";
import { lookBy, ReplicaNetwork } from "../support/replica_network.ts";
import { sized } from "../support/size.ts";
import { TermWitness } from "../support/term_witness.ts";
import { definitionOf, Example, EXAMPLES } from "../support/worlds.ts";

const OBJECTS = sized({ short: 100, full: 2000 });
const SHARDS = 8;
/** Changes in a second; an object changes again only when all others have. */
const RATE = sized({ short: 4, full: 10 });

/** The calls that go on, and the states that were handled. */
class Calls {
  readonly handled = new Set<string>();
  readonly faults: string[] = [];
  readonly #running = new Map<string, number>();
  readonly #isAlive: (replica: number) => boolean;

  constructor(isAlive: (replica: number) => boolean) {
    this.#isAlive = isAlive;
  }

  begin(by: number, name: string): void {
    const other = this.#running.get(name);
    if (other !== undefined && this.#isAlive(other)) this.faults.push(`${name} by ${other} and ${by}`);
    this.#running.set(name, by);
  }

  end(by: number, name: string, v: string): void {
    if (this.#running.get(name) === by) this.#running.delete(name);
    this.handled.add(`${name} ${v}`);
  }
}

describe("Shards of replicas", () => {
  it("[N28.18] handle each state, and no object twice at once, while replicas come, are killed and go", async (t) => {
    const witness = new TermWitness({ operator: "operator", shards: SHARDS, resource: EXAMPLES.plural });
    await using cluster = await testCluster({ manifests: definitionOf(EXAMPLES) as JsonObject });
    const { clock } = cluster.host;
    const look = lookBy(witness);
    const network = new ReplicaNetwork({ clock, serve: cluster.fetch, look });
    const calls: Calls = new Calls((replica) => run.replicas[replica]?.isRunning === true);
    let made = 0;
    const make = (): Operator => {
      const by = made++;
      const op = operator({ replicas: { shards: SHARDS } });
      const handle = async ({ name, uid, spec, signal, clock }: {
        readonly name: string;
        readonly uid: string;
        readonly spec: Readonly<Record<string, unknown>>;
        readonly signal: AbortSignal;
        readonly clock: { sleep(seconds: number, signal: AbortSignal): Promise<boolean> };
      }): Promise<void> => {
        const call = { uid, v: String(spec["v"]), handler: "handle" };
        witness.called(by, call);
        calls.begin(by, name);
        await clock.sleep(0.05, signal);
        signal.throwIfAborted();
        calls.end(by, name, call.v);
        witness.ended(by, call);
      };
      op.on.create(Example, { id: "make" }, handle);
      op.on.update(Example, { id: "handle" }, handle);
      return op;
    };
    await using run = await start(make, { cluster: { ...cluster, fetch: network.fetch }, replicas: 3 });
    const at = (number: number): { name: string; namespace: string } => ({
      name: `m${number}`,
      namespace: "default",
    });
    const wanted = new Set<string>();
    for (let number = 0; number < OBJECTS; number++) {
      const { metadata } = await run.api.create(Example, { metadata: at(number), spec: { v: "0" } });
      witness.made(`m${number}`, metadata.uid ?? "");
      wanted.add(`m${number} 0`);
    }
    let changes = 0;
    const change = async (seconds: number): Promise<void> => {
      for (let count = 0; count < seconds * RATE; count++) {
        const number = changes % OBJECTS;
        const v = String(Math.floor(changes++ / OBJECTS) + 1);
        await run.api.patch(Example, at(number), { spec: { v } });
        wanted.add(`m${number} ${v}`);
        await run.advance(1 / RATE);
      }
    };
    await run.advance(20);
    await change(5);
    run.addReplica();
    run.addReplica();
    await change(15);
    const { holders } = { holders: run.replicas.map(({ calls }) => calls.length) };
    assert.ok(holders.every((count) => count > 0), `all five handle objects: ${holders}`);
    run.replicas[1]?.kill();
    await change(5);
    run.replicas[3]?.kill();
    await change(20);
    run.replicas[0]?.stop();
    await change(20);
    assert.equal(run.replicas.filter(({ isRunning }) => isRunning).length, 2);
    await run.advance(40);
    assert.deepEqual(calls.faults, []);
    assert.deepEqual(witness.faults, []);
    assert.deepEqual([...wanted].filter((state) => !calls.handled.has(state)), []);
    t.diagnostic?.(
      `${OBJECTS} objects, ${changes} changes, ${witness.writes} writes, ${witness.moves} moves`,
    );
  });
});
