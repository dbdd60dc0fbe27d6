/**
 * Random mixes of faults, while random things happen to objects: whatever breaks, the operator sees the truth in the end.
 *
 * Each run is a function of its seed. To repeat one: `SEED=17 deno test -A tests/simulation/faults_test.ts`; to run more of
 * them: `SEEDS=1000`.
 */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import process from "node:process";
import type { Random } from "../../lib/runtime/host.ts";
import { createVirtualRandom } from "../../lib/runtime/virtual/random.ts";
import { Endurance } from "../support/endurance.ts";
import {
  answer,
  cutAfter,
  cutInLine,
  deaf,
  duplicate,
  errorEvent,
  type Fault,
  type FaultyProxy,
  hangUp,
  LISTS,
  page,
  refuse,
  reorder,
  RESUMES,
  silence,
  STREAMED_LISTS,
  WATCHES,
} from "../support/faulty_proxy.ts";
import { jumpingClock } from "../support/jumping_clock.ts";
import { virtualWorld } from "../support/virtual_world.ts";

/** A minute of pauses, and what must be waited for when the last fault was silence. */
const BOUND = 200;

const CODES = [401, 403, 404, 410, 429, 500, 503, 504];

const STREAM_FAULTS: readonly ((random: Random) => Fault)[] = [
  (random) => refuse(pick(random, CODES)),
  (random) => errorEvent(pick(random, CODES), { after: upTo(random, 3) }),
  (random) => cutInLine("reset", { after: upTo(random, 3), inCharacter: random.next() < 0.5 }),
  (random) => cutInLine("half-close", { after: upTo(random, 3) }),
  (random) => cutAfter(upTo(random, 4), random.next() < 0.5 ? "reset" : "end"),
  () => duplicate(),
  () => hangUp(),
  () => silence(),
  () => deaf(),
];

const LIST_FAULTS: readonly ((random: Random) => Fault)[] = [
  (random) => refuse(pick(random, CODES)),
  () => cutInLine("reset"),
  () => cutInLine("half-close"),
  () => answer(""),
  () => answer("{}"),
  () => hangUp(),
];

describe("A simulation", () => {
  it("[D1] [D3] finds nothing missed, nothing twice and nothing older, whatever the mix of faults", {
    timeout: 300_000,
  }, async () => {
    let struck = 0;
    for (const seed of seeds()) {
      try {
        struck += await simulate(seed);
      } catch (error) {
        throw new Error(`With SEED=${seed}: ${error instanceof Error ? error.message : error}`, {
          cause: error,
        });
      }
    }
    assert.ok(struck > 0, "no fault has struck");
  });
});

function seeds(): number[] {
  const { SEED, SEEDS = "25" } = process.env;
  return SEED !== undefined ? [Number(SEED)] : Array.from({ length: Number(SEEDS) }, (_, index) => index + 1);
}

/** Returns how many faults have struck. */
async function simulate(seed: number): Promise<number> {
  const random = createVirtualRandom(seed);
  const world = await virtualWorld();
  await using place = await world.proxy();
  const clock = jumpingClock(world.host.clock);
  const endurance = new Endurance(world, {
    watching: { initialStreaming: pick(random, [true, false, "auto"] as const), chunkSize: 2 },
    networking: { requestTimeout: 20 },
  });
  await endurance.make(["a", "b", "c", "d"]);
  const running = await world.start(endurance.op, { host: { ...world.host, clock } });
  for (let round = 0, made = 0; round < 12; round++) {
    for (let count = upTo(random, 3); count > 0; count--) injectAny(place.proxy, random);
    if (random.next() < 0.5) place.breakAll();
    if (random.next() < 0.2) clock.jump((random.next() - 0.5) * 7200);
    for (let count = upTo(random, 5); count > 0; count--) made = await happen(endurance, random, made);
    await world.host.clock.advance(random.next() * (random.next() < 0.2 ? 100 : 2));
  }
  place.proxy.clear();
  await endurance.endure(BOUND);
  await running.stop();
  return place.proxy.struck;
}

function injectAny(proxy: FaultyProxy, random: Random): void {
  if (random.next() < 0.7) {
    const when = pick(random, [WATCHES, RESUMES, STREAMED_LISTS]);
    // Streamed lists have no order before their bookmark.
    const isResumed = when === RESUMES && random.next() < 0.2;
    proxy.inject(when, isResumed ? reorder() : pick(random, STREAM_FAULTS)(random));
  } else {
    proxy.inject(pick(random, [LISTS, page(2), page(3)]), pick(random, LIST_FAULTS)(random));
  }
}

/** One thing happens to one object. */
async function happen({ objects }: Endurance, random: Random, made: number): Promise<number> {
  const name = pick(random, ["a", "b", "c", "d", "e", "f"]);
  const found = await objects.find(name);
  if (found === undefined) await objects.create(name, { spec: { n: ++made, text: "größer" } });
  else if (random.next() < 0.3) await objects.delete(name);
  else await objects.patch(name, { spec: { n: ++made } });
  return made;
}

function pick<Item>(random: Random, items: readonly Item[]): Item {
  const item = items[Math.floor(random.next() * items.length)];
  assert.ok(item !== undefined);
  return item;
}

function upTo(random: Random, limit: number): number {
  return Math.floor(random.next() * (limit + 1));
}
