/**
 * Numbers of the requests, the objects and the watches of the server, under the names of kube-apiserver, in Prometheus' text form.
 *
 * Written by hand, because a registry of metrics would have to be loaded whenever the server starts.
 * Sources: k8s.io/apiserver, pkg/endpoints/metrics; Prometheus documentation, "Exposition formats".
 */

import { isPathWish, type Wish } from "./access/attributes.ts";
import type { Store } from "./store.ts";

const BUCKETS = [0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 2, 5, 10, 30, 60];

interface Duration {
  readonly counts: number[];
  sum: number;
  count: number;
}

/** A request that has been answered. */
export interface Answered {
  readonly wish: Wish;
  readonly code: number;
  /** Until the head of the answer. */
  readonly seconds: number;
}

/** Requests that are alike. */
interface Series {
  readonly labels: string;
  readonly codes: Map<number, number>;
  /** Absent for watches, whose duration is chosen by the client. */
  readonly duration: Duration | undefined;
}

export class RequestMetrics {
  readonly #store: Store;
  readonly #series = new Map<string, Series>();
  #inFlight = 0;

  constructor(store: Store) {
    this.#store = store;
  }

  /** To be called when a request comes. */
  begin(): void {
    this.#inFlight++;
  }

  /** To be called when it is answered. */
  end({ wish, code, seconds }: Answered): void {
    this.#inFlight--;
    const { codes, duration } = this.#seriesOf(wish);
    codes.set(code, (codes.get(code) ?? 0) + 1);
    if (duration === undefined) return;
    const bucket = BUCKETS.findIndex((limit) => seconds <= limit);
    if (bucket >= 0) duration.counts[bucket] = (duration.counts[bucket] ?? 0) + 1;
    duration.sum += seconds;
    duration.count++;
  }

  #seriesOf(wish: Wish): Series {
    const { group, resource, subresource } = isPathWish(wish)
      ? { group: "", resource: "", subresource: wish.path }
      : wish;
    const scope = isPathWish(wish)
      ? ""
      : wish.name !== ""
      ? "resource"
      : wish.namespace === ""
      ? "cluster"
      : "namespace";
    // NB: strange paths may share one; then they are counted together.
    const key = `${wish.verb}/${scope}/${group}/${resource}/${subresource}`;
    let series = this.#series.get(key);
    if (series === undefined) {
      const labels = labelsOf({ group, resource, scope, subresource, verb: wish.verb.toUpperCase() });
      const duration = { counts: BUCKETS.map(() => 0), sum: 0, count: 0 };
      series = { labels, codes: new Map(), duration: wish.verb === "watch" ? undefined : duration };
      this.#series.set(key, series);
    }
    return series;
  }

  /** Returns everything, one line for each number. */
  format(): string {
    const lines: string[] = [];
    const describe = (name: string, type: string, help: string) =>
      lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`);
    describe(
      "apiserver_request_total",
      "counter",
      "Requests, by what they were about and how they were answered.",
    );
    for (const { labels, codes } of this.#series.values()) {
      for (const [code, count] of codes) {
        lines.push(`apiserver_request_total{${labels},code="${code}"} ${count}`);
      }
    }
    const duration = "apiserver_request_duration_seconds";
    describe(duration, "histogram", "Seconds until the head of the answer; without watches.");
    for (const { labels, duration: observed } of this.#series.values()) {
      if (observed === undefined) continue;
      const { counts, sum, count } = observed;
      let below = 0;
      for (const [index, limit] of BUCKETS.entries()) {
        below += counts[index] ?? 0;
        lines.push(`${duration}_bucket{${labels},le="${limit}"} ${below}`);
      }
      lines.push(`${duration}_bucket{${labels},le="+Inf"} ${count}`);
      lines.push(`${duration}_sum{${labels}} ${sum}`, `${duration}_count{${labels}} ${count}`);
    }
    describe("apiserver_current_inflight_requests", "gauge", "Requests that are being answered.");
    lines.push(`apiserver_current_inflight_requests ${this.#inFlight}`);
    const [objects, watches] = ["apiserver_storage_objects", "apiserver_longrunning_requests"];
    const collections = [...this.#store.collections()];
    describe(objects, "gauge", "Objects, by resource.");
    for (const { name, size } of collections) {
      lines.push(`${objects}{${labelsOf({ resource: name })}} ${size}`);
    }
    describe(watches, "gauge", "Open watches, by resource.");
    for (const { name, listeners } of collections) {
      lines.push(`${watches}{${labelsOf({ resource: name, verb: "WATCH" })}} ${listeners.size}`);
    }
    return `${lines.join("\n")}\n`;
  }
}

/** NB: parts of paths come from strangers. */
function labelsOf(labels: Readonly<Record<string, string>>): string {
  const escape = (text: string) =>
    text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
  return Object.entries(labels).map(([name, value]) => `${name}="${escape(value)}"`).join(",");
}
