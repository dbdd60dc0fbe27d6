/** The table of `top`, made of the metrics of an operator. */

/** One handler of one kind. */
export interface TopRow {
  readonly kind: string;
  readonly handler: string;
  /** How many calls go on now. */
  readonly active: number;
  /** For how long the longest of them has gone on, in seconds. */
  readonly running: number;
  /** How often it was called. */
  readonly calls: number;
  /** How many calls have failed. */
  readonly failed: number;
  /** On how many objects it fails now. */
  readonly failing: number;
  /** For how long on the object on which it fails for longest, in seconds. */
  readonly oldest: number;
  /** In seconds, from the histogram of all its calls. */
  readonly p50: number | undefined;
  readonly p99: number | undefined;
  /** For how long its code has computed, in seconds: a lower bound of its CPU. See docs/metrics.md. */
  readonly computed: number;
  /** How many requests its code has made, and the bytes of their bodies and answers. */
  readonly requests: number;
  readonly bytes: number;
}

interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** The streams of one kind. */
export interface StreamRow {
  readonly kind: string;
  /** Whether all objects have been listed. */
  readonly listed: boolean;
  /** For how long the server was not heard, in seconds. */
  readonly silent: number;
  /** How many events have come, those of listings included. */
  readonly events: number;
  /** How many come in a second, since the look before; undefined: this is the first look. */
  readonly perSecond: number | undefined;
  /** How often a stream had to be started again. */
  readonly restarts: number;
  /** How many attempts in a row have failed. */
  readonly failures: number;
}

/** Calls of one handler that go on, as the operator tells them. */
interface Running {
  readonly kind: string;
  readonly handler: string;
  readonly calls: number;
  readonly oldest: number;
}

/** The columns by which rows can be sorted. */
export const SORTS = [
  "failing",
  "active",
  "calls",
  "p99",
  "computed",
  "requests",
  "bytes",
  "handler",
] as const;

/** How the table is made. */
export interface TableOptions {
  /** The column by which rows are sorted. */
  readonly sort: string;
  /** Only rows whose kind or handler holds this text. Default: all. */
  readonly filter?: string;
  /** The calls that go on. Default: the operator does not tell. */
  readonly running?: readonly Running[];
  /** How many lines there is room for. Default: as many as are needed, and 40 handlers. */
  readonly rows?: number;
  /** The look before. */
  readonly before?: { readonly streams: readonly StreamRow[]; readonly seconds: number };
}

/** How many handlers are shown where nobody says how many lines there is room for. */
const MOST_ROWS = 40;

/** So many lines are the tables' own: two heads, and the empty lines between. */
const FRAME = 5;

/** Returns the rows of an operator, and the same as text. */
export function tableOf(
  metrics: string,
  { sort, filter = "", running = [], before, rows: room }: TableOptions,
): { readonly rows: readonly TopRow[]; readonly streams: readonly StreamRow[]; readonly text: string } {
  const samples = metrics.split("\n").flatMap(parse);
  const isWanted = (text: string): boolean => text.toLowerCase().includes(filter.toLowerCase());
  const rows = rowsOf(samples, running).filter(({ kind, handler }) => isWanted(`${handler} ${kind}`))
    .sort(orderBy(sort));
  const sum = (name: string): number =>
    samples.filter((each) => each.name === name).reduce((total, { value }) => total + value, 0);
  const head = [
    `objects ${sum("lotse_objects")}, queue ${sum("workqueue_depth")}, at work ${
      sum("controller_runtime_active_workers")
    }`,
    `planned ${sum("lotse_planned_reconciles")}, CPU ${sum("process_cpu_seconds_total").toFixed(1)} s`,
    `memory ${Math.round(sum("process_resident_memory_bytes") / 1e6)} MB`,
    `requests ${sum("rest_client_requests_total")}`,
  ].join(", ");
  const streams = streamsOf(samples, before).filter(({ kind }) => isWanted(kind));
  // Handlers come first; streams get the lines that are left, and half of them at most.
  const shown = room === undefined ? MOST_ROWS : Math.max(
    1,
    Math.min(rows.length, room - FRAME - Math.min(streams.length, Math.ceil((room - FRAME) / 2))),
  );
  const lines = rows.slice(0, shown).map((
    {
      kind,
      handler,
      active,
      running: age,
      calls,
      failed,
      failing,
      oldest,
      p50,
      p99,
      computed,
      requests,
      bytes,
    },
  ) => [
    handler || "(the framework)",
    kind,
    String(active),
    active > 0 ? seconds(age) : "",
    String(calls),
    String(failed),
    String(failing),
    failing > 0 ? seconds(oldest) : "",
    p50 === undefined ? "" : seconds(p50),
    p99 === undefined ? "" : seconds(p99),
    seconds(computed),
    String(requests),
    size(bytes),
  ]);
  const table = align([[
    "HANDLER",
    "KIND",
    "ACTIVE",
    "FOR",
    "CALLS",
    "FAILED",
    "FAILING",
    "SINCE",
    "P50",
    "P99",
    "COMPUTED",
    "REQUESTS",
    "BYTES",
  ], ...lines]);
  const more = rows.length > shown ? `\nand ${rows.length - shown} more` : "";
  const told = streams.length === 0 ? "" : `\n\n${align(streamTable(streams))}`;
  return { rows, streams, text: `${head}\n\n${table}${more}${told}` };
}

