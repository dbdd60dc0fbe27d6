/** The process that we run in and others that we start, as Deno, Bun and Node give them through `node:process`. */

import { Buffer } from "node:buffer";
import { existsSync, writeSync } from "node:fs";
import { constants, homedir, hostname, userInfo } from "node:os";
import process from "node:process";
import { isatty } from "node:tty";
import { clearInterval, setInterval } from "node:timers";
import { pathToFileURL } from "node:url";
import { importModule } from "../modules.ts";
import { strayListener } from "./stray.ts";
import { runInWorker } from "./worker.ts";
import type { Block, Process, RunOptions, RunResult, Terminal, TerminalOptions } from "../host.ts";

/** NB: not `process.stderr` and its like: streams are made when they are first asked for, and take their time. */
const FILES = { stdout: 1, stderr: 2 } as const;

/** NB: signal 0 is never delivered; a process of another user is there although we may not ask. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** Of an executable that was compiled, the script is none that anything else could run: Bun shows it in a folder of its own. */
function findSelf(): readonly string[] {
  const { execPath, argv: [, script = ""] } = process;
  const isInside = script === execPath || script.startsWith("/$bunfs/") || !existsSync(script);
  return isInside ? [execPath] : [execPath, script];
}

/** The host's own process. */
export function nodeProcess(): Process {
  return {
    pid: process.pid,
    isRunning,
    args: process.argv.slice(2),
    self: findSelf(),
    env: (name) => process.env[name],
    envNames,
    home: findHome,
    cwd: () => process.cwd(),
    hostname: () => hostname(),
    user: findUser,
    memory: () => process.memoryUsage().rss,
    releaseMemory,
    cpu,
    onSignal(signal, callback) {
      const listener = () => callback();
      process.on(signal, listener);
      return { [Symbol.dispose]: () => void process.off(signal, listener) };
    },
    writeHeapSnapshot: (path) => void process.getBuiltinModule("node:v8").writeHeapSnapshot(path),
    onStray: strayListener([]),
    losesContext: false,
    onBlocked,
    exit: (code) => process.exit(code),
    write: (stream, text) => writeAll(FILES[stream], Buffer.from(text)),
    isTerminal: (stream) => isatty(FILES[stream]),
    openTerminal,
    run,
    work: runInWorker,
    importModule: (path, options) => importModule(pathToFileURL(path).href, options),
  };
}

/**
 * V8 gives its collector to contexts that are made after it was told to. An ordinary collection keeps the pages; only the
 * one of last resort gives them back.
 */
function releaseMemory(): void {
  try {
    process.getBuiltinModule("node:v8").setFlagsFromString("--expose-gc");
    const collect: unknown = process.getBuiltinModule("node:vm").runInNewContext("gc");
    if (typeof collect === "function") collect({ type: "major", execution: "sync", flavor: "last-resort" });
  } catch {
    // Then the runtime collects when it wants to.
  }
}

function cpu(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** How often the event loop is looked at, in milliseconds. */
const LOOK = 250;

/** How late a look must be, in milliseconds. */
const BLOCKED = 1000;

function onBlocked(callback: (block: Block) => void): Disposable {
  let looked = performance.now();
  let used = cpu();
  const timer = setInterval(() => {
    const now = performance.now();
    const late = now - looked - LOOK;
    const spent = cpu();
    if (late > BLOCKED) callback({ seconds: late / 1000, cpu: spent - used });
    looked = now;
    used = spent;
  }, LOOK);
  timer.unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/** Deno tells the names only to whoever may read all variables. */
function envNames(): readonly string[] {
  try {
    return Object.keys(process.env);
  } catch {
    return [];
  }
}

function findHome(): string | undefined {
  try {
    return process.env.HOME || homedir() || undefined;
  } catch {
    return undefined; // a number that has no name has no folder
  }
}

/** The names that Python looks for, too, and then the system's answer. */
function findUser(): string | undefined {
  const { LOGNAME, USER, LNAME, USERNAME } = process.env;
  const named = LOGNAME || USER || LNAME || USERNAME;
  if (named) return named;
  try {
    return userInfo().username || undefined;
  } catch {
    return undefined; // a number that has no name, as in many containers
  }
}

/**
 * Writes to an open file, and returns when all is written.
 *
 * NB: not `process.stderr.write()`: where that is a pipe, it may keep text in memory, which `exit()` then drops.
 */
function writeAll(file: number, bytes: Uint8Array): void {
  let written = 0;
  while (written < bytes.length) {
    try {
      written += writeSync(file, bytes, written);
    } catch (error) {
      // The reader has gone.
      if (codeOf(error) !== "EAGAIN") return;
      // The pipe is full, and was made non-blocking by another process.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}

function openTerminal({ onKey, onResize }: TerminalOptions): Terminal | undefined {
  const { stdout, stdin } = process;
  if (!isatty(FILES.stdout)) return undefined;
  const hasKeys = stdin.isTTY;
  const receive = (text: string): void => {
    // What is typed fast, or pasted, comes in one piece; a sequence begins with Escape.
    for (const key of text.startsWith("\x1b") ? [text] : text) onKey(key);
  };
  if (hasKeys) stdin.setRawMode(true).setEncoding("utf8").on("data", receive).resume();
  process.on("SIGWINCH", onResize);
  return {
    size: () => ({ columns: stdout.columns, rows: stdout.rows }),
    [Symbol.dispose]: () => {
      process.off("SIGWINCH", onResize);
      if (hasKeys) stdin.off("data", receive).setRawMode(false).pause();
    },
  };
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}

function run(command: string, args: readonly string[], options: RunOptions = {}): Promise<RunResult> {
  const { promise, resolve, reject } = Promise.withResolvers<RunResult>();
  const { env, cwd, input, inherit, signal } = options;
  if (signal?.aborted) return Promise.reject(abortError(signal));
  // NB: not imported: it costs start-up time, and operators rarely start programs.
  const { spawn } = process.getBuiltinModule("node:child_process");
  const child = spawn(command, [...args], {
    cwd,
    env: { ...process.env, ...env },
    stdio: [
      input === "inherit" ? "inherit" : "pipe",
      inherit ? "inherit" : "pipe",
      inherit ? "inherit" : "pipe",
    ],
  });
  const onAbort = () => {
    child.kill();
    reject(abortError(signal));
  };
  signal?.addEventListener("abort", onAbort, { once: true });
  const stdout = collect(child.stdout);
  const stderr = collect(child.stderr);
  child.on("error", reject);
  child.on("close", (code, killer) => {
    resolve({
      code: code ?? 128 + (killer ? constants.signals[killer] : 0),
      stdout: stdout(),
      stderr: stderr(),
    });
  });
  // A program that ends without reading its input breaks the pipe; its exit code tells enough.
  child.stdin?.on("error", () => {});
  child.stdin?.end(input === "inherit" ? "" : input ?? "");
  return promise.finally(() => signal?.removeEventListener("abort", onAbort));
}

function collect(stream: NodeJS.ReadableStream | null): () => string {
  let text = "";
  stream?.setEncoding("utf8");
  stream?.on("data", (chunk: string) => text += chunk);
  return () => text;
}

function abortError(signal: AbortSignal | undefined): Error {
  const reason: unknown = signal?.reason;
  if (reason instanceof Error && reason.name === "AbortError") return reason;
  const error = new Error("The program was stopped", { cause: reason });
  error.name = "AbortError";
  return error;
}
