import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { operator } from "../../mod.ts";

const HEAVY = new URL("./heavy.ts", import.meta.url);

interface Done {
  readonly sum: number;
}

// Real workers, and so a little real time.
describe("op.offload()", () => {
  it("[P8] calls the module's function in a worker, with a copy of the input", async () => {
    const { sum } = await operator().offload<Done>(HEAVY, { add: [1, 2, 3] });
    assert.equal(sum, 6);
  });

  it("fails with the error of the function, and where it is", async () => {
    await assert.rejects(operator().offload(HEAVY, { fail: "too large" }), (error: Error) => {
      assert.deepEqual([error.name, error.message], ["RangeError", "too large"]);
      assert.match(error.stack ?? "", /heavy/);
      return true;
    });
    await assert.rejects(operator().offload(new URL("./absent.ts", import.meta.url), {}), Error);
    await assert.rejects(operator().offload("./heavy.ts" as unknown as URL), {
      name: "TypeError",
      message: /pass a file/,
    });
  });

  it("ends a worker that does not listen, by the signal", async () => {
    const ending = new AbortController();
    const working = operator().offload(HEAVY, { forever: true }, { signal: ending.signal });
    setTimeout(() => ending.abort(new Error("enough")), 300);
    await assert.rejects(working, /enough/);
  });

  it("runs as many at once as `execution.maxWorkers` says", async () => {
    const op = operator({ execution: { maxWorkers: 1 } });
    const cells = new Int32Array(new SharedArrayBuffer(12));
    const [FIRST_HAS_BEGUN, FIRST_MAY_END, SECOND_HAS_BEGUN] = [0, 1, 2];
    const first = op.offload(HEAVY, { cells, mark: FIRST_HAS_BEGUN, until: FIRST_MAY_END });
    const second = op.offload(HEAVY, { cells, mark: SECOND_HAS_BEGUN });
    // Somebody else's, begun later, is through: so the second would have begun.
    await operator().offload(HEAVY, {});
    while (Atomics.load(cells, FIRST_HAS_BEGUN) === 0) await operator().offload(HEAVY, {});
    assert.equal(Atomics.load(cells, SECOND_HAS_BEGUN), 0);
    Atomics.store(cells, FIRST_MAY_END, 1);
    Atomics.notify(cells, FIRST_MAY_END);
    await Promise.all([first, second]);
    assert.equal(Atomics.load(cells, SECOND_HAS_BEGUN), 1);
  });
});
