/**
 * Kopf and Lotse take turns on the same objects, on a real control plane; and work beside each other on equal ones.
 *
 * Kopf is the oracle: what it writes is right, and whom it does not call again need not be called.
 */

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { findControlPlane } from "../control_plane/control_plane.ts";
import { RealPlace } from "../support/real_world.ts";
import type { Loose } from "../support/worlds.ts";
import type { Wanted } from "./handlers.ts";
import { findKopf } from "./kopf.ts";
import { type Example, PREFIX, type Side, Stage } from "./stage.ts";

const control = findControlPlane();
const oracle = control.reason === undefined ? findKopf() : { reason: control.reason };
const skip = oracle.reason ?? false;
const FINALIZER = "kopf.zalando.org/KopfFinalizerMarker";

describe("persistence: kopf(), with Kopf itself", () => {
  let place: Promise<RealPlace> | undefined;
  after(async () => {
    if (place !== undefined) await (await place)[Symbol.asyncDispose]();
  });

  function test(name: string, body: (open: () => Promise<Stage>) => Promise<void>): void {
    it(name, { skip, timeout: 300_000 }, async () => {
      place ??= RealPlace.open({ controllerManager: true });
      const opened = await place;
      const { python = "" } = oracle;
      await body(async () => new Stage(opened, { world: await opened.world(), python }));
    });
  }

  const states: Readonly<Record<string, (stage: Stage, side: Side) => Promise<unknown>>> = {
    "an object in any state": allStates,
    "an object that is resumed, alone or with a change or its deletion,": resumed,
    "an object with records of an old Kopf in its status": recordsInStatus,
    "a ReplicaSet of a Deployment, with the Deployment's notes copied to it,": replicaSets,
  };
  for (const [title, bring] of Object.entries(states)) {
    test(`${title} gets the same notes from both, byte for byte but for the time`, async (open) => {
      const found: Record<Side, unknown> = { kopf: undefined, lotse: undefined };
      for (const side of ["kopf", "lotse"] as const) {
        using stage = await open();
        found[side] = await bring(stage, side);
      }
      assert.deepEqual(found.lotse, found.kopf);
    });
  }

  for (const [first, second] of [["kopf", "lotse"], ["lotse", "kopf"]] as const) {
    test(`${second} takes over from ${first} and hands back; nothing is repeated or missed`, async (open) => {
      using stage = await open();
      await takeTurns(stage, first, second);
    });

    test(`${second} takes over resumptions, ReplicaSets and records in the status from ${first}`, async (open) => {
      using stage = await open();
      await takeTurnsAtOthers(stage, first, second);
    });
  }
});

/** Brings objects into each state with one side alone, and returns their notes. */
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

/** What waits an hour, once it has failed. */
const STUCK = { value: 1, delay: 3600 } as const;

/** Resumptions: those that fail, or go well, and those that come with an update or a deletion. */
async function resumed(stage: Stage, side: Side): Promise<unknown> {
  const { objects } = stage;
  const names = ["settled", "resuming", "updated", "deleted", "deleted-at-once"];
  for (const name of names) {
    const fail = name === "settled" || name === "deleted-at-once" ? 0 : 100;
    await stage.create(name, { ...STUCK, resumed: true, fail: { again: fail } });
  }
  await stage.turn(
    side,
    async () => (await Promise.all(names.map((name) => stage.isHandled(name)))).every(Boolean),
  );
  await objects.patch("updated", { spec: { value: 2, fail: { second: 100 } } });
  await stage.turn(
    side,
    async () =>
      stage.attempts("settled").includes("again#0") &&
      stage.attempts("deleted-at-once").includes("again#0") &&
      (await stage.record("resuming", "again"))?.retries === 1 &&
      (await stage.record("deleted", "again"))?.retries === 1 &&
      (await stage.record("updated", "again"))?.retries === 1 &&
      (await stage.record("updated", "second"))?.retries === 1,
  );
  for (const name of ["deleted", "deleted-at-once"]) {
    await objects.patch(name, { spec: { fail: { drop: 100 } } });
    await objects.delete(name);
  }
  await stage.turn(side, async () =>
    (await stage.record("deleted", "drop"))?.retries === 1 &&
    (await stage.record("deleted-at-once", "drop"))?.retries === 1);
  return await sumUp(stage, names);
}

/** As an old Kopf has left it: in the status alone. */
function oldRecords(): Loose {
  const started = "2020-02-14T16:58:25.396364+00:00";
  const make = {
    started,
    stopped: "2020-02-14T16:58:25.401844+00:00",
    retries: 1,
    success: true,
    failure: false,
    purpose: "create",
  };
  const then = {
    started,
    delayed: "2020-02-14T17:00:00.000001+00:00",
    retries: 3,
    success: false,
    failure: false,
    purpose: "create",
    message: "no",
  };
  return { status: { kopf: { progress: { make, then } } } };
}

