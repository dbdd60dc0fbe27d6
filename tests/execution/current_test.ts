import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { callWith, currentArguments } from "../../lib/execution/current.ts";

describe("callWith()", () => {
  it("calls the function with the arguments, which are current until it ends", async () => {
    const args = { name: "a" };
    const seen = await callWith(args, async (given) => {
      await Promise.resolve();
      return [given, currentArguments()];
    });
    assert.deepEqual(seen, [args, args]);
    assert.equal(currentArguments(), undefined);
  });
});
