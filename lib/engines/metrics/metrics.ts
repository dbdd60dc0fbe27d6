/**
 * Counts the work of an operator, in Prometheus' text format, under the names that dashboards know.
 *
 * A metric that means the same as in controller-runtime and client-go has the same name; the rest begins with
 * "lotse_". Labels hold kinds, ids of handlers, verbs and codes, never names of objects, so that the number of series is
 * bounded by the code. `docs/metrics.md` lists every metric; a test holds both together. Source: scenario N11.
 */

import { isOverload } from "../../client/transport/congestion.ts";
import type { ApiRequest, Attempt, AttemptOutcome } from "../../client/transport/transport.ts";
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
import { CHANGE_BUCKETS, Changes } from "./changes.ts";
import { Costs } from "./costs.ts";
import { Gauges, type MetricSources } from "./gauges.ts";
import { Instruments, Scrapes } from "./exposition.ts";
import { ReplicaMetrics } from "./replica_metrics.ts";

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
  /** The objects in whose present turn an attempt has failed. */
  readonly #failed = new Set<Subject>();
  readonly #changes: Changes;
  readonly #costs: Costs;
  readonly #replicas: ReplicaMetrics;
  /** The kinds and handlers that have zero series. */
  readonly #introduced = new Set<string>();
  #sources: MetricSources | undefined;
  #tick: Disposable | undefined;

  readonly #reconciles = this.#instruments.counter(
    "controller_runtime_reconcile_total",
    "Reconciles, by how they ended",
    ["controller", "result"],
  );
  readonly #reconcileErrors = this.#instruments.counter(
    "controller_runtime_reconcile_errors_total",
    "Reconciles that failed: attempts of their handlers did, or the object could not be written",
    ["controller"],
  );
  readonly #terminalErrors = this.#instruments.counter(
    "controller_runtime_terminal_reconcile_errors_total",
    "Attempts in reconciles after which handlers have given up",
    ["controller"],
  );
  readonly #panics = this.#instruments.counter(
    "controller_runtime_reconcile_panics_total",
    "Attempts in reconciles that ended with an error of the language, such as a TypeError: a fault of the code",
    ["controller"],
  );
  readonly #timeouts = this.#instruments.counter(
    "controller_runtime_reconcile_timeouts_total",
    "Attempts in reconciles that had no more time",
    ["controller"],
  );
  readonly #reconcileTime = this.#instruments.histogram(
    "controller_runtime_reconcile_time_seconds",
    "Duration of reconciles",
    { labels: ["controller"] },
  );
  readonly #handled = this.#instruments.histogram(
    "lotse_change_handled_seconds",
    "How long it took from the event that brought a change to the end of the turn that has handled it",
    { labels: ["kind"], buckets: CHANGE_BUCKETS },
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
  readonly #repeated = this.#instruments.counter(
    "rest_client_request_retries_total",
    "Attempts of requests that repeat an earlier attempt",
    ["code", "verb", "host"],
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
  readonly #certificateReads = this.#instruments.counter(
    "certwatcher_read_certificate_total",
    "Readings of the webhooks' certificate, from files or from the Secret that replicas share",
    [],
  );
  readonly #certificateErrors = this.#instruments.counter(
    "certwatcher_read_certificate_errors_total",
    "Readings of the webhooks' certificate that gave none that can be used",
    [],
  );
  readonly #repairs = this.#instruments.counter(
    "lotse_webhook_repairs_total",
    "Webhook configurations, and Secrets with their certificate, that others had changed and the operator has put right",
    ["kind"],
  );
  readonly #delay = this.#instruments.histogram(
    "lotse_event_loop_delay_seconds",
    "How much later than due a timer runs",
    { labels: [], buckets: QUICK },
  );

  constructor({ host, release = {}, custom = () => Promise.resolve("") }: MetricsOptions) {
    this.#host = host;
    this.#custom = custom;
    this.#changes = new Changes({
      clock: host.clock,
      count: (subject, seconds) => this.#handled.observe({ kind: this.#kindOf(subject) }, seconds),
    });
    this.#costs = new Costs(this.#instruments, {
      clock: host.clock,
      kindOf: (subject) => this.#kindOf(subject),
    });
    const { version = "", commit = "" } = release;
    this.#instruments.gauge("lotse_build_info", "The release that runs; always 1", [
      "version",
      "commit",
      "lotse",
      "runtime",
    ])
      .set({ version, commit, lotse: VERSION, runtime: `${host.name} ${host.version}` }, 1);
    for (const kind of ["rejection", "exception"]) this.#strays.inc({ kind }, 0);
    for (const result of ["posted", "repeated", "dropped"]) this.#posts.inc({ result }, 0);
    this.#scrapes = new Scrapes({
      clock: host.clock,
      contentType: this.#instruments.contentType,
      render: () => this.text(),
    });
    this.#replicas = new ReplicaMetrics(this.#instruments, () => this.#sources?.replicas());
    new Gauges(this.#instruments, {
      host,
      queued: this.#queued,
      working: this.#working,
      kindOf: (subject) => this.#kindOf(subject),
      sources: () => this.#sources,
    });
    this.#time(host.clock);
  }

  shardMoved(reason: string): void {
    this.#replicas.moved(reason);
  }

  slowRenewal(name: string): void {
    this.#replicas.slowRenewal(name);
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
    this.#introduce();
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
    this.#changes.came(subject);
  }

  dropped(subject: Subject): void {
    this.#queued.delete(subject);
  }

  decided(subject: Subject, { reason }: { readonly reason: string }): void {
    this.#changes.decided(subject, reason);
  }

  settled(subject: Subject, type: WatchEvent["type"]): void {
    this.#events.inc({ kind: this.#kindOf(subject), type: type ?? "LISTED" });
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

  reconcileEnds(subject: Subject, { seconds, error, after, gone }: ReconcileEnd): void {
    const controller = this.#kindOf(subject);
    this.#working.delete(subject);
    const isFailed = this.#failed.delete(subject) || error !== undefined;
    this.#changes.turnEnds(subject, { error, after, gone });
    const result = isFailed
      ? "error"
      : after === undefined
      ? "success"
      : after > 0
      ? "requeue_after"
      : "requeue";
    this.#reconciles.inc({ controller, result });
    this.#reconcileTime.observe({ controller }, seconds);
    this.#workTime.observe({ name: controller, controller }, seconds);
    if (isFailed) this.#reconcileErrors.inc({ controller });
  }

  attemptBegins(subject: Subject | undefined, { noun }: AttemptStart): void {
    this.#active.inc({ noun });
    if (subject !== undefined && noun === "Handler") this.#changes.begins(subject);
  }

  codeRuns(subject: Subject | undefined, attempt: AttemptStart): void {
    this.#costs.codeRuns(subject, attempt);
  }

  codeWaits(_subject: Subject | undefined, attempt: AttemptStart): void {
    this.#costs.codeWaits(attempt);
  }

  attemptEnds(subject: Subject | undefined, { noun, family: handler, seconds, start }: AttemptEnd): void {
    this.#costs.codeWaits(start);
    const kind = subject === undefined ? "" : this.#kindOf(subject);
    this.#active.dec({ noun });
    this.#attemptTime.observe({ kind, handler }, seconds);
  }

  attemptCounts(subject: Subject | undefined, { noun, handler, family, outcome }: AttemptEnd): void {
    const kind = subject === undefined ? "" : this.#kindOf(subject);
    this.#attempts.inc({ kind, handler: family, outcome: outcome.kind });
    // Daemons and timers run beside reconciles, as indexes do.
    if (subject === undefined || noun !== "Handler") return;
    this.#changes.counts(subject, { handler, outcome: outcome.kind });
    if (!("error" in outcome) || !this.#working.has(subject)) return;
    this.#failed.add(subject);
    if (outcome.kind === "failure") this.#terminalErrors.inc({ controller: kind });
    if (isPanic(outcome.error)) this.#panics.inc({ controller: kind });
    if (TIMEOUTS.has(outcome.error.name)) this.#timeouts.inc({ controller: kind });
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

  certificateRead(isGood: boolean): void {
    this.#certificateReads.inc({});
    if (!isGood) this.#certificateErrors.inc({});
  }

  webhooksRepaired(kind: string): void {
    this.#repairs.inc({ kind });
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

  requestEnds(
    { method, subject }: ApiRequest,
    { status, seconds, error, number }: AttemptOutcome,
    attempt: Attempt,
  ): void {
    this.#costs.requestEnds(attempt);
    const verb = subject?.verb ?? method.toLowerCase();
    if (isOverload(error)) this.#throttled.inc({ verb });
    const code = status === undefined ? "<error>" : String(status);
    this.#requests.inc({ code, method, host: "apiserver" });
    this.#requestTime.observe({ verb, host: "apiserver" }, seconds);
    if (number > 1) this.#repeated.inc({ code, verb, host: "apiserver" });
  }

  decoded({ subject }: Pick<ApiRequest, "subject">, seconds: Seconds): void {
    if (subject !== undefined) this.#decoding.observe({ kind: this.#kindOf(subject) }, seconds);
  }

  /**
   * Begins each series of a kind or handler with 0: `rate()` and `increase()` do not see the step from no series to 1. Before a
   * scrape, as kinds are found out while the operator runs.
   */
  #introduce(): void {
    for (const { resource } of this.#sources?.watches() ?? []) {
      const kind = this.#kindOf({ resource });
      for (const handler of this.#sources?.handlers(resource) ?? []) {
        if (this.#isKnown(`${kind} ${handler}`)) continue;
        for (const outcome of OUTCOMES) this.#attempts.inc({ kind, handler, outcome }, 0);
        this.#attemptTime.zero({ kind, handler });
        this.#costs.introduce(kind, handler);
      }
      if (this.#isKnown(kind)) continue;
      for (const result of RESULTS) this.#reconciles.inc({ controller: kind, result }, 0);
      const named = { name: kind, controller: kind };
      for (const counter of [this.#adds, this.#retries]) counter.inc(named, 0);
      for (const histogram of [this.#queueTime, this.#workTime]) histogram.zero(named);
      const ofController = [this.#reconcileErrors, this.#terminalErrors, this.#panics, this.#timeouts];
      for (const counter of ofController) counter.inc({ controller: kind }, 0);
      this.#reconcileTime.zero({ controller: kind });
      for (const counter of [this.#writes, this.#refused, this.#loops]) counter.inc({ kind }, 0);
      this.#handled.zero({ kind });
    }
  }

  #isKnown(key: string): boolean {
    return this.#introduced.has(key) || this.#introduced.add(key).size === 0;
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
      this.#changes.look();
      this.#delay.observe(Math.max(0, clock.monotonic() - due));
      this.#time(clock);
    });
  }
}

const OUTCOMES = ["success", "retry", "failure"] as const;
const RESULTS = ["success", "error", "requeue", "requeue_after"] as const;

/** The names of errors that say that the time was over; the first is the name of `AbortSignal.timeout()`. */
const TIMEOUTS: ReadonlySet<string> = new Set(["TimeoutError", "HandlerTimeoutError"]);

const PANICS = [TypeError, ReferenceError, RangeError, SyntaxError, URIError, EvalError];

/** Whether an error is what the language throws for a fault of the code. NB: fetch() throws a TypeError with a cause when it fails. */
function isPanic(error: Error): boolean {
  return error.cause === undefined && PANICS.some((each) => error instanceof each);
}

/** A few words for all errors: labels must be few. */
function reasonOf(error: unknown): string {
  if (error === undefined) return "ended";
  const status = (error as { status?: unknown } | null)?.status;
  if (status === 410) return "expired";
  return typeof status === "number" ? "refused" : "connection";
}
