/**
 * One process of the measurement: an operator with one creation handler for each of so many kinds, on the API server in the
 * process, on the real clock.
 *
 *   KINDS
 */

import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { fixedCredentials } from "../../lib/client/auth/connection_info.ts";
import { apiServer } from "../../lib/kits/apiserver/mod.ts";
import { currentHost } from "../../lib/public/host.ts";
import { silentLogger } from "../../lib/runtime/logging.ts";
import { virtualHost } from "../../lib/runtime/virtual/host.ts";
import { operator, resource } from "../../mod.ts";
import { ITEM_DEFINITION } from "../item.ts";
import { usedHeap } from "../heap.ts";

/** How many objects are made, over all kinds. */
const OBJECTS = 2000;
const GROUP = "bench.lotse.dev";

const kinds = Number(process.argv[2] ?? "200");
const plurals = Array.from({ length: kinds }, (_, index) => `items${index}`);

// The clock is real; only the network leads into this process.
const { network } = virtualHost();
const host = { ...currentHost(), network };
const server = apiServer({ host });
const asked: string[] = [];
network.route("https://cluster.test", (request) => {
  asked.push(request.url);
  return server.fetch(request);
});
for (const plural of plurals) {
  await post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition(plural));
}
await sleep(500);

let calls = 0;
const all = Promise.withResolvers<void>();
const op = operator({ posting: { enabled: false } });
for (const plural of plurals) {
  op.on.create(resource({ group: GROUP, version: "v1", plural }), { id: "handle" }, ({ patch }) => {
    patch.status.state = "Ready";
    calls++;
    if (calls === OBJECTS) all.resolve();
  });
}
const synced = Promise.withResolvers<void>();
const stop = new AbortController();
const idle = usedHeap();
const beginning = process.cpuUsage();
const run = op.run({
  host,
  logger: silentLogger(),
  credentials: fixedCredentials({ server: "https://cluster.test" }),
  signal: stop.signal,
  synced: synced.resolve,
});
await synced.promise;
const startMs = cpuSince(beginning) / 1000;
await sleep(1000);
const heapMb = (usedHeap() - idle) / 2 ** 20;
const requests = asked.length;
const watches = asked.filter((url) => url.includes("watch=true")).length;
const before = process.cpuUsage();
for (let index = 0; index < OBJECTS; index++) {
  const plural = plurals[index % kinds] ?? "";
  await post(`/apis/${GROUP}/v1/namespaces/default/${plural}`, {
    apiVersion: `${GROUP}/v1`,
    kind: kindOf(plural),
    metadata: { name: `object-${index}`, namespace: "default" },
    spec: { index },
  });
}
await all.promise;
await sleep(500);
const eventUs = cpuSince(before) / OBJECTS;
console.log(JSON.stringify({ requests, watches, startMs, heapMb, eventUs }));
stop.abort();
await run;
process.exit(0);

function kindOf(plural: string): string {
  return plural.replace("items", "Item");
}

function definition(plural: string): object {
  const { spec } = ITEM_DEFINITION;
  const names = { plural, singular: plural.replace("items", "item"), kind: kindOf(plural) };
  return { ...ITEM_DEFINITION, metadata: { name: `${plural}.${GROUP}` }, spec: { ...spec, names } };
}

/** In microseconds. */
function cpuSince(since: ReturnType<typeof process.cpuUsage>): number {
  const { user, system } = process.cpuUsage(since);
  return user + system;
}

async function post(path: string, body: object): Promise<void> {
  const headers = { "content-type": "application/json" };
  const response = await server.fetch(
    new Request(`http://test${path}`, { method: "POST", headers, body: JSON.stringify(body) }),
  );
  if (!response.ok) throw new Error(await response.text());
}
