/**
 * Kopf and Lotse beside each other, on equal objects in namespaces of a real control plane. By chance, objects are made,
 * changed and deleted, the operators restarted, and paused by a peer of higher priority. After each step, all must have
 * called the same handlers with the same arguments, and with Kopf's notes the objects must hold the same.
 *
 * The seed is part of the test's name; "today" stands for the day. Longer, and by another seed:
 * ORACLE_SEED=20261231 ORACLE_STEPS=100 deno task test oracle/random
 */

import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { canonicalJson } from "../../lib/model/json.ts";
import { type KubeObject, persistence } from "../../mod.ts";
import { findControlPlane } from "../control_plane/control_plane.ts";
import { makePeeringKinds, Meeting } from "../support/meeting.ts";
import { RealPlace } from "../support/real_world.ts";
import { type Loose, Objects, type World } from "../support/worlds.ts";
import { findKopf, startKopf } from "./kopf.ts";
import { Operations } from "./operations.ts";
import { FAMILIES, IDS, makeOperator, type Seen } from "./table.ts";

const control = findControlPlane();
const oracle = control.reason === undefined ? findKopf() : { reason: control.reason };
const skip = oracle.reason ?? false;
const seed = readSeed(process.env["ORACLE_SEED"]);
const steps = Number(process.env["ORACLE_STEPS"] ?? 25);

const HANDLERS = fileURLToPath(new URL("table.py", import.meta.url));
/** How long nobody is called when everything is handled: longer than any pause of the handlers. In milliseconds. */
const QUIET = 1500;

/** Kopf, Lotse with Kopf's notes, and Lotse with its own. */
type Side = "kopf" | "likewise" | "own";
const SIDES = ["kopf", "likewise", "own"] as const;

/** What was called, by the object's name. */
type Calls = Readonly<Record<string, readonly string[]>>;

/** An operator that runs. */
interface Member {
  /** What it has said so far. */
  said(): string;
  stop(): Promise<unknown>;
}

/** What they say of themselves when a peer makes them pause, and when they list objects again. */
const PAUSED = /Pausing the watch-stream for examples|Pausing for a peer of higher priority/g;
const RESUMED = /Resuming the watch-stream for examples|Resuming: the peers in the way have gone/g;

/** A peer that nobody can ignore. */
const FREEZER = "somebody-more-important";

/** The operators, each in a namespace of its own. */
class Row implements AsyncDisposable {
  readonly #folder: string = mkdtempSync(join(tmpdir(), "lotse-row-"));
  readonly #place: RealPlace;
  readonly #worlds: Readonly<Record<Side, World>>;
  readonly #ours: Readonly<Record<"likewise" | "own", Seen[]>> = { likewise: [], own: [] };
  readonly #compared: Record<Side, number> = { kopf: 0, likewise: 0, own: 0 };
  /** In what order each object's handlers were called since the last look. */
  readonly orders: Record<Side, Calls> = { kopf: {}, likewise: {}, own: {} };
  readonly #meetings: readonly Meeting[];
  #members: readonly Member[] = [];

  constructor(place: RealPlace, worlds: Readonly<Record<Side, World>>) {
    this.#place = place;
    this.#worlds = worlds;
    this.#meetings = SIDES.map((side) => new Meeting(worlds[side].client, worlds[side]));
  }

