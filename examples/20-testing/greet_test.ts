import assert from "node:assert/strict";
import { it } from "node:test";
import { kinds, operator, TemporaryError } from "@lotse/lotse";
import { start, testCluster } from "@lotse/lotse/testing";

const op = operator();

op.on.create(kinds.ConfigMap, function greet({ retry, patch }) {
  if (retry === 0) throw new TemporaryError("Not yet", { delay: 3600 });
  patch.meta.labels.greeted = "yes";
});

it("greets after an hour", async () => {
  await using cluster = await testCluster();
  await using run = await start(op, { cluster });
  await run.apply({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "one" } });

  await run.advance(3599);
  assert.deepEqual(run.handled("one"), []);
  await run.advance(1);
  assert.deepEqual(run.handled("one"), ["greet"]);
  await run.until(kinds.ConfigMap, "one", { metadata: { labels: { greeted: "yes" } } });
});
