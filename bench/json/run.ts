/**
 * Measures what exact whole numbers cost where there are none: `parseJson` and `formatJson` against the engine's own, on events of
 * objects as they come, and of an event as it comes from the server: bytes in, object out. Both sides take turns, and the
 * median of the ratios of processor time counts, so that a busy machine slows both. "look": the look for long numbers alone,
 * beside reading the event with the engine.
 *
 * Usage: deno run -A --no-check bench/json/run.ts; bun bench/json/run.ts
 */

import process from "node:process";
import { formatJson, parseJson, parserFor } from "../../lib/runtime/json.ts";
import { readOptions } from "../../tools/options.ts";

readOptions(import.meta.url, {});

const ROUNDS = 100;
/** How long one side's turn is, in characters. */
const TURN = 200_000;

/** An event of a custom object with managed fields and notes, of about that many characters. */
function eventOf(size: number): string {
  const spec: Record<string, unknown> = {};
  const object = {
    apiVersion: "lotse.test/v1",
    kind: "Example",
    metadata: {
      name: "example-4711",
      namespace: "default",
      uid: "0e6ad4f9-2d5c-4f53-9a1b-0c7a41b3d2f6",
      resourceVersion: "1234567",
      generation: 3,
      creationTimestamp: "2026-01-01T00:00:00Z",
      annotations: { "lotse.dev/last-handled-configuration": '{"spec":{"replicas":3}}\n' },
      managedFields: [{
        manager: "lotse",
        operation: "Update",
        fieldsV1: { "f:spec": { "f:replicas": {} } },
      }],
    },
    spec,
    status: { observedGeneration: 3, conditions: [{ type: "Ready", status: "True" }] },
  };
  const event = { type: "MODIFIED", object };
  for (let number = 0; JSON.stringify(event).length < size; number++) {
    spec[`field${number}`] = {
      replicas: number,
      ratio: number / 8,
      image: `registry.test/image:${number}`,
      on: true,
    };
  }
  return JSON.stringify(event);
}

/** Returns how long each side takes, in microseconds, and the median of the ratios. */
function compare(size: number, [ours, engines]: readonly [() => unknown, () => unknown]): readonly number[] {
  const repeats = Math.max(1, Math.round(TURN / size));
  const turn = (work: () => unknown): number => {
    const begun = process.cpuUsage();
    for (let time = 0; time < repeats; time++) work();
    const { user, system } = process.cpuUsage(begun);
    return (user + system) / repeats;
  };
  for (let time = 0; time < 20; time++) [ours, engines].forEach(turn);
  const rounds = Array.from({ length: ROUNDS }, (_, round) => {
    const first = turn(round % 2 === 0 ? ours : engines);
    const second = turn(round % 2 === 0 ? engines : ours);
    return round % 2 === 0 ? [first, second] : [second, first];
  });
  const median = (values: readonly number[]): number =>
    values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN;
  return [
    median(rounds.map(([a = NaN]) => a)),
    median(rounds.map(([, b = NaN]) => b)),
    median(rounds.map(([a = NaN, b = NaN]) => a / b)),
  ];
}

for (const size of [1_000, 10_000, 100_000]) {
  const text = eventOf(size);
  const value: unknown = JSON.parse(text);
  const line = new TextEncoder().encode(`${text}\n`);
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const sides = {
    look: [() => parserFor(line), () => JSON.parse(decoder.decode(line))],
    event: [
      () => parserFor(line)(decoder.decode(line)),
      () => JSON.parse(decoder.decode(line)),
    ],
    read: [() => parseJson(text), () => JSON.parse(text)],
    written: [() => formatJson(value), () => JSON.stringify(value)],
  } as const;
  for (const [name, pair] of Object.entries(sides)) {
    const [ours = NaN, engines = NaN, ratio = NaN] = compare(text.length, pair);
    const share = (ratio * 100).toFixed(1);
    const more = name === "look" ? `${share} % of it` : `${(Number(share) - 100).toFixed(1)} % more`;
    console.log(
      `${String(text.length).padStart(6)} characters ${name.padEnd(7)} ${ours.toFixed(2)} µs beside ${
        engines.toFixed(2)
      } µs: ${more}`,
    );
  }
}
