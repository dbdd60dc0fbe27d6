import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Limiter } from "../../lib/async/limiter.ts";
import { virtualHost } from "../../lib/runtime/virtual/host.ts";

describe("Limiter", () => {
  it("run() lets only so many in at the same time, in order", async () => {
    const { clock } = virtualHost({ start: 0 });
    const limiter = new Limiter(2);
    const log: string[] = [];
    let most = 0;
    const work = (name: string) => async () => {
      most = Math.max(most, limiter.active);
      await clock.sleep(10);
      log.push(`${name}@${clock.now() / 1000}`);
    };
    const all = Promise.all(["a", "b", "c", "d", "e"].map((name) => limiter.run(work(name))));
    await clock.advance(30);
    await all;
    assert.deepEqual(log, ["a@10", "b@10", "c@20", "d@20", "e@30"]);
    assert.equal(most, 2);
    assert.equal(limiter.active, 0);
  });

  it("run() frees its slot when the function throws", async () => {
    const limiter = new Limiter(1);
    await assert.rejects(limiter.run(() => Promise.reject(new Error("no"))), /no/);
    assert.equal(await limiter.run(() => "in"), "in");
  });

  it("enter() gives undefined on abort, and takes no slot then", async () => {
    const limiter = new Limiter(1);
    const slot = await limiter.enter();
    const controller = new AbortController();
    const waiting = limiter.enter(controller.signal);
    assert.equal(limiter.waiting, 1);
    controller.abort(new Error("gone"));
    assert.equal(await waiting, undefined);
    await assert.rejects(limiter.run(() => 1, controller.signal), /gone/);
    slot?.[Symbol.dispose]();
    slot?.[Symbol.dispose]();
    assert.equal(limiter.active, 0);
  });

  it("follows a limit that changes: lets nobody in while too many are, and all that may when it has grown", async () => {
    let limit = 3;
    const limiter = new Limiter(() => limit);
    const slots = await Promise.all([1, 2, 3].map(() => limiter.enter()));
    const entered: string[] = [];
    for (const name of ["a", "b", "c"]) void limiter.enter().then(() => entered.push(name));
    void limiter.enter(undefined, { urgent: true }).then(() => entered.push("urgent"));
    limit = 2;
    slots[0]?.[Symbol.dispose]();
    await Promise.resolve();
    assert.deepEqual([limiter.active, limiter.waiting], [2, 4]);
    slots[1]?.[Symbol.dispose]();
    assert.deepEqual([limiter.active, limiter.waiting], [2, 3]);
    limit = 4;
    limiter.admit();
    assert.deepEqual([limiter.active, limiter.waiting], [4, 1]);
    await new Promise((resolve) => setTimeout(resolve));
    assert.deepEqual(entered, ["urgent", "a", "b"]);
  });

  it("refuses limits below one", () => {
    for (const limit of [0, -1, NaN]) assert.throws(() => new Limiter(limit), RangeError);
  });

  it("lets the event loop turn after each burst, and those who are urgent go first then", async () => {
    const breaths: (() => void)[] = [];
    const limiter = new Limiter(Infinity, { size: 2, breathe: (goOn) => void breaths.push(goOn) });
    const entered: string[] = [];
    const enter = (name: string, urgent = false) =>
      void limiter.enter(undefined, { urgent }).then((slot) => {
        entered.push(name);
        slot?.[Symbol.dispose]();
      });
    const settle = () => new Promise<void>((resolve) => setTimeout(resolve));
    for (const name of ["a", "b", "c", "d", "e"]) enter(name);
    enter("urgent", true);
    await settle();
    assert.deepEqual(
      [entered, limiter.waiting, breaths.length],
      [["a", "b"], 4, 1],
      "those who leave make no room",
    );
    breaths.shift()?.();
    await settle();
    assert.deepEqual([entered.slice(2), breaths.length], [["urgent", "c"], 1]);
    breaths.shift()?.();
    breaths.shift()?.();
    await settle();
    assert.deepEqual([entered.slice(4), limiter.active, limiter.waiting], [["d", "e"], 0, 0]);
  });
});
