import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Heap } from "../../lib/runtime/heap.ts";
import { createVirtualRandom } from "../../lib/runtime/virtual/random.ts";

interface Entry {
  place: number;
  readonly rank: number;
}

const heapOf = (ranks: readonly number[]) => {
  const heap = new Heap<Entry>((a, b) => a.rank < b.rank);
  const entries = ranks.map((rank): Entry => ({ place: -1, rank }));
  for (const entry of entries) heap.push(entry);
  return { heap, entries };
};

const drain = (heap: Heap<Entry>) => {
  const ranks: number[] = [];
  for (let entry = heap.pop(); entry; entry = heap.pop()) ranks.push(entry.rank);
  return ranks;
};

describe("Heap", () => {
  it("gives the least entry first", () => {
    const { heap } = heapOf([5, 3, 8, 1, 9, 2]);
    assert.equal(heap.peek()?.rank, 1);
    assert.equal(heap.size, 6);
    assert.deepEqual(drain(heap), [1, 2, 3, 5, 8, 9]);
    assert.equal(heap.pop(), undefined);
  });

  it("remove() takes any entry out, and leaves alone what is not in", () => {
    const { heap, entries } = heapOf([5, 3, 8, 1]);
    const [five, , , one] = entries;
    assert.ok(five && one);
    heap.remove(five);
    heap.remove(five);
    assert.equal(five.place, -1);
    heap.remove({ place: 0, rank: 1 });
    assert.deepEqual(drain(heap), [1, 3, 8]);
  });

  it("stays in order through random pushes and removals", () => {
    const random = createVirtualRandom(11);
    const { heap, entries } = heapOf(Array.from({ length: 3000 }, () => Math.floor(random.next() * 1000)));
    const kept = entries.filter((entry, index) => {
      if (index % 3 === 0) heap.remove(entry);
      return index % 3 !== 0;
    });
    assert.deepEqual(drain(heap), kept.map(({ rank }) => rank).sort((a, b) => a - b));
  });
});
