/**
 * Makes Items and watches until each has its ConfigMap: a process of its own, the same for every candidate.
 *
 *   writers.ts <prefix> <count>
 *
 * Prints how long it took from the first request until the last ConfigMap was seen, in seconds.
 */

import process from "node:process";
import { type Api, connectFromEnvironment, ITEMS } from "../creations/api.ts";

const MAPS = "/api/v1/namespaces/default/configmaps";
const WRITERS = 32;

/** About 1.2 KB per object, as stored. */
const PAYLOAD = "x".repeat(800);

const [prefix = "item", text = "100"] = process.argv.slice(2);
const count = Number(text);
const api = connectFromEnvironment();
const missing = new Set(Array.from({ length: count }, (_, index) => `${prefix}-${index}`));
const { metadata } = await api.send<{ metadata: { resourceVersion: string } }>("GET", `${MAPS}?limit=1`);
const started = performance.now();
const all = follow(api, metadata.resourceVersion);
let next = 0;
await Promise.all(Array.from({ length: WRITERS }, write));
await all;
console.log((performance.now() - started) / 1000);
process.exit(0);

async function follow(api: Api, from: string): Promise<void> {
  for (let version = from;;) {
    for await (const { type, object } of api.watch(`${MAPS}?watch=true&resourceVersion=${version}`)) {
      if (type === "ERROR") throw new Error(`The watch from ${version} failed: ${JSON.stringify(object)}`);
      version = object.metadata.resourceVersion ?? version;
      missing.delete(object.metadata.name);
      if (missing.size === 0) return;
    }
  }
}

async function write(): Promise<void> {
  for (let index = next++; index < count; index = next++) {
    const metadata = { name: `${prefix}-${index}` };
    const spec = { payload: PAYLOAD };
    await api.send("POST", ITEMS, { apiVersion: "bench.lotse.dev/v1", kind: "Item", metadata, spec });
  }
}
