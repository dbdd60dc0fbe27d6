import assert from "node:assert/strict";
import { it } from "node:test";
import { kinds } from "@lotse/lotse";
import { start, testCluster } from "@lotse/lotse/testing";
import { makeOperator } from "./handlers.ts";

const labels = { greet: "me" };

it("greets each object once, whichever replica fails", async () => {
  await using cluster = await testCluster();
  await using run = await start(makeOperator, { cluster, replicas: 3 });
  await run.advance(20); // Until the shards are shared out.

  await run.apply({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "one", labels } });
  await run.until(kinds.ConfigMap, "one", { metadata: { labels: { greeted: "yes" } } });
  const holder = run.replicas.find(({ calls }) => calls.length > 0);

  holder?.kill();
  for (let number = 0; number < 20; number++) {
    await run.apply({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: `more-${number}`, labels } });
  }
  // One lease later, the others have the shards of the one that was killed.
  await run.advance(20);
  assert.equal(run.calls.filter(({ handler }) => handler === "greet").length, 21);
});
