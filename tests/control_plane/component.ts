/**
 * One component of the control plane as a child process that cannot outlive us.
 *
 * Its standard input is a pipe that only we hold open. A shell reads it beside the component; when we end, in whatever
 * way (SIGKILL included), the kernel closes the pipe, and the shell kills the component and removes the folder. The
 * shell then is the component, by `exec`, so that its process id and its exit are the component's own. PR_SET_PDEATHSIG
 * was the alternative: Linux only, not for other people's executables, and it fires when the spawning thread ends,
 * which need not be the process.
 */

import { spawn } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import type { Command } from "./binaries.ts";

/** What a component is started with. */
export interface ComponentOptions {
  /** Its name; its output goes to `<name>.log` in the folder. */
  readonly name: string;
  readonly command: Command;
  readonly args: readonly string[];
  /** The control plane's folder; also the working directory. */
  readonly directory: string;
  /** Whether the folder goes when we end without having stopped the component. Default: false. */
  readonly ownsDirectory?: boolean;
}

/** A running component. */
export interface Component {
  readonly name: string;
  readonly pid: number;
  /** Whether it has ended, by itself or stopped. */
  readonly ended: boolean;
  /** Resolves when it has ended. */
  readonly end: Promise<void>;
  /** The last lines of its output. */
  tail(): string;
  /** Sends the signal, and resolves when the process is gone. Stopping twice is harmless. */
  stop(signal: "SIGTERM" | "SIGKILL"): Promise<void>;
}

// "$0" is the folder to remove, or empty. If the component ended first, there is nothing to kill, and its log stays.
// NB: the detour over descriptor 3, because a shell gives its background jobs /dev/null for standard input.
const GUARD = `
exec 3<&0 </dev/null
{ read -r _ <&3; kill -KILL $$ && sleep 0.2 && [ -n "$0" ] && rm -rf -- "$0"; } >/dev/null 2>&1 &
exec "$@" 3<&-`;

/** Starts a component, and does not wait until it is any good. */
export function startComponent(options: ComponentOptions): Component {
  const { name, command, args, directory, ownsDirectory = false } = options;
  const logPath = join(directory, `${name}.log`);
  const log = openSync(logPath, "a");
  // NB: detached, or Ctrl-C in a terminal would end the components before the tests that still use them.
  const child = spawn("/bin/sh", ["-c", GUARD, ownsDirectory ? directory : "", ...command, ...args], {
    cwd: directory,
    stdio: ["pipe", log, log],
    detached: true,
  });
  closeSync(log);
  let ended = false;
  const end = new Promise<void>((resolve) => {
    child.once("exit", resolve);
    child.once("error", resolve);
  }).then(() => {
    ended = true;
    child.stdin?.destroy();
  });
  return {
    name,
    pid: child.pid ?? 0,
    get ended() {
      return ended;
    },
    end,
    tail: () => readFileSync(logPath, "utf8").trimEnd().split("\n").slice(-20).join("\n"),
    async stop(signal) {
      // NB: not child.kill(), which on Deno closes the pipe as well, and then every signal ends as SIGKILL.
      if (!ended && child.pid) process.kill(child.pid, signal);
      await end;
    },
  };
}
