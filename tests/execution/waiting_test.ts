import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Postponed, Waiting } from "../../lib/execution/waiting.ts";
import { heap } from "../support/heap.ts";

const POSTPONED = new Postponed("Waiting for rain", 5);

describe("Waiting", () => {
  it("ends the attempt, and lets no other line of the function run", async () => {
    const waiting = new Waiting();
    const steps: string[] = [];
    const work = async (): Promise<void> => {
      try {
        await waiting.end(POSTPONED);
        steps.push("after");
      } catch {
        steps.push("catch");
      } finally {
        steps.push("finally");
      }
    };
    await assert.rejects(async () => await waiting.endOf(work()), POSTPONED);
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(steps, []);
  });

  it("returns results, and throws errors, as they are", async () => {
    assert.equal(await new Waiting().endOf(5), 5);
    assert.equal(await new Waiting().endOf(Promise.resolve(6)), 6);
    const thenable = { then: (resolve: (value: number) => void) => resolve(7) };
    assert.equal(await new Waiting().endOf(thenable), 7);
    await assert.rejects(
      async () => await new Waiting().endOf(Promise.reject(new RangeError("8"))),
      RangeError,
    );
  });

  it("tells a function that has returned, and did not await its own call", async () => {
    for (const result of [undefined, Promise.resolve()]) {
      const waiting = new Waiting();
      await waiting.endOf(result);
      await assert.rejects(waiting.end(POSTPONED), POSTPONED);
    }
  });

  it("remembers the shortest wait of an attempt that goes on", () => {
    const waiting = new Waiting();
    assert.equal(new Waiting().postponed, undefined);
    for (const delay of [5, 1, 3]) waiting.later(new Postponed("", delay));
    assert.equal(waiting.postponed?.delay, 1);
  });

  it("keeps no function that stands still", async () => {
    const kept: WeakRef<object>[] = [];
    for (let attempt = 0; attempt < 100; attempt++) {
      const waiting = new Waiting();
      const work = async (): Promise<void> => {
        const large = { bytes: new Uint8Array(1000) };
        kept.push(new WeakRef(large));
        await waiting.end(POSTPONED);
        large.bytes.fill(1);
      };
      await Promise.resolve(waiting.endOf(work())).catch(() => {});
    }
    await heap();
    assert.ok(kept.filter((each) => each.deref() !== undefined).length < 5);
  });
});
