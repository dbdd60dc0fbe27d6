/**
 * Reconciles of one owned child each, beside the same operator with controller-runtime. README.md says what is measured and how.
 *
 *   deno run -A bench/reconcile/run.ts [--candidates controller-runtime,floor-bun,lotse-bun,floor-deno,lotse-deno] [--objects 3000] [--idle 10000] [--resync 20]
 */

import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { type ControlPlane, startControlPlane } from "../../tests/control_plane/control_plane.ts";
import { findRuntime, type RuntimeName } from "../../tests/runner/tools.ts";
import { Api, type Connection } from "../creations/api.ts";
import { memoryMb } from "../creations/measure.ts";
import { ITEM_DEFINITION } from "../item.ts";
import { readOptions } from "../../tools/options.ts";
import { type Cost, cost, Operator } from "./candidate.ts";

const HERE = import.meta.dirname ?? ".";
const YARDSTICK = "controller-runtime";

interface Figures {
  readonly perSecond: number;
  readonly burst: Cost;
  /** Undefined for controller-runtime, whose caches tell nothing anew, and for the floor, which has no resync. */
  readonly idle: Idle | undefined;
}

interface Idle {
  readonly start: Cost;
  /** The first one after the start, in which the JIT still compiles. */
  readonly first: Cost;
  /** The three that follow. */
  readonly next: Cost;
  readonly memoryMb: number;
}

const { values } = readOptions(import.meta.url, {
  options: {
    candidates: { type: "string", default: `${YARDSTICK},floor-bun,lotse-bun,floor-deno,lotse-deno` },
    objects: { type: "string", default: "3000" },
    idle: { type: "string", default: "10000" },
    resync: { type: "string", default: "20" },
  },
});
const [objects, idle, resync] = [Number(values.objects), Number(values.idle), Number(values.resync)];
const folder = mkdtempSync(join(tmpdir(), "lotse-reconcile-"));
const executable = join(folder, "operator");
const began = performance.now();

try {
  const candidates = values.candidates.split(",");
  if (candidates.includes(YARDSTICK)) build();
  let yardstick: Figures | undefined;
  for (const candidate of candidates) {
    const figures = await measure(candidate);
    if (candidate === YARDSTICK) yardstick = figures;
    print(candidate, figures, yardstick);
  }
} finally {
  rmSync(folder, { recursive: true });
}
console.log(`${Math.round((performance.now() - began) / 1000)} s in all`);

/** NB: the flags of the control plane's build, so that what it has compiled counts. */
function build(): void {
  const go = ["go", "/usr/local/go/bin/go"].find((each) => spawnSync(each, ["version"]).status === 0) ?? "go";
  const args = ["build", "-buildvcs=false", "-trimpath", "-ldflags", "-s -w", "-o", executable, "."];
  const env = { ...process.env, CGO_ENABLED: "0" };
  const cwd = join(HERE, "controller_runtime");
  const { status } = spawnSync(go, args, { cwd, env, stdio: ["ignore", "inherit", "inherit"] });
  if (status !== 0) throw new Error(`Cannot build ${cwd}`);
}

async function measure(candidate: string): Promise<Figures> {
  await using plane = await prepare();
  const api = new Api(connectionOf(plane));
  try {
    const live = await measureLive(candidate, plane, api);
    return { ...live, idle: hasResync(candidate) ? await measureIdle(candidate, plane, api) : undefined };
  } finally {
    api.close();
  }
}

/** A start with objects that are all right, and their resync. */
async function measureIdle(candidate: string, plane: ControlPlane, api: Api): Promise<Figures["idle"]> {
  say(candidate, `start with ${idle}`);
  await using operator = new Operator(programOf(candidate), plane, resync);
  const before = await operator.snapshot(api);
  await operator.quiet(idle, api);
  const settled = await operator.snapshot(api);
  say(candidate, "resync");
  // Each object is due once within this time: it varies by a tenth.
  await sleep(resync * 1100);
  const once = await operator.snapshot(api);
  await sleep(resync * 3000);
  const after = await operator.snapshot(api);
  return {
    start: cost(before, settled),
    first: cost(settled, once),
    next: cost(once, after),
    memoryMb: memoryMb(operator.pid),
  };
}

/** For those who wait. */
function say(candidate: string, what: string): void {
  console.error(`${Math.round((performance.now() - began) / 1000)} s: ${candidate}: ${what}`);
}

