/**
 * What one idle timer, and one daemon that waits for its flag, keep in memory: the engine alone, without an operator around it.
 *
 *   deno run -A --no-check --v8-flags=--expose-gc bench/timers/idle.ts      or: bun bench/timers/idle.ts
 *
 * Prints bytes each, before the first run and after it. Quick, and hardly disturbed by what else the machine does.
 */

import {
  daemonOf,
  engineWorld,
  type TestObject,
  testObject,
  timerOf,
} from "../../tests/handlers/background/world.ts";
import { usedHeap } from "../heap.ts";

const COUNT = 10_000;
const HANDLERS = {
  timer: timerOf(() => {}, { interval: 60, initialDelay: 60 }),
  daemon: daemonOf(async ({ stopped }) => void await stopped.wait()),
};

for (const [name, handler] of Object.entries(HANDLERS)) {
  const objects: TestObject[] = Array.from({ length: COUNT }, (_, number) => testObject(`object-${number}`));
  const { daemons, host, logs } = engineWorld([handler]);
  const matched = { handlers: [handler], matching: [handler], isDeleting: false };
  await daemons.match(testObject("first"), matched);
  const before = usedHeap();
  for (const object of objects) await daemons.match(object, matched);
  const waiting = usedHeap() - before;
  await host.clock.advance(61);
  logs.length = 0;
  const ran = usedHeap() - before;
  console.log(`${name}: ${Math.round(waiting / COUNT)} bytes, ${Math.round(ran / COUNT)} after a run`);
  using _daemons = daemons;
  if (daemons.counts.live < COUNT) throw new Error("They do not live");
  if (objects.length !== COUNT) throw new Error("They have gone");
}
