import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Tracing } from "../../lib/engines/tracing.ts";

type Tracer = NonNullable<ConstructorParameters<typeof Tracing>[0]>;
type Span = ReturnType<Tracer["startSpan"]>;

/** A tracer that remembers its spans' names, and how they ended. */
function fakeTracer() {
  const ended: string[] = [];
  const startSpan = (name: string): Span => {
    let status = "";
    const span = {
      spanContext: () => ({ traceId: "1".repeat(32), spanId: "2".repeat(16), traceFlags: 1 }),
      setAttribute: () => span,
      setStatus: ({ message }: { message?: string }) => (status = `: ${message}`, span),
      recordException: () => {},
      end: () => void ended.push(name + status),
    };
    // The rest of a span is not used.
    return span as unknown as Span;
  };
  return { ended, tracer: { startSpan } as unknown as Tracer };
}

const attempt = { noun: "Handler", handler: "make", family: "make", retry: 0 };

describe("Tracing", () => {
  it("makes a span of each call of a handler, with the error that it ended with", async () => {
    const { ended, tracer } = fakeTracer();
    const tracing = new Tracing(tracer);
    const step = { kind: "attempt", subject: undefined, attempt } as const;
    assert.equal(await tracing.around(step, () => Promise.resolve(5)), 5);
    await tracing.around(step, () => Promise.resolve({ kind: "failure", error: new Error("oops") }));
    await assert.rejects(tracing.around(step, () => Promise.reject(new Error("thrown"))), /thrown/);
    assert.deepEqual(ended, ["lotse.handler make", "lotse.handler make: oops", "lotse.handler make: thrown"]);
  });

  it("makes a span of each attempt of a request", () => {
    const { ended, tracer } = fakeTracer();
    const tracing = new Tracing(tracer);
    const request = { method: "PATCH", path: "/" };
    const sent = { number: 1, started: 0 };
    tracing.requestBegins(request, sent);
    assert.deepEqual(ended, []);
    tracing.requestEnds(request, { ...sent, status: 200, seconds: 1 }, sent);
    assert.deepEqual(ended, ["lotse.request patch"]);
  });
});
