/** Times of programs. */

import { readFileSync } from "node:fs";
import type { Program } from "../../tests/cli/processes.ts";

/** Returns how long a program that was just started takes to write something, and ends it. In milliseconds. */
export async function sinceStart(program: Program, pattern: RegExp, seen?: () => void): Promise<number> {
  const start = performance.now();
  try {
    await program.wrote(pattern);
    const time = performance.now() - start;
    seen?.();
    return time;
  } finally {
    program.kill("SIGKILL");
    await program.ended();
  }
}

/** Returns what a process has used of the processor so far. In milliseconds, of the system's ticks of 10. */
export function cpuOf(pid: number): number {
  // Source: proc_pid_stat(5); the name of the program, in brackets, may have spaces.
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\) /, "").split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

export function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return Math.round(sorted[sorted.length >> 1] ?? NaN);
}
