import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Gate } from "../../lib/async/gate.ts";
import { Limiter } from "../../lib/async/limiter.ts";
import { TaskGroup } from "../../lib/async/tasks.ts";
import { CachedObject } from "../../lib/client/cache/object_store.ts";
import {
  type Result,
  type Turn,
  turnLimiter,
  type TurnResult,
  WorkQueue,
  type WorkQueueOptions,
} from "../../lib/controller/work_queue.ts";
import { ObjectState } from "../../lib/execution/object_state.ts";
import { PODS } from "../../lib/model/kinds.ts";
import type { WatchEvent } from "../../lib/model/object.ts";
import { type VirtualHost, virtualHost } from "../../lib/runtime/virtual/host.ts";

interface Bench {
  readonly host: VirtualHost;
  readonly queue: WorkQueue;
  readonly tasks: TaskGroup;
  /** "begin a1", "end a1": what has happened, in order. */
  readonly log: string[];
  readonly turns: Turn[];
  readonly forgotten: ObjectState[];
  stateOf(name: string): ObjectState;
  /** Adds an event of an object, which keeps all of its events unless said otherwise. */
  add(type: WatchEvent["type"], name: string, version: number, keepAll?: boolean): void;
}

interface BenchOptions extends Partial<WorkQueueOptions> {
  readonly limit?: number;
  /** How long a turn takes. Default: a second. */
  readonly seconds?: number;
  readonly result?: (text: string) => TurnResult;
  /** Whether events that came during a turn are echoes, by their versions. Default: none is. */
  readonly drops?: (versions: string) => boolean;
}

function bench(
  { limit = Infinity, seconds = 1, result = () => ({ kind: "done" }), drops = () => false, ...options }:
    BenchOptions = {},
): Bench {
  const host = virtualHost();
  const { clock } = host;
  const tasks = new TaskGroup();
  const limiter = turnLimiter(limit, clock);
  const gate = new Gate(true);
  const queue = new WorkQueue({
    limiter,
    clock,
    tasks,
    indexing: { gate, settled: () => undefined },
    gates: { holds: () => false },
    ...options,
  });
  const log: string[] = [];
  const turns: Turn[] = [];
  const forgotten: ObjectState[] = [];
  const states = new Map<string, ObjectState>();
  queue.start({
    async run({ body }, turn) {
      const versions = turn.events.map(({ event }) => event.object.metadata.resourceVersion);
      const text = `${body.metadata.name}${versions.join("+")}`;
      turns.push(turn);
      log.push(`begin ${text}`);
      await clock.sleep(seconds);
      log.push(`end ${text}`);
      return result(text);
    },
    forget: (state) => void forgotten.push(state),
    drops: (_, events) => drops(events.map(({ event }) => event.object.metadata.resourceVersion).join("+")),
  });
  const stateOf = (name: string): ObjectState => {
    const kind = { resource: PODS, reportOnce: () => true };
    const cached = new CachedObject({ metadata: { name, uid: `uid-${name}` } });
    const state = states.get(name) ?? new ObjectState({ cached, kind, memo: {}, firstSeen: "event" });
    states.set(name, state);
    return state;
  };
  return {
    host,
    queue,
    tasks,
    log,
    turns,
    forgotten,
    stateOf,
    add(type, name, version, keepAll = true) {
      const state = stateOf(name);
      const event = { type, object: { metadata: { name, resourceVersion: String(version) } } };
      queue.addEvent(state, { cached: state.cached, event, adoption: "newer", origin: "server" }, {
        keepAll,
      });
    },
  };
}

function begun(log: readonly string[]): string[] {
  return log.filter((line) => line.startsWith("begin")).map((line) => line.replace("begin ", ""));
}

describe("WorkQueue, and events that come during a turn", () => {
  it("begins no turn for those that the worker drops, and one for others", async () => {
    const { host, queue, log, add } = bench({ drops: (versions) => versions === "2+3" });
    add("ADDED", "a", 1);
    await host.clock.advance(0.5);
    add("MODIFIED", "a", 2);
    add("MODIFIED", "a", 3);
    await host.clock.advance(0.4);
    assert.equal(queue.size, 1);
    await host.clock.advance(5);
    assert.deepEqual([begun(log), queue.size], [["a1"], 0]);
    add("MODIFIED", "a", 4);
    await host.clock.advance(0.5);
    add("MODIFIED", "a", 5);
    await host.clock.advance(5);
    assert.deepEqual(begun(log), ["a1", "a4", "a5"]);
  });

  it("asks for none where the turn has failed, or is to be repeated at once", async () => {
    for (
      const result of [{ kind: "done", failed: true }, { kind: "requeue", after: 0, wake: "write" }] as const
    ) {
      const { host, log, add } = bench({
        drops: () => true,
        result: (text) => text === "a1" ? result : { kind: "done" },
      });
      add("ADDED", "a", 1);
      await host.clock.advance(0.5);
      add("MODIFIED", "a", 2);
      await host.clock.advance(5);
      assert.deepEqual(begun(log), ["a1", "a2"], result.kind);
    }
  });
});

