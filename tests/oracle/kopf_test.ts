/**
 * Kopf and Lotse take turns on the same objects, on a real control plane; and work beside each other on equal ones.
 *
 * Kopf is the oracle: what it writes is right, and whom it does not call again need not be called.
 */

import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { findControlPlane } from "../control_plane/control_plane.ts";
import { RealPlace } from "../support/real_world.ts";
import { type Loose, Objects, type World } from "../support/worlds.ts";
import type { KubeObject } from "../../mod.ts";
import { type Call, makeOperator, type Wanted } from "./handlers.ts";
import { findKopf, startKopf } from "./kopf.ts";

type Side = "kopf" | "lotse";
type Example = KubeObject<Loose, Loose>;

const control = findControlPlane();
const oracle = control.reason === undefined ? findKopf() : { reason: control.reason };
const skip = oracle.reason ?? false;
const PREFIX = "kopf.zalando.org/";
const LAST_HANDLED = `${PREFIX}last-handled-configuration`;
const FINALIZER = "kopf.zalando.org/KopfFinalizerMarker";

/** A namespace in which the two take turns. */
class Stage implements Disposable {
  readonly objects: Objects;
  readonly #place: RealPlace;
  readonly #world: World;
  readonly #folder: string = mkdtempSync(join(tmpdir(), "lotse-kopf-"));
  readonly #ours: Call[] = [];

  constructor(place: RealPlace, world: World) {
    this.#place = place;
    this.#world = world;
    this.objects = new Objects(world);
  }

