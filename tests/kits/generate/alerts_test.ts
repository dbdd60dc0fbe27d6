import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { alertsOf } from "../../../lib/kits/generate/alerts.ts";

function read(path: string): string {
  return readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");
}

const rules = alertsOf({ name: "flower-shop" }).flatMap((group) => group.rules);

describe("alertsOf()", () => {
  it("names alerts after the operator, and leads each to its heading of the page", () => {
    const headings = [...read("docs/alerts.md").matchAll(/^## (\w+)$/gm)].map(([, heading]) => heading);
    assert.deepEqual(rules.map(({ alert }) => alert.replace(/^FlowerShop/, "")).sort(), headings.sort());
    for (const { alert, annotations } of rules) {
      const anchor = alert.replace("FlowerShop", "").toLowerCase();
      assert.match(annotations.runbook_url, new RegExp(`^https://.*/docs/alerts\\.md#${anchor}$`));
    }
  });

  it("has a page that says within which time each fires, no shorter than the alert waits", () => {
    const told = new Map(
      [...read("docs/alerts.md").matchAll(/^## (\w+)\n\nFires within (\d+) minutes/gm)]
        .map(([, title = "", minutes]) => [title, Number(minutes)]),
    );
    for (const { alert, for: wait } of rules) {
      const minutes = told.get(alert.replace("FlowerShop", "")) ?? 0;
      assert.ok(minutes > parseInt(wait), `${alert}: ${minutes} minutes, and it waits for ${wait}`);
    }
  });

  it("leads to a page of the author's own", () => {
    const [group] = alertsOf({ name: "shop", runbook: "https://wiki.example.com/ops" });
    assert.equal(group?.rules[0]?.annotations.runbook_url, "https://wiki.example.com/ops#absent");
  });

  it("asks for metrics that there are, of the operator's job alone", () => {
    const known = new Set(
      [...read("docs/metrics.md").matchAll(/^\| `([a-z_]+)` \|/gm)].map(([, name]) => name),
    );
    for (const { alert, expr } of rules) {
      const selectors = [...expr.matchAll(/([a-z_]+)\{([^}]*)\}/g)];
      assert.ok(selectors.length > 0, alert);
      for (const [, name = "", labels = ""] of selectors) {
        assert.ok(name === "up" || known.has(name.replace(/_(bucket|count)$/, "")), `${alert}: ${name}`);
        assert.match(labels, /^job="flower-shop"(,|$)/, alert);
      }
      assert.ok(!expr.includes("$"), alert);
    }
  });

  it("asks for the objective in two windows", () => {
    const [fast, slow] = rules.filter(({ alert }) => alert.includes("ChangesLate"));
    assert.match(fast?.expr ?? "", /\[1h\].* > 0\.144 and .*\[5m\].* > 0\.144$/);
    assert.match(slow?.expr ?? "", /\[6h\].* > 0\.06 and .*\[30m\].* > 0\.06$/);
  });
});
