/**
 * Very many short lives of objects, one after the other: there is no more on the heap afterwards than before.
 *
 * All of it, with what it measures on the way: LIVES=200000 deno task test simulation/memory
 */

import assert from "node:assert/strict";
import process from "node:process";
import { describe, it } from "node:test";
import { type Runner, start, type TestCluster, testCluster } from "../../lib/kits/testing/mod.ts";
import { type Operator, operator } from "../../mod.ts";
import { grownSorts, type Heap, heap } from "../support/heap.ts";
import { definitionOf, Example, EXAMPLES } from "../support/worlds.ts";

const LIVES = Number(process.env["LIVES"] ?? 800);

/** The ledger remembers two thousand objects; besides, code is compiled, and tables get their size. */
const WARM_UP = 2_200;

/** Lives at once. */
const BATCH = 200;

/** One life in so many has everything: changes, a finalizer, a daemon, a timer. */
const FULL = 8;

/** What a heap may grow by, whatever happened, and for each life. In bytes. */
const NOISE = { all: 500_000, life: 8 };

describe("An operator", () => {
  it(`has no more on its heap after ${LIVES} lives of objects`, { timeout: 3_600_000 }, async () => {
    const story = await Story.begin();
    await story.live(WARM_UP);
    const before = await story.measure();
    for (let round = 0; round < 4; round++) await story.live(LIVES / 4);
    const now = await story.measure();
    assert.deepEqual(grownSorts(before, now, LIVES / FULL / 2), {}, "objects that were left");
    const growth = now.size - before.size;
    assert.ok(
      growth < NOISE.all + NOISE.life * LIVES,
      `${growth} bytes more, ${growth / LIVES} for each life`,
    );
    await story.end();
  });
});

class Story {
  readonly #cluster: TestCluster;
  readonly #running: Runner;
  readonly #calls: Record<string, number>;
  #made = 0;

  private constructor(cluster: TestCluster, running: Runner, calls: Record<string, number>) {
    this.#cluster = cluster;
    this.#running = running;
    this.#calls = calls;
  }

  static async begin(): Promise<Story> {
    const cluster = await testCluster({ manifests: [definitionOf(EXAMPLES)] });
    const calls: Record<string, number> = {};
    const running = await start(declare(calls), { cluster, level: "error" });
    return new Story(cluster, running, calls);
  }

  /** So many objects are made, changed and deleted. */
  async live(count: number): Promise<void> {
    for (const end = this.#made + count; this.#made < end;) await this.#liveTogether();
    if (process.env["LIVES"] === undefined) return;
    const { size } = await heap();
    console.log(
      `${this.#made} lives: ${(size / 1e6).toFixed(2)} MB, ${
        (process.cpuUsage().user / 1e6).toFixed()
      } s of CPU`,
    );
  }

  /** Twice, as some tables are taken up and let go in turns. */
  async measure(): Promise<Heap> {
    const first = await heap();
    await this.#liveTogether();
    const second = await heap();
    return first.size < second.size ? first : second;
  }

  async #liveTogether(): Promise<void> {
    const { api, server } = this.#cluster;
    const all = Array.from({ length: BATCH }, (_, index) => {
      const labels: Record<string, string> = index % FULL === 0 ? { full: "yes" } : {};
      return { namespace: "default", name: `object-${this.#made + index}`, labels };
    });
    this.#made += BATCH;
    await Promise.all(all.map((metadata) => api.create(Example, { metadata, spec: { n: 1 } })));
    await this.#running.settle();
    const full = all.filter(({ labels }) => labels["full"] === "yes");
    await Promise.all(full.map((address) => api.patch(Example, address, { spec: { n: 2 } })));
    await this.#running.advance(60);
    await Promise.all(all.map((address) => api.delete(Example, address)));
    await this.#running.advance(60);
    // What the test itself keeps, and the server's past.
    server.compact();
    this.#running.calls.length = 0;
  }

  /** Everything happened, and nothing went wrong. */
  async end(): Promise<void> {
    const full = this.#made / FULL;
    const expected = { make: this.#made, change: full, clean: full, watch: full, tick: 2 * full };
    assert.deepEqual(this.#calls, expected);
    assert.deepEqual(this.#running.logs.map(({ message }) => message), []);
    await this.#running.stop();
    await this.#cluster[Symbol.asyncDispose]();
  }
}

/** With a handler of each sort; their calls are counted. */
function declare(calls: Record<string, number>): Operator {
  const op = operator();
  const full = { labels: { full: "yes" } };
  const count = (id: string): void => void (calls[id] = (calls[id] ?? 0) + 1);
  op.on.create(Example, function make({ patch }) {
    count("make");
    patch.status["made"] = true;
  });
  op.on.update(Example, full, () => count("change"));
  op.on.delete(Example, full, () => count("clean"));
  op.on.event(Example, function see() {});
  op.daemon(Example, full, async function watch({ stopped }) {
    count("watch");
    await stopped.wait(3600);
  });
  op.timer(Example, { ...full, interval: 40 }, () => count("tick"));
  op.index(Example, function byNumber({ spec, name }) {
    return { [String(spec["n"])]: name };
  });
  return op;
}
