import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { operator } from "../../mod.ts";

const HEAVY = new URL("./heavy.ts", import.meta.url);

interface Done {
  readonly sum: number;
  readonly begun: number;
  readonly ended: number;
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
    const [one, two] = await Promise.all([
      op.offload<Done>(HEAVY, { wait: 400 }),
      op.offload<Done>(HEAVY, { wait: 400 }),
    ]);
    assert.ok(one.ended <= two.begun, `${one.ended} ${two.begun}`);
  });
});
