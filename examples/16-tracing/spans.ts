/**
 * As little of an OpenTelemetry SDK as it takes to see spans in the log: it stands for a real one.
 *
 * In production, take `NodeTracerProvider` of `@opentelemetry/sdk-trace-node` with the exporter of your choice, and call its
 * `register()` before the operator runs: the handlers stay as they are.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import {
  type Context,
  context,
  type ContextManager,
  ROOT_CONTEXT,
  type Span,
  trace,
} from "@opentelemetry/api";

/** Called with each span that has ended, and with the name of the one around it. */
export type Exporter = (span: { readonly name: string; readonly parent: string | undefined }) => void;

/** Makes spans from now on. */
export function registerSpans(exporter: Exporter): void {
  const names = new Map<string, string>();
  let made = 0;
  const startSpan = (name: string, _options?: object, around: Context = context.active()): Span => {
    const parent = trace.getSpanContext(around);
    const spanId = (++made).toString(16).padStart(16, "0");
    const traceId = parent?.traceId ?? spanId.padStart(32, "0");
    names.set(spanId, name);
    const span: Span = {
      spanContext: () => ({ traceId, spanId, traceFlags: 1 }),
      setAttribute: () => span,
      setAttributes: () => span,
      addEvent: () => span,
      addLink: () => span,
      addLinks: () => span,
      setStatus: () => span,
      updateName: () => span,
      isRecording: () => true,
      recordException: () => {},
      end: () => {
        exporter({ name, parent: parent && names.get(parent.spanId) });
        names.delete(spanId);
      },
    };
    return span;
  };
  const startActiveSpan = (name: string, ...rest: unknown[]): unknown => {
    const span = startSpan(name);
    // The function is the last argument in all of its forms.
    const run = rest.at(-1) as (span: Span) => unknown;
    return context.with(trace.setSpan(context.active(), span), () => run(span));
  };
  // The overloads of `startActiveSpan` say what the function above takes and gives.
  const tracer = { startSpan, startActiveSpan } as ReturnType<typeof trace.getTracer>;
  context.setGlobalContextManager(new AsyncContexts());
  trace.setGlobalTracerProvider({ getTracer: () => tracer });
}

/** Spans are nested along with asynchronous calls. */
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
