/**
 * Ten virtual days with everything that an operator can have, in a cluster that breaks again and again: nothing is left
 * behind. The faults are drawn from a seed.
 */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import process from "node:process";
import { type Operator, operator, TemporaryError } from "../../mod.ts";
import type { Runner } from "../../lib/kits/testing/mod.ts";
import { type VirtualWorld, virtualWorld } from "../support/virtual_world.ts";
import { Example, Objects } from "../support/worlds.ts";

const HOUR = 3600;
const DAYS = 10;
const SEED = Number(process.env["SEED"] ?? 1);

describe("An operator", () => {
  it(
    `leaves nothing behind after ten days of daemons, timers, deletions and faults (seed ${SEED})`,
    { timeout: 300_000 },
    async () => {
      const world = await virtualWorld();
      const calm = world.host.clock.pending;
      const story = new Story(world, SEED);
      const running = await world.start(story.op, { liveness: "http://localhost:8080/healthz" });
      await running.advance(HOUR);
      const before = await counts(world);
      for (let hour = 0; hour < DAYS * 24; hour++) await story.pass(running);
      await story.end(running);
      assert.ok(story.faults > 100 && story.made > 20, `${story.faults} faults, ${story.made} objects`);
      assert.deepEqual(await counts(world), before);
      assert.equal(story.index.size, 0);
      await running.stop();
      assert.deepEqual([world.host.clock.pending, world.host.network.inFlight], [calm, 0]);
    },
  );
});

/** Whatever can be counted from outside. */
async function counts({ host }: VirtualWorld): Promise<unknown> {
  using connection = host.network.connect({ server: "http://localhost:8080" });
  const response = await connection.request({ method: "GET", path: "/metrics", headers: {} });
  const gauges = [
    ...["lotse_objects", "lotse_hot_loop_objects", "lotse_background_handlers", "lotse_planned_reconciles"],
    ...[
      "lotse_posting_queue",
      "lotse_handlers_active",
      "workqueue_depth",
      "controller_runtime_active_workers",
    ],
  ];
  const lines = (await response.text()).split("\n").filter((line) =>
    gauges.some((name) => line.startsWith(name)) && !line.endsWith(" 0")
  );
  return { lines, timers: host.clock.pending, requests: host.network.inFlight };
}

class Story {
  readonly op: Operator = operator({ posting: { loggers: true }, execution: { defaultBackoff: 60 } });
  readonly index = this.op.index(Example, function byColour({ spec, name }) {
    return { [String(spec["colour"])]: name };
  });
  faults = 0;
  made = 0;
  readonly #world: VirtualWorld;
  readonly #objects: Objects;
  readonly #alive: string[] = [];
  #state: number;

  constructor(world: VirtualWorld, seed: number) {
    this.#world = world;
    this.#objects = new Objects(world);
    this.#state = seed;
    this.#declare();
  }

  /** An hour: the cluster is in order, or not; something happens to objects; time passes. */
  async pass(running: Runner): Promise<void> {
    const faultiness = this.#chance(0.5) ? 0 : this.#draw() * 0.5;
    this.#world.intercept = (request) => {
      if (!this.#chance(faultiness)) return undefined;
      this.faults++;
      if (this.#chance(0.2)) throw new Error("connection reset");
      const status = [429, 500, 503, 409, 403][Math.floor(this.#draw() * 5)] ?? 500;
      return new Response(JSON.stringify({ kind: "Status", code: status, message: request.method }), {
        status,
      });
    };
    if (this.#chance(0.1)) this.#world.host.network.breakAll();
    await this.#disturb();
    await running.advance(HOUR);
  }

  /** Everything goes, and the cluster is in order again. */
  async end(running: Runner): Promise<void> {
    this.#world.intercept = undefined;
    for (const name of this.#alive.splice(0)) await this.#objects.delete(name);
    await running.advance(6 * HOUR);
  }

  async #disturb(): Promise<void> {
    const [name] = this.#alive;
    if (this.#alive.length < 3 || this.#chance(0.2)) {
      const fresh = `object-${++this.made}`;
      const spec = { colour: this.#chance(0.5) ? "red" : "blue", mode: Math.floor(this.#draw() * 3) };
      await this.#objects.create(fresh, { metadata: { labels: { on: "yes" } }, spec });
      this.#alive.push(fresh);
    } else if (name !== undefined && this.#chance(0.4)) {
      await this.#objects.delete(name);
      this.#alive.shift();
    } else if (name !== undefined) {
      const on = this.#chance(0.5) ? "yes" : null;
      await this.#objects.patch(name, { metadata: { labels: { on } }, spec: { mode: this.made } });
    }
  }

  #declare(): void {
    const { op } = this;
    op.on.create(Example, function make({ body, retry, logger }) {
      op.events.normal(body, { reason: "Made" });
      if (retry === 0) throw new TemporaryError("once more", { delay: 90 });
      logger.warn("Made at last");
    });
    op.on.update(Example, function change({ spec, patch }) {
      patch.status["mode"] = spec["mode"];
    });
    op.on.delete(Example, () => {});
    op.on.event(Example, () => {});
    op.daemon(Example, { labels: { on: "yes" } }, async function watch({ stopped, spec, patch }) {
      await stopped.wait(600 * (1 + Number(spec["mode"] ?? 0)));
      patch.status["watched"] = spec["mode"];
      if (!stopped.aborted) throw new TemporaryError("again", { delay: 300 });
    });
    op.daemon(Example, { cancellationTimeout: 5 }, async function ignore({ signal }) {
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    });
    op.timer(Example, { interval: 600, labels: { on: "yes" } }, function count({ status, patch, retry }) {
      patch.status["count"] = Number(status["count"] ?? 0) + 1;
      if (retry === 0 && Number(status["count"]) % 5 === 0) throw new Error("every now and then");
    });
    op.timer(Example, { idle: 1800 }, function tidy() {});
  }

  #chance(probability: number): boolean {
    return this.#draw() < probability;
  }

  /** Numbers from 0 to 1, the same for the same seed. */
  #draw(): number {
    this.#state = (Math.imul(this.#state, 1664525) + 1013904223) >>> 0;
    return this.#state / 2 ** 32;
  }
}