function rowsOf(samples: readonly Sample[], running: readonly Running[]): TopRow[] {
  const keys = new Map<string, { readonly kind: string; readonly handler: string }>();
  const own = samples.filter(({ labels }) => labels.kind !== undefined && labels.handler !== undefined);
  for (const { labels: { kind = "", handler = "" } } of own) {
    keys.set(`${kind} ${handler}`, { kind, handler });
  }
  for (const { kind, handler } of running) keys.set(`${kind} ${handler}`, { kind, handler });
  return [...keys.values()].map(({ kind, handler }) => {
    const mine = own.filter(({ labels }) => labels.kind === kind && labels.handler === handler);
    const of = (name: string, outcome?: string): number =>
      mine.filter((each) => each.name === name && (outcome === undefined || each.labels.outcome === outcome))
        .reduce((total, { value }) => total + value, 0);
    const now = running.find((each) => each.kind === kind && each.handler === handler);
    return {
      kind,
      handler,
      active: now?.calls ?? 0,
      running: now?.oldest ?? 0,
      calls: of("lotse_handler_attempts_total"),
      failed: of("lotse_handler_attempts_total", "retry") + of("lotse_handler_attempts_total", "failure"),
      failing: of("lotse_objects_failing"),
      oldest: of("lotse_oldest_failing_seconds"),
      p50: quantile(0.5, mine),
      p99: quantile(0.99, mine),
      computed: of("lotse_handler_compute_seconds_total"),
      requests: of("lotse_handler_requests_total"),
      bytes: of("lotse_handler_request_bytes_total"),
    };
  });
}

function streamsOf(samples: readonly Sample[], before: TableOptions["before"]): StreamRow[] {
  const synced = samples.filter(({ name }) => name === "lotse_watch_synced");
  const sum = (name: string, kind: string): number =>
    samples.filter((each) => each.name === name && each.labels.kind === kind)
      .reduce((total, { value }) => total + value, 0);
  return synced.map(({ labels: { kind = "" }, value }) => {
    const events = sum("lotse_events_total", kind);
    const earlier = before?.streams.find((each) => each.kind === kind);
    return {
      kind,
      listed: value === 1,
      silent: sum("lotse_watch_silence_seconds", kind),
      events,
      perSecond: before === undefined || earlier === undefined || before.seconds <= 0
        ? undefined
        : (events - earlier.events) / before.seconds,
      restarts: sum("lotse_watch_restarts_total", kind),
      failures: sum("lotse_watch_failures", kind),
    };
  });
}

function streamTable(streams: readonly StreamRow[]): string[][] {
  return [
    ["STREAM", "LISTED", "SILENT", "EVENTS", "PER SECOND", "RESTARTS", "FAILURES"],
    ...streams.map(({ kind, listed, silent, events, perSecond, restarts, failures }) => [
      kind,
      listed ? "yes" : "no",
      seconds(silent),
      String(events),
      perSecond === undefined ? "" : perSecond.toFixed(1),
      String(restarts),
      String(failures),
    ]),
  ];
}

/** Returns the upper bound of the bucket with the quantile; undefined: there were no calls, or they were longer than all buckets. */
function quantile(part: number, samples: readonly Sample[]): number | undefined {
  const buckets = samples.filter(({ name }) => name === "lotse_handler_duration_seconds_bucket")
    .map(({ labels: { le = "" }, value }) => ({
      bound: Number(le.replace("+Inf", "Infinity")),
      count: value,
    }))
    .sort((a, b) => a.bound - b.bound);
  const total = buckets.at(-1)?.count ?? 0;
  if (total === 0) return undefined;
  const { bound } = buckets.find(({ count }) => count >= part * total) ?? { bound: Infinity };
  return Number.isFinite(bound) ? bound : undefined;
}

function orderBy(column: string): (a: TopRow, b: TopRow) => number {
  const byName = (a: TopRow, b: TopRow): number =>
    `${a.kind} ${a.handler}` < `${b.kind} ${b.handler}` ? -1 : 1;
  if (column === "handler") return byName;
  const of = ({ failing, active, calls, p99 = 0, computed, requests, bytes }: TopRow): number =>
    ({ failing, active, calls, p99, computed, requests, bytes })[column] ?? failing;
  return (a, b) => of(b) - of(a) || byName(a, b);
}

function align(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, place) => Math.max(...rows.map((row) => row[place]?.length ?? 0)));
  return rows.map((row) => row.map((cell, place) => cell.padEnd(widths[place] ?? 0)).join("  ").trimEnd())
    .join("\n");
}

function size(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1e6 ? `${Math.round(bytes / 1000)} kB` : `${Math.round(bytes / 1e6)} MB`;
}

function seconds(value: number): string {
  if (value < 1) return `${Math.round(value * 1000)} ms`;
  return value < 120 ? `${Math.round(value)} s` : `${Math.round(value / 60)} min`;
}

/** Source: Prometheus, "Exposition formats". */
function parse(line: string): Sample[] {
  const [, name = "", text = "", value = ""] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
  if (name === "") return [];
  const labels: Record<string, string> = Object.create(null);
  for (
    const [, label = "", quoted = ""] of text.matchAll(
      /(?<![A-Za-z0-9_])([A-Za-z_]\w{0,99})="((?:[^"\\]|\\.)*)"/g,
    )
  ) {
    labels[label] = quoted.replace(/\\(.)/g, (_, letter: string) => letter === "n" ? "\n" : letter);
  }
  return [{ name, labels, value: Number(value.replace("+Inf", "Infinity")) }];
}
