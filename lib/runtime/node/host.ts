/**
 * The host on `node:` built-ins, which Node, Deno and Bun all have.
 *
 * Only composes: each part has its own file. Where a runtime differs, its adapter (`deno.ts`, `bun.ts`) replaces a part.
 */

import process from "node:process";
import type { Clock, Files, Host, Network, Random, Seconds } from "../host.ts";
import { connectNode } from "./connection.ts";
import { nodeProcess } from "./process.ts";
import { randomBytes, randomUUID } from "node:crypto";
import { clearTimeout, setImmediate, setTimeout } from "node:timers";
import { watch as watchPath } from "node:fs";
import {
  access,
  appendFile,
  chmod,
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";

/** The host that Node gives. */
export function nodeHost(): Host {
  return {
    name: "node",
    version: process.versions.node,
    clock: nodeClock(),
    random: nodeRandom(),
    files: nodeFiles(),
    process: nodeProcess(),
    network: nodeNetwork(),
  };
}

/** Connections and servers on `node:` built-ins. */
export function nodeNetwork(): Network {
  return {
    connect: connectNode,
    async serve(options) {
      // Few processes serve anything, and the server's packages cost start-up time.
      const { serveNode } = await import("./server.ts");
      return await serveNode(options);
    },
  };
}

// Time and chance as Deno, Bun and Node give them.
// NB: all three fire a timer at once when its delay is beyond 2^31-1 ms, and Node may fire one up to 1 ms early:
// long waits are made of pieces, and each is checked against the monotonic clock.

/** The longest delay that a timer takes, in milliseconds. */
const LONGEST_DELAY = 2 ** 31 - 1;

/** The host's own clock. */
export function nodeClock(): Clock {
  return { now: () => Date.now(), monotonic: () => performance.now() / 1000, sleep, after };
}

/** The host's own sources of chance. */
export function nodeRandom(): Random {
  return { next: () => Math.random(), bytes: (length) => randomBytes(length), uuid: () => randomUUID() };
}

function sleep(seconds: Seconds, signal?: AbortSignal): Promise<boolean> {
  if (signal?.aborted) return Promise.resolve(false);
  if (!(seconds > 0)) return new Promise((resolve) => setImmediate(() => resolve(!signal?.aborted)));
  return new Promise((resolve) => {
    const timer = startTimer({ seconds, keepAlive: true, callback: () => finish(true) });
    const onAbort = () => finish(false);
    const finish = (slept: boolean) => {
      timer[Symbol.dispose]();
      signal?.removeEventListener("abort", onAbort);
      resolve(slept);
    };
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}

function after(seconds: Seconds, callback: () => void): Disposable {
  return startTimer({ seconds, keepAlive: false, callback });
}

interface TimerOptions {
  readonly seconds: Seconds;
  readonly keepAlive: boolean;
  readonly callback: () => void;
}

function startTimer(options: TimerOptions): Disposable {
  return new HostTimer(options);
}

/** A timer of any length. Disposing clears it. */
class HostTimer implements Disposable {
  readonly #options: TimerOptions;
  readonly #due: number;
  #timer: NodeJS.Timeout;

  constructor(options: TimerOptions) {
    const delay = Math.max(options.seconds, 0) * 1000;
    this.#options = options;
    this.#due = performance.now() + delay;
    this.#timer = this.#arm(delay);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }

  #arm(delay: number): NodeJS.Timeout {
    const timer = setTimeout(ring, Math.min(Math.ceil(delay), LONGEST_DELAY), this);
    return this.#options.keepAlive ? timer : timer.unref();
  }

  ring(): void {
    const rest = this.#due - performance.now();
    if (rest > 0) this.#timer = this.#arm(rest);
    else this.#options.callback();
  }
}

/** One function for all timers. */
function ring(timer: HostTimer): void {
  timer.ring();
}

// The file system as Deno, Bun and Node give it through `node:fs`.

/** The host's own file system. */
export function nodeFiles(): Files {
  return {
    readText: (path) => readFile(path, "utf8"),
    readBytes: (path) => readFile(path),
    async writeText(path, text, options) {
      const { mode } = options ?? {};
      await mkdir(dirname(path), { recursive: true });
      // NB: a file that is there keeps the rights that it has; they are changed before a secret is in it.
      if (mode !== undefined && await exists(path)) await chmod(path, mode);
      await writeFile(path, text, { mode: mode ?? 0o644 });
    },
    async appendText(path, text) {
      await mkdir(dirname(path), { recursive: true });
      await appendFile(path, text);
    },
    async createText(path, text) {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, text, { flag: "wx" });
    },
    rename: (path, to) => rename(path, to),
    async copy(path, to) {
      await mkdir(dirname(to), { recursive: true });
      await copyFile(path, to);
    },
    exists,
    list: async (path) => (await readdir(path)).sort(),
    modified,
    remove: (path) => rm(path, { recursive: true, force: true }),
    makeTempFolder: (prefix) => mkdtemp(join(tmpdir(), prefix)),
    resolve: (...parts) => resolve(...parts),
    folderOf: (path) => dirname(path),
    watch,
  };
}

function exists(path: string): Promise<boolean> {
  return access(path).then(() => true, () => false);
}

async function modified(path: string): Promise<number | undefined> {
  try {
    return Math.floor((await stat(path)).mtimeMs);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

function watch(path: string, callback: (path: string) => void): Disposable {
  const watcher = watchPath(path, { recursive: true }, (_event, name) => {
    callback(name ? resolve(path, name) : path);
  });
  // A folder that vanishes under its watcher is a change like any other; without a listener it would end the process.
  watcher.on("error", () => callback(path));
  return { [Symbol.dispose]: () => watcher.close() };
}
