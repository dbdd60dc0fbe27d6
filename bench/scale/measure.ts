/**
 * One process of the measurement: an operator over so many objects that it has handled before.
 *
 *   NOTES OBJECTS EVENTS     NOTES is "annotations", "status" or "none" (a reconcile)
 */

import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { operator, persistence } from "../../mod.ts";
import { silentLogger } from "../../lib/runtime/logging.ts";
import { Patch } from "../../lib/model/patch.ts";
import { currentEssence, storeEssence } from "../../lib/settings/persistence/storage.ts";
import { createCluster } from "./cluster.ts";
import { declareReady } from "../ready.ts";

const [notes = "annotations", objects = "10000", events = "20000"] = process.argv.slice(2);

const kept = notes === "status" ? persistence.status() : persistence.annotations();
const op = operator({ persistence: kept });
const calls = declareReady(op, notes !== "none");

const cluster = createCluster({ template: template(), objects: Number(objects) });
const stopping = new AbortController();
const idle = rss();
const begun = process.cpuUsage();
const synced = Promise.withResolvers<void>();
const running = op.run({
  host: cluster.host,
  credentials: { server: "http://127.0.0.1:1" },
  scope: "cluster",
  standalone: true,
  logger: silentLogger(),
  signal: stopping.signal,
  synced: synced.resolve,
});
await Promise.race([running, synced.promise]);
await sleep(100);
const start = cpuSince(begun);
await sleep(2500);
const memory = rss() - idle;
cluster.touch(Number(events));
const before = process.cpuUsage();
await sleep(0);
while (cpuSince(before) === 0) await sleep(10);
let last = -1;
for (let now = cpuSince(before); now - last > 20_000; now = cpuSince(before)) {
  last = now;
  await sleep(100);
}
const each = cpuSince(before) / Number(events);
console.log(JSON.stringify({
  startUs: start / Number(objects),
  memoryKb: memory / Number(objects),
  memoryMb: memory / 1024,
  rssMb: rss() / 1024,
  eventUs: each,
  calls: calls(),
}));
stopping.abort();
await running;

/** In microseconds. */
function cpuSince(since: ReturnType<typeof process.cpuUsage>): number {
  const { user, system } = process.cpuUsage(since);
  return user + system;
}

/** In KB. */
function rss(): number {
  return process.memoryUsage().rss / 1024;
}

/** An object of 1 KB that was handled, with its note and its managed fields. */
function template(): (
  each: Record<"name" | "uid" | "version", string> & { readonly count: number },
) => string {
  const body = {
    apiVersion: "bench.lotse.dev/v1",
    kind: "Item",
    metadata: { namespace: "default", creationTimestamp: "2026-11-22T12:00:00Z", generation: 1 },
    spec: { payload: "x".repeat(800) },
    status: { state: "Ready" },
  };
  const varying = { name: "<name>", uid: "<uid>", resourceVersion: "<version>" };
  const named = { ...body, metadata: { ...body.metadata, ...varying } };
  const patch = new Patch();
  if (notes !== "none") storeEssence(kept, { patch, body: named, essence: currentEssence(kept, named) });
  const { metadata = {}, status = {} } = patch.toMergePatch() as Record<string, Record<string, object>>;
  const managed = ["load", "lotse", "lotse"].map((manager) => ({
    apiVersion: body.apiVersion,
    fieldsType: "FieldsV1",
    fieldsV1: { "f:metadata": { "f:annotations": { ".": {} } }, "f:spec": { ".": {}, "f:payload": {} } },
    manager,
    operation: "Update",
    time: "2026-11-22T12:00:00Z",
  }));
  const text = JSON.stringify({
    ...body,
    metadata: { ...body.metadata, ...metadata, ...varying, managedFields: managed },
    status: { ...body.status, ...status, count: "<count>" },
  });
  // NB: made of pieces, so that making them costs as little as can be beside reading them.
  const pieces = text.split(/<(?:name|uid|version)>|"<count>"/);
  const holes = [...text.matchAll(/<(name|uid|version)>|"<(count)>"/g)].map(([, a, b]) => (a ?? b) as "name");
  return (each) => pieces.reduce((made, piece, i) => `${made}${piece}${each[holes[i] as "name"] ?? ""}`, "");
}
