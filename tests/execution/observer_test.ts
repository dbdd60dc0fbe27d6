import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { combineObservers, type Observer, type Step } from "../../lib/execution/observer.ts";
import { PODS } from "../../lib/model/kinds.ts";

const subject = { key: "one", resource: PODS, body: { metadata: { name: "one" } } };
const step: Step = { kind: "reconcile", subject, wake: "event" };
const broken = new Error("no SDK");
const fail = (): never => {
  throw broken;
};

describe("combineObservers()", () => {
  it("has only what one of them wants to know", () => {
    const combined = combineObservers([{}, { enqueued: () => {} }]);
    assert.deepEqual(Object.keys(combined), ["enqueued"]);
  });

  it("tells all of them, also when one of them throws", () => {
    const told: string[] = [];
    const failures: unknown[] = [];
    const combined = combineObservers(
      [{ enqueued: fail }, { enqueued: ({ key }) => void told.push(key) }],
      (error, method) => failures.push([error, method]),
    );
    combined.enqueued?.(subject, "ADDED");
    assert.deepEqual([told, failures], [["one"], [[broken, "enqueued"]]]);
  });

  it("runs a piece of work once, and returns its outcome, whatever those around it do", async () => {
    const faulty: Observer["around"][] = [
      fail,
      () => Promise.reject(broken),
      async (_step, run) => {
        await run();
        return fail();
      },
      async (_step, run) => {
        await run();
        return await run();
      },
    ];
    for (const [index, around] of faulty.entries()) {
      const failures: unknown[] = [];
      const combined = combineObservers(
        [{ around }, { around: (_step, run) => run() }],
        (error) => failures.push(error),
      );
      let runs = 0;
      const run = () => Promise.resolve(++runs);
      assert.equal(await combined.around?.(step, run), 1);
      assert.deepEqual([runs, failures], [1, index === 3 ? [] : [broken]]);
    }
  });

  it("passes on what the work itself throws, which is no failure of the observers", async () => {
    const failures: unknown[] = [];
    const combined = combineObservers([{ around: (_step, run) => run() }], (error) => failures.push(error));
    const own = new Error("the work's own");
    await assert.rejects(combined.around?.(step, () => Promise.reject(own)) ?? Promise.resolve(), own);
    assert.deepEqual(failures, []);
  });

  it("collects the headers of requests from those that do not throw", () => {
    const failures: unknown[] = [];
    const request = { method: "GET", path: "/" } as never; // nobody looks at it
    const observers: Observer[] = [
      { requestBegins: () => ({ a: "1" }) },
      { requestBegins: fail },
      { requestBegins: () => {} },
      { requestBegins: () => ({ b: "2" }) },
    ];
    const combined = combineObservers(observers, (error) => failures.push(error));
    assert.deepEqual(combined.requestBegins?.(request, { number: 1 } as never), { a: "1", b: "2" });
    assert.deepEqual(failures, [broken]);
  });
});
