import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { HotLoops, type LoopingReconcile } from "../../lib/engines/hot_loop.ts";
import type { Subject } from "../../lib/execution/observer.ts";
import { calculateDiff } from "../../lib/model/diff.ts";
import type { Resource } from "../../lib/model/resource.ts";
import type { Logger } from "../../lib/runtime/logging.ts";

const resource = { group: "", version: "v1", plural: "pods", kind: "Pod", namespaced: true } as Resource;

/** A subject whose handlers change a field again and again. */
function setUp() {
  let now = 0;
  const loops = new HotLoops({ monotonic: () => now } as ConstructorParameters<typeof HotLoops>[0]);
  const subject: Subject = { key: "a", resource, body: { metadata: { name: "a" } } };
  let value = 0;
  function round(seconds: number): void {
    now += seconds;
    loops.reconcileBegins(subject, { wake: "write", events: [], waited: 0 });
    loops.decided(subject, { diff: calculateDiff({ spec: { a: value } }, { spec: { a: ++value } }) });
    loops.written(subject, { paths: ["spec.a"], writes: 1, version: "1", concluded: true, byEvent: false });
    loops.reconcileEnds(subject, { seconds: 0 });
  }
  return { loops, subject, round, advance: (seconds: number) => void (now += seconds) };
}

describe("HotLoops", () => {
  it("counts objects that loop, until they have been quiet for long enough", () => {
    const { loops, round, advance } = setUp();
    for (let number = 0; number < 10; number++) round(1);
    assert.deepEqual([...loops.counts()], []);
    round(1);
    assert.deepEqual([...loops.counts().values()], [1]);
    advance(90);
    assert.deepEqual([...loops.counts()], []);
  });

  it("counts an object whose notes are taken off often, for twenty minutes", async () => {
    const { loops, subject, advance } = setUp();
    const lines: string[] = [];
    const say = (message: string): number => lines.push(message);
    const logger = { warn: say, debug: () => {} } as unknown as Logger;
    const client = { get: () => Promise.resolve({ metadata: {} }) } as unknown as LoopingReconcile["client"];
    const looping = { state: subject, client, logger, observer: {}, signal: new AbortController().signal };
    for (let times = 1; times <= 5; times++) {
      await loops.notesTaken(looping, { times, fields: ["status.lotse"], own: "lotse" });
      assert.equal(loops.counts().size, times < 3 ? 0 : 1);
    }
    assert.equal(lines.length, 1);
    advance(1201);
    assert.equal(loops.counts().size, 0);
    await loops.notesTaken(looping, { times: 6, fields: ["status.lotse"], own: "lotse" });
    loops.reconcileEnds(subject, { seconds: 0, gone: true });
    assert.equal(loops.counts().size, 0);
  });

  it("takes writes that are far apart for no loop", () => {
    const { loops, round } = setUp();
    for (let number = 0; number < 100; number++) round(61);
    assert.deepEqual([...loops.counts()], []);
  });
});
