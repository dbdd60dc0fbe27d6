import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Context, isTraced } from "../../lib/runtime/context.ts";
import { trace } from "@opentelemetry/api";

describe("Context", () => {
  it("has a value during a call only", () => {
    const context = new Context<number>();
    assert.equal(context.value, undefined);
    assert.equal(context.run(1, () => context.value), 1);
    assert.equal(context.value, undefined);
  });

  it("keeps calls that run at the same time apart, across what they await and start", async () => {
    const context = new Context<string>();
    const gate = Promise.withResolvers<void>();
    async function call(name: string): Promise<(string | undefined)[]> {
      const first = context.value;
      await gate.promise;
      const started = Promise.resolve().then(() => context.value);
      const inner = context.run(`${name}/inner`, () => Promise.resolve().then(() => context.value));
      return [first, context.value, await started, await inner, context.value];
    }
    const calls = ["a", "b"].map((name) => context.run(name, () => call(name)));
    gate.resolve();
    assert.deepEqual(await Promise.all(calls), [
      ["a", "a", "a", "a/inner", "a"],
      ["b", "b", "b", "b/inner", "b"],
    ]);
    assert.equal(context.value, undefined);
  });

  it("ends with the call where that throws", () => {
    const context = new Context<number>();
    assert.throws(() =>
      context.run(1, () => {
        throw new RangeError("no");
      }), RangeError);
    assert.equal(context.value, undefined);
  });
});

describe("isTraced()", () => {
  it("tells whether a tracer provider is registered with OpenTelemetry's API", () => {
    trace.disable();
    assert.equal(isTraced(), false);
    trace.setGlobalTracerProvider({ getTracer: (name) => trace.getTracer(name) });
    assert.equal(isTraced(), true);
    trace.disable();
    assert.equal(isTraced(), false);
  });
});
