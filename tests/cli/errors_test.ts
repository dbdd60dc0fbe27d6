import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CommandError, describeError, exitCodeOf, stackOf, UsageError } from "../../lib/cli/errors.ts";

describe("describeError()", () => {
  it("gives the message with those of its causes", () => {
    const cause = new Error("connect ECONNREFUSED 127.0.0.1:1");
    assert.equal(
      describeError(new Error("Cannot log in", { cause })),
      "Cannot log in: connect ECONNREFUSED 127.0.0.1:1",
    );
  });

  it("leaves out causes that say nothing new", () => {
    const cause = new Error("no such file");
    assert.equal(
      describeError(new Error("Cannot read: no such file", { cause })),
      "Cannot read: no such file",
    );
  });

  it("describes what is no error, and errors without a message", () => {
    assert.equal(describeError("just text"), "just text");
    assert.equal(describeError({ code: 7 }), '{"code":7}');
    assert.equal(describeError(undefined), "undefined");
    assert.equal(describeError(new RangeError()), "RangeError");
    assert.equal(describeError(new AggregateError([new Error("one"), new Error("two")])), "one; two");
  });

  it("ends where causes go in circles", () => {
    const error: Error & { cause?: unknown } = new Error("round");
    error.cause = error;
    assert.equal(describeError(error), "round");
  });
});

describe("stackOf()", () => {
  it("gives the stacks of an error and of its causes", () => {
    assert.match(
      stackOf(new Error("outer", { cause: new Error("inner") })),
      /outer[^]*errors_test[^]*Caused by: [^]*inner/,
    );
  });
});

describe("exitCodeOf()", () => {
  it("is 2 for wrong usage and 1 for everything else", () => {
    assert.deepEqual([new UsageError("x"), new CommandError("x"), new Error("x"), "x"].map(exitCodeOf), [
      2,
      1,
      1,
      1,
    ]);
  });
});
