/**
 * One measurement of the API server in the process, in a process of its own: `measure.ts NAME TREE` prints a line of JSON.
 * TREE is a checkout, so that two commits can be compared.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import process from "node:process";
import { setImmediate, setTimeout } from "node:timers";
import { join, resolve } from "node:path";
import { currentHost } from "../../lib/runtime/current_host.ts";
import { collect } from "../../tests/support/heap.ts";
import { largeDefinition } from "./definitions.ts";

interface Server {
  fetch(request: Request): Promise<Response>;
}

const COUNT = 50_000;
const [name = "", tree = "."] = process.argv.slice(2);
const started = performance.now();
const { apiServer, openApiServer } = await import(resolve(tree, "lib/kits/apiserver/mod.ts"));
const loaded = performance.now();

const MAPS = "/api/v1/namespaces/default/configmaps";

function start(): Server {
  return apiServer({ host: currentHost() });
}

async function send(server: Server, method: string, path: string, body?: unknown, type = "application/json") {
  const response = await server.fetch(
    new Request(`https://a.test${path}`, {
      method,
      headers: { "content-type": type },
      body: body === undefined ? undefined : JSON.stringify(body),
    }),
  );
  if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
  await response.arrayBuffer();
}

function map(number: number): unknown {
  return {
    metadata: { name: `map-${String(number).padStart(6, "0")}`, labels: { app: "bench" } },
    data: { text: "x".repeat(640), number: String(number) },
  };
}

async function fill(server: Server, count: number): Promise<void> {
  for (let number = 0; number < count; number++) await send(server, "POST", MAPS, map(number));
}

function cpu(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** From nothing to the first answer. */
async function first(): Promise<unknown> {
  const begin = performance.now();
  await send(start(), "GET", "/api/v1/namespaces");
  return { loadMs: loaded - started, answerMs: performance.now() - begin };
}

/** All objects there, and what they take. */
async function memory(): Promise<unknown> {
  const server = start();
  await fill(server, 100);
  collect();
  const before = process.memoryUsage();
  await fillMore(server);
  // What is kept of the past goes after five minutes; until then it is the same objects.
  collect();
  await new Promise((done) => setTimeout(done, 1000));
  collect();
  const after = process.memoryUsage();
  // V8 gives empty pages back when nothing has happened for half a minute.
  await new Promise((done) => setTimeout(done, 30_000));
  return {
    rssMb: after.rss / 1e6,
    restedRssMb: process.memoryUsage().rss / 1e6,
    heapGrowthMb: (after.heapUsed - before.heapUsed) / 1e6,
  };
}

async function fillMore(server: Server): Promise<void> {
  for (let number = 100; number < COUNT; number++) await send(server, "POST", MAPS, map(number));
}

/** The longest time that nothing else can run while a list of everything is read. */
async function list(): Promise<unknown> {
  const server = start();
  await fill(server, COUNT);
  collect();
  let [longest, longestCpu] = [0, 0];
  let isOver = false;
  let [last, lastCpu] = [performance.now(), cpu()];
  const tick = () => {
    const [now, nowCpu] = [performance.now(), cpu()];
    longest = Math.max(longest, now - last);
    longestCpu = Math.max(longestCpu, nowCpu - lastCpu);
    [last, lastCpu] = [now, nowCpu];
    if (!isOver) setImmediate(tick);
  };
  tick();
  await new Promise((done) => setTimeout(done, 50));
  const begin = performance.now();
  [longest, longestCpu] = [0, 0];
  // What was before, the end of a collection above all, is not the list's.
  [last, lastCpu] = [begin, cpu()];
  const response = await server.fetch(new Request(`https://a.test${MAPS}`));
  const reader = response.body!.getReader();
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    bytes += value.length;
    // As a socket would: the next piece is asked for in another turn.
    await new Promise((done) => setImmediate(done));
  }
  isOver = true;
  return {
    longestMs: longest,
    longestCpuMs: longestCpu,
    totalMs: performance.now() - begin,
    megabytes: bytes / 1e6,
  };
}

