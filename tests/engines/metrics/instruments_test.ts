import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { Instruments } from "../../../lib/engines/metrics/instruments.ts";
import { createVirtualRandom } from "../../../lib/runtime/virtual/random.ts";

/** Values that text may hold; those that have to be escaped, and those that look like two labels. */
const VALUES = ["a", "", 'say "b"', "back\\slash", "two\nlines", "1:a2:bc", "é", "a,b=c"];
const NUMBERS = [0, 1, 0.5, 3, 1e21, 0.005, 7.25, 60, 61, 1e-7];
const BOUNDS = [0.005, 0.5, 1, 7.25, 60];

/** Lines without their order: the other package orders labels by their first call. */
function linesOf(text: string): string[] {
  return text.split("\n").filter((line) => line !== "").sort();
}

describe("Instruments", () => {
  it("write what the package writes that others use, whatever is counted", async () => {
    const random = createVirtualRandom(14);
    const pick = <T>(from: readonly T[]): T => from[Math.floor(random.next() * from.length)] as T; // never empty
    const ours = new Instruments();
    const theirs = new Registry();
    const registers = [theirs];
    const help = 'What is "it",\na back\\slash?';
    const labels = ["one", "two"] as const;
    const counters = [
      ours.counter("a_total", help, labels),
      new Counter({ name: "a_total", help, labelNames: labels, registers }),
    ];
    const gauges = [
      ours.gauge("b", help, labels),
      new Gauge({ name: "b", help, labelNames: labels, registers }),
    ];
    const histograms = [
      ours.histogram("c", help, { labels, buckets: BOUNDS }),
      new Histogram({ name: "c", help, labelNames: labels, buckets: BOUNDS, registers }),
    ];
    ours.counter("never_total", help, labels);
    new Counter({ name: "never_total", help, labelNames: labels, registers });
    ours.histogram("none", help, { labels: [], buckets: [1] });
    new Histogram({ name: "none", help, buckets: [1], registers });
    ours.gauge("plain", help, []).set({}, Infinity);
    new Gauge({ name: "plain", help, registers }).set(Infinity);
    for (let call = 0; call < 500; call++) {
      const at = { one: pick(VALUES), two: pick(VALUES) };
      const number = pick(NUMBERS);
      counters.forEach((counter) => counter.inc(at, number));
      gauges.forEach((gauge) =>
        call % 3 === 0 ? gauge.set(at, number) : call % 3 === 1 ? gauge.inc(at) : gauge.dec(at)
      );
      histograms.forEach((histogram) => histogram.observe(at, number));
    }
    assert.deepEqual(linesOf(ours.text()), linesOf(await theirs.metrics()));
    assert.equal(ours.contentType, theirs.contentType);
    assert.deepEqual(ours.names, theirs.getMetricsAsArray().map(({ name }) => name));
  });

  it("keep series apart whose values join to the same text", () => {
    const made = new Instruments();
    const counter = made.counter("a_total", "x", ["one", "two"]);
    counter.inc({ one: "a", two: "" });
    counter.inc({ one: "", two: "a" });
    assert.deepEqual(linesOf(made.text()).filter((line) => !line.startsWith("#")), [
      'a_total{one="",two="a"} 1',
      'a_total{one="a",two=""} 1',
    ]);
  });

  it("read gauges when somebody looks, and forget kinds that have gone", () => {
    const made = new Instruments();
    let sizes = new Map([["pods", 2]]);
    made.pulled("sizes", "x", () => sizes);
    made.single("all", "x", () => sizes.size);
    assert.match(made.text(), /^sizes\{kind="pods"\} 2\n[^]*^all 1$/m);
    sizes = new Map();
    assert.match(made.text(), /^# TYPE sizes gauge\n\n[^]*^all 0$/m);
  });
});