describe("WorkQueue, with replicas", () => {
  it("begins no turn of an object that is barred, keeps its events, and begins when it is reopened", async () => {
    let isBarred = true;
    const { host, queue, log, add } = bench({ gates: { holds: () => false, bars: () => isBarred } });
    add("ADDED", "a", 1);
    add("MODIFIED", "a", 2);
    await host.clock.advance(5);
    assert.deepEqual(log, []);
    isBarred = false;
    queue.reopen();
    await host.clock.advance(5);
    assert.deepEqual(log, ["begin a1+2", "end a1+2"]);
    assert.equal(queue.size, 0);
  });

  it("asks again when the object has its slot", async () => {
    let isBarred = false;
    const { host, queue, log, add } = bench({
      limit: 1,
      gates: { holds: () => false, bars: ({ body }) => isBarred && body.metadata.name === "b" },
    });
    add("ADDED", "a", 1);
    add("ADDED", "b", 2);
    await host.clock.settle();
    isBarred = true;
    await host.clock.advance(5);
    assert.deepEqual(log, ["begin a1", "end a1"]);
    isBarred = false;
    queue.reopen();
    await host.clock.advance(5);
    assert.deepEqual(begun(log), ["a1", "b2"]);
  });

  it("drops what is forgotten: events, plans, and what a turn that goes on plans later", async () => {
    const { host, queue, log, add, stateOf } = bench({
      result: () => ({ kind: "requeue", after: 1, wake: "retry" }),
    });
    add("ADDED", "a", 1);
    add("ADDED", "b", 1);
    await host.clock.settle();
    add("MODIFIED", "a", 2);
    for (const name of ["a", "b"]) stateOf(name).forget();
    const ends = ["a", "b"].map((name) => queue.drop(stateOf(name)));
    assert.equal(queue.turnsOf(() => true).size, 2);
    await host.clock.advance(5);
    await Promise.all(ends);
    assert.deepEqual(begun(log), ["a1", "b1"]);
    assert.deepEqual([queue.size, queue.planned, queue.turnsOf(() => true).size], [0, 0, 0]);
    assert.equal(queue.drop(stateOf("a")), undefined);
  });
});

