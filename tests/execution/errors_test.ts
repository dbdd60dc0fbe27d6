import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  AdmissionError,
  HandlerRetriesError,
  HandlerTimeoutError,
  PermanentError,
  TemporaryError,
  toError,
} from "../../lib/execution/errors.ts";

describe("TemporaryError", () => {
  it("asks for another try after a minute, unless told otherwise", () => {
    assert.equal(new TemporaryError("later").delay, 60);
    assert.equal(new TemporaryError("later", { delay: 5 }).delay, 5);
    assert.equal(new TemporaryError("later", { delay: null }).delay, 0);
    assert.equal(new TemporaryError("later", { delay: -1 }).delay, 0);
    assert.equal(new TemporaryError("later", { delay: 1e9 }).delay, 1e9);
  });

  it("refuses delays that will not end, where they are computed", () => {
    for (const delay of [NaN, Infinity, -Infinity, 1e11, Number.MAX_VALUE]) {
      assert.throws(() => new TemporaryError("later", { delay }), RangeError, String(delay));
    }
  });

  it("keeps its cause", () => {
    const cause = new Error("why");
    assert.equal(new TemporaryError("later", { cause }).cause, cause);
  });

  it("refuses a delay that is no number of seconds where it is thrown, and not when it is waited for", () => {
    const delay = (Date.parse("next Tuesday") - Date.now()) / 1000;
    assert.throws(() => new TemporaryError("later", { delay }), {
      name: "RangeError",
      message: /NaN seconds/,
    });
    // Untyped code.
    const text = { delay: "5" as unknown as number };
    assert.throws(() => new TemporaryError("later", text), { name: "TypeError", message: /"5"/ });
  });
});

describe("Errors that are permanent", () => {
  it("are known by their names and by their class", () => {
    for (const Class of [HandlerTimeoutError, HandlerRetriesError, AdmissionError]) {
      const error = new Class("no");
      assert.ok(error instanceof PermanentError);
      assert.equal(error.name, Class.name);
    }
    assert.equal(new AdmissionError("no").code, 500);
    assert.equal(new AdmissionError("no", { code: 403 }).code, 403);
  });
});

describe("toError()", () => {
  it("leaves errors as they are, and makes errors of whatever else was thrown", () => {
    const error = new RangeError("x");
    assert.equal(toError(error), error);
    assert.match(toError("text").message, /text/);
    assert.ok(toError(undefined) instanceof Error);
  });
});
