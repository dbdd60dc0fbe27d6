import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CustomMetrics } from "../../../lib/engines/metrics/custom.ts";

describe("CustomMetrics", () => {
  it("come as text, with escaped labels", async () => {
    const metrics = new CustomMetrics();
    const done = metrics.counter("shop_sales_total", { help: "Sales,\nby kind", labels: ["kind", "code"] });
    done.inc({ kind: 'a"b\\c', code: 1 });
    done.inc({ code: 1, kind: 'a"b\\c' }, 2.5);
    const size = metrics.gauge("shop_size", { help: "Size" });
    size.set(5);
    size.inc(-2);
    size.inc();
    assert.equal(
      await metrics.text(),
      [
        "# HELP shop_sales_total Sales,\\nby kind",
        "# TYPE shop_sales_total counter",
        'shop_sales_total{kind="a\\"b\\\\c",code="1"} 3.5',
        "",
        "# HELP shop_size Size",
        "# TYPE shop_size gauge",
        "shop_size 4",
        "",
      ].join("\n"),
    );
  });

  it("count in buckets, each with those below", async () => {
    const metrics = new CustomMetrics();
    const took = metrics.histogram("shop_seconds", { help: "Time", labels: ["step"], buckets: [1, 5] });
    for (const seconds of [0.5, 1, 3, 10]) took.observe({ step: "pay" }, seconds);
    const lines = (await metrics.text()).split("\n").slice(2, -1);
    assert.deepEqual(lines, [
      'shop_seconds_bucket{le="1",step="pay"} 2',
      'shop_seconds_bucket{le="5",step="pay"} 3',
      'shop_seconds_bucket{le="+Inf",step="pay"} 4',
      'shop_seconds_sum{step="pay"} 14.5',
      'shop_seconds_count{step="pay"} 4',
    ]);
  });

  it("refuse names and labels that cannot be", () => {
    const metrics = new CustomMetrics();
    const help = "x";
    metrics.gauge("there", { help });
    const wrong: readonly [() => unknown, RegExp][] = [
      [() => metrics.gauge("a-b", { help }), /take letters/],
      [() => metrics.gauge("lotse_x", { help }), /operator's own/],
      [() => metrics.gauge("there", { help }), /there is one of that name/],
      [() => metrics.counter("sales", { help }), /end with "_total"/],
      [() => metrics.gauge("x", { help: "" }), /say in `help`/],
      [() => metrics.gauge("x", { help, labels: ["le"] }), /label "le"/],
      [() => metrics.gauge("x", { help, labels: ["a b"] }), /label "a b"/],
      [() => metrics.histogram("x", { help, buckets: [2, 1] }), /numbers that grow/],
    ];
    for (const [make, message] of wrong) assert.throws(make, { name: "TypeError", message });
    const counter = metrics.counter("c_total", { help, labels: ["a"] });
    assert.throws(() => counter.inc({ b: 1 } as unknown as { a: string }), /its labels are "a"/);
    assert.throws(() => counter.inc({ a: "x" }, -1), RangeError);
    assert.throws(() => counter.inc({ a: "x" }, NaN), TypeError);
  });

  it("keep no more series than they can", async () => {
    const metrics = new CustomMetrics();
    const gauge = metrics.gauge("g", { help: "x", labels: ["name"] });
    for (let index = 0; index < 10_050; index++) gauge.set({ name: index }, 1);
    assert.equal((await metrics.text()).split("\n").length, 10_000 + 3);
  });
});