  /** Makes a peering object for each. */
  async prepare(): Promise<void> {
    await makePeeringKinds(this.#worlds.kopf);
    await Promise.all(this.#meetings.map((meeting) => meeting.create()));
  }

  async start(): Promise<void> {
    const { kopf: { namespace }, likewise, own } = this.#worlds;
    const { kubeconfig } = this.#place.plane;
    const noter = (calls: Seen[]) => (seen: Seen) =>
      void calls.push(JSON.parse(JSON.stringify(seen)) as Seen);
    const [theirs, ...ours] = await Promise.all([
      startKopf({
        python: oracle.python ?? "",
        handlers: HANDLERS,
        calls: this.#file,
        kubeconfig,
        namespace,
        peering: true,
      }),
      likewise.start(makeOperator(noter(this.#ours.likewise), persistence.kopf())),
      own.start(makeOperator(noter(this.#ours.own))),
    ]);
    this.#members = [
      { said: () => theirs.output, stop: () => theirs.stop() },
      ...ours.map((each) => ({
        said: () => each.logs.map(({ message }) => message).join("\n"),
        stop: () => each.stop(),
      })),
    ];
  }

  async stop(): Promise<void> {
    const members = this.#members;
    this.#members = [];
    await Promise.all(members.map((member) => member.stop()));
  }

  /** Makes all of them pause, for as long as nobody lets them go. */
  async freeze(): Promise<void> {
    await this.#announce({ lifetime: 3600 }, PAUSED);
  }

  /** Takes the peer away, or lets it die: its record stays, but is not renewed. */
  async release(how: "leaves" | "dies"): Promise<void> {
    await this.#announce(how === "leaves" ? null : { lifetime: 2 }, RESUMED);
  }

  async #announce(record: Loose | null, answer: RegExp): Promise<void> {
    const count = (member: Member): number => member.said().match(answer)?.length ?? 0;
    const before = this.#members.map(count);
    const lastseen = new Date().toISOString().replace("Z", "+00:00");
    const written = record && { priority: 1000, lastseen, ...record };
    await Promise.all(this.#meetings.map((meeting) => meeting.write({ [FREEZER]: written })));
    await this.#worlds.kopf.until(() =>
      this.#members.every((member, index) => count(member) > (before[index] ?? 0))
    );
  }

  /** What each side has called since the last look, by object, once nothing is called any more. */
  async look(): Promise<Record<Side, Calls>> {
    let count = -1;
    let since = performance.now();
    while (performance.now() - since < QUIET) {
      await sleep(100);
      const now = SIDES.reduce((sum, side) => sum + this.#calls(side).length, 0);
      if (now !== count) since = performance.now();
      count = now;
    }
    return { kopf: this.#news("kopf"), likewise: this.#news("likewise"), own: this.#news("own") };
  }

  #news(side: Side): Calls {
    const calls = this.#calls(side);
    const news = calls.slice(this.#compared[side]);
    this.#compared[side] = calls.length;
    this.orders[side] = orders(news);
    return byObject(news);
  }

  #calls(side: Side): readonly Seen[] {
    if (side !== "kopf") return this.#ours[side];
    const text = existsSync(this.#file) ? readFileSync(this.#file, "utf8") : "";
    // NB: the last line may still be being written.
    return text.split("\n").slice(0, -1).filter(Boolean).map((line) => JSON.parse(line) as Seen);
  }

  get #file(): string {
    return join(this.#folder, "calls");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/**
 * Calls of each object, sorted: we run all handlers whose turn it is before we write, Kopf writes after each. How often
 * events come depends on how often one writes, so that of these each type counts once.
 */
function byObject(calls: readonly Seen[]): Calls {
  const found = new Map<string, string[]>();
  for (const { name, ...call } of calls) {
    // Python's sets have no order.
    if (Array.isArray(call["diff"])) call["diff"] = call["diff"].map((item) => canonicalJson(item)).sort();
    const text = canonicalJson(call);
    const texts = found.get(name) ?? [];
    if (call.type === undefined || !texts.includes(text)) texts.push(text);
    found.set(name, texts);
  }
  for (const texts of found.values()) texts.sort();
  return Object.fromEntries([...found].sort());
}

/**
 * The first attempts of each object's handlers, in order. When later ones come depends on how long writes take, and so does
 * the place of those that are called beside, of sub-handlers, and of those that wait for them (G7). The one that minds labels
 * may be due only because another has marked the object: Kopf, which writes after each, then calls it before the rest.
 */
function orders(calls: readonly Seen[]): Calls {
  const found = new Map<string, string[]>();
  for (const { name, id, retry } of calls) {
    if (retry !== 0 || !IDS.includes(id) || FAMILIES.includes(id) || id === "labels") continue;
    found.set(name, [...found.get(name) ?? [], id]);
  }
  return Object.fromEntries([...found].sort());
}

/** The calls without the attempts of what has sub-handlers (G7). */
function withoutWaits(calls: Calls): Calls {
  const strip = (text: string): string =>
    FAMILIES.some((id) => text.includes(`"id":"${id}"`)) ? text.replace(/"retry":\d+/, "") : text;
  return Object.fromEntries(Object.entries(calls).map(([name, texts]) => [name, texts.map(strip)]));
}

/** What is left on an object; only the time differs. */
function leftOn(object: KubeObject<Loose, Loose> | undefined): string {
  if (object === undefined) return "gone";
  const { annotations, labels, finalizers, deletionTimestamp } = object.metadata;
  const text = JSON.stringify(annotations ?? {}).replace(/\d{4}-\d\d-\d\dT[\d:.]+\+00:00/g, "then");
  const content = { annotations: JSON.parse(text) as Loose, labels, finalizers, status: object.status };
  return canonicalJson({ ...content, isGoing: deletionTimestamp !== undefined });
}

describe("Kopf and Lotse beside each other", () => {
  const timeout = 120_000 + steps * 30_000;

  it(
    `call the same handlers with the same arguments, whatever happens (seed ${seed})`,
    { skip, timeout },
    async () => {
      await using place = await RealPlace.open();
      const worlds = { kopf: await place.world(), likewise: await place.world(), own: await place.world() };
      const objects = SIDES.map((side) => new Objects(worlds[side]));
      const operations = new Operations(objects, seed);
      await using row = new Row(place, worlds);
      await row.prepare();
      await row.start();
      const done: string[] = [];
      for (let step = 0; step < steps; step++) {
        await takeStep(operations, { row, done });
        await compare(row, done);
        for (const name of operations.names) {
          const [theirs, ours] = await Promise.all(objects.map((each) => each.find(name)));
          assert.equal(leftOn(ours), leftOn(theirs), `${name} after ${done.join("\n")}`);
        }
      }
    },
  );
});

interface Story {
  readonly row: Row;
  /** What was done so far. */
  readonly done: string[];
}

/** Whether all have called the same since the last look. */
async function compare(row: Row, done: readonly string[]): Promise<void> {
  const { kopf, likewise, own } = await row.look();
  const context = `after ${done.join("\n")}`;
  assert.deepEqual(likewise, kopf, `with Kopf's notes, ${context}`);
  assert.deepEqual(withoutWaits(own), withoutWaits(kopf), `with our own notes, ${context}`);
  assert.deepEqual(row.orders.likewise, row.orders.kopf, `the order with Kopf's notes, ${context}`);
  assert.deepEqual(row.orders.own, row.orders.kopf, `the order with our own notes, ${context}`);
}

/** Does one thing, or a few while nobody looks. */
async function takeStep(operations: Operations, story: Story): Promise<void> {
  const chance = operations.random();
  if (chance < 0.12) await restart(operations, story);
  else if (chance < 0.24) await pause(operations, story);
  else story.done.push(await operations.next());
}

async function restart(operations: Operations, { row, done }: Story): Promise<void> {
  await row.stop();
  await doSome(operations, done);
  await row.start();
  done.push("restart");
}

/** While a peer is in the way, nobody handles anything; daemons end before. */
async function pause(operations: Operations, { row, done }: Story): Promise<void> {
  await row.freeze();
  done.push("freeze");
  await compare(row, done);
  await doSome(operations, done);
  assert.deepEqual(await row.look(), { kopf: {}, likewise: {}, own: {} }, `after ${done.join("\n")}`);
  const how = operations.chance(0.5) ? "leaves" : "dies";
  await row.release(how);
  done.push(`the peer ${how}`);
}

/** None to three things. */
async function doSome(operations: Operations, done: string[]): Promise<void> {
  for (let count = Math.floor(operations.random() * 4); count > 0; count--) {
    done.push(await operations.next());
  }
}

/** "today" is another one each day, such as 20261231: what is new is found at night, not by whoever changes something else. */
function readSeed(text = "20261122"): number {
  return Number(text === "today" ? new Date().toISOString().slice(0, 10).replaceAll("-", "") : text);
}
