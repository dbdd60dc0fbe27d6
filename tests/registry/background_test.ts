import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { daemon, defaultOperator, operator, timer } from "../../mod.ts";
import { declareDaemon, declareTimer } from "../../lib/registry/background.ts";
import { Registry } from "../../lib/registry/registry.ts";

const KIND = "examples.lotse.test";

describe("op.daemon() and op.timer()", () => {
  it("register the function under its id, its name or their own, with the field", () => {
    const registry = new Registry();
    const declare = declareDaemon(registry);
    declare(KIND, function monitor() {});
    declare(KIND, { id: "named", field: "spec.x" }, () => {});
    declare(KIND, () => {});
    declareTimer(registry)(KIND, { interval: 5 }, () => {});
    assert.deepEqual(registry.objectHandlers.map(({ id }) => id), [
      "monitor",
      "named/spec.x",
      "daemon",
      "timer",
    ]);
  });

  it("refuse a second function with the same id, and take the same one", () => {
    const op = operator();
    function monitor(): void {}
    op.daemon(KIND, monitor);
    op.daemon(KIND, { labels: { a: "b" } }, monitor);
    assert.throws(() => op.timer(KIND, { id: "monitor" }, () => {}), /two handlers with the id "monitor"/);
  });

  it("refuse options that are unknown, or of the other", () => {
    const op = operator();
    const options: object = { cancellationTimeout: 1 };
    assert.throws(() => op.timer(KIND, options, () => {}), /"timer" with option "cancellationTimeout"/);
    const interval: object = { interval: 1 };
    assert.throws(() => op.daemon(KIND, interval, () => {}), /"daemon" with option "interval"/);
    const old: object = { field: "spec.x", old: 1 };
    assert.throws(() => op.daemon(KIND, old, () => {}), /"daemon" with option "old"/);
  });

  it("refuse times that are negative or no numbers; null is none", () => {
    const op = operator();
    assert.throws(() => op.timer(KIND, { interval: -1 }, () => {}), RangeError);
    assert.throws(() => op.timer(KIND, { idle: Number.NaN }, () => {}), RangeError);
    assert.throws(() => op.daemon(KIND, { initialDelay: -1 }, () => {}), RangeError);
    assert.throws(() => op.daemon(KIND, { cancellationBackoff: -1 }, () => {}), RangeError);
    const nulls: object = { interval: null, idle: null, initialDelay: null };
    op.timer(KIND, nulls, () => {});
  });

  it("work on the default operator, too", () => {
    daemon(KIND, () => {});
    timer(KIND, { interval: 1 }, () => {});
    assert.ok(!defaultOperator.isEmpty);
    defaultOperator.reset();
    assert.ok(defaultOperator.isEmpty);
  });
});
