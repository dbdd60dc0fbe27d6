/**
 * Tells OpenTelemetry of the work of an operator: a span for each reconcile of an object, each call of a handler, each request.
 *
 * Only the API is used: without an SDK that the user has registered this is not even loaded (see `isTraced()`).
 * Spans follow each other by OpenTelemetry's own context; requests carry it on (W3C Trace Context). Source: scenario N12.
 */

import {
  context,
  isSpanContextValid,
  propagation,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from "@opentelemetry/api";
import { messageOf } from "../client/errors.ts";
import type { ApiRequest, Attempt, AttemptOutcome } from "../client/transport/transport.ts";
import type { Outcome } from "../execution/handler.ts";
import type { Observer, Step } from "../execution/observer.ts";
import { keyOf } from "../model/resource.ts";

/** Makes spans. */
export class Tracing implements Observer {
  readonly #tracer: Tracer;
  readonly #requests = new WeakMap<Attempt, Span>();

  constructor(tracer: Tracer = trace.getTracer("lotse")) {
    this.#tracer = tracer;
  }

  around<Result>(step: Step, run: () => Promise<Result>): Promise<Result> {
    const name = step.kind === "reconcile" ? "lotse.reconcile" : `lotse.handler ${step.attempt.handler}`;
    const span = this.#tracer.startSpan(name, { attributes: attributesOf(step) });
    return context.with(trace.setSpan(context.active(), span), async () => {
      try {
        const result = await run();
        // Reconciles and attempts do not throw: their results tell how they ended.
        end(span, (result as Partial<Outcome & { error: unknown }> | undefined)?.error);
        return result;
      } catch (error) {
        end(span, error);
        throw error;
      }
    });
  }

  requestBegins({ method, subject }: ApiRequest, attempt: Attempt): Record<string, string> {
    const verb = subject?.verb ?? method.toLowerCase();
    const span = this.#tracer.startSpan(`lotse.request ${verb} ${subject?.resource.plural ?? ""}`.trimEnd(), {
      kind: SpanKind.CLIENT,
      attributes: {
        "http.request.method": method,
        "k8s.verb": verb,
        "http.request.resend_count": attempt.number - 1,
      },
    });
    this.#requests.set(attempt, span);
    const headers: Record<string, string> = {};
    propagation.inject(trace.setSpan(context.active(), span), headers);
    return headers;
  }

  requestEnds(_request: ApiRequest, { status, error }: AttemptOutcome, attempt: Attempt): void {
    const span = this.#requests.get(attempt);
    if (span === undefined) return;
    if (status !== undefined) span.setAttribute("http.response.status_code", status);
    end(span, error);
  }
}

/** Returns the ids of the span that is active, for log lines. Source: OpenTelemetry, "Trace Context in non-OTLP Log Formats". */
export function activeSpanContext(): Readonly<Record<string, string>> | undefined {
  const active = trace.getActiveSpan()?.spanContext();
  return active === undefined || !isSpanContextValid(active)
    ? undefined
    : { trace_id: active.traceId, span_id: active.spanId };
}

function attributesOf(step: Step): Record<string, string | number> {
  const { subject } = step;
  const { name = "", namespace = "" } = subject?.body.metadata ?? {};
  const about = subject && {
    "k8s.resource": keyOf(subject.resource),
    "k8s.object.name": name,
    "k8s.namespace.name": namespace,
  };
  return step.kind === "reconcile"
    ? { ...about, "lotse.wake": step.wake }
    : { ...about, "lotse.handler": step.attempt.handler, "lotse.retry": step.attempt.retry };
}

function end(span: Span, error: unknown): void {
  if (error !== undefined) {
    const message = messageOf(error);
    span.recordException(error instanceof Error ? error : message);
    span.setStatus({ code: SpanStatusCode.ERROR, message });
  }
  span.end();
}
