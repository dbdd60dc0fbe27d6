/**
 * The alerts of an operator, by symptom: each says what people notice, and leads to a heading of the page that says what to do.
 *
 * Rates look back ten times as far as metrics are scraped, so that two scrapes may fail. The objective of a service, that changes are
 * handled in time, has alerts of two windows each, by how fast the budget of a month is spent: as the Site Reliability Workbook has it.
 */

/** The operator whose alerts are made. */
export interface AlertOptions {
  /** The name of the operator, which is that of its job. */
  readonly name: string;
  /** Where the headings of alerts are. Default: the page of Lotse's own. */
  readonly runbook?: string;
}

/** A group of rules, as Prometheus reads them. */
export interface RuleGroup {
  readonly name: string;
  readonly rules: readonly AlertRule[];
}

/** A rule of Prometheus. */
export interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly labels: { readonly severity: "warning" | "critical" };
  readonly annotations: {
    readonly summary: string;
    readonly description: string;
    readonly runbook_url: string;
  };
}

/** One alert: `$` in its expression stands for the selector of the operator's job. */
interface Alert {
  readonly title: string;
  readonly expression: string;
  readonly minutes: number;
  readonly severity?: "critical";
  /** Ends a sentence that begins with "The operator <name>". */
  readonly summary: string;
  /** The consequence, or the place to look at first. */
  readonly description: string;
}

const RUNBOOK = "https://github.com/lotse/lotse/blob/main/docs/alerts.md";

/** How many changes are to be handled within a minute: 99 of 100. */
const OBJECTIVE = 0.99;

const FAILING: readonly Alert[] = [
  {
    title: "ObjectsFailing",
    expression: "sum by (kind, handler) (lotse_objects_failing{$}) > 0 and " +
      "max by (kind, handler) (lotse_oldest_failing_seconds{$}) > 900",
    minutes: 5,
    summary: "fails on {{ $value }} objects of {{ $labels.kind }} (handler {{ $labels.handler }})",
    description:
      "At least one of them has failed for a quarter of an hour. `lotse why` and `kubectl describe` say why.",
  },
  {
    title: "ReconcileErrors",
    expression: "sum by (controller) (rate(controller_runtime_reconcile_errors_total{$}[5m])) > " +
      "0.25 * sum by (controller) (rate(controller_runtime_reconcile_total{$}[5m]))",
    minutes: 15,
    summary: "fails in many reconciles of {{ $labels.controller }}",
    description: "More than a quarter of the reconciles of the last minutes have failed.",
  },
  {
    title: "HandlerGaveUp",
    expression:
      'sum by (kind, handler) (increase(lotse_handler_attempts_total{$,outcome="failure"}[15m])) > 0',
    minutes: 0,
    summary: "has given up in the handler {{ $labels.handler }} of {{ $labels.kind }}",
    description: "The handler is not called again for these objects until they change.",
  },
  {
    title: "HandlerStuck",
    expression: "max by (handler) (lotse_handlers_stuck{$}) > 0",
    minutes: 15,
    summary: "has calls of the handler {{ $labels.handler }} that do not end",
    description: "Their objects wait for as long as the calls go on.",
  },
  {
    title: "HandlerFault",
    expression: "sum by (controller) (increase(controller_runtime_reconcile_panics_total{$}[15m])) > 0",
    minutes: 0,
    summary: "has a fault in its code for {{ $labels.controller }}",
    description:
      "A handler has ended with an error of the language, such as a TypeError. The log has its stack.",
  },
];

const WAITING: readonly Alert[] = [
  {
    title: "QueueWaits",
    expression:
      "histogram_quantile(0.99, sum by (le, name) (rate(workqueue_queue_duration_seconds_bucket{$}[10m]))) > 30",
    minutes: 15,
    summary: "lets objects of {{ $labels.name }} wait for their turn",
    description:
      "One of a hundred waits for half a minute and longer: the workers are too few, or handlers too slow.",
  },
  {
    title: "Throttled",
    expression: "lotse_client_concurrency_limit{$} < 8",
    minutes: 15,
    summary: "has to wait for an overloaded API server",
    description: "The API server has refused requests since it has too many.",
  },
];

