/** Very many objects of one kind, which an earlier run has handled: a new one starts. */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { start, testCluster } from "../../lib/kits/testing/mod.ts";
import type { KubeObject } from "../../lib/model/object.ts";
import { type Operator, operator } from "../../mod.ts";
import { heap } from "../support/heap.ts";
import { sized } from "../support/size.ts";
import { definitionOf, Example, EXAMPLES } from "../support/worlds.ts";

const COUNT = sized({ short: 5_000, full: 20_000 });

/** How many handlers may be called before the event loop turns: so many objects are taken in at once, and so many turns begin. */
const AT_ONCE = 16 + 32;

/** What an object may cost in memory beside its own JSON of half a kilobyte. In bytes. */
const COST = 4_000;

describe(`An operator of ${COUNT} objects`, () => {
  it("sees each once at its start, by pages, without a write, and in little memory", {
    timeout: 120_000,
  }, async () => {
    await using cluster = await testCluster({ manifests: [definitionOf(EXAMPLES)] });
    const model = await handledObject(cluster);
    const pages: number[] = [];
    let writes = 0;
    async function fetch(request: Request): Promise<Response> {
      const url = new URL(request.url);
      if (request.method !== "GET") writes++;
      const isList = url.pathname.endsWith("/examples") && url.searchParams.get("watch") !== "true";
      if (!isList) return await cluster.fetch(request);
      const from = Number(url.searchParams.get("continue") ?? 0);
      const limit = Number(url.searchParams.get("limit") ?? COUNT);
      pages.push(limit);
      const end = Math.min(COUNT, from + limit);
      const items = Array.from({ length: end - from }, (_, index) => copyOf(model, from + index));
      const { resourceVersion } = model.metadata;
      const next = end < COUNT ? { continue: String(end) } : {};
      const metadata = { resourceVersion, ...next };
      return Response.json({ apiVersion: "lotse.test/v1", kind: "ExampleList", metadata, items });
    }
    const before = await heap();
    const seen = new Set<string>();
    const op = declare((name) => seen.add(name));
    let [known, most] = [0, 0];
    // What is due now is what the event loop would come to: an answer, a probe.
    const look = (): void => {
      most = Math.max(most, seen.size - known);
      known = seen.size;
      if (known < COUNT) cluster.host.clock.after(0, look);
    };
    cluster.host.clock.after(0, look);
    const running = await start(op, { cluster: { host: cluster.host, fetch }, level: "error" });
    await running.until(() => seen.size === COUNT);
    assert.ok(most <= AT_ONCE, `${most} handlers were called before the event loop has turned`);
    const calls = running.calls.length;
    running.calls.length = 0;
    const cost = ((await heap()).size - before.size) / COUNT;
    assert.equal(calls, 2 * COUNT, "each resumed and indexed once");
    assert.deepEqual([pages.length, new Set(pages).size, writes], [COUNT / 500, 1, 0]);
    assert.ok(cost < COST, `${cost} bytes for each object`);
    await running.stop();
  });
});

function declare(see: (name: string) => void): Operator {
  const op = operator({ watching: { initialStreaming: false } });
  op.on.create(Example, { id: "make" }, () => {});
  op.on.resume(Example, { id: "see" }, ({ name }) => void see(name));
  op.index(Example, { id: "numbers" }, ({ name }) => ({ [name.slice(-2)]: name }));
  return op;
}

/** An object with the notes of one that was handled. */
async function handledObject(cluster: Awaited<ReturnType<typeof testCluster>>): Promise<KubeObject> {
  await using running = await start(declare(() => {}), { cluster });
  const address = { namespace: "default", name: "model" };
  await running.api.create(Example, { metadata: address, spec: { n: 1, text: "x".repeat(100) } });
  await running.settle();
  return await running.api.get(Example, address) as KubeObject;
}

/** A copy that was handled itself: its notes name it. */
function copyOf(model: KubeObject, index: number): KubeObject {
  const [name, uid] = [`object-${index}`, `uid-${index}`];
  const text = JSON.stringify(model)
    .replaceAll(`/${model.metadata.name}/${model.metadata.uid}`, `/${name}/${uid}`);
  const copy = JSON.parse(text) as KubeObject;
  return { ...copy, metadata: { ...copy.metadata, name, uid } };
}
