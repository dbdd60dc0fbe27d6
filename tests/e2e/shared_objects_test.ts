/**
 * Three replicas as processes that share objects on a real kube-apiserver: killed, stopped with SIGSTOP for longer than a lease, cut
 * off, reset, with clocks that are set. The audit log is the witness, and `term_witness.ts` the judge.
 *
 * `RUNS`, `AT_ONCE` and `LOTSE_SEED` say how many runs, how many of them beside each other, and which. NB: time is real: processes are
 * stopped for as long as Leases last, which are as short as they may be.
 */

import assert from "node:assert/strict";
import process from "node:process";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { inspect } from "node:util";
import type { Client } from "../../lib/client/client.ts";
import { ApiError } from "../../lib/client/errors.ts";
import type { Random } from "../../lib/runtime/host.ts";
import { createVirtualRandom } from "../../lib/runtime/virtual/random.ts";
import type { JsonObject } from "../../mod.ts";
import type { KubeObject } from "../../lib/model/object.ts";
import { findControlPlane } from "../control_plane/control_plane.ts";
import { AuditedPlace, ReplicaProcess, stepsOf, storyOf } from "../support/replica_processes.ts";
import { sized } from "../support/size.ts";
import { TermWitness } from "../support/term_witness.ts";
import { EXAMPLES, LAST_HANDLED, type Loose, notesOf } from "../support/worlds.ts";

const OPERATOR = fileURLToPath(new URL("shared_objects_operator.ts", import.meta.url));
const NAMESPACES = { group: "", version: "v1", plural: "namespaces", namespaced: false };
const skip = findControlPlane().reason ?? false;
const RUNS = Number(process.env["RUNS"] ?? sized({ short: 1, full: 200 }));
const AT_ONCE = Math.min(RUNS, Number(process.env["AT_ONCE"] ?? 2));
/** Faults in one run. */
const FAULTS = sized({ short: 3, full: 7 });
/** How often it is looked whether everything is handled, every half second. */
const PATIENCE = sized({ short: 80, full: 240 });
/** One control plane serves so many runs: its audit log grows. */
const BATCH = 20;
const OBJECTS = 5;
const SEED = Number(process.env["LOTSE_SEED"] ?? 1);
// Operators take variables that begin so for settings.
delete process.env["LOTSE_SEED"];

/** The outcome of one run. */
interface Outcome {
  readonly writes: number;
  readonly moves: number;
  readonly faults: readonly string[];
  /** Everything that has happened to the objects that the faults name. */
  readonly story: string;
}

/** One run of three replicas through faults by the seed. */
class SharedRun {
  readonly #audited: AuditedPlace;
  readonly #random: Random;
  readonly #namespace: string;
  readonly #replicas: ReplicaProcess[] = [];
  readonly #shards: number;
  /** The objects that were made, by uid. `time`: when, in milliseconds since 1970. */
  readonly #made = new Map<
    string,
    { readonly name: string; readonly time: number; v: number; isDeleted: boolean }
  >();

  constructor(audited: AuditedPlace, seed: number) {
    this.#audited = audited;
    this.#random = createVirtualRandom(seed);
    this.#namespace = `run-${seed}`;
    this.#shards = this.#random.next() < 0.5 ? 1 : 4;
  }

