import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Limiter } from "../../lib/async/limiter.ts";
import { TaskGroup } from "../../lib/async/tasks.ts";
import type { Resource } from "../../lib/model/resource.ts";
import { Memories } from "../../lib/operator/memories.ts";
import { type Next, Workers } from "../../lib/operator/queueing.ts";
import { virtualHost } from "../../lib/runtime/virtual.ts";

const kind: Resource = {
  group: "lotse.test",
  version: "v1",
  plural: "examples",
  kind: "Example",
  singular: "example",
  shortcuts: [],
  categories: [],
  namespaced: true,
  preferred: true,
  verbs: [],
  subresources: [],
};
const event = { type: "ADDED", object: { metadata: { name: "one", uid: "u" } } } as const;

describe("Workers", () => {
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
    workers.submit(kind, event);
    assert.deepEqual(state(), [0, 1, 1]);
    await clock.advance(2);
    assert.deepEqual(state(), [1, 0, 1], "nothing to do: no worker");
    workers.submit(kind, event);
    await clock.advance(2);
    assert.deepEqual(state(), [2, 0, 1], "a plan for later needs none, either");
    await clock.advance(102);
    assert.deepEqual(state(), [3, 0, 1]);
    workers.submit(kind, event);
    await clock.advance(2);
    assert.deepEqual(state(), [4, 0, 0], "the object has gone");
    workers.stop();
  });
});
