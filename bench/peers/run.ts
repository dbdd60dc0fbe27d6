/**
 * Measures Lotse beside controller-runtime, kube-rs and Kopf on one control plane, in turn: `deno task peers`. README.md says how.
 *
 *   [--rounds 3] [--only ROWS[/PEERS]]... [--objects 2000] [--unchanged 10000] [--minutes N] [--out FILE]
 *
 * ROWS and PEERS are lists with commas; a name that ends with "*" stands for all that begin so. Tables go to standard output.
 */

import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { readOptions } from "../../tools/options.ts";
import { type Build, buildGo } from "./builds.ts";
import { wantedBy } from "./choice.ts";
import { type Peer, YARDSTICKS } from "./peers.ts";
import { Place } from "./place.ts";
import { type RowName, ROWS } from "./rows.ts";
import { Session } from "./session.ts";
import { tableOf } from "./table.ts";

const { values: flags } = readOptions(import.meta.url, {
  options: {
    rounds: { type: "string", default: "3" },
    only: { type: "string", multiple: true, default: [""] },
    objects: { type: "string", default: "2000" },
    unchanged: { type: "string", default: "10000" },
    minutes: { type: "string", default: "Infinity" },
    out: { type: "string" },
  },
});
const [objects, unchanged, rounds, minutes] = [flags.objects, flags.unchanged, flags.rounds, flags.minutes]
  .map(Number) as [number, number, number, number];
const wanted = wantedBy(flags.only);
const peers = [...wanted.keys()];

const values = new Map<string, Map<string, number[]>>();
const missing = new Map<string, string>();
const leftOut: string[] = [];
const began = performance.now();

await main();

async function main(): Promise<void> {
  const load = buildGo("load");
  if (load.missing !== undefined) throw new Error(`There is no load generator: ${load.missing}`);
  const builds = findAll();
  const counted = [...builds].filter(([peer]) => wanted.get(peer)?.has("requests"));
  if (counted.length > 0) await countRequests(load.path, new Map(counted));
  if ([...wanted.values()].some((names) => [...names].some((name) => name !== "requests"))) {
    await using place = await Place.open({ load: load.path });
    for (let round = 0; round < rounds; round++) await measureRound(place, { builds, round });
  }
  report();
}

/** Builds what is not there yet. */
function findAll(): Map<Peer, Build> {
  const builds = new Map<Peer, Build>();
  for (const peer of peers) {
    const build = peer.find();
    if (build.missing === undefined) builds.set(peer, build);
    else missing.set(peer.name, build.missing);
  }
  return builds;
}

interface RoundOptions {
  readonly builds: ReadonlyMap<Peer, Build>;
  readonly round: number;
}

/** Each round begins with another peer, so that what changes with time does not always meet the same ones. */
async function measureRound(place: Place, { builds, round }: RoundOptions): Promise<void> {
  const all = [...builds];
  const first = Math.floor((all.length * round) / rounds);
  for (const [peer, { path }] of [...all.slice(first), ...all.slice(0, first)]) {
    const rows = new Set(
      ROWS.filter(({ name, isOnce }) => wanted.get(peer)?.has(name) && (round === 0 || !isOnce)).map((row) =>
        row.name
      ),
    );
    rows.delete("requests");
    if (rows.size === 0) continue;
    const session = new Session(place, { peer, path, rows, objects, unchanged });
    await take(peer, { what: `round ${round + 1}`, session, measure: () => session.measure() });
  }
}

async function countRequests(load: string, builds: ReadonlyMap<Peer, Build>): Promise<void> {
  await using place = await Place.open({ load, audit: true });
  for (const [peer, { path }] of builds) {
    const options = {
      peer,
      path,
      rows: new Set<RowName>(["requests"]),
      objects: Math.min(objects, 500),
      unchanged,
    };
    const session = new Session(place, options);
    await take(peer, { what: "requests", session, measure: () => session.count() });
  }
}

interface Turn {
  readonly what: string;
  readonly session: Session;
  readonly measure: () => Promise<void>;
}

/** Keeps the figures, also those before a failure; that is named in the tables, and the others go on. */
async function take(peer: Peer, { what, session, measure }: Turn): Promise<void> {
  const started = performance.now();
  if (started - began > minutes * 60_000) {
    leftOut.push(`${peer.name} in ${what}`);
    return;
  }
  try {
    await measure();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    missing.set(`${peer.name} in ${what}`, message);
    console.error(`${what}, ${peer.name}: ${message}`);
  }
  const own = values.get(peer.name) ?? new Map<string, number[]>();
  values.set(peer.name, own);
  const figures = Object.entries(session.figures);
  for (const [key, value] of figures) own.set(key, [...own.get(key) ?? [], value]);
  const told = figures.map(([key, value]) => `${key} ${Number(value.toPrecision(3))}`);
  console.error(`${what}, ${peer.name}, ${seconds(started)} s: ${told.join(", ")}`);
}

function report(): void {
  const names = peers.map(({ name }) => name);
  const rows = ROWS.filter(({ name }) => [...wanted.values()].some((each) => each.has(name)));
  const tables = rows.map((row) => tableOf(row, { values, peers: names, yardsticks: YARDSTICKS, missing }));
  console.log(tables.join("\n\n"));
  const most = Math.max(0, ...[...values.values()].flatMap((own) => own.get("load") ?? []));
  console.log(
    `\n${cpus().length} cores, ${rounds} rounds, ${objects} objects from 32 writers, ${unchanged} unchanged ones; ` +
      `the load generator took ${most.toFixed(2)} of a core at most; ${
        seconds(began)
      } s in all. ${describeCounters()}`,
  );
  if (leftOut.length > 0) console.log(`Left out after ${minutes} minutes: ${leftOut.join(", ")}`);
  if (flags.out === undefined) return;
  const all = [...values].map(([peer, own]) => [peer, Object.fromEntries(own)]);
  writeFileSync(
    flags.out,
    JSON.stringify(
      { flags, missing: Object.fromEntries(missing), figures: Object.fromEntries(all) },
      null,
      2,
    ),
  );
}

/** Instructions would not depend on the load of the machine, but few virtual machines let them be counted. */
function describeCounters(): string {
  const { stderr } = spawnSync("perf", ["stat", "-e", "instructions:u", "true"], { encoding: "utf8" });
  const isCounted = typeof stderr === "string" && /[\d,]+\s+instructions/.test(stderr);
  return isCounted
    ? "Instructions could be counted here (perf), but are not."
    : "Instructions are not measured: there are no hardware counters here.";
}

function seconds(since: number): string {
  return ((performance.now() - since) / 1000).toFixed(0);
}
