/**
 * How long a failover takes, what several replicas are worth, and what a standby costs, on a real kube-apiserver.
 *
 *   deno run -A bench/replicas/run.ts [takeover] [exit] [share] [standby] [shards] [--objects 10000] [--rounds 3]
 *
 * `takeover`: the holder of `--objects` objects is killed (kill -9), and one of them changed: until the standby's first write, and from
 * its taking the Lease until it calls that object's handler; lists that it sends after the kill. `exit`: the same with SIGTERM. `share`: 1,200
 * creations whose handler waits 50 ms, with a worker limit of 2 and 24 shards: by three replicas and by one. `standby`: CPU time for each
 * change, of the replica that handles it and of the one that stands by. `shards`: 2,000 objects, ten changes a second, replicas go from
 * three to five and to two, killed and ended: states that were not handled, objects that two had at once, and what the audit log blames.
 * Default: all. The processes run on the runtime that runs this: `bun bench/replicas/run.ts takeover` measures Bun. Exits with 1 where a figure is worse than promised.
 */

import { readFileSync } from "node:fs";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { readLease } from "../../lib/engines/replicas/lease.ts";
import type { KubeObject } from "../../lib/model/object.ts";
import {
  AuditedPlace,
  millisecondsOf,
  ReplicaProcess,
  stepsOf,
} from "../../tests/support/replica_processes.ts";
import { TermWitness } from "../../tests/support/term_witness.ts";
import { EXAMPLES, LAST_HANDLED, type Loose, notesOf } from "../../tests/support/worlds.ts";
import { readOptions } from "../../tools/options.ts";

const OPERATOR = fileURLToPath(new URL("operator.ts", import.meta.url));
const LEASES = { group: "coordination.k8s.io", version: "v1", plural: "leases", namespaced: true };
const NAMESPACES = { group: "", version: "v1", plural: "namespaces", namespaced: false };
const LEASE_DURATION = 15;
const WRITERS = 32;

const { values, positionals } = readOptions(import.meta.url, {
  allowPositionals: true,
  options: { objects: { type: "string", default: "10000" }, rounds: { type: "string", default: "3" } },
});
const objects = Number(values.objects);
const rounds = Number(values.rounds);

/** Replicas of one operator, in a namespace of their own. */
class Fleet implements AsyncDisposable {
  readonly #audited: AuditedPlace;
  readonly namespace: string;
  readonly #settings: object;
  #started = 0;
  readonly replicas: ReplicaProcess[] = [];

  private constructor(audited: AuditedPlace, namespace: string, settings: object) {
    this.#audited = audited;
    this.namespace = namespace;
    this.#settings = settings;
  }

  static async open(
    audited: AuditedPlace,
    namespace: string,
    { shards = 1, ...more }: { shards?: number; [key: string]: unknown },
  ) {
    const metadata = { name: namespace };
    await audited.place.client.create(NAMESPACES, { apiVersion: "v1", kind: "Namespace", metadata });
    return new Fleet(audited, namespace, {
      namespace,
      replicas: { name: "fleet", namespace, shards },
      ...more,
    });
  }

