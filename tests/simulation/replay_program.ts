/** Simulates an operator with one handler of each manner, and prints the digest of each run: replay_test.ts starts it on each runtime. */

import process from "node:process";
import type { ObjectSource } from "../../lib/kits/testing/simulation/draw.ts";
import { simulate } from "../../lib/kits/testing/simulation/simulate.ts";
import { kinds, type Operator, operator, TemporaryError } from "../../mod.ts";
import { definitionOf, Example, EXAMPLES } from "../support/worlds.ts";

const NUMBERS: ObjectSource = {
  kind: "examples.lotse.test",
  make: (random) => ({ spec: { n: Math.floor(random.next() * 10) } }),
  change: (random) => ({ spec: { n: Math.floor(random.next() * 10) } }),
};

function makeOperator(): Operator {
  const op = operator({ execution: { defaultBackoff: 5 } });
  op.on.create(Example, async function make({ name, patch, spec, body }) {
    await op.api.apply(kinds.ConfigMap, { metadata: { name, namespace: "default" } }, { owner: body });
    patch.status["n"] = spec["n"];
  });
  op.on.update(Example, async function change({ patch, spec, clock, signal, retry }) {
    await clock.sleep(1, signal);
    if (retry === 0 && spec["n"] === 7) throw new TemporaryError("Not yet", { delay: 20 });
    patch.status["n"] = spec["n"];
  });
  op.on.delete(Example, function gone() {});
  op.on.event(Example, function see() {});
  op.timer(Example, { interval: 45 }, function tick() {});
  op.daemon(Example, async function watch({ stopped }) {
    await stopped.wait(3600);
  });
  op.index(Example, function byNumber({ spec, name }) {
    return { [String(spec["n"])]: name };
  });
  return op;
}

const [first = "1", count = "6"] = process.argv.slice(2);
for (let seed = Number(first); seed < Number(first) + Number(count); seed++) {
  const { digest } = await simulate(makeOperator, {
    manifests: [definitionOf(EXAMPLES)],
    sources: [NUMBERS],
    seed,
    runs: 1,
    compare: false,
    replicas: seed % 3 === 0 ? 2 : undefined,
  });
  console.log(`${seed} ${digest}`);
}
