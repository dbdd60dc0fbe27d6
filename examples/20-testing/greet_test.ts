import assert from "node:assert/strict";
import { it } from "node:test";
import { kinds, operator, TemporaryError } from "@lotse/lotse";
import { apiServer } from "@lotse/lotse/apiserver";
import { start, virtualHost } from "@lotse/lotse/testing";

const op = operator();

op.on.create(kinds.ConfigMap, function greet({ retry, patch }) {
  if (retry === 0) throw new TemporaryError("Not yet", { delay: 3600 });
  patch.meta.labels.greeted = "yes";
});

it("greets after an hour", async () => {
  const cluster = apiServer({ host: virtualHost({ seed: 1 }) });
  await using runner = await start(op, { cluster });
  await runner.api.create(kinds.ConfigMap, { metadata: { name: "a", namespace: "default" } });
  await runner.settle();

  await runner.advance(3600);
  const { metadata } = await runner.api.get(kinds.ConfigMap, { name: "a", namespace: "default" });
  assert.equal(metadata.labels?.greeted, "yes");
  assert.ok(runner.messages("info").includes("Handler succeeded"));
});
