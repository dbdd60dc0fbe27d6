/** The start of a compiled operator: `lotse build` of `handlers.ts`, against an API server in a process of its own. */

import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Program, ROOT } from "../../tests/cli/processes.ts";
import { findRuntime } from "../../tests/runner/tools.ts";
import { cpuOf, medianOf, sinceStart } from "./figures.ts";

const FOLDER = join(ROOT, "bench/start");
/** How long an operator is left alone before its memory is read. In milliseconds. */
const IDLE = 5_000;

/** Yields rows of figures. */
export async function* measureOperator(runs: number): AsyncGenerator<string> {
  const work = mkdtempSync(join(tmpdir(), "lotse-start-"));
  try {
    const bun = findRuntime("bun").path;
    const operator = join(work, "operator");
    const bare = join(work, "bare");
    build(bun, [join(ROOT, "cli.ts"), "build", join(FOLDER, "handlers.ts"), "-o", operator]);
    build(bun, [
      "build",
      "--compile",
      "--minify",
      "--bytecode",
      "--format=esm",
      join(FOLDER, "bare.ts"),
      "--outfile",
      bare,
    ]);
    yield `size ${megabytes(statSync(operator).size)} MB (an empty program: ${
      megabytes(statSync(bare).size)
    })`;

    const about: number[] = [];
    const nothing: number[] = [];
    for (let run = 0; run < runs; run++) {
      nothing.push(await sinceStart(new Program(bare, []), /ready/));
      about.push(await sinceStart(new Program(operator, ["--version"]), /lotse/));
    }
    yield `an empty program ${medianOf(nothing)} ms, --version ${medianOf(about)} ms`;

    // NB: on Bun, a server of this repository, as `lotse dev` has one: with TLS, and the objects in memory.
    await using server = new Program(bun, [
      join(ROOT, "cli.ts"),
      "dev",
      join(FOLDER, "handlers.ts"),
      "--apply",
      join(FOLDER, "widgets.yaml"),
      "-n",
      "nowhere",
    ]);
    const [, kubeconfig = ""] = await server.wrote(/KUBECONFIG=(\S+);/);
    await server.wrote(/widgets\/one result=created/);
    yield* measureFirstHandler(operator, { kubeconfig, runs });
  } finally {
    rmSync(work, { recursive: true });
  }
}

function build(bun: string, args: readonly string[]): void {
  const { status, stderr } = spawnSync(bun, [...args], { encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
}

async function* measureFirstHandler(
  operator: string,
  { kubeconfig, runs }: { readonly kubeconfig: string; readonly runs: number },
): AsyncGenerator<string> {
  const times: number[] = [];
  const cpu: number[] = [];
  for (let run = 0; run < runs; run++) {
    const program = new Program(operator, ["-A", "--kubeconfig", kubeconfig]);
    times.push(await sinceStart(program, /FIRST HANDLER/, () => cpu.push(cpuOf(program.pid))));
  }
  yield `first handler ${medianOf(times)} ms (CPU ${medianOf(cpu)} ms), fastest ${
    Math.round(Math.min(...times))
  }`;
  await using program = new Program(operator, [
    "-A",
    "--kubeconfig",
    kubeconfig,
    "--liveness",
    "http://127.0.0.1:0/healthz",
  ]);
  await program.wrote(/FIRST HANDLER/);
  await sleep(IDLE);
  yield `idle ${residentOf(program.pid)} MB resident, with probes and metrics`;
  await using plain = new Program(operator, ["-A", "--kubeconfig", kubeconfig]);
  await plain.wrote(/FIRST HANDLER/);
  await sleep(IDLE);
  yield `idle ${residentOf(plain.pid)} MB resident, without`;
}

/** Of a process, in megabytes of 1,000,000 bytes. */
function residentOf(pid: number): string {
  const [, kilobytes = "0"] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return megabytes(Number(kilobytes) * 1024);
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}
