/**
 * What ten thousand timers cost while they wait, and while they run. README.md says what is measured and how.
 *
 *   deno run -A bench/timers/run.ts [--runtimes bun,deno] [--objects 10000] [--seconds 60]
 */

import { spawnSync } from "node:child_process";
import { findRuntime, type RuntimeName } from "../../tests/runner/tools.ts";
import { readOptions } from "../../tools/options.ts";

interface Figures {
  readonly heap: number;
  readonly cpu: number;
  readonly calls: number;
  readonly rss: number;
}

const FLAGS: Readonly<Record<string, readonly string[]>> = {
  deno: ["run", "-A", "--no-check", "--v8-flags=--expose-gc"],
  bun: [],
  node: ["--expose-gc"],
};

const { values } = readOptions(import.meta.url, {
  options: {
    runtimes: { type: "string", default: "bun,deno" },
    objects: { type: "string", default: "10000" },
    seconds: { type: "string", default: "60" },
  },
});

console.log(
  "| | bytes per timer | CPU | without timers | runs | RSS |\n| --- | --- | --- | --- | --- | --- |",
);
for (const runtime of values.runtimes.split(",") as RuntimeName[]) {
  const none = measure(runtime, "none");
  for (const kind of ["timers", "sharp"]) {
    const { heap, cpu, calls, rss } = measure(runtime, kind);
    const bytes = Math.round((heap - none.heap) / Number(values.objects));
    const mb = Math.round(rss / 1e6);
    console.log(
      `| ${kind}-${runtime} | ${bytes} | ${percent(cpu)} | ${percent(none.cpu)} | ${calls} | ${mb} MB |`,
    );
  }
}

function measure(runtime: RuntimeName, kind: string): Figures {
  const program = new URL("operator.ts", import.meta.url).pathname;
  const args = [...FLAGS[runtime] ?? [], program, kind, values.objects, values.seconds];
  const { stdout, stderr } = spawnSync(findRuntime(runtime).path, args, { encoding: "utf8" });
  console.error(`${kind}-${runtime}: ${stdout.trim()} ${stderr.trim()}`);
  return JSON.parse(stdout.trim());
}

function percent(share: number): string {
  return `${(share * 100).toFixed(2)} %`;
}