  /** All calls so far: Kopf's, then ours. */
  calls(name?: string): Call[] {
    const file = join(this.#folder, "calls");
    const lines = existsSync(file) ? readFileSync(file, "utf8").trim().split("\n").filter(Boolean) : [];
    const theirs = lines.map((line) => JSON.parse(line) as Call);
    return [...theirs, ...this.#ours].filter((call) => name === undefined || call.name === name);
  }

  /** Calls of an object's handlers as "handler#retry", sorted. */
  attempts(name: string): string[] {
    return this.calls(name).map(({ handler, retry }) => `${handler}#${retry}`).sort();
  }

  /** Lets one side work until the condition is true, and for as long as anything more would take. */
  async turn(side: Side, condition: () => boolean | Promise<boolean> = () => true): Promise<void> {
    const stop = await this.#start(side);
    try {
      await this.#world.until(condition);
      await this.#world.settle();
    } catch (error) {
      const calls = this.calls().map((call) => JSON.stringify(call)).join("\n");
      throw new Error(`The turn of ${side} did not end; calls:\n${calls}`, { cause: error });
    } finally {
      await stop();
    }
  }

  async #start(side: Side): Promise<() => Promise<void>> {
    if (side === "lotse") {
      const running = await this.#world.start(makeOperator((call) => void this.#ours.push(call)));
      return () => running.stop();
    }
    const program = await startKopf({
      python: oracle.python ?? "",
      kubeconfig: this.#place.plane.kubeconfig,
      namespace: this.#world.namespace,
      calls: join(this.#folder, "calls"),
    });
    return async () => {
      assert.equal(await program.stop(), 0, program.output);
    };
  }

  async create(name: string, spec: Wanted, metadata: Loose = {}): Promise<void> {
    await this.objects.create(name, { metadata, spec: { ...spec } });
  }

  async annotations(name: string): Promise<Record<string, string>> {
    return (await this.objects.get(name)).metadata.annotations ?? {};
  }

  async record(name: string, handler: string): Promise<{ retries?: number; success?: boolean } | undefined> {
    const text = (await this.annotations(name))[PREFIX + handler];
    return text === undefined ? undefined : JSON.parse(text) as { retries?: number; success?: boolean };
  }

  /** Whether a state was noted as handled that has this value, and no progress is left. */
  async isHandled(name: string, value?: unknown): Promise<boolean> {
    const annotations = await this.annotations(name);
    const notes = Object.keys(annotations).filter((key) => key.startsWith(PREFIX));
    const text = annotations[LAST_HANDLED];
    if (text === undefined || notes.length !== 1) return false;
    return value === undefined || (JSON.parse(text) as { spec: Wanted }).spec.value === value;
  }

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

describe("persistence: kopf(), with Kopf itself", () => {
  let place: Promise<RealPlace> | undefined;
  after(async () => {
    if (place !== undefined) await (await place)[Symbol.asyncDispose]();
  });

  function test(name: string, body: (open: () => Promise<Stage>) => Promise<void>): void {
    it(name, { skip, timeout: 300_000 }, async () => {
      place ??= RealPlace.open();
      const opened = await place;
      await body(async () => new Stage(opened, await opened.world()));
    });
  }

  test("an object in any state gets the same notes from both, byte for byte but for the time", async (open) => {
    const stages = { kopf: await open(), lotse: await open() };
    const found: Record<Side, unknown> = { kopf: undefined, lotse: undefined };
    for (const side of ["kopf", "lotse"] as const) {
      using stage = stages[side];
      found[side] = await allStates(stage, side);
    }
    assert.deepEqual(found.lotse, found.kopf);
  });

  for (const [first, second] of [["kopf", "lotse"], ["lotse", "kopf"]] as const) {
    test(`${second} takes over from ${first} and hands back; nothing is repeated or missed`, async (open) => {
      using stage = await open();
      await takeTurns(stage, first, second);
    });
  }
});

/** Brings objects into each state with one side alone, and gives their notes. */
async function allStates(stage: Stage, side: Side): Promise<unknown> {
  const { objects } = stage;
  const fail = 100;
  const delay = 3600;
  const odd = {
    text: 'ünï ☃ 𝄞 \u007f "q" \\ /',
    small: 0.00001,
    big: 1e21,
    tiny: 1.5e-7,
    none: null,
    float: 1.0,
    deep: [{ a: [1, {}] }],
  };
  await stage.create("fresh", { value: 1, ...odd } as Wanted, {
    labels: { app: "x" },
    annotations: { "example.com/mine": "1", "other.org/note": "n", "other.org/kopf-managed": "yes" },
  });
  await stage.create("retrying", { fail: { then: fail, long: fail, medium: fail }, delay });
  await stage.create("refused", { refuse: ["make", "then"] });
  await stage.create("parent", {
    fail: { b: fail, make: fail },
    delay,
    children: ["a", "b", "c/d"],
    refuse: ["c/d"],
  });
  await stage.create("updating", { value: 1 });
  await stage.create("deleting", { value: 1 });
  await stage.turn(side, async () =>
    (await stage.isHandled("fresh")) && (await stage.isHandled("refused")) &&
    (await stage.isHandled("updating")) && (await stage.isHandled("deleting")) &&
    (await stage.record("retrying", "then"))?.retries === 1 &&
    (await stage.record("retrying", "make"))?.success === true &&
    (await stage.record("parent", "family")) !== undefined &&
    (await stage.record("parent", "family.c.d")) !== undefined);
  await objects.patch("updating", { spec: { value: 2, fail: { second: fail }, refuse: ["change"], delay } });
  await objects.patch("deleting", { spec: { fail: { drop: fail }, delay } });
  await stage.turn(side, async () =>
    (await stage.record("updating", "second"))?.retries === 1 &&
    (await stage.record("updating", "track.spec.value"))?.success === true &&
    (await stage.isHandled("deleting")));
  await objects.delete("deleting");
  await stage.turn(side, async () => (await stage.record("deleting", "drop"))?.retries === 1);
  const names = ["fresh", "retrying", "refused", "parent", "updating", "deleting"];
  return Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, notesOf(await objects.get(name))])),
  );
}

/** All that operators write, with timestamps as their mere form. */
function notesOf({ metadata, status }: Example): unknown {
  const annotations = Object.entries(metadata.annotations ?? {}).map(([key, value]) =>
    [key, value.replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00/g, "<time>")] as const
  );
  const finalizers = (metadata.finalizers ?? []) as readonly string[];
  return { annotations: Object.fromEntries(annotations.sort()), finalizers, status };
}