describe("WorkQueue", () => {
  it("[B240] keeps the order of one object, and lets different objects run at once", async () => {
    const { host, log, add } = bench();
    add("ADDED", "a", 1);
    add("ADDED", "b", 2);
    await host.clock.settle();
    add("MODIFIED", "a", 3);
    add("MODIFIED", "a", 4);
    await host.clock.advance(5);
    assert.deepEqual(log, ["begin a1", "begin b2", "end a1", "begin a3+4", "end b2", "end a3+4"]);
  });

  it("[B241] [A199] holds an object only as long as it has something to do", async () => {
    const results: Result[] = [{ kind: "done" }, { kind: "requeue", after: 100, wake: "retry" }];
    const { host, queue, add } = bench({ result: () => results.shift() ?? { kind: "done" } });
    add("ADDED", "a", 1);
    assert.equal(queue.size, 1);
    await host.clock.advance(5);
    assert.deepEqual([queue.size, host.clock.pending], [0, 0]);
    add("MODIFIED", "a", 2);
    await host.clock.advance(5);
    assert.deepEqual([queue.size, queue.planned], [1, 1]);
    await host.clock.advance(200);
    assert.deepEqual([queue.size, queue.planned], [0, 0]);
  });

  it("[B242] lets no more run at once than the limit says", async () => {
    const { host, log, add } = bench({ limit: 1 });
    add("ADDED", "a", 1);
    add("ADDED", "b", 2);
    await host.clock.advance(5);
    assert.deepEqual(log, ["begin a1", "end a1", "begin b2", "end b2"]);
  });

  it("lets live events overtake the initial listing", async () => {
    const { host, log, add } = bench({ limit: 1 });
    for (const name of ["a", "b", "c"]) add(null, name, 1);
    await host.clock.settle();
    add("ADDED", "live", 2);
    await host.clock.advance(10);
    assert.deepEqual(begun(log), ["a1", "live2", "b1", "c1"]);
  });

  it("[B243] runs an object at once for a new event while it waits for a retry", async () => {
    const { host, log, add } = bench({
      result: (text) => text === "a1" ? { kind: "requeue", after: 100, wake: "retry" } : { kind: "done" },
    });
    add("ADDED", "a", 1);
    await host.clock.advance(10);
    add("MODIFIED", "a", 2);
    await host.clock.advance(0);
    assert.deepEqual(log, ["begin a1", "end a1", "begin a2"]);
  });

  it("keeps a plan through turns in which nothing had happened, and says why it runs then", async () => {
    const { host, turns, add } = bench({
      result: (text) =>
        text === "a1" ? { kind: "requeue", after: 100, wake: "write" } : { kind: "unchanged" },
    });
    add("ADDED", "a", 1);
    await host.clock.advance(10);
    add("MODIFIED", "a", 2);
    await host.clock.advance(85);
    assert.deepEqual(turns.map(({ wake }) => wake), ["event", "event"]);
    await host.clock.advance(10);
    assert.deepEqual(turns.map(({ wake }) => wake), ["event", "event", "write"]);
  });

  it("[B246] runs nothing of an object that is throttled before its time, but its deletion", async () => {
    const { host, log, add } = bench({
      result: (text) =>
        text.endsWith("1") ? { kind: "throttle", after: 100, wake: "error" } : { kind: "done" },
    });
    for (const name of ["a", "b"]) add("ADDED", name, 1);
    await host.clock.advance(10);
    add("MODIFIED", "a", 2);
    add("ADDED", "c", 3);
    await host.clock.advance(5);
    assert.deepEqual(begun(log).slice(2), ["c3"]);
    add("DELETED", "b", 4);
    await host.clock.advance(5);
    assert.deepEqual(begun(log).slice(3), ["b4"]);
    await host.clock.advance(90);
    assert.deepEqual(begun(log).slice(4), ["a2"]);
  });

  it("runs a deletion at once that comes during the turn that is to be throttled", async () => {
    const { host, log, add } = bench({
      result: (text) =>
        text.endsWith("1") ? { kind: "throttle", after: 100, wake: "error" } : { kind: "done" },
    });
    add("ADDED", "a", 1);
    await host.clock.advance(0.5);
    add("DELETED", "a", 2);
    await host.clock.advance(5);
    assert.deepEqual(begun(log), ["a1", "a2"]);
  });

  it("shows a turn the newest event only, where no raw event handler wants them all", async () => {
    const { host, log, add } = bench();
    for (const version of [1, 2, 3]) add("MODIFIED", "a", version, false);
    await host.clock.advance(5);
    assert.deepEqual(begun(log), ["a3"]);
  });

  it("counts failures in a row, and tells how long an object has waited", async () => {
    const results: TurnResult[] = [1, 2].map((after) => ({
      kind: "throttle",
      after,
      wake: "error",
      failed: true,
    }));
    const { host, queue, turns, add, stateOf } = bench({
      limit: 1,
      result: () => results.shift() ?? { kind: "done" },
    });
    add("ADDED", "a", 1);
    await host.clock.advance(1.5);
    assert.equal(queue.isRetrying(stateOf("a")), true);
    await host.clock.advance(10);
    assert.equal(queue.isRetrying(stateOf("a")), false);
    assert.deepEqual(turns.map(({ failures }) => failures), [0, 1, 2]);
    add("ADDED", "b", 1);
    add("ADDED", "c", 1);
    await host.clock.advance(5);
    assert.deepEqual(turns.slice(3).map(({ waited }) => waited), [0, 1]);
  });

  it("takes up again what was at hand when its worker crashed, after longer and longer pauses", async () => {
    const seen: string[] = [];
    const { host, queue, tasks, add } = bench({ seconds: 0 });
    queue.start({
      run: (_state, { events }) => {
        const types = events.map(({ event }) => event.type).join("+");
        seen.push(`${host.clock.monotonic()} ${types}`);
        if (seen.length < 4) throw new Error("our own fault");
        return Promise.resolve({ kind: "done" });
      },
      forget: () => {},
      drops: () => false,
    });
    add("ADDED", "a", 1);
    await host.clock.advance(2);
    add("MODIFIED", "a", 2);
    await host.clock.advance(60);
    assert.deepEqual(seen, ["0 ADDED", "1 ADDED", "3 ADDED+MODIFIED", "7 ADDED+MODIFIED"]);
    assert.equal(queue.size, 0);
    await assert.rejects(tasks.finished(), /our own fault/);
  });

  it("forgets an object that has gone, with a retry that came due meanwhile", async () => {
    const { host, queue, forgotten, turns, add, stateOf } = bench({
      seconds: 10,
      result: (text) => text === "a1" ? { kind: "requeue", after: 5, wake: "retry" } : { kind: "gone" },
    });
    add("ADDED", "a", 1);
    await host.clock.advance(11);
    add("DELETED", "a", 2);
    await host.clock.advance(60);
    assert.deepEqual([turns.length, queue.size, queue.planned], [2, 0, 0]);
    assert.deepEqual(forgotten, [stateOf("a")]);
  });

  it("leaves alone what has gone, whoever wants to wake it", async () => {
    const { host, queue, turns, stateOf } = bench();
    const state = stateOf("a");
    state.forget();
    queue.add(state, "dependency");
    await host.clock.advance(5);
    assert.deepEqual([queue.size, turns.length], [0, 0]);
  });

  it("runs an object for another one, unless it is throttled", async () => {
    let result: Result = { kind: "done" };
    const { host, queue, turns, stateOf } = bench({ result: () => result });
    queue.add(stateOf("a"), "dependency");
    await host.clock.advance(2);
    result = { kind: "throttle", after: 100, wake: "error" };
    queue.add(stateOf("a"), "dependency");
    await host.clock.advance(2);
    queue.add(stateOf("a"), "dependency");
    await host.clock.advance(50);
    assert.deepEqual(turns.map(({ wake }) => wake), ["dependency", "dependency"]);
    await host.clock.advance(60);
    assert.deepEqual(turns.slice(2).map(({ wake }) => wake), ["error"]);
  });

  it("holds retries but not events while wakes are held", async () => {
    let isHeld = true;
    const { host, queue, log, turns, add } = bench({
      gates: { holds: () => isHeld },
      result: (text) => text === "a1" ? { kind: "requeue", after: 0, wake: "write" } : { kind: "done" },
    });
    add("ADDED", "a", 1);
    await host.clock.advance(5);
    queue.release();
    await host.clock.advance(5);
    assert.deepEqual(begun(log), ["a1"]);
    isHeld = false;
    for (let times = 0; times < 2; times++) {
      queue.release();
      await host.clock.advance(5);
    }
    assert.deepEqual(turns.map(({ wake }) => wake), ["event", "write"]);
  });

  it("waits at the gate without a slot, and with one for what must be ready", async () => {
    const gate = new Gate();
    const indexed = Promise.withResolvers<void>();
    const ready = ({ body }: ObjectState): Promise<void> | undefined =>
      body.metadata.name === "a" ? indexed.promise : undefined;
    const limiter = new Limiter(2);
    const { host, log, add } = bench({
      indexing: { gate, settled: (state) => ready(state as ObjectState) },
      limiter,
    });
    for (const name of ["a", "b"]) add("ADDED", name, 1);
    await host.clock.advance(5);
    assert.equal(limiter.active, 0);
    gate.open();
    await host.clock.advance(5);
    assert.deepEqual([begun(log), limiter.active], [["b1"], 1]);
    indexed.resolve();
    await host.clock.advance(5);
    assert.deepEqual(begun(log), ["b1", "a1"]);
  });

  it("lets the event loop turn while many begin together, and nobody is said to starve", async () => {
    const gate = new Gate();
    const { host, queue, log, add } = bench({ indexing: { gate, settled: () => undefined }, seconds: 1e9 });
    for (let number = 0; number < 300; number++) add(null, `old-${number}`, 1);
    add("MODIFIED", "new", 2);
    const seen: [begun: number, starving: number][] = [];
    const look = (): void => void seen.push([begun(log).length, queue.starving(0)]);
    gate.open();
    // What is due now is what the event loop would come to: an answer, a probe.
    host.clock.after(0, look);
    await host.clock.settle();
    look();
    assert.deepEqual(seen, [[32, 0], [301, 0]]);
    assert.ok(begun(log).indexOf("new2") <= 32, "live work goes first");
  });

  it("takes nothing in any more once it is stopped, and leaves no timer", async () => {
    const { host, queue, log, add, stateOf } = bench({
      result: (text) => text === "b1" ? { kind: "requeue", after: 100, wake: "retry" } : { kind: "done" },
    });
    add("ADDED", "b", 1);
    await host.clock.advance(0.5);
    assert.deepEqual(queue.busy, ["pods.v1 b"]);
    queue.stop();
    add("ADDED", "a", 2);
    queue.add(stateOf("a"), "retry");
    await host.clock.advance(1);
    assert.deepEqual([log, host.clock.pending], [["begin b1", "end b1"], 0]);
  });
});
