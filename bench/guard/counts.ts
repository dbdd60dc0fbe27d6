/**
 * Work that an operator does for an object, counted: requests, bytes, texts that are parsed and made, copies, listeners,
 * timers. No time is measured, so the counts are the same on each machine and on each runtime.
 *
 * The operator runs on the API server in the process with a virtual clock. What is counted of the runtime's own functions is
 * what `lib/` calls, without the API server, the test kit and the virtual host, which share the process.
 */

import { Controller } from "../../lib/controller/controller.ts";
import { operator } from "../../mod.ts";
import { type VirtualWorld, virtualWorld } from "../../tests/support/virtual_world.ts";
import { Example } from "../../tests/support/worlds.ts";

/** How often something happened, by its name. Per object, rounded to hundredths. */
export type Counts = Readonly<Record<string, number>>;

/** The counts of each situation. */
export type Guarded = Readonly<Record<string, Counts>>;

/** Frames of the code whose work is counted. */
const COUNTED = /\/lib\/(?!kits\/|runtime\/virtual\/)/;

/** Frames of this file, and of the way in which everybody reads and makes JSON. */
const HELPERS = /bench\/guard\/|\/lib\/runtime\/json\.ts/;

/** How many objects each situation has. */
const OBJECTS = 50;

/** Counts calls of the runtime's own functions while it lasts. */
class Meter implements Disposable {
  readonly #counts = new Map<string, number>();
  readonly #restore: (() => void)[] = [];

  constructor() {
    this.#wrap(JSON, "parse", "texts parsed", ([text]) => ({ "characters parsed": String(text).length }));
    this.#wrap(JSON, "stringify", "texts made", (_, text) => ({ "characters made": String(text).length }));
    this.#wrap(globalThis, "structuredClone", "clones");
    this.#wrap(Object, "freeze", "freezes");
    // NB: on Deno signals have a method of their own.
    const signals = Object.hasOwn(AbortSignal.prototype, "addEventListener") ? AbortSignal : EventTarget;
    this.#wrap(signals.prototype, "addEventListener", "listeners");
    this.#construct("AbortController", "abort controllers");
    this.#countTurns();
  }

  /** Returns what was counted since it was asked last, per object. */
  take(): Map<string, number> {
    const taken = new Map(this.#counts);
    this.#counts.clear();
    return taken;
  }

  add(name: string, count = 1): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + count);
  }

  [Symbol.dispose](): void {
    for (const restore of this.#restore) restore();
  }

  #wrap(
    // deno-lint-ignore no-explicit-any -- functions of the runtime, whatever they take.
    owner: any,
    name: string,
    title: string,
    more: (args: readonly unknown[], result: unknown) => Record<string, number> = () => ({}),
  ): void {
    const original = owner[name];
    const count = (args: readonly unknown[], result: unknown): void => {
      if (!isCounted()) return;
      this.add(title);
      for (const [key, value] of Object.entries(more(args, result))) this.add(key, value);
    };
    owner[name] = function (this: unknown, ...args: unknown[]) {
      const result = original.apply(this, args);
      count(args, result);
      return result;
    };
    this.#restore.push(() => owner[name] = original);
  }

  /** How often an object was reconciled. */
  #countTurns(): void {
    const { run } = Controller.prototype;
    const add = (): void => this.add("turns");
    Controller.prototype.run = function (...args) {
      add();
      return run.apply(this, args);
    };
    this.#restore.push(() => Controller.prototype.run = run);
  }

  #construct(name: "AbortController", title: string): void {
    const original = globalThis[name];
    const add = (): void => isCounted() ? this.add(title) : undefined;
    globalThis[name] = class extends original {
      constructor() {
        super();
        add();
      }
    };
    this.#restore.push(() => globalThis[name] = original);
  }
}

/** Whether the nearest file on the stack that is not this one is part of what is counted. */
function isCounted(): boolean {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 8;
  const { stack = "" } = new Error();
  Error.stackTraceLimit = limit;
  const caller = stack.split("\n").find((line) => line.includes("/") && !HELPERS.test(line));
  return caller !== undefined && COUNTED.test(caller);
}

/** Runs all situations, and returns what each object costs there. */
export async function countAll(): Promise<Guarded> {
  using meter = new Meter();
  const world = await virtualWorld();
  const names = Array.from({ length: OBJECTS }, (_, number) => `object-${number}`);
  const op = operator();
  op.on.create(Example, { id: "make" }, ({ patch }) => {
    patch.status.state = "made";
  });
  op.on.update(Example, { id: "change" }, () => {});
  const guarded: Record<string, Counts> = {};
  const situation = async (title: string, work: () => Promise<unknown>): Promise<void> => {
    meter.take();
    world.requests.length = 0;
    await work();
    guarded[title] = perObject(meter.take(), world.requests);
  };
  const running = await world.start(op, { level: "error" } as object);
  await create(world, "warm");
  await running.settle();
  await situation("a creation", async () => {
    for (const name of names) await create(world, name);
    await running.settle();
  });
  await situation("a change", async () => {
    for (const name of names) await send(world, "PATCH", `${PATH}/${name}`, { spec: { size: 2 } });
    await running.settle();
  });
  await situation("an event that changes nothing", async () => {
    for (const name of names) {
      await send(world, "PATCH", `${PATH}/${name}/status`, { status: { seen: "yes" } });
    }
    await running.settle();
  });
  await running.stop();
  await situation("a restart", async () => {
    const again = await world.start(op, { level: "error" } as object);
    await again.settle();
    await again.stop();
  });
  await situation("a start of a reconcile over packed objects", async () => {
    const cold = operator({ watching: { memory: "cold" } });
    cold.reconcile(Example, { id: "look" }, () => {});
    const again = await world.start(cold, { level: "error" } as object);
    await again.settle();
    await again.stop();
  });
  return guarded;
}

const PATH = "/apis/lotse.test/v1/namespaces/default/examples";

async function create(world: VirtualWorld, name: string): Promise<void> {
  const object = { apiVersion: "lotse.test/v1", kind: "Example", metadata: { name }, spec: { size: 1 } };
  await send(world, "POST", PATH, object);
}

/** Sends a request past our own client, whose work is no operator's. */
async function send({ server }: VirtualWorld, method: string, path: string, body: object): Promise<void> {
  const headers = { "content-type": method === "POST" ? "application/json" : "application/merge-patch+json" };
  const request = new Request(`http://cluster${path}`, { method, headers, body: JSON.stringify(body) });
  const response = await server.fetch(request);
  if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
}

function perObject(counts: ReadonlyMap<string, number>, requests: VirtualWorld["requests"]): Counts {
  const all = new Map(counts);
  all.set("requests", requests.length);
  all.set("bytes sent", requests.reduce((sum, { body }) => sum + body.length, 0));
  const sorted = [...all].sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(sorted.map(([name, count]) => [name, Math.round(count / OBJECTS * 100) / 100]));
}
