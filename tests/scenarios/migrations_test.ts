/** Notes that move from one place to another, and back: no handler is repeated, and none is left out. */

import assert from "node:assert/strict";
import { type Operator, operator, persistence, TemporaryError } from "../../mod.ts";
import type { Persistence } from "../../lib/public/persistence.ts";
import { suite } from "../support/scenario.ts";
import { sized } from "../support/size.ts";
import { Example, type Loose, Objects, type Running, type World } from "../support/worlds.ts";

const PLACES: Readonly<Record<string, () => Persistence>> = {
  "the default": () => persistence.annotations(),
  "a prefix": () => persistence.annotations({ prefix: "first.example.com" }),
  "another prefix": () => persistence.annotations({ prefix: "second.example.org" }),
  "the status": () => persistence.status(),
  "where there is room": () => persistence.auto(),
  "Kopf's": () => persistence.kopf(),
};

/** From each place to so many of the next ones, in a circle. */
const STEPS = sized({ short: 2, full: Object.keys(PLACES).length - 1 });

suite("migrate()", (scenario) => {
  const places = Object.entries(PLACES);
  for (const [index, [from, old]] of places.entries()) {
    for (const [step, [to, next]] of [...places.slice(index), ...places.slice(0, index)].entries()) {
      if (step === 0 || step > STEPS) continue;
      scenario.virtual(`takes notes from ${from} to ${to}`, async (world) => {
        const story = new Story(world);
        await story.begin(old());
        await story.goOn(persistence.migrate({ to: next(), from: [old()] }));
      });
    }
  }

  scenario(
    "moves notes a second time, from what was a move itself, and to the status and back",
    async (world) => {
      const story = new Story(world);
      const first = persistence.annotations({ prefix: "first.example.com" });
      const second = persistence.migrate({
        to: persistence.annotations({ prefix: "second.example.org" }),
        from: [first],
      });
      const third = persistence.migrate({ to: persistence.status(), from: [second] });
      await story.begin(first);
      await story.run(second, async () => {
        await story.change("done", 2);
      });
      await story.run(third, async () => {
        await story.change("done", 3);
      });
      assert.deepEqual(story.calls, ["change done 1 2", "change done 2 3"]);
      story.calls.length = 0;
      await story.goOn(
        persistence.migrate({ to: persistence.annotations({ prefix: "fourth.example.com" }), from: [third] }),
        3,
      );
    },
  );

  scenario("with `both`, the old operator can take over again, in the midst of everything", async (world) => {
    const story = new Story(world);
    const [old, next] = [persistence.annotations({ prefix: "first.example.com" }), persistence.annotations()];
    await story.begin(old);
    await story.run(persistence.migrate({ to: next, from: [old], both: true }), async () => {
      await story.change("done", 2);
      await story.change("other", 2);
    });
    assert.deepEqual(story.calls.sort(), ["change done 1 2", "change other 1 2"]);
    const keys = Object.keys((await story.objects.get("done")).metadata.annotations ?? {});
    for (const prefix of ["first.example.com", "lotse.dev"]) {
      assert.ok(keys.includes(`${prefix}/last-handled-configuration`), keys.join());
    }
    story.calls.length = 0;
    await story.goOn(old, 2);
  });
});

/** Objects in several states, which operators with the same handlers take over from each other. */
class Story {
  readonly objects: Objects;
  readonly calls: string[] = [];
  readonly #world: World;
  /** Whether what was stuck goes well. */
  #isFree = false;

  constructor(world: World) {
    this.#world = world;
    this.objects = new Objects(world);
  }

  /** Brings objects into their states: two are handled, one is half-way. */
  async begin(persistence: Persistence): Promise<void> {
    await this.run(persistence, async () => {
      for (const name of ["done", "other", "stuck"]) await this.objects.create(name, { spec: { value: 1 } });
      await this.#world.until(() => this.calls.length === 6);
    });
    assert.deepEqual(
      this.calls.sort(),
      [
        ...["done", "other", "stuck"].flatMap((name) => [`make ${name}`, `then ${name} 0`]),
      ].sort(),
    );
    this.calls.length = 0;
  }

  /** Ends it all with another operator: nothing was repeated, nothing is left out. `value` is that of what is done. */
  async goOn(persistence: Persistence, value = 1): Promise<void> {
    this.#isFree = true;
    await this.run(persistence, async () => {
      await this.#world.until(() => this.calls.includes("then stuck 1"));
      await this.change("done", 9);
    });
    assert.deepEqual(this.calls.sort(), [`change done ${value} 9`, "then stuck 1"]);
    this.calls.length = 0;
    await this.run(persistence, async () => {
      for (const name of ["done", "other", "stuck"]) await this.objects.delete(name);
      await this.#world.until(async () => {
        const left = await Promise.all(["done", "other", "stuck"].map((name) => this.objects.find(name)));
        return left.every((object) => object === undefined);
      });
    });
    assert.deepEqual(this.calls.sort(), ["drop done", "drop other", "drop stuck"]);
  }

  async run(persistence: Persistence, act: () => Promise<void>): Promise<void> {
    const running: Running = await this.#world.start(this.#makeOperator(persistence));
    try {
      await act();
      await this.#world.settle();
    } finally {
      await running.stop();
    }
  }

  async change(name: string, value: number): Promise<void> {
    await this.objects.patch(name, { spec: { value } });
    await this.#world.until(() =>
      this.calls.some((call) => call.startsWith(`change ${name} `) && call.endsWith(`${value}`))
    );
  }

  #makeOperator(persistence: Persistence): Operator {
    const op = operator({ persistence });
    const valueOf = (state: { spec?: Loose } | undefined): unknown => state?.spec?.value;
    op.on.create(Example, { id: "make" }, ({ name }) => void this.calls.push(`make ${name}`));
    op.on.create(Example, { id: "then" }, ({ name, retry }) => {
      this.calls.push(`then ${name} ${retry}`);
      if (name === "stuck" && !this.#isFree) throw new TemporaryError("not yet", { delay: 20 });
    });
    op.on.update(Example, { id: "change" }, ({ name, old, new: now }) => {
      this.calls.push(`change ${name} ${valueOf(old)} ${valueOf(now)}`);
    });
    op.on.delete(Example, { id: "drop" }, ({ name }) => void this.calls.push(`drop ${name}`));
    return op;
  }
}
