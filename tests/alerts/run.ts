/**
 * Has Prometheus' own promtool judge the alerts of `lotse generate manifests --monitoring`, on series that operators really produce: each
 * fault is planted in an operator, which is scraped every 30 seconds of virtual time. The alert of the fault must fire within the time
 * that docs/alerts.md names, and not before the fault; none may in a healthy soak.
 *
 *   deno run -A tests/alerts/run.ts [part of a fault's name]...
 *
 * Needs Go and the module proxy, or PROMTOOL, the path of an executable. Part of the nightly run, as building promtool takes minutes.
 */

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { alertsOf } from "../../lib/kits/generate/alerts.ts";
import { formatYaml } from "../../lib/runtime/yaml.ts";
import { AT, COMPUTED, STORIES } from "./stories.ts";
import { goTool } from "../support/go_tool.ts";
import { inputSeries, INTERVAL, record, type Recorded } from "./record.ts";

const PROMTOOL = goTool({
  name: "promtool",
  path: "github.com/prometheus/prometheus/cmd/promtool",
  version: "v0.305.0",
});
const NAME = "shop";
const PREFIX = "Shop";

function promtool(args: readonly string[], cwd: string): { readonly code: number; readonly output: string } {
  const { status, stdout, stderr } = spawnSync(PROMTOOL, args, { cwd, encoding: "utf8" });
  return { code: status ?? 1, output: `${stdout ?? ""}${stderr ?? ""}` };
}

/** Within how many minutes each alert fires, by its heading in docs/alerts.md. */
const WITHIN = new Map(
  [
    ...readFileSync(new URL("../../docs/alerts.md", import.meta.url), "utf8")
      .matchAll(/^## (\w+)\n\nFires within (\d+) minutes/gm),
  ].map(([, title = "", minutes]) => [title, Number(minutes)]),
);

function within(alert: string): number {
  const minutes = WITHIN.get(alert);
  if (minutes === undefined) throw new Error(`docs/alerts.md does not say within which time ${alert} fires`);
  return minutes;
}

interface Wanted {
  /** When the fault begins, in minutes. */
  readonly at: number;
  readonly fires: readonly string[];
}

/** A test of promtool's: the alerts that must not fire before the fault, and must in time; or that none fires at any time. */
function testOf(name: string, series: Recorded, { at, fires }: Wanted): object {
  const minutes = (length: number) => Math.floor(((length - 1) * INTERVAL) / 60);
  const count = (selector: string, minute: number, value: number) => ({
    expr: `count(ALERTS{${selector}alertstate="firing"}) or vector(0)`,
    eval_time: `${minute}m`,
    exp_samples: [{ labels: "{}", value }],
  });
  const quiet = Array.from(
    { length: Math.floor(minutes(series.length) / 5) },
    (_, number) => count("", (number + 1) * 5, 0),
  );
  const firing = fires.flatMap((alert) => [
    count(`alertname="${PREFIX}${alert}",`, at - 1, 0),
    count(`alertname="${PREFIX}${alert}",`, at + within(alert), 1),
  ]);
  return {
    name,
    interval: `${INTERVAL}s`,
    input_series: inputSeries(series, NAME),
    promql_expr_test: fires.length === 0 ? quiet : firing,
  };
}

const parts = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "lotse-alerts-"));
const tests: object[] = [];
const covered = new Set<string>();
for (const [name, story] of Object.entries(STORIES)) {
  if (parts.length > 0 && !parts.some((part) => name.includes(part))) continue;
  for (const alert of story.fires) covered.add(alert);
  const { fires, at = AT } = story;
  const { minutes = at + Math.max(...fires.map(within)) + 1 } = story;
  tests.push(testOf(name, await record({ ...story, at }, minutes), { at, fires }));
  console.log(`recorded: ${name}`);
}
for (const [name, { series, ...wanted }] of Object.entries(COMPUTED)) {
  if (parts.length > 0 && !parts.some((part) => name.includes(part))) continue;
  for (const alert of wanted.fires) covered.add(alert);
  tests.push(testOf(name, series, wanted));
}
const groups = alertsOf({ name: NAME });
const missing = groups.flatMap(({ rules }) => rules).map(({ alert }) => alert.replace(PREFIX, ""))
  .filter((alert) => !covered.has(alert));
writeFileSync(join(folder, "alerts.yaml"), formatYaml({ groups }));
writeFileSync(
  join(folder, "tests.yaml"),
  formatYaml({ rule_files: ["alerts.yaml"], evaluation_interval: `${INTERVAL}s`, tests }),
);
const checked = promtool(["check", "rules", "alerts.yaml"], folder);
console.log(checked.output);
const tested = promtool(["test", "rules", "tests.yaml"], folder);
console.log(tested.output);
if (process.env["KEEP"] === undefined) rmSync(folder, { recursive: true });
else console.log(folder);
if (parts.length === 0 && missing.length > 0) console.log(`No fault is planted for: ${missing.join(", ")}`);
process.exit(checked.code || tested.code || (parts.length === 0 && missing.length > 0 ? 1 : 0));
