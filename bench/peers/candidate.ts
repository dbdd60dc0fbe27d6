/** An operator that runs, and what Linux says about it from outside. */

import { type ChildProcess, spawn } from "node:child_process";
import { openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import type { Peer } from "./peers.ts";

export interface CandidateOptions {
  /** The program. */
  readonly path: string;
  readonly namespace: string;
  readonly kubeconfig: string;
  /** Where its log goes. */
  readonly folder: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** When a candidate had nothing to do any more. */
export interface Quiet {
  /** Of the monotonic clock, in milliseconds. */
  readonly at: number;
  /** What it had taken by then, in milliseconds. */
  readonly cpuMs: number;
}

/** How long it must take no time to be quiet, and how often it is looked at, in milliseconds. */
const QUIET = 400;
const STEP = 20;
/** What housekeeping may take meanwhile: two of the kernel's ticks. */
const HOUSEKEEPING = 20;
const PATIENCE = 180_000;

/** A process of one who is measured. Disposing ends it, and waits for that. */
export class Candidate implements AsyncDisposable {
  readonly log: string;
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  #isEnding = false;

  constructor(peer: Peer, { path, namespace, kubeconfig, folder, env }: CandidateOptions) {
    this.log = join(folder, `${peer.name}.log`);
    const log = openSync(this.log, "a");
    const given = { KUBECONFIG: kubeconfig, PEERS_NAMESPACE: namespace, ...peer.env, ...env };
    this.#child = spawn(path, [...peer.args?.(namespace) ?? []], {
      stdio: ["ignore", log, log],
      env: { ...process.env, ...given },
    });
    this.#ended = new Promise<void>((resolve) => this.#child.once("exit", () => resolve())).then(() => {
      if (!this.#isEnding) console.error(`${peer.name} has ended: ${this.tail()}`);
    });
  }

  /** CPU time of all its threads so far, in milliseconds; in steps of 10. */
  cpuMs(): number {
    return cpuMsOf(this.#child.pid);
  }

  /** Resident memory now, in MB. */
  memoryMb(): number {
    return memoryMbOf(this.#child.pid, "VmRSS");
  }

  /** The most that was resident so far, in MB. */
  peakMb(): number {
    return memoryMbOf(this.#child.pid, "VmHWM");
  }

  /** Waits until it takes no CPU time, and returns since when. @throws {Error} If that takes three minutes. */
  async untilQuiet(): Promise<Quiet> {
    return await untilQuiet(() => this.cpuMs());
  }

  /** The end of its log. */
  tail(): string {
    return readFileSync(this.log, "utf8").slice(-500);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isEnding = true;
    this.#child.kill("SIGTERM");
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), 5000);
    await this.#ended;
    clearTimeout(timer);
  }
}

/** Returns the CPU time of all threads of a process, in milliseconds; in steps of 10. */
export function cpuMsOf(pid: number | undefined): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // NB: the program's name is in parentheses and may hold spaces; utime and stime are the 12th and 13th field after it.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Returns the resident memory of a process, now or at most so far, in MB. */
export function memoryMbOf(pid: number | undefined, field: "VmRSS" | "VmHWM"): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1] ?? 0) / 1024;
}

/** Waits until a process takes no CPU time, and returns since when. @throws {Error} If that takes three minutes. */
export async function untilQuiet(cpuMs: () => number): Promise<Quiet> {
  const samples: Quiet[] = [];
  for (const began = performance.now(); performance.now() < began + PATIENCE;) {
    samples.push({ at: performance.now(), cpuMs: cpuMs() });
    const last = samples.at(-1);
    const first = samples.findLast(({ at }) => at <= performance.now() - QUIET);
    if (first !== undefined && last !== undefined && last.cpuMs - first.cpuMs < HOUSEKEEPING) return first;
    await sleep(STEP);
  }
  throw new Error("It is busy for three minutes");
}
