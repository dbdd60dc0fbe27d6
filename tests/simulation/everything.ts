/**
 * An operator with handlers of all manners, the objects that it is simulated with, and what must hold of its results. It is right, so
 * each finding is a fault of Lotse.
 */

import type { Invariant, ObjectSource, SimulateOptions } from "../../lib/kits/testing/mod.ts";
import { kinds, type Operator, operator, type OperatorOptions, TemporaryError } from "../../mod.ts";
import { definitionOf, Example, EXAMPLES, Plain, PLAINS } from "../support/worlds.ts";

const HERE = { namespace: "default" } as const;

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

/** Makes the operator: one for each process. With notes in annotations, a handler's status and the notes are two writes. */
export function makeEverything({ persistence }: Pick<OperatorOptions, "persistence"> = {}): Operator {
  const op = operator({ execution: { defaultBackoff: 5 }, persistence });
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
    await op.api.apply(kinds.ConfigMap, { metadata: { name: `${name}-cleaned`, ...HERE } });
  });
  op.on.event(Example, function see() {});
  op.daemon(Example, { labels: { app: "x" } }, async function watch({ stopped }) {
    await stopped.wait(36_000);
  });
  op.index(Example, function byNumber({ name, spec }) {
    return { [String(spec["n"])]: name };
  });
  op.timer(Example, { interval: 25 }, function tick({ patch, indices }) {
    patch.status["index"] = [...indices["byNumber"] ?? []].map(([n, names]) => `${n}: ${[...names].sort()}`)
      .sort();
  });
  const examples = op.cache(Example);
  op.reconcile(Plain, async function mirror({ name, namespace, spec, body, patch, clock, signal, retry }) {
    if (retry === 0 && Number(spec["n"]) % 3 === 0) throw new TemporaryError("Not yet", { delay: 12 });
    await clock.sleep(0.3, signal);
    const metadata = { name: `${name}-mirror`, namespace };
    const namesake = examples.get({ namespace, name });
    const example = namesake?.metadata.deletionTimestamp === undefined ? namesake?.spec?.["n"] : undefined;
    const wanted = {
      n: String(spec["n"]),
      example: String(example),
      at: new Date(clock.now()).toISOString(),
    };
    const { data } = await op.api.apply(kinds.ConfigMap, { metadata, data: wanted }, { owner: body });
    patch.status["mirrored"] = data?.["n"];
  });
  op.owns(Plain, kinds.ConfigMap);
  op.watches(Example, ({ metadata: { name, namespace } }) => ({ ...PLAIN, metadata: { name, namespace } }));
  return op;
}

const PLAIN = { apiVersion: "lotse.test/v1", kind: "Plain" } as const;

/** All that was wanted is done. */
const allIsDone: Invariant = async ({ api, phase }) => {
  if (phase === "deleted") return;
  const numbers = new Map<string, unknown>();
  const byNumber = new Map<string, string[]>();
  const shown = new Map<string, unknown>();
  for await (const { metadata, spec, status } of api.list(Example)) {
    const { name = "" } = metadata;
    const key = String(spec?.["n"]);
    byNumber.set(key, [...byNumber.get(key) ?? [], name].sort());
    if (metadata.deletionTimestamp !== undefined) continue;
    numbers.set(name, spec?.["n"]);
    shown.set(name, status?.["index"]);
    if (status?.["n"] !== spec?.["n"]) {
      return `${name} has n ${spec?.["n"]}, and ${status?.["n"]} was handled`;
    }
  }
  const index = [...byNumber].map(([n, names]) => `${n}: ${names}`).sort();
  for (const [name, seen] of shown) {
    if (String(seen) !== String(index)) {
      return `the timer of ${name} finds ${seen} in the index, which is ${index}`;
    }
  }
  const mirrors = new Map<string | undefined, Record<string, string> | undefined>();
  for await (const { metadata, data } of api.list(kinds.ConfigMap)) mirrors.set(metadata.name, data);
  for await (const { metadata: { name, deletionTimestamp }, spec } of api.list(Plain)) {
    // Another program may hold an object that was deleted.
    if (deletionTimestamp !== undefined) continue;
    const mirror = mirrors.get(`${name}-mirror`);
    if (mirror?.["n"] !== String(spec?.["n"])) return `${name} is mirrored as ${mirror?.["n"]}`;
    const example = String(numbers.get(name ?? ""));
    if (mirror["example"] !== example) {
      return `${name} mirrors ${mirror["example"]} of its namesake, which has ${example}`;
    }
  }
};

/** The options of all simulations of it. */
export const EVERYTHING: SimulateOptions = {
  manifests: [definitionOf(EXAMPLES), definitionOf(PLAINS)],
  sources: [sourceOf("examples.lotse.test"), sourceOf("plains.lotse.test")],
  invariants: [allIsDone],
};
