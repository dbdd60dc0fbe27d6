/**
 * Counts the work of an operator, in Prometheus' text format, under the names that dashboards know.
 *
 * A metric that means the same as in controller-runtime and client-go has the same name; the rest begins with
 * "lotse_". Labels hold kinds, ids of handlers, verbs and codes, never names of objects, so that the number of series is
 * bounded by the code. `docs/metrics.md` lists every metric; a test holds both together. Source: scenario N11.
 */

import { isOverload } from "../../client/transport/congestion.ts";
import type { ApiRequest, AttemptOutcome } from "../../client/transport/transport.ts";
import type {
  AttemptEnd,
  AttemptStart,
  Observer,
  ReconcileEnd,
  ReconcileStart,
  ReviewedWebhook,
  Subject,
  WatchChange,
  Written,
} from "../../execution/observer.ts";
import { groupResource, type Resource } from "../../model/resource.ts";
import type { WatchEvent } from "../../model/object.ts";
import type { Clock, Host, Seconds } from "../../runtime/host.ts";
import { VERSION } from "../../runtime/version.ts";
import { Gauges, type MetricSources } from "./gauges.ts";
import { Instruments, Scrapes } from "./exposition.ts";

export type { MetricSources } from "./gauges.ts";

export interface MetricsOptions {
  readonly host: Host;
  /** The author's own release. Default: unknown. */
  readonly release?: { readonly version?: string; readonly commit?: string };
  /** Returns metrics of the author's own as text. Default: none. */
  readonly custom?: () => Promise<string>;
}

const QUICK = [0.0001, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60];

/** How often the event loop is timed. */
const TICK: Seconds = 5;

/** The observer that counts. Disposing ends the timing of the event loop. */
export class Metrics implements Observer, Disposable {
  readonly #host: Host;
  readonly #custom: () => Promise<string>;
  readonly #instruments = new Instruments();
  readonly #scrapes: Scrapes;
  readonly #kinds = new WeakMap<Pick<Resource, "group" | "plural">, string>();
  /** How often each watch had been started again when it was told of last, by its key. */
  readonly #restartsSeen = new Map<string, number>();
  readonly #queued = new Map<Subject, number>();
  readonly #working = new Map<Subject, Seconds>();
  #sources: MetricSources | undefined;
  #tick: Disposable | undefined;

