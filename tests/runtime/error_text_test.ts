import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { errorMessage, errorText } from "../../lib/runtime/error_text.ts";

const silent = Object.assign(new Error(""), { code: "ECONNREFUSED", syscall: "connect" });

describe("errorText()", () => {
  it("names the errors in an error, and the causes of all", () => {
    const inner = new TypeError("no port", { cause: new RangeError("65536 is too large") });
    const error = new AggregateError([inner, new Error("no host")], "No address answers", {
      cause: new Error("the network is down"),
    });
    assert.equal(
      errorText(error),
      "AggregateError: No address answers [TypeError: no port, caused by RangeError: 65536 is too large; " +
        "Error: no host], caused by Error: the network is down",
    );
  });

  it("says something of errors without a message", async () => {
    assert.equal(
      errorText(new AggregateError([silent, "odd"], "")),
      "AggregateError [Error: ECONNREFUSED connect; odd]",
    );
    assert.equal(errorText(new Error("")), "Error");
    const any = await Promise.any([Promise.reject(new Error("a")), Promise.reject(new TypeError("b"))]).catch(
      String,
    );
    assert.ok(any);
    const thrown: unknown = await Promise.any([Promise.reject(new Error("a"))]).catch((error) => error);
    assert.match(errorText(thrown), /^AggregateError.* \[Error: a\]$/);
  });

  it("stays short, and ends where errors go in circles", () => {
    const circle: Error & { errors?: unknown[] } = new Error("round");
    circle.errors = [circle, circle];
    circle.cause = circle;
    assert.ok(errorText(circle).length < 20_000);
    const many = new AggregateError(Array.from({ length: 100 }, (_, index) => new Error(`${index}`)), "many");
    assert.match(errorText(many), /Error: 4; and 95 more\]$/);
  });

  it("writes what is no error as it is told to", () => {
    assert.equal(errorText({ a: 1 }, JSON.stringify), '{"a":1}');
    assert.equal(errorText("text", JSON.stringify), "text");
    assert.equal(
      errorText(new Error("x", { cause: { a: 1 } }), JSON.stringify),
      'Error: x, caused by {"a":1}',
    );
  });
});

describe("errorMessage()", () => {
  it("is the message, or the next best", () => {
    assert.equal(errorMessage(new Error("no")), "no");
    assert.equal(
      errorMessage(new AggregateError([new Error("a"), new Error("b"), new Error("a")], "")),
      "a; b",
    );
    assert.equal(errorMessage(silent), "ECONNREFUSED connect");
    assert.equal(errorMessage(new RangeError("")), "RangeError");
    assert.equal(errorMessage("text"), "text");
    const circle = new AggregateError([], "");
    circle.errors.push(circle);
    assert.equal(errorMessage(circle), "AggregateError");
  });
});
