/**
 * Owners whose children, and what these are made from, are changed by chance, through faults, latency, broken streams and
 * restarts. In the end each child is as it should be, nobody was reconciled twice at once, and nobody was left unwoken.
 *
 * By default a few hundred changes, for CI. `LOTSE_CHANGES=100000` makes as many, five hundred of them in each world of
 * their own with a seed of its own (some minutes); `LOTSE_SEED` is the seed of the first.
 */

import assert from "node:assert/strict";
import { currentHost } from "../../lib/runtime/current_host.ts";
import { kinds, operator } from "../../mod.ts";
import { suite } from "../support/scenario.ts";
import type { VirtualWorld } from "../support/virtual_world.ts";
import { Example, Objects, type Running } from "../support/worlds.ts";

const MAPS = { group: "", version: "v1", plural: "configmaps", namespaced: true };
const SECRETS = { group: "", version: "v1", plural: "secrets", namespaced: true };
const OWNERS = 8;
const KEYS = 3;
const MOST_PER_WORLD = 500;

const changes = Number(currentHost().process.env("LOTSE_CHANGES") ?? 600);
const first = Number(currentHost().process.env("LOTSE_SEED") ?? 1);
const worlds = Math.max(2, Math.ceil(changes / MOST_PER_WORLD));

/** Numbers in [0, 1) that are the same for the same seed. */
function chance(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 1103515245 + 12345) % 2147483648) / 2147483648;
}

/** One world, its operator, and whoever changes it. */
class Story {
  readonly #world: VirtualWorld;
  readonly #objects: Objects;
  readonly #next: () => number;
  readonly #luck: () => number;
  readonly #op = operator();
  readonly #running = new Map<string, number>();
  #isFaulty = true;
  /** How many calls went on for one object at the same time. */
  most = 0;
  calls = 0;

  constructor(world: VirtualWorld, seed: number) {
    this.#world = world;
    this.#objects = new Objects(world);
    this.#next = chance(seed);
    this.#luck = chance(seed + 1000);
    this.#declare();
    world.intercept = (request) => this.#fault(request);
  }

  #declare(): void {
    const op = this.#op;
    const secrets = op.cache(kinds.Secret);
    op.owns(Example, kinds.ConfigMap);
    op.watches(kinds.Secret, ({ metadata }) => this.#ownersOf(String(metadata.name)));
    op.reconcile(Example, { backoff: 1 }, async ({ name, namespace = "", body, spec }) => {
      this.calls += 1;
      const others = this.#running.get(name) ?? 0;
      this.#running.set(name, others + 1);
      this.most = Math.max(this.most, others + 1);
      try {
        if (this.#isFaulty && this.#luck() < 0.1) throw new Error("It fails by chance");
        const secret = secrets.get({ namespace, name: keyFor(name) });
        const data = { size: String(spec.size), key: valueOf(secret) };
        await op.api.apply(kinds.ConfigMap, { metadata: { name, namespace }, data }, {
          owner: body,
          force: true,
        });
      } finally {
        this.#running.set(name, (this.#running.get(name) ?? 0) - 1);
      }
    });
  }

  #ownersOf(key: string): { kind: typeof Example; namespace: string; name: string }[] {
    const named = names().filter((name) => keyFor(name) === key);
    return named.map((name) => ({ kind: Example, namespace: this.#world.namespace, name }));
  }

  async #fault(request: Request): Promise<Response | undefined> {
    if (!this.#isFaulty || request.url.includes("watch=")) return undefined;
    if (this.#luck() < 0.5) await this.#world.host.clock.sleep(this.#luck() * 2);
    return this.#luck() < 0.15
      ? Response.json({ kind: "Status", code: 500, message: "no" }, { status: 500 })
      : undefined;
  }

  /** Makes so many changes, and waits until all is quiet. */
  async run(steps: number): Promise<void> {
    const { client, host, namespace } = this.#world;
    for (const name of names()) await this.#objects.create(name, { spec: { size: 0 } });
    for (let key = 0; key < KEYS; key++) {
      const metadata = { name: `key-${key}`, namespace };
      await client.create(SECRETS, {
        apiVersion: "v1",
        kind: "Secret",
        metadata,
        data: { value: btoa("0") },
      });
    }
    let runner: Running = await this.#world.start(this.#op);
    for (let step = 1; step <= steps; step++) {
      if (this.#next() < 0.01) {
        await runner.stop();
        runner = await this.#world.start(this.#op);
      }
      await this.#change(step);
      await host.clock.advance(this.#next() < 0.3 ? this.#next() * 3 : 0);
      // They are kept for tests that count them.
      this.#world.requests.length = 0;
    }
    this.#isFaulty = false;
    await host.clock.advance(300);
    await this.#check();
    await runner.stop();
  }

  async #change(step: number): Promise<void> {
    const { client, host, namespace } = this.#world;
    const name = names()[this.#pick(OWNERS)] ?? "";
    const address = { name, namespace };
    switch (this.#pick(7)) {
      case 0:
        return void await client.delete(MAPS, address).catch(() => {});
      case 1:
        return void await client.patch(MAPS, address, { type: "merge", body: { data: { size: "drift" } } })
          .catch(
            () => {},
          );
      case 2:
        return host.network.breakAll();
      case 3: {
        const key = { name: `key-${this.#pick(KEYS)}`, namespace };
        return void await client.patch(SECRETS, key, {
          type: "merge",
          body: { data: { value: btoa(`${step}`) } },
        });
      }
      case 4:
        return void this.#op.trigger({ kind: Example, namespace, name }, "chance");
      default:
        return void await this.#objects.patch(name, { spec: { size: step } });
    }
  }

  #pick(most: number): number {
    return Math.floor(this.#next() * most);
  }

  async #check(): Promise<void> {
    const { client, namespace } = this.#world;
    for (const name of names()) {
      const { spec } = await this.#objects.get(name);
      const secret = await client.get<{ data?: unknown }>(SECRETS, { name: keyFor(name), namespace });
      const child = await client.get<{ data?: unknown }>(MAPS, { name, namespace });
      assert.deepEqual(child.data, { size: String(spec?.size), key: valueOf(secret) }, name);
    }
  }
}

function names(): readonly string[] {
  return Array.from({ length: OWNERS }, (_, number) => `one-${number}`);
}

/** Which Secret an owner's child is made from. */
function keyFor(name: string): string {
  return `key-${Number(name.slice(4)) % KEYS}`;
}

function valueOf(secret: object | undefined): string {
  return String((secret as { readonly data?: { readonly value?: unknown } } | undefined)?.data?.value);
}

suite("reconciles through faults", (scenario) => {
  for (let seed = first; seed < first + worlds; seed++) {
    scenario.virtual(
      `[N1.17] every child is as its owner says in the end, and nothing ran twice at once (seed ${seed})`,
      async (world) => {
        const story = new Story(world, seed);
        await story.run(Math.ceil(changes / worlds));
        assert.equal(story.most, 1);
      },
    );
  }
});
