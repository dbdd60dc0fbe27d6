import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { trace } from "@opentelemetry/api";
import { isTraced } from "../../lib/runtime/telemetry.ts";

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