/** 50 watchers of one kind at 2,000 writes a second: each must see all changes in order. */
async function watchers(): Promise<unknown> {
  const server = start();
  await fill(server, 100);
  const counts = Array.from({ length: 50 }, () => ({ events: 0, last: 0, disorder: 0 }));
  const readers = await Promise.all(counts.map(async (count) => {
    const response = await server.fetch(new Request(`https://a.test${MAPS}?watch=1&resourceVersion=1`));
    const reader = response.body!.getReader();
    void follow(reader, count);
    return reader;
  }));
  const seen = () => counts.reduce((sum, { events }) => sum + events, 0);
  while (seen() < 50 * 100) await new Promise((done) => setTimeout(done, 20));
  const writes = 10_000;
  const before = cpu();
  const begin = performance.now();
  for (let written = 0; written < writes; written++) {
    const due = begin + written / 2;
    if (performance.now() < due) await new Promise((done) => setTimeout(done, 1));
    const path = `${MAPS}/map-${String(written % 100).padStart(6, "0")}`;
    await send(server, "PATCH", path, { data: { number: `w${written}` } }, "application/merge-patch+json");
  }
  const seconds = (performance.now() - begin) / 1000;
  const wanted = 50 * (100 + writes);
  for (let wait = 0; wait < 200 && seen() < wanted; wait++) await new Promise((done) => setTimeout(done, 20));
  const lag = (performance.now() - begin) / 1000 - seconds;
  for (const reader of readers) await reader.cancel();
  return {
    writesPerSecond: writes / seconds,
    lost: wanted - seen(),
    disorder: counts.reduce((sum, { disorder }) => sum + disorder, 0),
    lagSeconds: lag,
    cpuMsPerWrite: (cpu() - before) / writes,
  };
}

async function follow(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  count: { events: number; last: number; disorder: number },
): Promise<void> {
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    for (const version of versionsIn(value)) {
      if (version <= count.last) count.disorder++;
      count.last = version;
      count.events++;
    }
  }
}

const decoder = new TextDecoder();
const known = new WeakMap<Uint8Array, readonly number[]>();

/** NB: what all watchers are given is read once: it is the server that is measured. Chunks end with a line. */
function versionsIn(chunk: Uint8Array): readonly number[] {
  let versions = known.get(chunk);
  if (versions === undefined) {
    const found = decoder.decode(chunk).matchAll(/"resourceVersion":"(\d+)".*\n/g);
    versions = [...found].map(([, version]) => Number(version));
    known.set(chunk, versions);
  }
  return versions;
}

/** The CPU of a creation and two patches. */
async function write(): Promise<unknown> {
  const server = start();
  const round = async (from: number, count: number) => {
    for (let number = from; number < from + count; number++) {
      await send(server, "POST", MAPS, map(number));
      const path = `${MAPS}/map-${String(number).padStart(6, "0")}`;
      await send(server, "PATCH", path, { data: { a: "1" } }, "application/merge-patch+json");
      await send(
        server,
        "PATCH",
        path,
        { metadata: { annotations: { b: "2" } } },
        "application/merge-patch+json",
      );
    }
  };
  await round(0, 2000);
  const before = cpu();
  await round(2000, 6000);
  return { cpuMsPerWrite: (cpu() - before) / 18_000 };
}

const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/** 300 definitions of 250 KB in a folder: what they take, and a start over them until one of their kinds is listed. */
async function definitions(): Promise<unknown> {
  const data = mkdtempSync(join(tmpdir(), "lotse-bench-"));
  try {
    const begin = cpu();
    const server = await openApiServer({ host: currentHost(), data });
    for (let number = 0; number < 300; number++) {
      await send(server, "POST", DEFINITIONS, largeDefinition(number, 250_000));
    }
    const installed = cpu();
    collect();
    await new Promise((done) => setTimeout(done, 1000));
    collect();
    const rssMb = process.memoryUsage().rss / 1e6;
    await server[Symbol.asyncDispose]();
    const [time, used] = [performance.now(), cpu()];
    const again = await openApiServer({ host: currentHost(), data });
    await send(again, "GET", "/apis/bench.example.com/v1/machines299");
    const result = {
      rssMb,
      cpuMsPerDefinition: (installed - begin) / 300,
      startMs: performance.now() - time,
      startCpuMs: cpu() - used,
    };
    await again[Symbol.asyncDispose]();
    return result;
  } finally {
    rmSync(data, { recursive: true });
  }
}

/** The CPU of a definition of 1.3 MB, and of the first object of its kind. */
async function large(): Promise<unknown> {
  const server = start();
  await send(server, "GET", "/api/v1/namespaces");
  const begin = cpu();
  await send(server, "POST", DEFINITIONS, largeDefinition(0, 1_300_000));
  const installed = cpu();
  await send(server, "POST", "/apis/bench.example.com/v1/namespaces/default/machines0", {
    apiVersion: "bench.example.com/v1",
    kind: "Machine0",
    metadata: { name: "a" },
    spec: { part0: { name: "first", conditions: [{ type: "Ready", status: "True" }] } },
  });
  return { definitionCpuMs: installed - begin, firstObjectCpuMs: cpu() - installed };
}

const MEASUREMENTS: Readonly<Record<string, () => Promise<unknown>>> = {
  definitions,
  first,
  large,
  list,
  memory,
  watchers,
  write,
};
const measure = MEASUREMENTS[name];
if (measure === undefined) throw new Error(`There is no measurement "${name}"`);
console.log(JSON.stringify(await measure()));
process.exit(0);