/** Objects that are made while the operator runs; and as many more as the resync is to be measured with. */
async function measureLive(
  candidate: string,
  plane: ControlPlane,
  api: Api,
): Promise<Pick<Figures, "perSecond" | "burst">> {
  await using operator = new Operator(programOf(candidate), plane);
  await write(plane, "warm", 20); // It is there, and has met the kind.
  say(candidate, `${objects} objects`);
  const before = await operator.snapshot(api);
  const seconds = await write(plane, "burst", objects);
  await operator.quiet(objects, api);
  const burst = cost(before, await operator.snapshot(api));
  if (hasResync(candidate) && idle > objects + 20) await write(plane, "more", idle - objects - 20);
  return { perSecond: objects / seconds, burst };
}

/** A fresh control plane for each candidate, with the kind in it. */
async function prepare(): Promise<ControlPlane> {
  const plane = await startControlPlane();
  writeFileSync(connectionPath(plane), JSON.stringify(connectionOf(plane)));
  const api = new Api(connectionOf(plane));
  await api.send("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", ITEM_DEFINITION);
  for (let served = false; !served;) {
    await sleep(200);
    served = await api.send("GET", "/apis/bench.lotse.dev/v1/items").then(() => true, () => false);
  }
  // NB: a new kind ends its first watches after a second or two; nobody is measured by that.
  await sleep(3000);
  api.close();
  return plane;
}

async function write(plane: ControlPlane, prefix: string, count: number): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const [path = "", ...args] = commandFor("bun", "writers.ts");
  const child = spawn(path, [...args, prefix, String(count)], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, BENCH_CONNECTION: connectionPath(plane) },
    timeout: 180_000,
  });
  let text = "";
  child.stdout.on("data", (chunk) => text += chunk);
  child.on("error", reject);
  child.on("close", (code, signal) => {
    if (code === 0) resolve(Number(text));
    else reject(new Error(`The writers ended with ${code ?? signal}; logs: ${plane.directory}`));
  });
  return await promise;
}

function hasResync(candidate: string): boolean {
  return candidate.startsWith("lotse-");
}

/** "lotse-bun" is the operator on Bun, "floor-bun" the floor. */
function programOf(candidate: string): readonly string[] {
  if (candidate === YARDSTICK) return [executable];
  const [program, runtime] = candidate.split("-");
  return commandFor(runtime as RuntimeName, program === "floor" ? "floor.ts" : "operator.ts");
}

function commandFor(runtime: RuntimeName, file: string): string[] {
  const path = join(HERE, file);
  const start = runtime === "deno" ? ["run", "--allow-all", path] : [path];
  return [findRuntime(runtime).path, ...start];
}

function connectionOf({ server, caPem, admin }: ControlPlane): Connection {
  return { server, ca: caPem, cert: admin.certificate, key: admin.key };
}

function connectionPath({ directory }: ControlPlane): string {
  return join(directory, "bench.json");
}

function print(candidate: string, figures: Figures, yardstick: Figures | undefined): void {
  const { perSecond, burst, idle: idling } = figures;
  const share = (of: (figures: Figures) => number): string =>
    yardstick === undefined ? "" : ` (${(of(figures) / of(yardstick)).toFixed(2)})`;
  const cells = [
    candidate.padEnd(18),
    `${perSecond.toFixed(0)}/s${share((each) => each.perSecond)}`,
    `CPU ${(burst.cpuMs / objects).toFixed(2)} ms/object${share((each) => each.burst.cpuMs)}`,
    `per object ${describe(burst, objects)}, ${(burst.calls / objects).toFixed(2)} calls`,
  ];
  if (idling !== undefined) {
    const { start, first, next, memoryMb } = idling;
    const seconds = ({ cpuMs }: Cost): string => `${(cpuMs / 1000).toFixed(1)} s CPU`;
    cells.push(
      `start with ${idle}: ${seconds(start)}, ${describe(start, idle)}`,
      `first resync: ${describeResync(first)}`,
      `the next ones: ${describeResync(next)}`,
      `${memoryMb} MB`,
    );
  }
  console.log(cells.join(" | "));
}

/** Requests per object, without those of the writers. */
function describe({ requests }: Cost, count: number): string {
  const own = [...requests].filter(([verb]) => verb !== "POST items");
  return own.map(([verb, times]) => `${(times / count).toFixed(2)} ${verb}`).join(", ") || "no requests";
}

function describeResync({ cpuMs, calls, requests }: Cost): string {
  const seconds = cpuMs / 1000 * idle / calls;
  return `${seconds.toFixed(1)} s CPU for ${idle}, ${calls} calls, ${sum(requests)} requests`;
}

/** NB: our own watches and lists are none of the operator's. */
function sum(requests: ReadonlyMap<string, number>): number {
  return [...requests.values()].reduce((all, count) => all + count, 0);
}
