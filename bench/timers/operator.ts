/**
 * One process that is measured: an operator with objects in an API server of its own, with or without a timer or a daemon for each.
 *
 * Prints one line of JSON: the heap after everything has settled, and the CPU time of a minute in which each timer runs once.
 */

import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { apiServer } from "../../lib/kits/apiserver/mod.ts";
import { fixedCredentials } from "../../lib/client/auth/connection_info.ts";
import { virtualHost } from "../../lib/runtime/virtual/host.ts";
import { createLogger } from "../../lib/runtime/logging.ts";
import { operator, resource } from "../../mod.ts";
import { currentHost } from "../../lib/public/host.ts";
import { ITEM_DEFINITION } from "../item.ts";
import { usedHeap } from "../heap.ts";

const [kind = "timers", count = "10000", seconds = "60", settling = "62"] = process.argv.slice(2);
const objects = Number(count);
const Item = resource({ group: "bench.lotse.dev", version: "v1", plural: "items" });
const ITEMS = "/apis/bench.lotse.dev/v1/namespaces/default/items";

// The clock is real; only the network leads into this process.
const { network } = virtualHost();
const host = { ...currentHost(), network };
const server = apiServer({ host });
network.route("https://cluster.test", (request) => server.fetch(request));

await post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", ITEM_DEFINITION);
await sleep(500);
for (let index = 0; index < objects; index++) {
  await post(ITEMS, {
    apiVersion: "bench.lotse.dev/v1",
    kind: "Item",
    // With the finalizer, so that both candidates hold the same objects.
    metadata: { name: `item-${index}`, namespace: "default", finalizers: ["lotse.dev/finalizer"] },
    spec: { index },
  });
}

let calls = 0;
const op = operator({ posting: { enabled: false } });
op.on.event(Item, { id: "seen" }, () => {});
if (kind === "daemons") {
  op.daemon(Item, { id: "watch" }, async ({ stopped }) => {
    while (!stopped.aborted) await stopped.wait(60);
  });
} else if (kind !== "none") {
  const options = { interval: 60, sharp: kind === "sharp" };
  op.timer(
    Item,
    { id: "tick", ...options, initialDelay: ({ spec }) => Number(spec.index) * 60 / objects },
    () => {
      calls++;
    },
  );
}
const synced = Promise.withResolvers<void>();
const stop = new AbortController();
const run = op.run({
  host,
  logger: createLogger({ level: "warn", write: () => {} }, host.clock),
  credentials: fixedCredentials({ server: "https://cluster.test" }),
  signal: stop.signal,
  synced: synced.resolve,
});
await synced.promise;
await sleep(Number(settling) * 1000);
const heap = usedHeap();
const before = process.cpuUsage();
const callsBefore = calls;
const begun = performance.now();
await sleep(Number(seconds) * 1000);
const { user, system } = process.cpuUsage(before);
const passed = (performance.now() - begun) * 1000;
console.log(JSON.stringify({
  kind,
  heap,
  cpu: (user + system) / passed,
  calls: calls - callsBefore,
  rss: process.memoryUsage().rss,
}));
const stopping = performance.now();
stop.abort();
await run;
console.error(`stopped in ${Math.round(performance.now() - stopping)} ms`);
process.exit(0);

async function post(path: string, body: object): Promise<void> {
  const response = await server.fetch(
    new Request(`http://test${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    }),
  );
  if (!response.ok) throw new Error(await response.text());
}
