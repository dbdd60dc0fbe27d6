/**
 * What the ledger takes of an operator over very many objects, and how long an answer of `why` takes there.
 *
 *   deno run -A --no-check bench/ledger/at_scale.ts [OBJECTS] [ROUNDS]
 *
 * Each measurement is a process of its own, in turn with and without the ledger: each object has one turn of `op.reconcile` at the
 * start, then events come that change what no handler looks at. Prints medians.
 */

import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Ledger } from "../../lib/engines/ledger.ts";
import { currentHost } from "../../lib/runtime/current_host.ts";
import { silentLogger } from "../../lib/runtime/logging.ts";
import { operator, resource } from "../../mod.ts";
import { createCluster } from "../scale/cluster.ts";

interface Measured {
  /** CPU time for each object, in µs. */
  readonly start: number;
  /** Memory of objects that live, in MB. */
  readonly memory: number;
  /** CPU time for each event, in µs. */
  readonly event: number;
  /** The longest of 100 answers, in ms. */
  readonly why: number;
}

const EVENTS = 20_000;
const [first = "100000", second = "3"] = process.argv.slice(2);
if (first === "with" || first === "without") await measure(first, Number(second));
else runAll(Number(first), Number(second));

function runAll(objects: number, rounds: number): void {
  const found: Record<string, Measured[]> = { with: [], without: [] };
  for (let round = 0; round < rounds; round++) {
    for (const mode of ["with", "without"]) {
      const words = [...runtimeWords(), fileURLToPath(import.meta.url), mode, String(objects)];
      const { stdout, stderr } = spawnSync(process.execPath, words, { encoding: "utf8" });
      if (!stdout.startsWith("{")) throw new Error(stderr);
      found[mode]?.push(JSON.parse(stdout));
    }
  }
  console.log(`${objects} objects, medians of ${rounds}`);
  for (const key of ["start", "memory", "event", "why"] as const) {
    const [own = 0, other = 0] = [found.with, found.without].map((all = []) =>
      median(all.map((each) => each[key]))
    );
    const share = key === "why" ? "" : `  ${((own / other - 1) * 100).toFixed(1)}% more`;
    console.log(`${key.padEnd(8)} with ${own.toFixed(1)}  without ${other.toFixed(1)}${share}`);
  }
}

function runtimeWords(): readonly string[] {
  return "Deno" in globalThis ? ["run", "-A", "--no-check", "--v8-flags=--expose-gc"] : [];
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

async function measure(mode: "with" | "without", objects: number): Promise<void> {
  if (mode === "without") {
    for (const name of Object.getOwnPropertyNames(Ledger.prototype)) {
      if (name === "constructor" || name === "size") continue;
      Object.defineProperty(Ledger.prototype, name, { value: () => undefined });
    }
  }
  const Item = resource<{ payload: string }, { state?: string }>({
    group: "bench.lotse.dev",
    version: "v1",
    plural: "items",
    kind: "Item",
  });
  const op = operator();
  op.reconcile(Item, { id: "handle" }, () => {});
  const body = JSON.stringify({
    apiVersion: "bench.lotse.dev/v1",
    kind: "Item",
    metadata: { name: "<name>", namespace: "default", uid: "<uid>", resourceVersion: "<version>" },
    spec: { payload: "x".repeat(800) },
    status: { state: "Ready", count: "<count>" },
  });
  const template = (each: Record<"name" | "uid" | "version", string> & { readonly count: number }): string =>
    body.replace("<name>", each.name).replace("<uid>", each.uid).replace("<version>", each.version)
      .replace('"<count>"', String(each.count));
  const cluster = createCluster({ template, objects });
  const stop = new AbortController();
  const synced = Promise.withResolvers<void>();
  const begun = process.cpuUsage();
  const running = op.run({
    host: cluster.host,
    credentials: { server: "http://127.0.0.1:1", token: randomUUID() },
    scope: "cluster",
    standalone: true,
    logger: silentLogger(),
    signal: stop.signal,
    synced: synced.resolve,
  });
  await Promise.race([running, synced.promise]);
  const start = await untilCalm(begun) / objects;
  currentHost().process.releaseMemory();
  (globalThis as { gc?: () => void }).gc?.();
  const memory = process.memoryUsage().heapUsed / 1e6;
  const before = process.cpuUsage();
  cluster.touch(EVENTS);
  const event = await untilCalm(before) / EVENTS;
  let why = 0;
  for (let number = 0; number < 100; number++) {
    const asked = performance.now();
    op.why({
      kind: "items",
      namespace: "default",
      name: `object-${String(number * Math.floor(objects / 100)).padStart(9, "0")}`,
    });
    why = Math.max(why, performance.now() - asked);
  }
  console.log(JSON.stringify({ start, memory, event, why }));
  stop.abort();
  await running;
}

/** Waits until the process has nothing to do, and returns the CPU time since, in µs. */
async function untilCalm(since: NodeJS.CpuUsage): Promise<number> {
  const spent = (): number => {
    const { user, system } = process.cpuUsage(since);
    return user + system;
  };
  await sleep(300);
  for (let last = 0, now = spent(); now - last > 20_000; now = spent()) {
    last = now;
    await sleep(200);
  }
  return spent();
}
