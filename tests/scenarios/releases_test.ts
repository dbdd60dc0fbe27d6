/** Operators of one release that follow operators of another, which keeps its notes elsewhere; and what each place costs. */

import assert from "node:assert/strict";
import { operator, persistence, TemporaryError } from "../../mod.ts";
import type { Operator } from "../../lib/operator/operator.ts";
import type { Persistence } from "../../lib/public/persistence.ts";
import { suite } from "../support/scenario.ts";
import { Example, LAST_HANDLED, notesOf, Objects, type World } from "../support/worlds.ts";

/** The release that knows annotations alone, and had them by default. */
const earlier = (): Persistence => persistence.annotations();

class Releases {
  readonly objects: Objects;
  readonly calls: string[] = [];
  /** Whether the handler that was stuck goes well. */
  isFree = false;
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
    this.objects = new Objects(world);
  }

  /** Runs an operator; without notes: the present default. */
  async run(notes: Persistence | undefined, story: (op: Operator) => Promise<void>): Promise<void> {
    const op = operator({ persistence: notes });
    op.on.create(Example, { id: "make" }, ({ name, retry, patch }) => {
      this.calls.push(`make ${name} ${retry}`);
      if (name === "stuck" && !this.isFree) throw new TemporaryError("stuck", { delay: 5 });
      patch.status.made = true;
    });
    op.on.update(Example, { id: "change" }, ({ name }) => void this.calls.push(`change ${name}`));
    const running = await this.#world.start(op);
    await story(op);
    await this.#world.settle();
    await running.stop();
  }

  async isIn(
    place: "status" | "annotations",
    name: string,
    note = "last-handled-configuration",
  ): Promise<boolean> {
    const object = await this.objects.get(name);
    const inAnnotations = `lotse.dev/${note}` in (object.metadata.annotations ?? {});
    return place === "annotations" ? inAnnotations : !inAnnotations && `lotse.dev/${note}` in notesOf(object);
  }

  async until(condition: () => boolean | Promise<boolean>): Promise<void> {
    await this.#world.until(condition);
  }

  /** Brings one object to rest, and leaves another one half-way. */
  async begin(notes: Persistence | undefined, place: "status" | "annotations"): Promise<void> {
    await this.run(notes, async () => {
      for (const name of ["done", "stuck"]) await this.objects.create(name, { spec: { value: 1 } });
      await this.until(() => this.isIn(place, "done"));
      await this.until(() => this.isIn(place, "stuck", "make"));
    });
    assert.deepEqual(this.calls.splice(0).sort(), ["make done 0", "make stuck 0"]);
  }
}

