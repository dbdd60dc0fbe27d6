/** Programs that start servers, and may end without ending them: each has a group of processes, which ends with it. */

import { type ChildProcess, spawn, type SpawnOptions } from "node:child_process";
import process from "node:process";

const leaders = new Set<number>();

/** Starts a program whose group ends when it has ended, or when this process is told to. */
export function spawnGroup(command: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  listen();
  const child = spawn(command, [...args], { ...options, detached: true });
  const { pid } = child;
  if (pid !== undefined) {
    leaders.add(pid);
    child.once("exit", () => {
      endGroup(pid);
      leaders.delete(pid);
    });
  }
  return child;
}

let isListening = false;

function listen(): void {
  if (isListening) return;
  isListening = true;
  for (const [signal, code] of [["SIGINT", 130], ["SIGTERM", 143]] as const) {
    process.once(signal, () => {
      for (const leader of leaders) endGroup(leader);
      process.exit(code);
    });
  }
}

function endGroup(leader: number): void {
  try {
    process.kill(-leader, "SIGKILL");
  } catch {
    // There is nobody left.
  }
}