/** Two sides, two turns each, over objects in all states. */
async function takeTurns(stage: Stage, first: Side, second: Side): Promise<void> {
  const { objects } = stage;
  const pause = 3600;
  await stage.create("fresh", { value: 1 });
  await stage.create("retrying", { value: 1, fail: { then: 1 }, delay: 8 });
  await stage.create("halfway", { value: 1, fail: { long: 100, medium: 100 }, delay: pause });
  await stage.create("parent", { value: 1, fail: { b: 1, "c/d": 1 }, delay: 8, children: ["a", "b", "c/d"] });
  await stage.create("deleting", { value: 1 });
  await stage.turn(
    first,
    async () =>
      (await stage.isHandled("fresh")) && (await stage.isHandled("deleting")) &&
      (await stage.record("retrying", "then"))?.retries === 1 &&
      (await stage.record("halfway", "then"))?.success === true &&
      (await stage.record("parent", "family.a"))?.success === true &&
      (await stage.record("parent", "family.c.d"))?.retries === 1,
  );
  const settled = (await objects.get("fresh")).metadata.resourceVersion;
  // Nobody runs: one object is changed, one is deleted, one is made.
  await objects.patch("deleting", { spec: { fail: { clean: 1 }, delay: 20 } });
  await objects.delete("deleting");
  await stage.create("late", { value: 1 });
  await stage.turn(
    second,
    async () =>
      (await stage.isHandled("late")) && (await stage.isHandled("retrying")) &&
      (await stage.isHandled("parent")) && (await stage.record("deleting", "drop"))?.success === true,
  );
  assert.equal(
    (await objects.get("fresh")).metadata.resourceVersion,
    settled,
    "a settled object is left alone",
  );
  assert.deepEqual(stage.attempts("fresh"), once);
  assert.deepEqual(stage.attempts("late"), once);
  assert.deepEqual(stage.attempts("retrying"), [...once, "then#1"].sort());
  assert.deepEqual(stage.attempts("parent"), [...once, "a#0", "b#0", "b#1", "c/d#0", "c/d#1"].sort());
  assert.deepEqual(stage.attempts("halfway"), once, "delays are kept");

  await objects.patch("fresh", { spec: { value: 2 } });
  await objects.patch("halfway", { spec: { fail: null } });
  await stage.turn(
    first,
    async () => (await stage.isHandled("fresh", 2)) && await objects.find("deleting") === undefined,
  );
  await objects.patch("late", { spec: { value: 2, fail: { second: 1 }, delay: 10 } });
  await stage.turn(second, async () => (await stage.record("late", "second"))?.retries === 1);
  await stage.turn(first, async () => await stage.isHandled("late", 2));
  await stage.turn(second);
  const updated = ["change#0", "second#0", "track#0"];
  assert.deepEqual(stage.attempts("fresh"), [...once, ...updated].sort());
  assert.deepEqual(stage.attempts("late"), [...once, ...updated, "second#1"].sort());
  const changes = stage.calls().filter(({ handler, reason }) => reason === "update" && handler !== "second");
  assert.ok(changes.length === 4 && changes.every((call) => call.old === 1 && call.new === 2));
  assert.deepEqual(stage.attempts("deleting"), [...once, "clean#0", "clean#1", "drop#0"].sort());
  assert.deepEqual(stage.attempts("halfway"), once, "delays are kept");
  assert.deepEqual((await objects.get("fresh")).metadata.finalizers, [FINALIZER]);
  const sides = new Set(stage.calls("late").map(({ by }) => by));
  assert.equal(sides.size, 2, "both have had a part in it");
}

/** A creation that goes well calls each of its handlers once; that of a field, too. */
const once: readonly string[] = ["long#0", "make#0", "medium#0", "then#0", "track#0"];