suite("an operator after one of an earlier release", (scenario) => {
  scenario("leaves objects at rest alone, and moves their notes with the next write", async (world) => {
    const releases = new Releases(world);
    const { objects, calls } = releases;
    await releases.begin(earlier(), "annotations");
    releases.isFree = true;
    const before = (await objects.get("done")).metadata.resourceVersion;
    await releases.run(undefined, async (op) => {
      await releases.until(() => releases.isIn("status", "stuck"));
      await world.settle();
      const done = await objects.get("done");
      assert.equal(done.metadata.resourceVersion, before, "a write");
      assert.equal(op.ledger.of(done), undefined, "a turn");
      assert.deepEqual(calls, ["make stuck 1"]);
      await objects.patch("done", { spec: { value: 2 } });
      await releases.until(() => releases.isIn("status", "done"));
    });
    assert.deepEqual(calls, ["make stuck 1", "change done"]);
  });

  scenario("that resumes them writes nothing either", async (world) => {
    const releases = new Releases(world);
    await releases.begin(earlier(), "annotations");
    const { resourceVersion } = (await releases.objects.get("done")).metadata;
    const op = operator();
    const resumed: string[] = [];
    op.on.resume(Example, { id: "go on" }, ({ name }) => void resumed.push(name));
    const running = await world.start(op);
    await world.until(() => resumed.includes("done"));
    await world.settle();
    assert.equal((await releases.objects.get("done")).metadata.resourceVersion, resourceVersion);
    await running.stop();
  });

  scenario("makes way for that one again after `migrate()`, and comes back", async (world) => {
    const releases = new Releases(world);
    const { objects, calls } = releases;
    await releases.begin(undefined, "status");
    const back = persistence.migrate({
      to: persistence.annotations(),
      from: [persistence.auto()],
      atOnce: true,
    });
    await releases.run(back, async () => {
      await releases.until(() => releases.isIn("annotations", "done"));
      await releases.until(() => releases.isIn("annotations", "stuck", "make"));
    });
    // The one that was to be tried again may have been.
    assert.deepEqual(calls.splice(0).filter((call) => !call.startsWith("make stuck")), []);
    releases.isFree = true;
    await releases.run(earlier(), async () => {
      await releases.until(() => releases.isIn("annotations", "stuck"));
      await objects.patch("done", { spec: { value: 2 } });
      await releases.until(() => calls.includes("change done"));
    });
    assert.equal(calls.includes("make done 0") || calls.includes("make stuck 0"), false, calls.join());
    calls.length = 0;
    await releases.run(undefined, async () => {
      await world.settle();
      assert.deepEqual(calls, []);
      await objects.patch("done", { spec: { value: 3 } });
      await releases.until(() => releases.isIn("status", "done"));
    });
    assert.deepEqual(calls, ["change done"]);
  });
});

/** What a handler does, and how many requests that is: with notes in annotations, and by default. */
const COSTS: readonly [
  what: string,
  declare: (op: Operator) => void,
  annotations: number,
  byDefault: number,
][] = [
  ["a creation whose handler changes nothing", (op) => op.on.create(Example, { id: "it" }, () => {}), 1, 1],
  [
    "a creation whose handler writes the status",
    (op) => op.on.create(Example, { id: "it" }, ({ patch }) => void (patch.status.made = true)),
    2,
    1,
  ],
  [
    "a creation whose handler returns a result",
    (op) => op.on.create(Example, { id: "it" }, () => "made"),
    2,
    1,
  ],
  [
    "a creation whose handler writes spec or labels",
    (op) => op.on.create(Example, { id: "it" }, ({ patch }) => void (patch.metadata.labels.made = "yes")),
    2,
    3,
  ],
  [
    "a creation whose handler writes labels and the status",
    (op) =>
      op.on.create(Example, { id: "it" }, ({ patch }) => {
        patch.metadata.labels.made = "yes";
        patch.status.made = true;
      }),
    3,
    3,
  ],
  [
    "a creation that writes the status, with a deletion handler",
    (op) => {
      op.on.create(Example, { id: "it" }, ({ patch }) => void (patch.status.made = true));
      op.on.delete(Example, { id: "end" }, () => {});
    },
    3,
    2,
  ],
];

suite("the requests of a creation", (scenario) => {
  for (const [what, declare, annotations, byDefault] of COSTS) {
    scenario.virtual(`are as many as the page says: ${what}`, async (world) => {
      for (const [notes, expected] of [[earlier(), annotations], [undefined, byDefault]] as const) {
        const op = operator({ persistence: notes });
        declare(op);
        const running = await world.start(op);
        const name = notes === undefined ? "now" : "before";
        await new Objects(world).create(name, { spec: { value: 1 } });
        await running.advance(60);
        const own = () => world.writes().filter(({ path }) => path.includes(`/${name}`)).length;
        assert.equal(own(), expected, `${what}, ${name}`);
        assert.ok(LAST_HANDLED in notesOf(await new Objects(world).get(name)));
        await new Objects(world).delete(name);
        await running.advance(60);
        const isHeld = what.includes("deletion handler");
        assert.equal(own(), expected + (isHeld ? 1 : 0), `the deletion after ${what}, ${name}`);
        await running.stop();
      }
    });
  }
});