  async go(): Promise<Outcome> {
    const told: string[] = [];
    await this.#client.create(NAMESPACES, {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: this.#namespace },
    });
    try {
      for (let count = 0; count < 3; count++) await this.#add();
      await Promise.all(this.#replicas.map(({ program }) => program.wrote(/Session begun/)));
      for (let round = 0; round < FAULTS; round++) {
        for (let count = 0; count < 3; count++) await this.#change();
        for (const replica of this.#replicas) replica.assertAlive();
        told.push(await this.#fault());
        await this.#change();
        await sleep(500 + this.#random.next() * 2000);
      }
      await this.#settle();
      for (const replica of this.#replicas) replica.assertAlive();
    } catch (cause) {
      throw new Error(`It ended after ${told.join(", ")}\n${this.#outputs()}`, { cause });
    } finally {
      await Promise.all(this.#replicas.map((replica) => replica.end()));
    }
    return this.#judge(told);
  }

  get #client(): Client {
    return this.#audited.place.client;
  }

  get #alive(): readonly ReplicaProcess[] {
    return this.#replicas.filter(({ isGone }) => !isGone);
  }

  async #add(): Promise<void> {
    const { place: { plane }, folder } = this.#audited;
    const shared = { name: "shared", namespace: this.#namespace, shards: this.#shards };
    const env = { SHARED: JSON.stringify(shared) };
    const username = `${this.#namespace}-${this.#replicas.length}`;
    this.#replicas.push(await ReplicaProcess.start({ plane, folder, username, program: OPERATOR, env }));
  }

  /** Breaks one thing, and mends it again. Returns its name. */
  async #fault(): Promise<string> {
    const alive = this.#alive;
    const one = alive[Math.floor(this.#random.next() * alive.length)]!;
    const number = this.#replicas.indexOf(one);
    const kind = Math.floor(this.#random.next() * 8);
    switch (kind) {
      case 0:
        one.signal("SIGKILL");
        await this.#add();
        return `kill ${number}`;
      case 1:
      case 2:
        one.signal("SIGSTOP");
        await this.#change();
        await sleep(3500 + this.#random.next() * 2500);
        one.signal("SIGCONT");
        return `stop ${number}`;
      case 3: {
        const how = this.#random.next() < 0.5 ? "refuses" : "hangs";
        for (const { tunnel } of alive) tunnel.close(how);
        await sleep(1000 + this.#random.next() * 4000);
        for (const { tunnel } of alive) tunnel.reopen();
        return `server ${how}`;
      }
      case 4: {
        one.tunnel.close("hangs");
        await sleep(1000 + this.#random.next() * 4000);
        one.tunnel.reopen();
        return `cut off ${number}`;
      }
      case 5:
        // A process that has just been started would be ended by it.
        for (const each of alive) if (/Session begun/.test(each.program.output)) each.signal("SIGUSR2");
        for (let count = 0; count < 5; count++) {
          for (const { tunnel } of alive) tunnel.reset();
          await sleep(200);
        }
        return "clocks and resets";
      case 6:
        return await this.#stopAtRead(one);
      default:
        one.signal("SIGTERM");
        await this.#add();
        return `end ${number}`;
    }
  }

  /** Kills a replica: the next holder of its objects stops with the answer to a read on its way, until another one has had them. */
  async #stopAtRead(killed: ReplicaProcess): Promise<string> {
    const others = this.#alive.filter((each) => each !== killed && /Session begun/.test(each.program.output));
    const stops = ({ program }: ReplicaProcess): number => program.stdout.split("stopping\n").length;
    const before = others.map(stops);
    for (const each of others) each.signal("SIGHUP");
    killed.signal("SIGKILL");
    await this.#add();
    const stopped = (): ReplicaProcess | undefined =>
      others.find((each, index) => stops(each) > before[index]!);
    for (let count = 0; count < 15 && stopped() === undefined; count++) {
      await this.#change();
      await sleep(400);
    }
    const one = stopped();
    await sleep(4500 + this.#random.next() * 2500);
    for (const each of others) each.signal("SIGCONT");
    return one === undefined
      ? "kill"
      : `kill ${this.#replicas.indexOf(killed)}, and stop ${this.#replicas.indexOf(one)} at a read`;
  }

  async #change(): Promise<void> {
    const name = `m${Math.floor(this.#random.next() * OBJECTS)}`;
    const address = { namespace: this.#namespace, name };
    const found = await this.#find(name);
    const made = this.#made.get(found?.metadata.uid ?? "");
    if (made === undefined) {
      const time = Date.now();
      const { metadata } = await this.#client.create(EXAMPLES, {
        apiVersion: `${EXAMPLES.group}/${EXAMPLES.version}`,
        kind: EXAMPLES.kind,
        metadata: address,
        spec: { v: "1" },
      });
      this.#made.set(metadata.uid ?? "", { name, time, v: 1, isDeleted: false });
    } else if (made.isDeleted) {
      // It goes when its handler lets it.
      return;
    } else if (this.#random.next() < 0.15) {
      made.isDeleted = true;
      await this.#client.delete(EXAMPLES, address);
    } else {
      const body = { spec: { v: String(++made.v) } };
      await this.#client.patch(EXAMPLES, address, { type: "merge", body });
    }
  }

  /** The object of this name, if there is one. Another error is a fault of the run: an object that is there would be made again. */
  async #find(name: string): Promise<KubeObject | undefined> {
    try {
      return await this.#client.get(EXAMPLES, { namespace: this.#namespace, name });
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return undefined;
      throw error;
    }
  }

  /** What the replicas have written last. */
  #outputs(): string {
    return this.#replicas.map(({ program }) => program.stderr.slice(-3000)).join("\n---\n");
  }

  /** Waits until the last value of each object is noted as handled, and deleted objects have gone. */
  async #settle(): Promise<void> {
    for (let attempt = 0;; attempt++) {
      const open: string[] = [];
      for (const [uid, { name, v, isDeleted }] of this.#made) {
        const found = await this.#find(name);
        if (isDeleted ? found?.metadata.uid === uid : valueOf(found) !== String(v)) open.push(`${name} ${v}`);
      }
      if (open.length === 0) return;
      assert.ok(attempt < PATIENCE, `not handled: ${open.join(", ")}`);
      await sleep(500);
    }
  }

  /** Tells the judge of everything that happened, in its order. */
  #judge(told: readonly string[]): Outcome {
    const witness = new TermWitness({
      operator: "shared",
      shards: this.#shards,
      resource: EXAMPLES.plural,
      children: "configmaps",
    });
    const steps: { readonly time: number; readonly tell: () => void }[] = [];
    for (const [uid, { name, time }] of this.#made) steps.push({ time, tell: () => witness.made(name, uid) });
    const audited = this.#audited.audited(`${this.#namespace}-`);
    for (const line of audited) steps.push(...stepsOf(line, witness));
    for (const [by, { program }] of this.#replicas.entries()) {
      for (const line of program.stdout.split("\n")) {
        const [word, uid = "", v = "", handler = "", time] = line.split(/ /);
        if (word !== "called" && word !== "ended") continue;
        steps.push({ time: Number(time), tell: () => witness[word](by, { uid, v, handler }) });
      }
    }
    steps.sort((a, b) => a.time - b.time);
    for (const { tell } of steps) tell();
    const { writes, moves, faults } = witness;
    const blamed = [...this.#made].filter(([uid, { name }]) =>
      faults.some((fault) => fault.includes(uid) || fault.includes(` ${name},`))
    );
    const stories = blamed.map(([uid, { name }]) =>
      `${name} ${uid}:\n${storyOf({ uid, name, audited, replicas: this.#replicas })}`
    );
    return { writes, moves, faults, story: `faults made: ${told.join(", ")}\n${stories.join("\n\n")}` };
  }
}

function valueOf(object: JsonObject | undefined): string | undefined {
  const essence = notesOf(object as KubeObject<Loose, Loose> | undefined)[LAST_HANDLED];
  return essence === undefined ? undefined : (JSON.parse(essence) as { spec?: { v?: string } }).spec?.v;
}

describe("Operators that share objects on a real control plane", () => {
  for (let first = 0; first < RUNS; first += BATCH) {
    const count = Math.min(BATCH, RUNS - first);
    it(
      `[N28.12] write in turn, repeat no success, and lose no change, by the audit log (seeds ${
        SEED + first
      } to ${SEED + first + count - 1})`,
      { skip },
      async (t) => {
        await using audited = await AuditedPlace.open();
        let [next, writes, moves] = [0, 0, 0];
        const failures: string[] = [];
        // A run that fails ends no other: all of them are told of at the end.
        const work = async (): Promise<void> => {
          while (next < count) {
            const seed = SEED + first + next++;
            const failure = await new SharedRun(audited, seed).go().then(
              (outcome) => {
                writes += outcome.writes;
                moves += outcome.moves;
                const { faults, story } = outcome;
                return faults.length === 0 ? undefined : `${faults.join("\n")}\n${story}`;
              },
              (error) => inspect(error),
            );
            if (failure !== undefined) failures.push(`seed ${seed}: ${failure}`);
            t.diagnostic?.(`seed ${seed}: ${failure ?? "well"}. So far ${writes} writes, ${moves} moves`);
          }
        };
        await Promise.all(Array.from({ length: AT_ONCE }, work));
        assert.equal(failures.length, 0, failures.join("\n\n"));
        assert.ok(moves >= count, "Leases have changed hands");
      },
    );
  }
});
