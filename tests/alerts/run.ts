/**
 * Has Prometheus' own promtool judge the alerts of `lotse generate manifests --monitoring`, on series that operators really produce: each
 * fault is planted in an operator, which is scraped every 30 seconds of virtual time. The alert of the fault must fire, and none in a
 * healthy soak.
 *
 *   deno run -A tests/alerts/run.ts [part of a fault's name]...
 *
 * Needs Go and the module proxy, or PROMTOOL, the path of an executable. Part of the nightly run, as building promtool takes minutes.
 */

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { alertsOf } from "../../lib/kits/generate/alerts.ts";
import { formatYaml } from "../../lib/runtime/yaml.ts";
import { COMPUTED, STORIES } from "./stories.ts";
import { inputSeries, INTERVAL, record, type Recorded } from "./record.ts";

const PROMTOOL = "github.com/prometheus/prometheus/cmd/promtool@v0.305.0";
const NAME = "shop";
const PREFIX = "Shop";

function promtool(args: readonly string[], cwd: string): { readonly code: number; readonly output: string } {
  const { PROMTOOL: given } = process.env;
  const [command, ...rest] = given === undefined ? ["go", "run", PROMTOOL, ...args] : [given, ...args];
  const { status, stdout, stderr } = spawnSync(command!, rest, { cwd, encoding: "utf8" });
  return { code: status ?? 1, output: `${stdout ?? ""}${stderr ?? ""}` };
}

/** A test of promtool's: the alerts that must fire at the end, or that none fires at any time. */
function testOf(name: string, series: Recorded, wanted: readonly string[]): object {
  const minutes = (length: number) => Math.floor(((length - 1) * INTERVAL) / 60);
  const end = minutes(series.length);
  const fires = (alert: string) => ({
    expr: `count(ALERTS{alertname="${PREFIX}${alert}",alertstate="firing"}) > bool 0`,
    eval_time: `${end}m`,
    exp_samples: [{ labels: "{}", value: 1 }],
  });
  const quiet = Array.from({ length: Math.floor(end / 5) }, (_, number) => ({
    expr: 'count(ALERTS{alertstate="firing"}) or vector(0)',
    eval_time: `${(number + 1) * 5}m`,
    exp_samples: [{ labels: "{}", value: 0 }],
  }));
  return {
    name,
    interval: `${INTERVAL}s`,
    input_series: inputSeries(series, NAME),
    promql_expr_test: wanted.length === 0 ? quiet : wanted.map(fires),
  };
}

const parts = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "lotse-alerts-"));
const tests: object[] = [];
const covered = new Set<string>();
for (const [name, story] of Object.entries(STORIES)) {
  if (parts.length > 0 && !parts.some((part) => name.includes(part))) continue;
  for (const alert of story.fires) covered.add(alert);
  tests.push(testOf(name, await record(story), story.fires));
  console.log(`recorded: ${name}`);
}
for (const [name, { series, fires }] of Object.entries(COMPUTED)) {
  if (parts.length > 0 && !parts.some((part) => name.includes(part))) continue;
  for (const alert of fires) covered.add(alert);
  tests.push(testOf(name, series, fires));
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
