/**
 * What one reconcile costs in the ledger, beside what every event costs anyway: decoding it.
 *
 *   deno run -A --no-check bench/ledger/run.ts      or: bun bench/ledger/run.ts
 *
 * Prints microseconds per look, and how much of `JSON.parse` of the same event that is: the ratio hardly depends on the machine.
 */

import { HotLoops } from "../../lib/engines/hot_loop.ts";
import { Ledger } from "../../lib/engines/ledger.ts";
import { combineObservers, type Observer, type Subject } from "../../lib/execution/observer.ts";
import type { KubeObject, WatchEvent } from "../../lib/model/object.ts";
import { currentHost } from "../../lib/runtime/current_host.ts";
import { RESOURCE } from "../../tests/handlers/background/world.ts";
import { readOptions } from "../../tools/options.ts";

readOptions(import.meta.url, {});

const host = currentHost();
const { clock } = host;
const ROUNDS = 20_000;

/** An object of a kind of somebody's own. */
function custom(version: number): object {
  return {
    ...head("Example", version),
    spec: {
      size: 3,
      colour: "red",
      ports: [80, 443],
      template: { image: "nginx", args: ["-v"], env: { A: "1" } },
    },
    status: { state: `state-${version}`, conditions: conditions(2, version) },
  };
}

/** A Pod, as large as they are. */
function pod(version: number): object {
  const containers = Array.from({ length: 3 }, (_, number) => ({
    name: `c${number}`,
    image: "registry.example.com/some/image:v1.2.3",
    env: Array.from({ length: 12 }, (_, key) => ({ name: `VARIABLE_${key}`, value: `value ${key}` })),
    resources: { limits: { cpu: "1", memory: "1Gi" }, requests: { cpu: "100m", memory: "100Mi" } },
    volumeMounts: [{ name: "data", mountPath: "/data" }, { name: "token", mountPath: "/var/run/secrets" }],
  }));
  return {
    ...head("Pod", version),
    spec: {
      containers,
      nodeName: "node-1",
      restartPolicy: "Always",
      volumes: [{ name: "data", emptyDir: {} }],
    },
    status: { phase: "Running", conditions: conditions(5, version), podIP: "10.0.0.1" },
  };
}

/** Wide: three hundred keys, of which one changes. */
function wide(version: number): object {
  const data = Object.fromEntries(
    Array.from({ length: 300 }, (_, key) => [`key-${key}`, { value: `v${key}`, size: key }]),
  );
  return { ...head("Wide", version), spec: { ...data, last: { version } } };
}

function head(kind: string, version: number): object {
  const labels = { app: "a", tier: "gold", "app.kubernetes.io/name": "thing" };
  const annotations = { "lotse.dev/last-handled-configuration": "x".repeat(300) };
  const metadata = {
    name: "one",
    namespace: "default",
    uid: "u-1",
    resourceVersion: String(version),
    labels,
    annotations,
  };
  return { apiVersion: "v1", kind, metadata };
}

function conditions(count: number, version: number): object[] {
  return Array.from({ length: count }, (_, number) => ({
    type: `Condition${number}`,
    status: "True",
    lastTransitionTime: "2026-11-21T10:00:00Z",
    observedGeneration: version,
  }));
}

console.log("| object | bytes | look µs | decode µs | of decoding |\n| --- | --- | --- | --- | --- |");
for (const [name, make] of Object.entries({ custom, pod, wide })) {
  const texts = [1, 2].map((version) => JSON.stringify(make(version)));
  const [first = "", second = ""] = texts;
  const states = [first, second].map((text): KubeObject => JSON.parse(text));
  const run = (rounds: number): number =>
    measure(rounds, (round) => void JSON.parse(round % 2 === 0 ? first : second));
  const observer = combineObservers([new Ledger({ clock }), new HotLoops(clock)]);
  const looks = (rounds: number): number => measure(rounds, (round) => look(observer, states, round));
  run(ROUNDS / 10);
  looks(ROUNDS / 10);
  const decoding = Math.min(run(ROUNDS), run(ROUNDS), run(ROUNDS));
  const looking = Math.min(looks(ROUNDS), looks(ROUNDS), looks(ROUNDS));
  const ratio = (looking / decoding).toFixed(2);
  console.log(`| ${name} | ${first.length} | ${looking.toFixed(2)} | ${decoding.toFixed(2)} | ${ratio} |`);
}

console.log(`\nan empty turn, each of another object: ${emptyTurns().toFixed(2)} µs`);

/** A turn that calls one handler, which does nothing: the least that a turn can be. The best of five rounds. */
function emptyTurns(): number {
  const subjects = Array.from({ length: 200_000 }, (_, number): Subject => {
    const metadata = { name: `item-${number}`, namespace: "default", uid: `u-${number}` };
    return { key: `item-${number}`, resource: RESOURCE, body: { apiVersion: "v1", kind: "Item", metadata } };
  });
  const rounds = Array.from({ length: 5 }, () => {
    const ledger = new Ledger({ clock });
    return measure(subjects.length, (number) => {
      const subject = subjects[number];
      if (subject === undefined) return;
      ledger.reconcileBegins(subject, {
        wake: "event",
        events: [{ type: null, object: subject.body }],
        waited: 0,
      });
      const start = { noun: "Handler", handler: "handle", family: "handle", retry: 0 };
      ledger.attemptBegins(subject, start);
      ledger.attemptEnds(subject, { ...start, start, outcome: { kind: "success" }, seconds: 0 });
      ledger.reconcileEnds(subject, { seconds: 0 });
    });
  });
  return Math.min(...rounds);
}

/** An event that changes an object, with five handlers, one of which is called and writes. */
function look(observer: Observer, states: readonly KubeObject[], round: number): void {
  const [before, after] = round % 2 === 0 ? states : [...states].reverse();
  if (before === undefined || after === undefined) return;
  const subject: Subject = { key: `object-${round % 1000}`, resource: RESOURCE, body: after };
  const event: WatchEvent = { type: "MODIFIED", object: after };
  observer.reconcileBegins?.(subject, { wake: "event", events: [event], waited: 0 });
  observer.adopted?.(subject, { before, after });
  observer.decided?.(subject, { reason: "update", diff: [] });
  for (const handler of ["make", "scale", "paint", "polish"]) {
    observer.judged?.(subject, { handler, mismatch: "field" });
  }
  observer.judged?.(subject, { handler: "note", mismatch: undefined });
  const attempt = { noun: "Handler", handler: "note", family: "note", retry: 0 };
  observer.attemptEnds?.(subject, { ...attempt, start: attempt, outcome: { kind: "success" }, seconds: 0 });
  observer.written?.(subject, {
    paths: ["status.state"],
    writes: 1,
    version: "2",
    byEvent: false,
    concluded: true,
  });
  observer.adopted?.(subject, { before: after, after: before });
  observer.reconcileEnds?.(subject, { seconds: 0 });
}

/** Microseconds of CPU time per round: others on the machine do not count. */
function measure(rounds: number, act: (round: number) => void): number {
  const begun = host.process.cpu();
  for (let round = 0; round < rounds; round++) act(round);
  return (host.process.cpu() - begun) * 1e6 / rounds;
}
