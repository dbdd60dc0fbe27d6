/**
 * Measures starts over many objects that are as the operator has left them, on a stand-in for the API server in a process of its own:
 * `deno run -A --no-check bench/restart/run.ts`. Needs Go.
 *
 *   [--count 10000] [--containers 1] [--notes none,default] [--only bun,deno,controller-runtime-32,kube-rs] [--memory auto] [--rest 10] [--touch 10000]
 *   [--against FOLDER]     another checkout beside this one, in turn
 *
 * An object has as many containers in its template: 0 makes 1 KB, one 2 KB, eight 10 KB. Blocks are times that the main thread has computed
 * between two turns of its event loop: during the start, and in the rest after it.
 */

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { findRuntime } from "../../tests/runner/tools.ts";
import { readOptions } from "../../tools/options.ts";
import { buildGo } from "../peers/builds.ts";
import { cpuMsOf, memoryMbOf, type Quiet, untilQuiet } from "../peers/candidate.ts";
import { Lines } from "../peers/lines.ts";
import { PEERS } from "../peers/peers.ts";
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

/** One who is measured. */
interface Subject {
  readonly title: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Whether it says what it has cost. */
  readonly tells: boolean;
}

function subjects(): Subject[] {
  const trees = flags.against === undefined ? ["."] : [flags.against, "."];
  const names = flags.only.split(",");
  const ours = (["bun", "deno"] as const).filter((name) => names.includes(name)).flatMap((name) =>
    flags.notes.split(",").flatMap((notes) =>
      trees.map((tree) => ({
        title: `${name}, ${notes === "none" ? "reconcile" : notes}${tree === "." ? "" : ", before"}`,
        command: findRuntime(name).path,
        args: [...RUNTIMES[name], resolve(tree, "bench/restart/operator.ts"), notes, flags.memory],
        cwd: tree,
        tells: true,
      }))
    )
  );
  const others = PEERS.filter(({ name }) => names.includes(name)).map(({ name, find, env }) => {
    const { path, missing } = find();
    if (missing !== undefined) throw new Error(missing);
    return { title: name, command: path, args: [], env, tells: false };
  });
  return [...ours, ...others];
}

async function measure(subject: Subject, count: number): Promise<string> {
  const given = Object.entries({ count, containers: flags.containers, prefix: "template" });
  using server = new Lines(build.path, ["stand-in", ...given.map(([name, value]) => `--${name}=${value}`)]);
  const { url } = await server.next<{ url: string }>();
  const kubeconfig = join(folder, "kubeconfig");
  writeFileSync(kubeconfig, JSON.stringify(configFor(url)));
  {
    using _first = new Operator(subject, kubeconfig);
    await server.next();
  }
  server.ask();
  await server.next();
  const begun = performance.now();
  using measured = new Operator(subject, kubeconfig);
  const { bytes } = await server.next<{ bytes: number }>();
  const { at, cpuMs } = await measured.untilQuiet();
  const started = await measured.tell();
  await sleep(Number(flags.rest) * 1000);
  const [before, rss, peak, rested] = [
    measured.cpuMs(),
    measured.memoryMb("VmRSS"),
    measured.memoryMb("VmHWM"),
    await measured.tell(),
  ];
  let events = " | ";
  if (flags.touch !== "0") {
    server.ask(flags.touch);
    await server.next();
    const touched = await measured.untilQuiet();
    const parses = subject.tells ? (await measured.tell())!.parses - rested!.parses : "";
    events = `${((touched.cpuMs - before) * 1000 / Number(flags.touch)).toFixed(0)} | ${parses}`;
  }
  const cells = [
    `${subject.title}, ${bytes} bytes`,
    count,
    ((at - begun) / 1000).toFixed(1),
    (cpuMs / 1000).toFixed(2),
    (cpuMs * 1000 / count).toFixed(0),
    started?.parses ?? "",
    started?.blocks.slice(0, 4).join(" ") ?? "",
    rested?.blocks.slice(0, 2).join(" ") ?? "",
    rss.toFixed(0),
    peak.toFixed(0),
    events,
  ];
  return `| ${cells.join(" | ")} |`;
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

/** The process that is measured. Disposing ends it. */
class Operator implements Disposable {
  readonly #child: ReturnType<typeof spawn>;
  readonly #lines: AsyncIterator<string> | undefined;

  constructor({ command, args, cwd, env, tells }: Subject, kubeconfig: string) {
    this.#child = spawn(command, [...args], {
      cwd,
      stdio: tells ? ["pipe", "pipe", "inherit"] : "ignore",
      env: { ...process.env, KUBECONFIG: kubeconfig, PEERS_NAMESPACE: "default", ...env },
    });
    const { stdout } = this.#child;
    this.#lines = stdout === null ? undefined : createInterface({ input: stdout })[Symbol.asyncIterator]();
  }

  /** Returns what it says of itself, if it does. */
  async tell(): Promise<Told | undefined> {
    this.#child.stdin?.write("\n");
    return this.#lines && JSON.parse((await this.#lines.next()).value) as Told;
  }

  cpuMs(): number {
    return cpuMsOf(this.#child.pid);
  }

  memoryMb(field: "VmRSS" | "VmHWM"): number {
    return memoryMbOf(this.#child.pid, field);
  }

  async untilQuiet(): Promise<Quiet> {
    return await untilQuiet(() => this.cpuMs());
  }

  [Symbol.dispose](): void {
    this.#child.kill("SIGKILL");
  }
}

console.log(
  "| | objects | s | CPU s | µs each | parsed again | blocks, ms | later | RSS MB | peak MB | event µs | parsed again |",
);
console.log(`|${" --- |".repeat(12)}`);
for (const subject of subjects()) {
  for (const count of flags.count.split(",")) console.log(await measure(subject, Number(count)));
}
rmSync(folder, { recursive: true });