  readonly #reconciles = this.#instruments.counter(
    "controller_runtime_reconcile_total",
    "Reconciles, by how they ended",
    ["controller", "result"],
  );
  readonly #reconcileErrors = this.#instruments.counter(
    "controller_runtime_reconcile_errors_total",
    "Reconciles that failed",
    ["controller"],
  );
  readonly #reconcileTime = this.#instruments.histogram(
    "controller_runtime_reconcile_time_seconds",
    "Duration of reconciles",
    { labels: ["controller"] },
  );
  readonly #adds = this.#instruments.counter("workqueue_adds_total", "Events taken in", [
    "name",
    "controller",
  ]);
  readonly #queueTime = this.#instruments.histogram(
    "workqueue_queue_duration_seconds",
    "How long objects waited for a reconcile",
    { labels: ["name", "controller"], buckets: QUICK },
  );
  readonly #workTime = this.#instruments.histogram(
    "workqueue_work_duration_seconds",
    "Duration of reconciles, as a queue sees it",
    { labels: ["name", "controller"], buckets: QUICK },
  );
  readonly #retries = this.#instruments.counter("workqueue_retries_total", "Reconciles that try again", [
    "name",
    "controller",
  ]);
  readonly #requests = this.#instruments.counter(
    "rest_client_requests_total",
    "Attempts of requests to the API server",
    ["code", "method", "host"],
  );
  readonly #requestTime = this.#instruments.histogram(
    "rest_client_request_duration_seconds",
    "How long attempts of requests took; of streams, their heads",
    { labels: ["verb", "host"] },
  );
  readonly #throttled = this.#instruments.counter(
    "lotse_client_throttled_total",
    "Attempts of requests that the API server has refused since it has too many",
    ["verb"],
  );
  readonly #events = this.#instruments.counter(
    "lotse_events_total",
    "Events from the API server, by their type",
    ["kind", "type"],
  );
  readonly #wakes = this.#instruments.counter("lotse_wakeups_total", "Reconciles, by what woke them", [
    "kind",
    "wake",
  ]);
  readonly #attempts = this.#instruments.counter(
    "lotse_handler_attempts_total",
    "Calls of handlers, by how they ended",
    ["kind", "handler", "outcome"],
  );
  readonly #attemptTime = this.#instruments.histogram(
    "lotse_handler_duration_seconds",
    "How long calls of handlers took",
    { labels: ["kind", "handler"] },
  );
  readonly #active = this.#instruments.gauge(
    "lotse_handlers_active",
    "Calls of handlers that go on now; of daemons, for as long as they live",
    ["noun"],
  );
  readonly #writes = this.#instruments.counter(
    "lotse_writes_total",
    "Requests that changed handled objects",
    ["kind"],
  );
  readonly #refused = this.#instruments.counter(
    "lotse_refused_writes_total",
    "Writes that the server refused as invalid, so that the attempts of their handlers have failed",
    ["kind"],
  );
  readonly #posts = this.#instruments.counter(
    "lotse_posted_events_total",
    "Kubernetes events that were posted, counted on earlier ones, or dropped",
    ["result"],
  );
  readonly #loops = this.#instruments.counter(
    "lotse_hot_loops_total",
    "Objects that were found to wake themselves again and again",
    ["kind"],
  );
  readonly #strays = this.#instruments.counter(
    "lotse_stray_errors_total",
    "Errors of the author's that nobody has caught: rejections that nobody awaited, exceptions in timers",
    ["kind"],
  );
  readonly #restarts = this.#instruments.counter(
    "lotse_watch_restarts_total",
    "Streams that had to be started again, by why",
    ["kind", "reason"],
  );
  readonly #relists = this.#instruments.counter("lotse_watch_lists_total", "Listings that were begun", [
    "kind",
  ]);
  readonly #decoding = this.#instruments.histogram(
    "lotse_decode_duration_seconds",
    "How long it took to decode an answer, or what came at once on a stream",
    { labels: ["kind"], buckets: QUICK },
  );
  readonly #reviews = this.#instruments.counter(
    "controller_runtime_webhook_requests_total",
    "Admission reviews, by the status of their answers",
    ["webhook", "code"],
  );
  readonly #reviewTime = this.#instruments.histogram(
    "controller_runtime_webhook_latency_seconds",
    "How long admission reviews took",
    { labels: ["webhook"], buckets: QUICK },
  );
  readonly #reviewing = this.#instruments.gauge(
    "controller_runtime_webhook_requests_in_flight",
    "Admission reviews that are being answered",
    ["webhook"],
  );
  readonly #delay = this.#instruments.histogram(
    "lotse_event_loop_delay_seconds",
    "How much later than due a timer runs",
    { labels: [], buckets: QUICK },
  );

  constructor({ host, release = {}, custom = () => Promise.resolve("") }: MetricsOptions) {
    this.#host = host;
    this.#custom = custom;
    const { version = "", commit = "" } = release;
    this.#instruments.gauge("lotse_build_info", "The release that runs; always 1", [
      "version",
      "commit",
      "lotse",
      "runtime",
    ])
      .set({ version, commit, lotse: VERSION, runtime: `${host.name} ${host.version}` }, 1);
    this.#scrapes = new Scrapes({
      clock: host.clock,
      contentType: this.#instruments.contentType,
      render: () => this.text(),
    });
    new Gauges(this.#instruments, {
      host,
      queued: this.#queued,
      working: this.#working,
      kindOf: (subject) => this.#kindOf(subject),
      sources: () => this.#sources,
    });
    this.#time(host.clock);
  }

  /** Sets where values are read at each scrape that no observer is told of. */
  attach(sources: MetricSources): void {
    this.#sources = sources;
  }

  /** The names of all metrics. */
  get names(): string[] {
    return this.#instruments.names;
  }

  /** The labels of each metric. */
  get labels(): ReadonlyMap<string, readonly string[]> {
    return this.#instruments.labels;
  }

  /** Returns all metrics as text. */
  async text(): Promise<string> {
    return await this.#instruments.text() + await this.#custom();
  }

  /** Answers a scrape. */
  answer(request: Pick<Request, "method">): Promise<Response> {
    return this.#scrapes.answer(request);
  }

  [Symbol.dispose](): void {
    this.#tick?.[Symbol.dispose]();
  }

  enqueued(subject: Subject, type: WatchEvent["type"]): void {
    const kind = this.#kindOf(subject);
    this.#events.inc({ kind, type: type ?? "LISTED" });
    this.#adds.inc({ name: kind, controller: kind });
    if (!this.#queued.has(subject)) this.#queued.set(subject, this.#host.clock.monotonic());
  }

  passed(subject: Subject): void {
    this.#events.inc({ kind: this.#kindOf(subject), type: "MODIFIED" });
  }

  reconcileBegins(subject: Subject, { wake, waited }: ReconcileStart): void {
    const kind = this.#kindOf(subject);
    this.#queued.delete(subject);
    this.#working.set(subject, this.#host.clock.monotonic());
    this.#wakes.inc({ kind, wake });
    this.#queueTime.observe({ name: kind, controller: kind }, waited);
    if (wake === "retry" || wake === "error") this.#retries.inc({ name: kind, controller: kind });
  }

  reconcileEnds(subject: Subject, { seconds, error, after }: ReconcileEnd): void {
    const controller = this.#kindOf(subject);
    this.#working.delete(subject);
    const result = error !== undefined
      ? "error"
      : after === undefined
      ? "success"
      : after > 0
      ? "requeue_after"
      : "requeue";
    this.#reconciles.inc({ controller, result });
    this.#reconcileTime.observe({ controller }, seconds);
    this.#workTime.observe({ name: controller, controller }, seconds);
    if (error !== undefined) this.#reconcileErrors.inc({ controller });
  }

  attemptBegins(_subject: Subject | undefined, { noun }: AttemptStart): void {
    this.#active.inc({ noun });
  }

  attemptEnds(subject: Subject | undefined, { noun, family: handler, seconds }: AttemptEnd): void {
    const kind = subject === undefined ? "" : this.#kindOf(subject);
    this.#active.dec({ noun });
    this.#attemptTime.observe({ kind, handler }, seconds);
  }

  attemptCounts(subject: Subject | undefined, { family: handler, outcome }: AttemptEnd): void {
    const kind = subject === undefined ? "" : this.#kindOf(subject);
    this.#attempts.inc({ kind, handler, outcome: outcome.kind });
  }

  written(subject: Subject, { writes }: Written): void {
    this.#writes.inc({ kind: this.#kindOf(subject) }, writes);
  }

  refused(subject: Subject): void {
    this.#refused.inc({ kind: this.#kindOf(subject) });
  }

  eventPosted(result: "posted" | "repeated" | "dropped"): void {
    this.#posts.inc({ result });
  }

  hotLoop(subject: Subject): void {
    this.#loops.inc({ kind: this.#kindOf(subject) });
  }

  strayError(kind: "rejection" | "exception"): void {
    this.#strays.inc({ kind });
  }

  reviewBegins(webhook: ReviewedWebhook): void {
    this.#reviewing.inc({ webhook });
  }

  reviewEnds(
    webhook: ReviewedWebhook,
    { code, seconds }: { readonly code: number; readonly seconds: Seconds },
  ): void {
    this.#reviewing.dec({ webhook });
    this.#reviews.inc({ webhook, code: String(code) });
    this.#reviewTime.observe({ webhook }, seconds);
  }

  watchChanged(resource: Resource, { key, state }: WatchChange): void {
    const kind = this.#kindOf({ resource });
    const seen = this.#restartsSeen.get(key) ?? 0;
    this.#restartsSeen.set(key, state.restarts);
    if (state.phase === "listing") this.#relists.inc({ kind });
    // NB: a watch that has begun anew counts from 0.
    const restarts = state.restarts < seen ? state.restarts : state.restarts - seen;
    if (restarts > 0) this.#restarts.inc({ kind, reason: reasonOf(state.lastError) }, restarts);
  }

  watchEnded(_resource: Resource, { key }: { readonly key: string }): void {
    this.#restartsSeen.delete(key);
  }

  requestEnds({ method, subject }: ApiRequest, { status, seconds, error }: AttemptOutcome): void {
    const verb = subject?.verb ?? method.toLowerCase();
    if (isOverload(error)) this.#throttled.inc({ verb });
    const code = status === undefined ? "<error>" : String(status);
    this.#requests.inc({ code, method, host: "apiserver" });
    this.#requestTime.observe({ verb, host: "apiserver" }, seconds);
  }

  decoded({ subject }: Pick<ApiRequest, "subject">, seconds: Seconds): void {
    if (subject !== undefined) this.#decoding.observe({ kind: this.#kindOf(subject) }, seconds);
  }

  #kindOf({ resource }: { readonly resource: Pick<Resource, "group" | "plural"> }): string {
    const known = this.#kinds.get(resource);
    if (known !== undefined) return known;
    const kind = groupResource(resource);
    this.#kinds.set(resource, kind);
    return kind;
  }

  /** Measures how late a timer rings, again and again. */
  #time(clock: Clock): void {
    const due = clock.monotonic() + TICK;
    this.#tick = clock.after(TICK, () => {
      this.#delay.observe(Math.max(0, clock.monotonic() - due));
      this.#time(clock);
    });
  }
}

/** A few words for all errors: labels must be few. */
function reasonOf(error: unknown): string {
  if (error === undefined) return "ended";
  const status = (error as { status?: unknown } | null)?.status;
  if (status === 410) return "expired";
  return typeof status === "number" ? "refused" : "connection";
}
