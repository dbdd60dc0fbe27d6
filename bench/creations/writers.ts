/**
 * Makes the objects and watches what becomes of them: a process of its own, the same for every candidate.
 *
 *   writers.ts burst <count> <writers>   as fast as that many writers can
 *   writers.ts raw <count> <writers>     the same, but each writer also makes the two patches itself: the limit
 *   writers.ts paced <count> <per second>
 *
 * Prints one line of JSON: {@link Outcome}.
 */

import process from "node:process";
import { type Api, connectFromEnvironment, type Item, ITEMS, MERGE_PATCH, NOTE } from "./api.ts";

/** What the writers saw. */
export interface Outcome {
  /** From the first request until the last object had both its status and its note. */
  readonly seconds: number;
  /** Events that a watcher of the kind saw, per object. */
  readonly eventsPerObject: number;
  /** From sending the creation until the status was seen by a watcher, in milliseconds, sorted. */
  readonly latencies: readonly number[];
}

/** About 1.2 KB per object, as stored. */
const PAYLOAD = "x".repeat(800);

/** Follows the objects of this run through a watch. */
class Observer {
  readonly created = new Map<string, number>();
  readonly latencies: number[] = [];
  readonly #finished = new Set<string>();
  readonly #wanted: number;
  readonly #all = Promise.withResolvers<void>();
  events = 0;

  constructor(wanted: number) {
    this.#wanted = wanted;
  }

  get allFinished(): Promise<void> {
    return this.#all.promise;
  }

  /** Watches for ever. A new kind ends its first watches, so it goes on where the last one ended. */
  async follow(api: Api, from: string): Promise<void> {
    for (let version = from;;) {
      for await (const { type, object } of api.watch(`${ITEMS}?watch=true&resourceVersion=${version}`)) {
        if (type === "ERROR") throw new Error(`The watch from ${version} failed: ${JSON.stringify(object)}`);
        version = object.metadata.resourceVersion ?? version;
        this.see(object);
      }
    }
  }

  see({ metadata: { name, annotations }, status }: Item): void {
    const since = this.created.get(name);
    if (since === undefined) return;
    this.events++;
    if (status?.state === undefined) return;
    if (since > 0) this.latencies.push(performance.now() - since);
    this.created.set(name, 0);
    if (annotations?.[NOTE] !== undefined) this.#finished.add(name);
    if (this.#finished.size === this.#wanted) this.#all.resolve();
  }
}

const [mode = "burst", count = "100", pace = "32"] = process.argv.slice(2);
const api = connectFromEnvironment();
const { metadata } = await api.send<{ metadata: { resourceVersion: string } }>("GET", `${ITEMS}?limit=1`);
const observer = new Observer(Number(count));
observer.follow(api, metadata.resourceVersion).catch((error) => {
  console.error(error);
  process.exit(1);
});
const prefix = `${mode}-${process.pid}`;
const started = performance.now();
await (mode === "paced" ? writePaced(Number(count), Number(pace)) : writeFast(Number(count), Number(pace)));
await observer.allFinished;
const seconds = (performance.now() - started) / 1000;
const outcome: Outcome = {
  seconds,
  eventsPerObject: observer.events / Number(count),
  latencies: observer.latencies.sort((a, b) => a - b),
};
console.log(JSON.stringify(outcome));
process.exit(0);

async function writeFast(total: number, writers: number): Promise<void> {
  let next = 0;
  async function write(): Promise<void> {
    for (let index = next++; index < total; index = next++) {
      await create(index);
      if (mode === "raw") await finish(index);
    }
  }
  await Promise.all(Array.from({ length: writers }, write));
}

/** One every so often, whether or not the one before has been answered. */
async function writePaced(total: number, perSecond: number): Promise<void> {
  const pending: Promise<void>[] = [];
  for (let index = 0; index < total; index++) {
    const due = started + (index * 1000) / perSecond;
    const wait = due - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    pending.push(create(index));
  }
  await Promise.all(pending);
}

async function create(index: number): Promise<void> {
  const name = `${prefix}-${index}`;
  observer.created.set(name, performance.now());
  const spec = { payload: PAYLOAD };
  await api.send("POST", ITEMS, { apiVersion: "bench.lotse.dev/v1", kind: "Item", metadata: { name }, spec });
}

async function finish(index: number): Promise<void> {
  const path = `${ITEMS}/${prefix}-${index}`;
  await api.send("PATCH", `${path}/status`, { status: { state: "Ready" } }, MERGE_PATCH);
  const note = JSON.stringify({ spec: { payload: PAYLOAD } });
  await api.send("PATCH", path, { metadata: { annotations: { [NOTE]: note } } }, MERGE_PATCH);
}
