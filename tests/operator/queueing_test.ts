import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Limiter } from "../../lib/async/limiter.ts";
import { TaskGroup } from "../../lib/async/tasks.ts";
import { type VirtualHost, virtualHost } from "../../lib/runtime/virtual/host.ts";
import { PODS } from "../../lib/model/kinds.ts";
import type { KubeObject, WatchEvent } from "../../lib/model/object.ts";
import type { Resource } from "../../lib/model/resource.ts";
import { Memories, memoryKey, type ObjectMemory } from "../../lib/operator/memories.ts";
import { type Next, type SubmitOptions, Workers, type WorkersOptions } from "../../lib/operator/queueing.ts";

const kind: Resource = {
  group: "lotse.test",
  version: "v1",
  plural: "examples",
  kind: "Example",
  singular: "",
  shortcuts: [],
  categories: [],
  namespaced: true,
  preferred: true,
  verbs: [],
  subresources: [],
};

function event(type: WatchEvent["type"], resourceVersion: string, uid?: string): WatchEvent {
  return { type, object: { metadata: { name: "x", uid, resourceVersion } } };
}

function makeWorkers(process: (memory: ObjectMemory, types: (string | null)[]) => Promise<Next> | Next) {
  const { clock } = virtualHost();
  const memories = new Memories({});
  const tasks = new TaskGroup();
  const workers = new Workers({
    clock,
    memories,
    tasks,
    limiter: new Limiter(Infinity),
    keepsEvents: () => true,
    observer: {},
    process: async (memory, { events }) => await process(memory, events.map(({ type }) => type)),
  });
  return { clock, memories, tasks, workers };
}

const EVENT = { type: "ADDED", object: { metadata: { name: "one", uid: "u" } } } as const;

interface Bench {
  readonly host: VirtualHost;
  readonly workers: Workers;
  /** "begin a1", "end a1": what has happened, in order. */
  readonly log: string[];
  submit(
    type: WatchEvent["type"],
    name: string,
    version: number,
    more?: Partial<KubeObject["metadata"]>,
    options?: SubmitOptions,
  ): void;
}

interface BenchOptions extends Partial<Pick<WorkersOptions, "keepsEvents" | "isHeld">> {
  readonly limit?: number;
  readonly next?: (text: string) => Next;
}

/** Each pass takes a second. */
function bench(options: BenchOptions = {}): Bench {
  const host = virtualHost();
  const log: string[] = [];
  const workers = new Workers({
    async process({ body }, { events }) {
      const text = `${body.metadata.name}${
        events.map(({ object }) => object.metadata.resourceVersion).join("+")
      }`;
      log.push(`begin ${text}`);
      await host.clock.sleep(1);
      log.push(`end ${text}`);
      return options.next?.(text) ?? {};
    },
    memories: new Memories({}),
    clock: host.clock,
    tasks: new TaskGroup(),
    limiter: new Limiter(options.limit ?? Infinity),
    keepsEvents: options.keepsEvents ?? (() => true),
    isHeld: options.isHeld,
    observer: {},
  });
  return {
    ...{ host, workers, log },
    submit(type, name, version, more = {}, submitOptions = {}) {
      const metadata = {
        name,
        namespace: "ns",
        uid: `uid-${name}`,
        resourceVersion: String(version),
        ...more,
      };
      workers.submit(PODS, { type, object: { metadata } }, submitOptions);
    },
  };
}

const untilGone = (_: ObjectMemory, types: readonly (string | null)[]): Next => ({
  gone: types.at(-1) === "DELETED",
});

