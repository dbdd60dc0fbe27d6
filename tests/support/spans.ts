/**
 * An OpenTelemetry SDK for tests: it remembers spans, nests them along with asynchronous calls, and speaks W3C Trace Context.
 */

import { AsyncLocalStorage } from "node:async_hooks";
import {
  type Attributes,
  type Context,
  context,
  type ContextManager,
  propagation,
  ROOT_CONTEXT,
  type Span,
  type SpanOptions,
  type SpanStatus,
  trace,
} from "@opentelemetry/api";

/** What is known of a span. */
export interface Recorded {
  readonly name: string;
  readonly id: string;
  readonly traceId: string;
  /** The id of the span around it. */
  readonly parent: string | undefined;
  readonly attributes: Attributes;
  readonly exceptions: unknown[];
  status?: SpanStatus;
  ends: number;
}

/** Registered from the beginning; disposing takes it away. */
export class SpanRecorder implements Disposable {
  readonly spans: Recorded[] = [];

  constructor() {
    const startSpan = (name: string, { attributes }: SpanOptions = {}, around = context.active()): Span => {
      const parent = trace.getSpanContext(around);
      const id = (this.spans.length + 1).toString(16).padStart(16, "0");
      const traceId = parent?.traceId ?? id.padStart(32, "0");
      const recorded: Recorded = {
        ...{ name, id, traceId, parent: parent?.spanId },
        ...{ attributes: { ...attributes }, exceptions: [], ends: 0 },
      };
      this.spans.push(recorded);
      return spanOf(recorded);
    };
    // Lotse starts spans, and does nothing else with a tracer.
    const tracer = { startSpan } as unknown as ReturnType<typeof trace.getTracer>;
    trace.setGlobalTracerProvider({ getTracer: () => tracer });
    context.setGlobalContextManager(new AsyncContexts());
    propagation.setGlobalPropagator({
      inject(around, carrier, { set }) {
        const { traceId, spanId } = trace.getSpanContext(around) ?? {};
        if (traceId !== undefined) set(carrier, "traceparent", `00-${traceId}-${spanId}-01`);
      },
      extract: (around) => around,
      fields: () => ["traceparent"],
    });
  }

  /** Those with this name, in order. */
  named(name: string): Recorded[] {
    return this.spans.filter((span) => span.name === name);
  }

  /** The names of the spans around this one, the nearest first. */
  around({ parent }: Recorded): string[] {
    const span = this.spans.find(({ id }) => id === parent);
    return span === undefined ? [] : [span.name, ...this.around(span)];
  }

  [Symbol.dispose](): void {
    trace.disable();
    context.disable();
    propagation.disable();
  }
}

function spanOf(recorded: Recorded): Span {
  const { id: spanId, traceId, attributes } = recorded;
  const span: Span = {
    spanContext: () => ({ traceId, spanId, traceFlags: 1 }),
    setAttribute: (key, value) => (attributes[key] = value, span),
    setAttributes: (more) => (Object.assign(attributes, more), span),
    addEvent: () => span,
    addLink: () => span,
    addLinks: () => span,
    setStatus: (status) => (recorded.status = status, span),
    updateName: () => span,
    isRecording: () => true,
    recordException: (error) => void recorded.exceptions.push(error),
    end: () => void recorded.ends++,
  };
  return span;
}

class AsyncContexts implements ContextManager {
  readonly #storage = new AsyncLocalStorage<Context>();

  active(): Context {
    return this.#storage.getStore() ?? ROOT_CONTEXT;
  }

  with<Args extends unknown[], Fn extends (...args: Args) => ReturnType<Fn>>(
    around: Context,
    fn: Fn,
    self?: ThisParameterType<Fn>,
    ...args: Args
  ): ReturnType<Fn> {
    return this.#storage.run(around, () => fn.apply(self, args));
  }

  bind<Target>(_around: Context, target: Target): Target {
    return target;
  }

  enable(): this {
    return this;
  }

  disable(): this {
    return this;
  }
}
