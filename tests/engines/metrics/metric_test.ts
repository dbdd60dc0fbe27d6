import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Instruments } from "../../../lib/engines/metrics/exposition.ts";
import { Metric } from "../../../lib/engines/metrics/metric.ts";

describe("Metric", () => {
  it("escapes what stands in help and labels, and writes infinities as Prometheus reads them", () => {
    const metric = new Metric({ name: "m", type: "gauge", help: 'a "b"\nc\\', labels: ["of"], buckets: [] });
    metric.take([{ of: 'x"\n\\' }, 1]).series.value = -Infinity;
    assert.equal(metric.text(), '# HELP m a "b"\\nc\\\\\n# TYPE m gauge\nm{of="x\\"\\n\\\\"} -Inf\n');
    metric.clear();
    assert.equal(metric.text().split("\n").length, 3);
  });

  it("counts a value in its bucket and in all above, and one beyond them in the last", () => {
    const metric = new Metric({ name: "m", type: "histogram", help: "h", labels: [], buckets: [1, 2] });
    for (const value of [0.5, 1, 1.5, 9]) metric.count(metric.take([value]).series, value);
    assert.deepEqual(metric.text().split("\n").slice(2, -1), [
      'm_bucket{le="1"} 2',
      'm_bucket{le="2"} 3',
      'm_bucket{le="+Inf"} 4',
      "m_sum 12",
      "m_count 4",
    ]);
  });
});

describe("Instruments", () => {
  it("begin at 0 without labels, and with no series where there are labels", () => {
    const made = new Instruments();
    made.counter("a_total", "A", []).inc();
    made.counter("b_total", "B", ["kind"]);
    made.histogram("c_seconds", "C", { labels: [], buckets: [1] });
    assert.deepEqual(made.text().split("\n").filter((line) => !line.startsWith("#")), [
      "a_total 1",
      'c_seconds_bucket{le="1"} 0',
      'c_seconds_bucket{le="+Inf"} 0',
      "c_seconds_sum 0",
      "c_seconds_count 0",
      "",
    ]);
    assert.throws(() => made.counter("a_total", "A", []), /there is one of that name/);
  });

  it("read what is pulled each time anew, and go down, too", () => {
    const made = new Instruments();
    let kinds = new Map([["pods", 1], ["jobs", 2]]);
    made.pulled("pulled", "P", () => kinds);
    const active = made.gauge("active", "A", ["noun"]);
    active.inc({ noun: "x" });
    active.inc({ noun: "x" });
    active.dec({ noun: "x" });
    assert.match(made.text(), /^pulled\{kind="pods"\} 1\npulled\{kind="jobs"\} 2$/m);
    kinds = new Map([["pods", 3]]);
    assert.match(
      made.text(),
      /^pulled\{kind="pods"\} 3\n# HELP active A\n# TYPE active gauge\nactive\{noun="x"\} 1$/m,
    );
  });
});