const CLUSTER: readonly Alert[] = [
  {
    title: "Blind",
    expression: "max by (kind) (lotse_watch_failures{$}) > 3",
    minutes: 5,
    severity: "critical",
    summary: "does not see what happens to {{ $labels.kind }}",
    description: "Its watch fails again and again. `/readyz?verbose` says why.",
  },
  {
    title: "WritesRefused",
    expression: "sum by (kind) (increase(lotse_refused_writes_total{$}[15m])) > 0",
    minutes: 0,
    summary: "writes what the API server refuses for {{ $labels.kind }}",
    description:
      "The attempts of the handlers have failed by that: the object's schema or a webhook says no.",
  },
  {
    title: "HotLoop",
    expression: "max by (kind) (lotse_hot_loop_objects{$}) > 0",
    minutes: 5,
    summary: "wakes itself by its own writes to {{ $labels.kind }}",
    description: "The log names the fields, and who else writes them.",
  },
  {
    title: "EventsLost",
    expression: 'sum(increase(lotse_posted_events_total{$,result="dropped"}[15m])) > 0',
    minutes: 0,
    summary: "loses Kubernetes events",
    description: "May it create and patch events of events.k8s.io?",
  },
  {
    title: "StrayErrors",
    expression: "sum by (kind) (increase(lotse_stray_errors_total{$}[15m])) > 0",
    minutes: 0,
    summary: "has errors that no code has caught ({{ $labels.kind }})",
    description: "A promise that was not awaited, or a timer of the author's own. The log has the stack.",
  },
];

/** A pair of windows, and by how many times faster than the objective allows the budget is spent in both. */
const BURNS = [
  { title: "ChangesLateFast", long: "1h", short: "5m", rate: 14.4, minutes: 2, severity: "critical" },
  { title: "ChangesLateSlow", long: "6h", short: "30m", rate: 6, minutes: 15 },
] as const;

/** Makes the alerts of an operator. */
export function alertsOf({ name, runbook = RUNBOOK }: AlertOptions): readonly RuleGroup[] {
  const prefix = name.split("-").map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join("");
  const absent: Alert = {
    title: "Absent",
    expression: "absent(up{$} == 1)",
    minutes: 10,
    severity: "critical",
    summary: "is not running, or not scraped",
    description: "No object is handled meanwhile.",
  };
  const alerts = [absent, ...FAILING, ...WAITING, ...CLUSTER, ...BURNS.map(burnAlert)];
  const rules = alerts.map((
    { title, expression, minutes, severity = "warning" as const, summary, description },
  ) => ({
    alert: prefix + title,
    expr: expression.replaceAll("$", `job="${name}"`),
    for: `${minutes}m`,
    labels: { severity },
    annotations: {
      summary: `The operator ${name} ${summary}`,
      description,
      runbook_url: `${runbook}#${title.toLowerCase()}`,
    },
  }));
  return [{ name, rules }];
}

function burnAlert({ title, long, short, rate, minutes, ...rest }: (typeof BURNS)[number]): Alert {
  const count = `lotse_change_handled_seconds_count{$}`;
  const inTime = `lotse_change_handled_seconds_bucket{$,le="60"}`;
  const late = (window: string): string =>
    `(1 - sum(rate(${inTime}[${window}])) / sum(rate(${count}[${window}])))`;
  const limit = round(rate * (1 - OBJECTIVE));
  return {
    title,
    expression: `${late(long)} > ${limit} and ${late(short)} > ${limit}`,
    minutes,
    ...rest,
    summary: "does not handle changes in time",
    description:
      `The objective is that ${OBJECTIVE * 100}% of changes are handled within a minute; more than ` +
      `${round(limit * 100)}% of the last ${long} are late, or were given up.`,
  };
}

/** Products of decimal fractions have long tails. */
function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