describe("Workers", () => {
  it("give an object without a uid a new memory when it was made anew, however fast", async () => {
    const seen: [ObjectMemory, (string | null)[]][] = [];
    const { workers, tasks, memories } = makeWorkers((memory, types) => {
      seen.push([memory, types]);
      return untilGone(memory, types);
    });
    workers.submit(kind, event("ADDED", "1"));
    workers.submit(kind, event("DELETED", "2"));
    workers.submit(kind, event("ADDED", "3"));
    await tasks.finished();
    const types = seen.flatMap(([, types]) => types);
    assert.deepEqual(types, ["ADDED", "DELETED", "ADDED"]);
    assert.equal(new Set(seen.map(([memory]) => memory)).size, 2);
    assert.equal(memories.size, 1);
  });

  it("forget a retry that came due while its object went", async () => {
    let passes = 0;
    const { workers, tasks, clock, memories } = makeWorkers(async (memory, types) => {
      passes++;
      if (types.includes("DELETED")) {
        await clock.sleep(10);
        return { gone: true };
      }
      return untilGone(memory, types).gone ? { gone: true } : { after: 5 };
    });
    workers.submit(kind, event("ADDED", "1", "u"));
    await tasks.finished();
    workers.submit(kind, event("DELETED", "2", "u"));
    await clock.advance(60);
    assert.deepEqual({ passes, memories: memories.size, workers: workers.size }, {
      passes: 2,
      memories: 0,
      workers: 0,
    });
  });

  it("do not keep an object that has gone waiting for the end of a pause", async () => {
    const seen: (string | null)[] = [];
    const { workers, tasks, clock } = makeWorkers((memory, types) => {
      seen.push(...types);
      return types.includes("DELETED") ? untilGone(memory, types) : { after: 600, paused: true };
    });
    workers.submit(kind, event("ADDED", "1", "u"));
    await tasks.finished();
    workers.submit(kind, event("MODIFIED", "2", "u"));
    await clock.advance(1);
    assert.deepEqual(seen, ["ADDED"]);
    workers.submit(kind, event("DELETED", "3", "u"));
    await clock.advance(1);
    assert.deepEqual(seen, ["ADDED", "MODIFIED", "DELETED"]);
    assert.equal(workers.size, 0);
  });

  it("take up again what they were at when they crash, after longer and longer pauses", async () => {
    const seen: string[] = [];
    const { clock, tasks, workers } = makeWorkers((_memory, types) => {
      seen.push(`${clock.monotonic()} ${types.join("+")}`);
      if (seen.length < 4) throw new Error("our own fault");
      return {};
    });
    workers.submit(kind, event("ADDED", "1", "u"));
    await clock.advance(2);
    workers.submit(kind, event("MODIFIED", "2", "u"));
    await clock.advance(60);
    assert.deepEqual(seen, ["0 ADDED", "1 ADDED", "3 ADDED+MODIFIED", "7 ADDED+MODIFIED"]);
    assert.equal(workers.size, 0);
    await assert.rejects(tasks.finished(), /our own fault/);
  });

  it("[B240] keep the order of one object, and work on different objects at once", async () => {
    const { host, log, submit } = bench();
    submit("ADDED", "a", 1);
    submit("ADDED", "b", 2);
    await host.clock.settle();
    submit("MODIFIED", "a", 3);
    submit("MODIFIED", "a", 4);
    await host.clock.advance(5);
    assert.deepEqual(log, ["begin a1", "begin b2", "end a1", "begin a3+4", "end b2", "end a3+4"]);
  });

  it("[B241] disappear when there is nothing to do", async () => {
    const { host, workers, submit } = bench();
    submit("ADDED", "a", 1);
    assert.equal(workers.size, 1);
    await host.clock.advance(5);
    assert.equal(workers.size, 0);
    assert.equal(host.clock.pending, 0);
  });

  it("[B242] are no more at once than the limit", async () => {
    const { host, log, submit } = bench({ limit: 1 });
    submit("ADDED", "a", 1);
    submit("ADDED", "b", 2);
    await host.clock.advance(5);
    assert.deepEqual(log, ["begin a1", "end a1", "begin b2", "end b2"]);
  });

  it("let live events overtake the initial listing", async () => {
    const { host, log, submit } = bench({ limit: 1 });
    for (const name of ["a", "b", "c"]) submit(null, name, 1);
    await host.clock.settle();
    submit("ADDED", "live", 2);
    await host.clock.advance(10);
    assert.deepEqual(log.filter((line) => line.startsWith("begin")), [
      "begin a1",
      "begin live2",
      "begin b1",
      "begin c1",
    ]);
  });

  it("[B243] wake at once for a new event while they wait for a retry", async () => {
    const { host, log, submit } = bench({ next: (text) => text === "a1" ? { after: 100 } : {} });
    submit("ADDED", "a", 1);
    await host.clock.advance(10);
    submit("MODIFIED", "a", 2);
    await host.clock.advance(0);
    assert.deepEqual(log, ["begin a1", "end a1", "begin a2"]);
  });

  it("[B244] know objects without a uid by kind, namespace and name", async () => {
    const { host, log, submit } = bench();
    submit("ADDED", "a", 1, { uid: undefined });
    submit("ADDED", "a", 2, { uid: undefined, namespace: "other" });
    submit("MODIFIED", "a", 3, { uid: undefined });
    await host.clock.advance(5);
    assert.deepEqual(log.filter((line) => line.startsWith("begin")), ["begin a1+3", "begin a2"]);
  });

  it("[B246] handle nothing of an object that is paused before its time", async () => {
    const { host, log, submit } = bench({
      next: (text) => text === "a1" ? { after: 100, paused: true } : {},
    });
    submit("ADDED", "a", 1);
    await host.clock.advance(10);
    submit("MODIFIED", "a", 2);
    submit("ADDED", "b", 3);
    await host.clock.advance(80);
    assert.deepEqual(log, ["begin a1", "end a1", "begin b3", "end b3"]);
    await host.clock.advance(20);
    assert.deepEqual(log.slice(4), ["begin a2", "end a2"]);
  });

  it("see the newest state only where raw events have no handlers, but every deletion", async () => {
    const { host, log, submit } = bench({
      keepsEvents: () => false,
      next: (text) => text.endsWith("4") ? { gone: true } : {},
    });
    for (const version of [1, 2, 3]) submit("MODIFIED", "a", version);
    submit("DELETED", "a", 4);
    submit("ADDED", "a", 5);
    submit("MODIFIED", "a", 6);
    await host.clock.advance(5);
    assert.deepEqual(log.filter((line) => line.startsWith("begin")), ["begin a4", "begin a6"]);
  });

  it("pass over what is known already, unless the server was set back", async () => {
    const { host, log, submit } = bench({ keepsEvents: () => false });
    for (const version of [5, 5, 4]) {
      submit("MODIFIED", "a", version);
      await host.clock.advance(2);
    }
    assert.deepEqual(log, ["begin a5", "end a5"]);
    submit("MODIFIED", "a", 3, {}, { restored: true });
    await host.clock.advance(2);
    assert.deepEqual(log.slice(2), ["begin a3", "end a3"]);
  });

  it("are woken by dependencies, unless their object is being throttled", async () => {
    let next: Next = {};
    const { host, log, workers, submit } = bench({ next: () => next });
    submit("ADDED", "a", 1);
    await host.clock.advance(2);
    const key = memoryKey(PODS, { metadata: { uid: "uid-a" } });
    next = { after: 100, paused: true };
    workers.poke(key);
    await host.clock.advance(2);
    assert.deepEqual(log.slice(2), ["begin a", "end a"]);
    workers.poke(key);
    workers.poke("unknown");
    await host.clock.advance(50);
    assert.equal(log.length, 4);
  });

  it("leave alone what is held back until it is released, and all when they have stopped", async () => {
    let isHeld = true;
    const { host, log, workers, submit } = bench({
      isHeld: () => isHeld,
      next: (text) => text === "a1" ? { after: 0 } : {},
    });
    submit("ADDED", "a", 1);
    await host.clock.advance(5);
    workers.release();
    await host.clock.advance(5);
    assert.deepEqual(log, ["begin a1", "end a1"]);
    isHeld = false;
    workers.release();
    await host.clock.advance(5);
    workers.release();
    await host.clock.advance(5);
    assert.deepEqual(log.slice(2), ["begin a", "end a"]);
    workers.stop();
    submit("MODIFIED", "a", 2);
    workers.wake(memoryKey(PODS, { metadata: { uid: "uid-a" } }), "retry");
    await host.clock.advance(5);
    assert.deepEqual([log.length, workers.size], [4, 0]);
  });

  it("[A199] keep a worker for as long as it has something to do, and a memory for as long as there is its object", async () => {
    const { clock } = virtualHost();
    const memories = new Memories({});
    const nexts: Next[] = [{}, { after: 100 }, {}, { gone: true }];
    let passes = 0;
    const workers = new Workers({
      process: async () => {
        await clock.sleep(1);
        return nexts[passes++] ?? {};
      },
      memories,
      clock,
      tasks: new TaskGroup(),
      limiter: new Limiter(Infinity),
      keepsEvents: () => false,
      observer: {},
    });
    const state = (): unknown => [passes, workers.size, memories.size];
    workers.submit(PODS, EVENT);
    assert.deepEqual(state(), [0, 1, 1]);
    await clock.advance(2);
    assert.deepEqual(state(), [1, 0, 1], "nothing to do: no worker");
    workers.submit(PODS, EVENT);
    await clock.advance(2);
    assert.deepEqual(state(), [2, 0, 1], "a plan for later needs none, either");
    await clock.advance(102);
    assert.deepEqual(state(), [3, 0, 1]);
    workers.submit(PODS, EVENT);
    await clock.advance(2);
    assert.deepEqual(state(), [4, 0, 0], "the object has gone");
    workers.stop();
  });
});
