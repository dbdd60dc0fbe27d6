import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Queue } from "../../lib/async/queue.ts";

describe("Queue", () => {
  it("gives items in order, urgent priorities first", () => {
    const queue = new Queue<string>();
    queue.put("late 1", 10);
    queue.put("normal 1");
    queue.put("urgent", -1);
    queue.put("late 2", 10);
    queue.put("normal 2");
    assert.equal(queue.size, 5);
    const taken = Array.from({ length: 6 }, () => queue.poll());
    assert.deepEqual(taken, ["urgent", "normal 1", "normal 2", "late 1", "late 2", undefined]);
    assert.equal(queue.size, 0);
  });

  it("take() waits for an item, and those who wait are served in order", async () => {
    const queue = new Queue<number>();
    const taken = [queue.take(), queue.take()];
    queue.put(1);
    queue.put(2);
    assert.deepEqual(await Promise.all(taken), [1, 2]);
  });

  it("take() gives undefined on abort, and loses no item to those who have gone", async () => {
    const queue = new Queue<number>();
    const controller = new AbortController();
    const gone = queue.take(controller.signal);
    controller.abort();
    queue.put(1);
    assert.equal(await gone, undefined);
    assert.equal(await queue.take(controller.signal), undefined);
    assert.equal(await queue.take(), 1);
  });

  it("close() lets out what is in, and nothing more in", async () => {
    const queue = new Queue<number>();
    const seen: number[] = [];
    const reading = (async () => {
      for await (const item of queue) seen.push(item);
    })();
    queue.put(1);
    queue.put(2);
    queue.close();
    await reading;
    assert.deepEqual(seen, [1, 2]);
    assert.equal(await queue.take(), undefined);
    assert.throws(() => queue.put(3), /closed/);
  });

  it("stays fast and in order with a hundred thousand items", () => {
    const queue = new Queue<number>();
    for (let item = 0; item < 100_000; item++) queue.put(item);
    for (let item = 0; item < 100_000; item++) assert.equal(queue.poll(), item);
  });
});
