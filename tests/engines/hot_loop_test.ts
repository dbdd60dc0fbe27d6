import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { HotLoops } from "../../lib/engines/hot_loop.ts";
import type { Subject } from "../../lib/execution/observer.ts";
import { calculateDiff } from "../../lib/model/diff.ts";
import type { Resource } from "../../lib/model/resource.ts";

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
  return { loops, round, advance: (seconds: number) => void (now += seconds) };
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

  it("takes writes that are far apart for no loop", () => {
    const { loops, round } = setUp();
    for (let number = 0; number < 100; number++) round(61);
    assert.deepEqual([...loops.counts()], []);
  });
});
