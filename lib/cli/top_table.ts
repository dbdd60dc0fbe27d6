/** The table of `top`, made of the metrics of an operator. */

/** One handler of one kind. */
export interface TopRow {
  readonly kind: string;
  readonly handler: string;
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
}

interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** How many rows fit on a screen, the head left out. */
const MOST_ROWS = 40;

/** Returns the rows of an operator, and the same as text. */
export function tableOf(
  metrics: string,
  sort: string,
): { readonly rows: readonly TopRow[]; readonly text: string } {
  const samples = metrics.split("\n").flatMap(parse);
  const rows = rowsOf(samples).sort(orderBy(sort));
  const sum = (name: string): number =>
    samples.filter((each) => each.name === name).reduce((total, { value }) => total + value, 0);
  const head = [
    `objects ${sum("lotse_objects")}, queue ${sum("workqueue_depth")}, at work ${
      sum("controller_runtime_active_workers")
    }`,
    `planned ${sum("lotse_planned_reconciles")}, CPU ${sum("process_cpu_seconds_total").toFixed(1)} s`,
    `memory ${Math.round(sum("process_resident_memory_bytes") / 1e6)} MB`,
  ].join(", ");
  const lines = rows.slice(0, MOST_ROWS).map((
    { kind, handler, calls, failed, failing, oldest, p50, p99 },
  ) => [
    handler || "(the framework)",
    kind,
    String(calls),
    String(failed),
    String(failing),
    failing > 0 ? seconds(oldest) : "",
    p50 === undefined ? "" : seconds(p50),
    p99 === undefined ? "" : seconds(p99),
  ]);
  const table = align([["HANDLER", "KIND", "CALLS", "FAILED", "FAILING", "SINCE", "P50", "P99"], ...lines]);
  const more = rows.length > MOST_ROWS ? `\nand ${rows.length - MOST_ROWS} more` : "";
  const streams = streamsOf(samples);
  return { rows, text: `${head}\n\n${table}${more}${streams.length > 1 ? `\n\n${align(streams)}` : ""}` };
}

function rowsOf(samples: readonly Sample[]): TopRow[] {
  const keys = new Map<string, { readonly kind: string; readonly handler: string }>();
  const own = samples.filter(({ labels }) => labels.kind !== undefined && labels.handler !== undefined);
  for (const { labels: { kind = "", handler = "" } } of own) {
    keys.set(`${kind} ${handler}`, { kind, handler });
  }
  return [...keys.values()].map(({ kind, handler }) => {
    const mine = own.filter(({ labels }) => labels.kind === kind && labels.handler === handler);
    const of = (name: string, outcome?: string): number =>
      mine.filter((each) => each.name === name && (outcome === undefined || each.labels.outcome === outcome))
        .reduce((total, { value }) => total + value, 0);
    return {
      kind,
      handler,
      calls: of("lotse_handler_attempts_total"),
      failed: of("lotse_handler_attempts_total", "retry") + of("lotse_handler_attempts_total", "failure"),
      failing: of("lotse_objects_failing"),
      oldest: of("lotse_oldest_failing_seconds"),
      p50: quantile(0.5, mine),
      p99: quantile(0.99, mine),
    };
  });
}

function streamsOf(samples: readonly Sample[]): string[][] {
  const synced = samples.filter(({ name }) => name === "lotse_watch_synced");
  const of = (name: string, kind = ""): number =>
    samples.find((each) => each.name === name && each.labels.kind === kind)?.value ?? 0;
  return [
    ["STREAM", "LISTED", "SILENT", "FAILURES"],
    ...synced.map(({ labels: { kind = "" }, value }) => [
      kind,
      value === 1 ? "yes" : "no",
      seconds(of("lotse_watch_silence_seconds", kind)),
      String(of("lotse_watch_failures", kind)),
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
  const of = (row: TopRow): number =>
    column === "calls" ? row.calls : column === "p99" ? row.p99 ?? 0 : row.failing;
  return (a, b) => of(b) - of(a) || byName(a, b);
}

function align(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, place) => Math.max(...rows.map((row) => row[place]?.length ?? 0)));
  return rows.map((row) => row.map((cell, place) => cell.padEnd(widths[place] ?? 0)).join("  ").trimEnd())
    .join("\n");
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