  /** Starts a replica, and waits until it could take shards. Returns the name of its user. */
  async start(): Promise<{ readonly replica: ReplicaProcess; readonly username: string }> {
    const { place: { plane, client }, folder } = this.#audited;
    const username = `${this.namespace}-${this.#started++}`;
    const env = { SETTINGS: JSON.stringify(this.#settings) };
    const replica = await ReplicaProcess.start({ plane, folder, username, program: OPERATOR, env });
    this.replicas.push(replica);
    for (let isAble = false; !isAble;) {
      await sleep(200);
      replica.assertAlive();
      for await (const { items } of client.list(LEASES, { namespace: this.namespace })) {
        isAble ||= items.map(readLease).some(({ holder, annotations }) =>
          holder.startsWith(`${username}_`) && annotations["lotse.dev/able"] === "true"
        );
      }
    }
    return { replica, username };
  }

  /** Returns the objects' uids by their names. */
  async create(count: number): Promise<ReadonlyMap<string, string>> {
    const { client } = this.#audited.place;
    const uids = new Map<string, string>();
    let next = 0;
    const write = async (): Promise<void> => {
      while (next < count) {
        const metadata = { name: `m${next++}`, namespace: this.namespace };
        const { group, version, kind } = EXAMPLES;
        const made = await client.create(EXAMPLES, {
          apiVersion: `${group}/${version}`,
          kind,
          metadata,
          spec: { v: "0" },
        });
        uids.set(metadata.name, made.metadata.uid ?? "");
      }
    };
    await Promise.all(Array.from({ length: WRITERS }, write));
    return uids;
  }

  async change(name: string, v: string): Promise<void> {
    const address = { namespace: this.namespace, name };
    await this.#audited.place.client.patch(EXAMPLES, address, { type: "merge", body: { spec: { v } } });
  }

  /** Waits until each object is noted as handled. */
  async rests(): Promise<void> {
    const { client } = this.#audited.place;
    for (let isOpen = true; isOpen;) {
      await sleep(1000);
      isOpen = false;
      for await (const { items } of client.list(EXAMPLES, { namespace: this.namespace })) {
        isOpen ||= items.some((object) => !(LAST_HANDLED in notesOf(object as KubeObject<Loose, Loose>)));
      }
    }
  }

  /** How often handlers of all replicas were called. */
  get calls(): number {
    return this.replicas.reduce((sum, { program }) => sum + program.stdout.split("called ").length - 1, 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.replicas.map((replica) => replica.end()));
  }
}

const failures: string[] = [];

function report(
  row: string,
  figures: Readonly<Record<string, number>>,
  promised: Readonly<Record<string, number>>,
): void {
  const told = Object.entries(figures).map(([name, value]) => `${name} ${Math.round(value * 1000) / 1000}`);
  console.log(`${row}: ${told.join(", ")}`);
  for (const [name, most] of Object.entries(promised)) {
    const value = figures[name] ?? NaN;
    if (!(value <= most)) failures.push(`${row}: ${name} is ${value}, and should be ${most} at most`);
  }
}

async function until(condition: () => boolean | Promise<boolean>, seconds: number): Promise<void> {
  const end = performance.now() + seconds * 1000;
  while (!await condition()) {
    if (performance.now() > end) throw new Error(`not within ${seconds} s`);
    await sleep(20);
  }
}

function lastTime({ program }: ReplicaProcess, pattern: RegExp): number {
  return Number(pattern.exec(program.stdout)?.[1] ?? NaN);
}

async function measureTakeover(signal: "SIGKILL" | "SIGTERM"): Promise<void> {
  await using audited = await AuditedPlace.open();
  await using fleet = await Fleet.open(audited, signal.toLowerCase(), {});
  let holder = await fleet.start();
  await fleet.create(objects);
  await fleet.rests();
  for (let round = 1; round <= rounds; round++) {
    const standby = await fleet.start();
    await sleep(2000);
    const name = `m${Math.floor(objects / 2) + round}`;
    const ended = Date.now();
    holder.replica.signal(signal);
    if (signal === "SIGKILL") await fleet.change(name, String(round));
    await until(() => standby.replica.program.stdout.includes("taken"), 40);
    if (signal === "SIGTERM") await fleet.change(name, String(round));
    await until(() => standby.replica.program.stdout.includes(`called ${name} `), 20);
    // Until the note is written, and the server has written that into its log.
    await sleep(3000);
    const lines = audited.audited(standby.username).filter((line) =>
      millisecondsOf(line.requestReceivedTimestamp) >= ended
    );
    const first = lines.find(({ verb, objectRef }) =>
      verb === "patch" && objectRef?.resource === EXAMPLES.plural
    );
    const taken = lastTime(standby.replica, /taken (\d+)/);
    report(
      `${signal} of the holder of ${objects} objects, round ${round}`,
      {
        "s to the Lease": (taken - ended) / 1000,
        "s to the first write": (millisecondsOf(first?.requestReceivedTimestamp ?? "") - ended) / 1000,
        "s from the Lease to the handler":
          (lastTime(standby.replica, new RegExp(`called ${name} (\\d+)`)) - taken) / 1000,
        lists: lines.filter(({ verb, requestURI = "" }) =>
          verb === "list" || requestURI.includes("sendInitialEvents")
        ).length,
      },
      signal === "SIGKILL"
        ? { "s to the first write": LEASE_DURATION + 2, "s from the Lease to the handler": 0.5, lists: 0 }
        : { "s to the Lease": 1, lists: 0 },
    );
    holder = standby;
  }
}

async function measureShare(): Promise<void> {
  const count = 1200;
  await using audited = await AuditedPlace.open();
  const seconds = new Map<number, number>();
  for (const replicas of [1, 3]) {
    await using fleet = await Fleet.open(audited, `share-${replicas}`, {
      shards: 24,
      wait: 0.05,
      workers: 2,
    });
    for (let number = 0; number < replicas; number++) await fleet.start();
    // Until the shards are spread: no more is taken.
    let taken = -1;
    await until(async () => {
      const before = taken;
      taken = fleet.replicas.reduce((sum, { program }) => sum + program.stdout.split("taken ").length - 1, 0);
      await sleep(6000);
      return taken >= 24 && taken === before;
    }, 90);
    const begun = performance.now();
    await fleet.create(count);
    const created = performance.now();
    await until(() => fleet.calls >= count, 180);
    seconds.set(replicas, (performance.now() - begun) / 1000);
    const calls = fleet.replicas.map(({ program }) => program.stdout.split("called ").length - 1);
    console.error(
      `${replicas} replicas: created in ${((created - begun) / 1000).toFixed(1)} s, handled ${
        calls.join(", ")
      }`,
    );
  }
  const [one = NaN, three = NaN] = [seconds.get(1), seconds.get(3)];
  report(`${count} objects, handlers of 50 ms, 2 workers`, {
    "objects/s of one": count / one,
    "of three": count / three,
    "times": one / three,
  }, {});
}

/** The CPU time of a process, in seconds. Source: proc(5). */
function cpuOf({ program }: ReplicaProcess): number {
  const fields = readFileSync(`/proc/${program.pid}/stat`, "utf8").replace(/^.*\) /s, "").split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

async function measureStandby(): Promise<void> {
  const [count, changes] = [500, 6];
  await using audited = await AuditedPlace.open();
  await using fleet = await Fleet.open(audited, "standby", {});
  const holder = await fleet.start();
  const standby = await fleet.start();
  await fleet.create(count);
  await until(() => fleet.calls >= count, 120);
  await sleep(3000);
  const before = [holder, standby].map(({ replica }) => cpuOf(replica));
  for (let round = 1; round <= changes; round++) {
    for (let next = 0; next < count; next += 8) {
      await Promise.all(
        Array.from(
          { length: Math.min(8, count - next) },
          (_, index) => fleet.change(`m${next + index}`, String(round)),
        ),
      );
    }
  }
  await until(() => fleet.calls >= count * (changes + 1), 120);
  await sleep(2000);
  const [own = NaN, other = NaN] = [holder, standby].map(({ replica }, index) =>
    (cpuOf(replica) - before[index]!) * 1000 / (count * changes)
  );
  report(`${count * changes} changes`, {
    "ms CPU of the holder per change": own,
    "of the standby": other,
    "share": other / own,
  }, {});
}

/** Counts calls of handlers for one object that have overlapped in two processes, `ends`: when processes were killed. */
function countOverlaps({ replicas }: Fleet, ends: ReadonlyMap<ReplicaProcess, number>): number {
  const calls = replicas.flatMap((replica) => {
    const open = new Map<string, { name: string; begun: number; ended: number; replica: ReplicaProcess }>();
    const found = [];
    for (const line of replica.program.stdout.split("\n")) {
      const [word, name = "", time] = line.split(" ");
      if (word === "called") {
        const call = { name, begun: Number(time), ended: ends.get(replica) ?? Infinity, replica };
        open.set(name, call);
        found.push(call);
      }
      const call = word === "left" ? open.get(name) : undefined;
      if (call !== undefined) call.ended = Number(time);
    }
    return found;
  }).sort((a, b) => a.begun - b.begun);
  const last = new Map<string, (typeof calls)[number]>();
  let overlaps = 0;
  for (const call of calls) {
    const before = last.get(call.name);
    if (before !== undefined && before.replica !== call.replica && before.ended > call.begun) overlaps++;
    last.set(call.name, call);
  }
  return overlaps;
}

async function measureShards(): Promise<void> {
  const [count, rate] = [Math.min(objects, 2000), 10];
  await using audited = await AuditedPlace.open();
  await using fleet = await Fleet.open(audited, "shards", { shards: 8, wait: 0.05 });
  for (let number = 0; number < 3; number++) await fleet.start();
  const begun = Date.now();
  const uids = await fleet.create(count);
  await fleet.rests();
  const wanted = new Set([...uids.keys()].map((name) => `${name} 0`));
  const ends = new Map<ReplicaProcess, number>();
  const kill = (number: number, signal: "SIGKILL" | "SIGTERM"): void => {
    const replica = fleet.replicas[number]!;
    if (signal === "SIGKILL") ends.set(replica, Date.now());
    replica.signal(signal);
  };
  let changes = 0;
  const change = async (seconds: number): Promise<void> => {
    const end = performance.now() + seconds * 1000;
    while (performance.now() < end) {
      const name = `m${changes % count}`;
      const v = String(Math.floor(changes++ / count) + 1);
      const pause = sleep(1000 / rate);
      await fleet.change(name, v);
      wanted.add(`${name} ${v}`);
      await pause;
    }
  };
  await change(5);
  await Promise.all([fleet.start(), fleet.start(), change(20)]);
  kill(1, "SIGKILL");
  await change(8);
  kill(3, "SIGKILL");
  await change(25);
  kill(0, "SIGTERM");
  await change(20);
  const isHandled = (state: string): boolean => handled.has(state);
  let handled = new Set<string>();
  const look = (): boolean => {
    const lines = fleet.replicas.flatMap(({ program }) => program.stdout.split("\n"));
    handled = new Set(
      lines.filter((line) => line.startsWith("handled ")).map((line) => {
        const [, name, , , v] = line.split(" ");
        return `${name} ${v}`;
      }),
    );
    return [...wanted].every(isHandled);
  };
  for (let count = 0; count < 60 && !look(); count++) await sleep(1000);
  await sleep(3000);
  const witness = new TermWitness({ operator: "fleet", shards: 8, resource: EXAMPLES.plural });
  const steps: { readonly time: number; readonly tell: () => void }[] = [];
  for (const [name, uid] of uids) steps.push({ time: begun, tell: () => witness.made(name, uid) });
  for (const line of audited.audited("shards-")) steps.push(...stepsOf(line, witness));
  for (const [by, { program }] of fleet.replicas.entries()) {
    for (const line of program.stdout.split("\n")) {
      const [word, , time, uid = "", v = ""] = line.split(" ");
      const call = { uid, v, handler: v === "0" ? "make" : "change" };
      if (word === "called") steps.push({ time: Number(time), tell: () => witness.called(by, call) });
      if (word === "handled") steps.push({ time: Number(time), tell: () => witness.ended(by, call) });
    }
  }
  steps.sort((a, b) => a.time - b.time);
  for (const { tell } of steps) tell();
  for (const fault of witness.faults.slice(0, 10)) console.error(fault);
  report(
    `${count} objects, ${changes} changes, 3 to 5 to 2 replicas`,
    {
      writes: witness.writes,
      moves: witness.moves,
      "states not handled": [...wanted].filter((state) => !isHandled(state)).length,
      "objects that two had at once": countOverlaps(fleet, ends),
      "faults by the audit log": witness.faults.length,
    },
    { "states not handled": 0, "objects that two had at once": 0, "faults by the audit log": 0 },
  );
}

const ROWS: Readonly<Record<string, () => Promise<void>>> = {
  takeover: () => measureTakeover("SIGKILL"),
  exit: () => measureTakeover("SIGTERM"),
  share: measureShare,
  standby: measureStandby,
  shards: measureShards,
};
for (const row of positionals.length > 0 ? positionals : Object.keys(ROWS)) {
  const measure = ROWS[row];
  if (measure === undefined) {
    console.error(`There is no measurement "${row}": ${Object.keys(ROWS).join(", ")}`);
    process.exit(2);
  }
  await measure();
}
for (const failure of failures) console.error(failure);
process.exit(failures.length === 0 ? 0 : 1);
