/** What is measured: the rows, and the figures of each. */

export interface Metric {
  /** The key of its values. */
  readonly key: string;
  readonly title: string;
  /** Digits after the point. */
  readonly digits: number;
}

export type RowName =
  | "handled"
  | "warm"
  | "latency"
  | "start"
  | "restart"
  | "unchanged"
  | "memory"
  | "reviews"
  | "requests"
  | "restart-50000"
  | "scale"
  | "memory-100000";

export interface Row {
  readonly name: RowName;
  readonly title: string;
  readonly metrics: readonly Metric[];
  /** Measured in the first round only: figures that hardly vary, or that take long. */
  readonly isOnce?: boolean;
}

/** How many objects a kind has in the row "scale". */
export const SCALES: readonly { readonly key: string; readonly title: string; readonly count: number }[] = [
  { key: "1k", title: "1,000", count: 1000 },
  { key: "10k", title: "10,000", count: 10_000 },
  { key: "100k", title: "100,000", count: 100_000 },
];

/** In the order of the report. */
export const ROWS: readonly Row[] = [
  {
    name: "handled",
    title: "Creations from 32 writers",
    metrics: [
      { key: "perSecond", title: "handled/s", digits: 0 },
      { key: "cpuMs", title: "CPU ms per object", digits: 2 },
      { key: "serverMs", title: "ms of the API server and etcd", digits: 2 },
    ],
  },
  {
    name: "warm",
    title: "Objects 3,001 to 6,000 of one process",
    metrics: [
      { key: "warmPerSecond", title: "handled/s", digits: 0 },
      { key: "warmCpuMs", title: "CPU ms per object", digits: 2 },
    ],
  },
  {
    name: "latency",
    title: "From the creation to the status, at 50 a second",
    metrics: [{ key: "p50", title: "p50 ms", digits: 1 }, { key: "p99", title: "p99 ms", digits: 1 }],
  },
  {
    name: "start",
    title: "From the start to the first object handled; memory after that",
    metrics: [{ key: "cold", title: "cold start s", digits: 2 }, {
      key: "idleMb",
      title: "idle RSS MB",
      digits: 0,
    }],
  },
  {
    name: "restart",
    title: "Restart over unchanged objects of 1 KB",
    metrics: [
      { key: "restart", title: "s", digits: 2 },
      { key: "restartCpu", title: "CPU s", digits: 2 },
      { key: "restartMb", title: "RSS MB", digits: 0 },
      { key: "restartPeakMb", title: "peak MB", digits: 0 },
    ],
  },
  {
    name: "unchanged",
    title: "Events that change nothing",
    metrics: [
      { key: "eventUs", title: "CPU µs per event", digits: 0 },
      { key: "eventsPerCore", title: "events/s per core", digits: 0 },
    ],
  },
  {
    name: "memory",
    title: "Memory of 10,000 watched objects, after a start",
    metrics: [
      { key: "memory1", title: "MB, of 1 KB", digits: 0 },
      { key: "memory10", title: "MB, of 10 KB", digits: 0 },
    ],
    isOnce: true,
  },
  {
    name: "reviews",
    title: "Admission reviews of 2 KB that fill in a field, 16 at a time",
    metrics: [
      { key: "reviewsPerSecond", title: "reviews/s", digits: 0 },
      { key: "reviewP99", title: "p99 ms", digits: 1 },
      { key: "reviewUs", title: "CPU µs per review", digits: 0 },
    ],
    isOnce: true,
  },
  {
    name: "requests",
    title: "What the API server is asked for, for each creation",
    metrics: [
      { key: "requests", title: "requests", digits: 2 },
      { key: "sentKb", title: "KB sent", digits: 2 },
      { key: "receivedKb", title: "KB received", digits: 2 },
      { key: "events", title: "events", digits: 2 },
    ],
    isOnce: true,
  },
  {
    name: "restart-50000",
    title: "Restart over 50,000 unchanged objects of 1 KB",
    metrics: [
      { key: "restart50", title: "s", digits: 2 },
      { key: "restart50Cpu", title: "CPU s", digits: 2 },
      { key: "restart50Mb", title: "RSS MB", digits: 0 },
    ],
    isOnce: true,
  },
  {
    name: "scale",
    title:
      "1,000, 10,000 and 100,000 unchanged objects of 1 KB: each object's part of a start, its memory, an event",
    metrics: SCALES.flatMap(({ key, title }) => [
      { key: `start${key}`, title: `${title}: µs of CPU`, digits: 0 },
      { key: `memory${key}`, title: "KB", digits: 1 },
      { key: `event${key}`, title: "µs per event", digits: 0 },
    ]),
    isOnce: true,
  },
  {
    name: "memory-100000",
    title: "100,000 objects of 10 KB that it has handled: a start over them, and a minute at rest",
    metrics: [
      { key: "largeIdleMb", title: "MB with one object", digits: 0 },
      { key: "largeMb", title: "RSS MB after a minute", digits: 0 },
      { key: "largePeakMb", title: "peak MB", digits: 0 },
      { key: "largeStart", title: "s", digits: 1 },
      { key: "largeCpu", title: "CPU s", digits: 1 },
    ],
    isOnce: true,
  },
];