async function recordsInStatus(stage: Stage, side: Side): Promise<unknown> {
  for (const [name, fail] of Object.entries({ aged: 100, done: 0 })) {
    await stage.create(name, { ...STUCK, fail: { then: fail } });
    await stage.objects.patch(name, oldRecords(), "status");
  }
  await stage.turn(
    side,
    async () => (await stage.record("aged", "then"))?.retries === 4 && await stage.isHandled("done"),
  );
  assert.deepEqual(stage.attempts("done"), ["long#0", "medium#0", "then#3", "track#0"]);
  const { done, ...rest } = await sumUp(stage, ["aged", "done"]);
  // NB: on purpose, Lotse takes the emptied `kopf: { progress: {} }` away, too (C, "scenarios A139–A164"); there is nothing in either.
  if (side === "kopf") assert.deepEqual(done?.status, { kopf: { progress: {} } });
  return { ...rest, done: { ...done, status: side === "kopf" ? {} : done?.status } };
}

async function replicaSets(stage: Stage, side: Side): Promise<unknown> {
  await stage.deploy("web", { ...STUCK, fail: { run: 100 } });
  await stage.deploy("app", { value: 1 });
  const sets = () => Promise.all(["web", "app"].map((name) => stage.replicaSet(name)));
  await stage.turn(side, async () => {
    const [web = {}, app = {}] = (await sets()).map((set) => set?.metadata.annotations);
    // Their own, and those that the controller has copied.
    return [`${PREFIX}run-ofDRS`, `${PREFIX}run`].every((key) => key in web) &&
      [`${PREFIX}last-handled-configuration-ofDRS`, `${PREFIX}last-handled-configuration`].every((key) =>
        key in app
      );
  });
  const deployments = await Promise.all(["web", "app"].map((name) => stage.deployment(name)));
  const calls = stage.calls().map(({ handler, name, retry }) => `${name} ${handler}#${retry}`).sort();
  return {
    notes: [...deployments, ...await sets()].map((object) => object && notesOf(object).annotations),
    calls,
  };
}

/** Notes and calls by object. */
async function sumUp(stage: Stage, names: readonly string[]): Promise<Record<string, { status: unknown }>> {
  const entries = names.map(async (name) =>
    [name, { ...notesOf(await stage.objects.get(name)), calls: stage.callsOf(name) }] as const
  );
  return Object.fromEntries(await Promise.all(entries));
}

/** All that operators write, with timestamps as their mere form. */
function notesOf(
  { metadata, status }: Example,
): { annotations: object; finalizers: object; status: unknown } {
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

/** The same for resumptions, ReplicaSets of Deployments, and records in the status. */
async function takeTurnsAtOthers(stage: Stage, first: Side, second: Side): Promise<void> {
  await stage.create("settled", { value: 1, resumed: true });
  await stage.create("failing", { value: 1, resumed: true, fail: { again: 1 }, delay: 20 });
  await stage.deploy("app", { fail: { run: 1 }, delay: 8 });
  await stage.turn(
    first,
    async () =>
      (await stage.isHandled("settled")) && (await stage.isHandled("failing")) &&
      (await stage.deployRecords("app")).length === 2,
  );
  const settled = (await stage.objects.get("settled")).metadata.resourceVersion;
  await stage.create("aged", { value: 1 });
  await stage.objects.patch("aged", oldRecords(), "status");
  await stage.turn(
    second,
    async () =>
      (await stage.record("failing", "again"))?.retries === 1 && (await stage.isHandled("aged")) &&
      (await stage.deployRecords("app")).length === 0,
  );
  await stage.turn(first, () => stage.isHandled("failing"));
  await stage.turn(second, async () => (await stage.record("failing", "again"))?.retries === 1);

  const again = ["again#0", "again#0", "again#0"];
  assert.deepEqual(stage.attempts("settled"), [...again, ...once].sort());
  assert.equal((await stage.objects.get("settled")).metadata.resourceVersion, settled, "nothing is written");
  assert.deepEqual(stage.attempts("failing"), ["again#0", "again#0", "again#1", ...once].sort());
  assert.deepEqual(stage.attempts("aged"), ["long#0", "medium#0", "then#3", "track#0"]);
  const runs = stage.calls().filter(({ handler }) => handler === "run");
  const set = (await stage.replicaSet("app"))?.metadata.name;
  for (const name of ["Deployment/app", `ReplicaSet/${set}`]) {
    assert.deepEqual(stage.attempts(name), ["run#0", "run#1"]);
  }
  assert.equal(runs.length, 4);
  assert.deepEqual([...new Set(runs.map(({ by }) => by))].sort(), ["kopf", "lotse"]);
}

/** A creation that goes well calls each of its handlers once; that of a field, too. */
const once: readonly string[] = ["long#0", "make#0", "medium#0", "then#0", "track#0"];
