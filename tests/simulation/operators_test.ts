/**
 * An operator with handlers of all manners, simulated: it is right, so each finding is a fault of Lotse. Mutants of the reactor
 * (tests/mutants/lists/simulation.ts) are to be found by it.
 *
 * `RUNS`, `SECONDS` and `LOTSE_SEED` say how many runs, for how long, and which: `RUNS=100000 SECONDS=3600` at night. `SHRINK`
 * is how long a finding is made small.
 */

import assert from "node:assert/strict";
import process from "node:process";
import { describe, it } from "node:test";
import { type Invariant, type ObjectSource, simulate } from "../../lib/kits/testing/mod.ts";
import { kinds, type Operator, operator, TemporaryError } from "../../mod.ts";
import { definitionOf, Example, EXAMPLES, Plain, PLAINS } from "../support/worlds.ts";

const RUNS = Number(process.env["RUNS"] ?? 6);
const SECONDS = Number(process.env["SECONDS"] ?? Infinity);
const SEED = Number(process.env["LOTSE_SEED"] ?? 1);
const SHRINK = Number(process.env["SHRINK"] ?? 20);
const REPLICAS = process.env["REPLICAS"] === undefined ? undefined : Number(process.env["REPLICAS"]);

function sourceOf(kind: string): ObjectSource {
  return {
    kind,
    make: (random) => ({ spec: { n: Math.floor(random.next() * 10) }, metadata: { labels: { app: "x" } } }),
    change: (random) =>
      random.next() < 0.2
        ? { metadata: { labels: { app: random.next() < 0.5 ? "x" : "y" } } }
        : { spec: { n: Math.floor(random.next() * 10) } },
  };
}

function makeOperator(): Operator {
  const op = operator({ execution: { defaultBackoff: 5 } });
  op.on.create(Example, async function make({ patch, spec, clock, signal, retry }) {
    if (retry === 0 && Number(spec["n"]) % 3 === 0) throw new TemporaryError("Not yet", { delay: 20 });
    await clock.sleep(0.5, signal);
    patch.status["n"] = spec["n"];
  });
  op.on.update(Example, async function change({ patch, spec, clock, signal, retry }) {
    if (retry === 0 && Number(spec["n"]) % 4 === 0) throw new TemporaryError("Not yet", { delay: 15 });
    await clock.sleep(0.5, signal);
    patch.status["n"] = spec["n"];
  });
  op.on.delete(Example, async function clean({ name, clock, signal, retry }) {
    if (retry === 0) throw new TemporaryError("Not yet", { delay: 10 });
    await clock.sleep(0.5, signal);
    await op.api.apply(kinds.ConfigMap, { metadata: { name: `${name}-cleaned`, namespace: "default" } });
  });
  op.daemon(Example, { labels: { app: "x" } }, async function watch({ stopped }) {
    await stopped.wait(36_000);
  });
  op.reconcile(Plain, async function mirror({ name, namespace, spec, body, patch }) {
    const metadata = { name: `${name}-mirror`, namespace };
    const { data } = await op.api.apply(kinds.ConfigMap, { metadata, data: { n: String(spec["n"]) } }, {
      owner: body,
    });
    patch.status["mirrored"] = data?.["n"];
  });
  op.owns(Plain, kinds.ConfigMap);
  return op;
}

const eachIsHandled: Invariant = async ({ api, phase }) => {
  if (phase === "deleted") return;
  for await (const { metadata, spec, status } of api.list(Example)) {
    if (metadata.deletionTimestamp !== undefined) continue;
    if (status?.["n"] !== spec?.["n"]) {
      return `${metadata.name} has n ${spec?.["n"]}, and ${status?.["n"]} was handled`;
    }
  }
  for await (const { metadata, spec } of api.list(Plain)) {
    // Another program may hold an object that was deleted.
    if (metadata.deletionTimestamp !== undefined) continue;
    const mirror = await api.get(kinds.ConfigMap, { name: `${metadata.name}-mirror`, namespace: "default" });
    if (mirror.data?.["n"] !== String(spec?.["n"])) {
      return `${metadata.name} is mirrored as ${mirror.data?.["n"]}`;
    }
  }
};

describe("An operator with handlers of all manners", () => {
  it("[N21.10] keeps all rules, whatever fails", { timeout: 4_000_000 }, async () => {
    const { runs, objects, seconds } = await simulate(makeOperator, {
      manifests: [definitionOf(EXAMPLES), definitionOf(PLAINS)],
      sources: [sourceOf("examples.lotse.test"), sourceOf("plains.lotse.test")],
      invariants: [eachIsHandled],
      seed: SEED,
      runs: RUNS,
      seconds: SECONDS,
      shrinkFor: SHRINK,
      replicas: REPLICAS,
    });
    assert.ok(runs > 0);
    if (process.env["RUNS"] !== undefined) {
      console.log(`${runs} runs, ${objects} objects, ${(objects / seconds).toFixed(1)} objects a second`);
    }
  });
});
