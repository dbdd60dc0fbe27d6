/** The CPU time of test files. */

import { readFileSync } from "node:fs";
import process from "node:process";

/** Programs that had been ended when the time was last read have used so much, in seconds. */
let counted = 0;

/**
 * Returns the CPU time of all programs that have ended, in seconds, with the programs that they had started and waited for.
 * Undefined where the system does not tell it.
 */
export function cpuOfEnded(): number | undefined {
  if (process.platform !== "linux") return undefined;
  // NB: the name in parentheses may have blanks. Fields 16 and 17, in hundredths of a second. Source: proc(5).
  const fields = readFileSync("/proc/self/stat", "utf8").replace(/^.*\) /s, "").split(" ");
  return (Number(fields[13]) + Number(fields[14])) / 100;
}

/**
 * Returns the CPU time of the program that has just ended: the growth since the last call.
 * To be called at each program's end, before another one ends.
 */
export function cpuOfLastEnded(): number | undefined {
  const now = cpuOfEnded();
  if (now === undefined) return undefined;
  const used = now - counted;
  counted = now;
  return used;
}
