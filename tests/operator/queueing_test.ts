import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Limiter } from "../../lib/async/limiter.ts";
import { TaskGroup } from "../../lib/async/tasks.ts";
import { virtualHost } from "../../lib/kits/testing/mod.ts";
import type { WatchEvent } from "../../lib/model/object.ts";
import type { Resource } from "../../lib/model/resource.ts";
import { Memories, type ObjectMemory } from "../../lib/operator/memories.ts";
import { type Next, Workers } from "../../lib/operator/queueing.ts";

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
});
