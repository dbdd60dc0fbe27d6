/**
 * Handled creations: what a framework adds to the requests that any operator has to make. README.md says what is measured and how.
 *
 *   deno run -A bench/creations/run.ts [--candidates floor-bun,lotse-bun,floor-deno,lotse-deno] [--objects 3000] [--runs 1]
 */

import { type ChildProcess, spawn } from "node:child_process";
import { openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { type ControlPlane, startControlPlane } from "../../tests/control_plane/control_plane.ts";
import { findRuntime, type RuntimeName } from "../../tests/runner/tools.ts";
import { ITEM_DEFINITION } from "../item.ts";
import { readOptions } from "../../tools/options.ts";
import { Api, type Connection } from "./api.ts";
import { cpuMs, memoryMb, percentile, readRequests, subtract } from "./measure.ts";
import type { Outcome } from "./writers.ts";

const WRITERS = 32;
const PER_SECOND = 50;
const PACED_SECONDS = 20;

interface Figures {
  readonly candidate: string;
  readonly perSecond: number;
  readonly cpuMs: number;
  readonly memoryMb: number;
  readonly events: number;
  readonly requests: string;
  readonly p50: number;
  readonly p99: number;
}

const { values } = readOptions(import.meta.url, {
  options: {
    candidates: { type: "string", default: "floor-bun,lotse-bun,floor-deno,lotse-deno" },
    objects: { type: "string", default: "3000" },
    runs: { type: "string", default: "1" },
  },
});
const objects = Number(values.objects);

for (let run = 1; run <= Number(values.runs); run++) {
  const limit = await measureRaw();
  console.log(`raw loop of the three requests: ${limit.toFixed(0)} objects/s`);
  for (const candidate of values.candidates.split(",")) print(await measureCandidate(candidate), limit);
}

/** The limit: the writers make all three requests themselves, and nobody has to find anything out. */
async function measureRaw(): Promise<number> {
  await using plane = await prepare();
  const { seconds } = await write(plane, "raw", objects, WRITERS);
  return objects / seconds;
}

async function measureCandidate(candidate: string): Promise<Figures> {
  await using plane = await prepare();
  const [program, runtime] = candidate.split("-") as [string, RuntimeName];
  const child = startProgram(plane, runtime, program === "floor" ? "floor.ts" : "operator.ts");
  try {
    return { candidate, ...await measureProgram(plane, child) };
  } finally {
    child.kill("SIGTERM");
  }
}

async function measureProgram(plane: ControlPlane, child: ChildProcess): Promise<Omit<Figures, "candidate">> {
  const pid = child.pid ?? 0;
  const api = new Api(connectionOf(plane));
  await write(plane, "burst", 20, 1); // It is there, and has met the kind.
  const [requests, cpu] = [await readRequests(api), cpuMs(pid)];
  const burst = await write(plane, "burst", objects, WRITERS);
  const [cpuAfter, requestsAfter] = [cpuMs(pid), await readRequests(api)];
  const paced = await write(plane, "paced", PER_SECOND * PACED_SECONDS, PER_SECOND);
  api.close();
  return {
    perSecond: objects / burst.seconds,
    cpuMs: (cpuAfter - cpu) / objects,
    memoryMb: memoryMb(pid),
    events: burst.eventsPerObject,
    requests: describeRequests(subtract(requestsAfter, requests)),
    p50: percentile(paced.latencies, 0.5),
    p99: percentile(paced.latencies, 0.99),
  };
}

/** Per object and verb, without the creations themselves. */
function describeRequests(counts: ReadonlyMap<string, number>): string {
  const others = [...counts].filter(([verb]) => verb !== "POST" && verb !== "CREATE");
  return others.map(([verb, count]) => `${(count / objects).toFixed(2)} ${verb}`).join(", ");
}

/** A fresh control plane for each candidate, with the kind in it. */
async function prepare(): Promise<ControlPlane> {
  const plane = await startControlPlane();
  writeFileSync(connectionPath(plane), JSON.stringify(connectionOf(plane)));
  const api = new Api(connectionOf(plane));
  await api.send("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", ITEM_DEFINITION);
  for (let served = false; !served;) {
    await new Promise((resolve) => setTimeout(resolve, 200));
    served = await api.send("GET", "/apis/bench.lotse.dev/v1/items").then(() => true, () => false);
  }
  // NB: a new kind ends its first watches after a second or two; nobody is measured by that.
  await new Promise((resolve) => setTimeout(resolve, 3000));
  api.close();
  return plane;
}

function startProgram(plane: ControlPlane, runtime: RuntimeName, file: string): ChildProcess {
  const log = openSync(join(plane.directory, "operator.log"), "w");
  return spawn(findRuntime(runtime).path, commandFor(runtime, file), {
    stdio: ["ignore", log, log],
    env: { ...process.env, BENCH_CONNECTION: connectionPath(plane), KUBECONFIG: plane.kubeconfig },
  });
}

function write(plane: ControlPlane, mode: string, count: number, pace: number): Promise<Outcome> {
  const { promise, resolve, reject } = Promise.withResolvers<Outcome>();
  const options = [...commandFor("bun", "writers.ts"), mode, String(count), String(pace)];
  const child = spawn(findRuntime("bun").path, options, {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, BENCH_CONNECTION: connectionPath(plane) },
    timeout: 180_000,
  });
  let text = "";
  child.stdout.on("data", (chunk) => text += chunk);
  child.on("error", reject);
  child.on("close", (code, signal) => {
    if (code === 0) resolve(JSON.parse(text) as Outcome);
    else reject(new Error(`The writers (${mode}) ended with ${code ?? signal}; logs: ${plane.directory}`));
  });
  return promise;
}

function commandFor(runtime: RuntimeName, file: string): string[] {
  const path = join(import.meta.dirname ?? ".", file);
  return runtime === "deno" ? ["run", "--allow-all", path] : [path];
}

function connectionOf({ server, caPem, admin }: ControlPlane): Connection {
  return { server, ca: caPem, cert: admin.certificate, key: admin.key };
}

function connectionPath({ directory }: ControlPlane): string {
  return join(directory, "bench.json");
}

function print(figures: Figures, limit: number): void {
  const { candidate, perSecond, cpuMs, memoryMb, events, requests, p50, p99 } = figures;
  console.log([
    candidate.padEnd(10),
    `${perSecond.toFixed(0)}/s (${(perSecond / limit).toFixed(2)} of raw)`,
    `CPU ${cpuMs.toFixed(2)} ms/object`,
    `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms at ${PER_SECOND}/s`,
    `${events.toFixed(2)} events and requests ${requests} per object`,
    `${memoryMb} MB`,
  ].join(" | "));
}
