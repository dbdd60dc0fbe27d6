import assert from "node:assert/strict";
import { it } from "node:test";
import { start, testCluster } from "../../lib/kits/testing/mod.ts";
import { kinds, operator } from "../../mod.ts";

it("[G3] a handler is not repeated because functions were kept whose answer could not be read", async () => {
  await using cluster = await testCluster();
  const op = operator();
  const calls: string[] = [];
  let rounds = 0;
  op.on.create(kinds.Deployment, { id: "first" }, () => void calls.push("first"));
  op.on.create(kinds.Deployment, { id: "second" }, () => void calls.push("second"));
  op.reconcile(kinds.Deployment, async ({ conditions, children, clock }) => {
    if (++rounds > 3) return;
    conditions.set("Ready", false, { reason: `Round${rounds}` });
    await clock.sleep(1);
    const main = { apiVersion: "v1", kind: "ConfigMap", data: { round: String(rounds) } };
    await children({ main }, { condition: "Children" });
    return { requeueAfter: 0.001 };
  });
  let answers = 0;
  const fetch = async (request: Request): Promise<Response> => {
    const hasFunctions = request.headers.get("content-type") === "application/json-patch+json";
    const response = await cluster.fetch(request);
    if (!hasFunctions || ++answers !== 2) return response;
    return new Response((await response.text()).slice(0, 20), {
      headers: { "content-type": "application/json" },
    });
  };
  await using run = await start(op, { cluster: { host: cluster.host, fetch } });
  const labels = { app: "one" };
  const template = { metadata: { labels }, spec: { containers: [{ name: "main", image: "none" }] } };
  const spec = { selector: { matchLabels: labels }, template };
  await run.apply({ apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "one" }, spec });
  await run.advance(30);
  assert.deepEqual([calls, answers >= 2], [["first", "second"], true]);
});
