/**
 * Measures starts over many objects that are as the operator has left them, on a stand-in for the API server in a process of its own:
 * `deno run -A --no-check bench/restart/run.ts`. Needs Go.
 *
 *   [--count 10000] [--containers 1] [--notes none,default] [--only deno|bun] [--memory auto] [--rest 10] [--touch 10000]
 *   [--against FOLDER]     another checkout beside this one, in turn
 *
 * An object has as many containers in its template: 0 makes 1 KB, one 2 KB, eight 10 KB. Blocks are times that the main thread has computed
 * between two turns of its event loop: during the start, and in the rest after it.
 */

import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { findRuntime } from "../../tests/runner/tools.ts";
import { readOptions } from "../../tools/options.ts";
import { buildGo } from "../peers/builds.ts";
import { Lines } from "../peers/lines.ts";
import type { Told } from "./operator.ts";

const { values: flags } = readOptions(import.meta.url, {
  options: {
    count: { type: "string", default: "10000" },
    containers: { type: "string", default: "1" },
    notes: { type: "string", default: "none,default" },
    only: { type: "string", default: "bun,deno" },
    memory: { type: "string", default: "auto" },
    rest: { type: "string", default: "10" },
    touch: { type: "string", default: "10000" },
    against: { type: "string" },
  },
});
const RUNTIMES = { bun: [], deno: ["run", "-A", "--no-check"] } as const;
const build = buildGo("load");
if (build.missing !== undefined) throw new Error(build.missing);
const folder = mkdtempSync(join(tmpdir(), "lotse-restart-"));

interface Measured {
  readonly runtime: keyof typeof RUNTIMES;
  readonly notes: string;
  readonly tree: string;
  readonly count: string;
}

async function measure({ runtime, notes, tree, count }: Measured): Promise<string> {
  const given = Object.entries({ count, containers: flags.containers, prefix: "template" });
  using server = new Lines(build.path, ["stand-in", ...given.map(([name, value]) => `--${name}=${value}`)]);
  const { url } = await server.next<{ url: string }>();
  const kubeconfig = join(folder, "kubeconfig");
  writeFileSync(kubeconfig, JSON.stringify(configFor(url)));
  const start = (): Operator => new Operator({ runtime, notes, tree, kubeconfig });
  {
    using _first = start();
    await server.next();
  }
  server.ask();
  await server.next();
  const begun = performance.now();
  using measured = start();
  const { bytes } = await server.next<{ bytes: number }>();
  await measured.untilSynced();
  const seconds = (performance.now() - begun) / 1000;
  let started = await measured.tell();
  // A reconcile is called for each object.
  while (notes === "none" && started.calls < Number(count)) {
    await sleep(500);
    started = { ...await measured.tell(), blocks: started.blocks };
  }
  await sleep(Number(flags.rest) * 1000);
  const rested = await measured.tell();
  const peak = measured.peakMb();
  let events = "";
  if (flags.touch !== "0") {
    server.ask(flags.touch);
    await server.next();
    await sleep(2000);
    const touched = await measured.tell();
    events = `${((touched.cpu - rested.cpu) * 1e6 / Number(flags.touch)).toFixed(0)} | ${
      touched.parses - rested.parses
    }`;
  }
  const title = `${runtime}, ${notes === "none" ? "reconcile" : notes}, ${bytes} bytes${
    tree === "." ? "" : ", before"
  }`;
  const each = (started.cpu * 1e6 / Number(count)).toFixed(0);
  return `| ${title} | ${count} | ${seconds.toFixed(1)} | ${
    started.cpu.toFixed(2)
  } | ${each} | ${started.parses} | ${started.blocks.slice(0, 4).join(" ")} | ${
    rested.blocks.slice(0, 2).join(" ")
  } | ${rested.rss.toFixed(0)} | ${peak.toFixed(0)} | ${events} |`;
}

function configFor(server: string): object {
  return {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "stand-in", cluster: { server } }],
    contexts: [{ name: "stand-in", context: { cluster: "stand-in", user: "nobody" } }],
    users: [{ name: "nobody", user: {} }],
    "current-context": "stand-in",
  };
}

interface OperatorOptions extends Omit<Measured, "count"> {
  readonly kubeconfig: string;
}

/** The process that is measured. Disposing ends it. */
class Operator implements Disposable {
  readonly #child: ReturnType<typeof spawn>;
  readonly #lines: AsyncIterator<string>;

  constructor({ runtime, notes, tree, kubeconfig }: OperatorOptions) {
    const script = resolve(tree, "bench/restart/operator.ts");
    this.#child = spawn(findRuntime(runtime).path, [...RUNTIMES[runtime], script, notes, flags.memory], {
      cwd: tree,
      stdio: ["pipe", "pipe", "inherit"],
      env: { ...process.env, KUBECONFIG: kubeconfig },
    });
    // The process was given pipes.
    this.#lines = createInterface({ input: this.#child.stdout! })[Symbol.asyncIterator]();
  }

  async untilSynced(): Promise<void> {
    await this.#lines.next();
  }

  async tell(): Promise<Told> {
    this.#child.stdin?.write("\n");
    return JSON.parse((await this.#lines.next()).value) as Told;
  }

  /** The most that was resident, in MB. */
  peakMb(): number {
    const status = readFileSync(`/proc/${this.#child.pid}/status`, "utf8");
    return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1024;
  }

  [Symbol.dispose](): void {
    this.#child.kill("SIGKILL");
  }
}

console.log(
  "| | objects | s | CPU s | µs each | parsed again | blocks, ms | later | RSS MB | peak MB | event µs | parsed again |",
);
console.log(`|${" --- |".repeat(12)}`);
for (const runtime of ["bun", "deno"] as const) {
  if (!flags.only.split(",").includes(runtime)) continue;
  for (const notes of flags.notes.split(",")) {
    for (const tree of flags.against === undefined ? ["."] : [flags.against, "."]) {
      for (const count of flags.count.split(",")) console.log(await measure({ runtime, notes, tree, count }));
    }
  }
}
rmSync(folder, { recursive: true });
