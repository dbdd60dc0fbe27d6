/** A process that exists only on paper: its arguments, its output, its exit code. */

import { currentHost } from "../current_host.ts";
import type { Block, Process, RunOptions, RunResult, Terminal, TerminalOptions } from "../host.ts";
import type { Activity } from "./activity.ts";
import type { VirtualClock } from "./clock.ts";

/** A program that the virtual process can run. */
export type VirtualProgram = (args: readonly string[], options: RunOptions) => RunResult | Promise<RunResult>;

/** A process whose environment tests set, and whose output and signals they read. */
export interface VirtualProcess extends Process {
  /** The numbers of other processes that run. Default: none. */
  readonly others: Set<number>;
  /** Everything written to the standard output so far. */
  readonly stdout: string;
  /** Everything written to the standard error so far. */
  readonly stderr: string;
  /** The codes that `exit()` was called with. */
  readonly exits: readonly number[];
  /** Sets an environment variable, or unsets it. */
  setEnv(name: string, value: string | undefined): void;
  /** Sends a signal to the process; tells whether anybody listened. */
  signal(name: "SIGINT" | "SIGTERM" | "SIGHUP" | "SIGUSR2"): boolean;
  /** Sets the size of the terminal; before the first time the process has none. */
  resizeTerminal(size: ReturnType<Terminal["size"]>): void;
  /** Presses a key; tells whether the process has taken the terminal. */
  press(key: string): boolean;
  /** Has an uncaught error; tells whether there is a listener for such errors. */
  stray(error: unknown, kind: "rejection" | "exception"): boolean;
  /** Lets time pass while no code runs, as a handler does that computes for so long. */
  block(seconds: number): void;
  /** Makes a program known to `run()`. */
  program(command: string, program: VirtualProgram): void;
}

/** Thrown by a virtual process's `exit()`, which cannot end anything. */
export class VirtualExit extends Error {
  override readonly name = "VirtualExit";
  /** The code that the process was to end with. */
  readonly code: number;

  constructor(code: number) {
    super(`The process was to end with code ${code}`);
    this.code = code;
  }
}

/** The initial contents of such a process. */
export interface VirtualProcessOptions {
  readonly clock: VirtualClock;
  readonly activity: Activity;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/** Makes a virtual process. */
export function createVirtualProcess(options: VirtualProcessOptions): VirtualProcess {
  return new PaperProcess(options);
}

class PaperProcess implements VirtualProcess {
  readonly pid = 1;
  readonly others = new Set<number>();
  readonly args: readonly string[];
  readonly self: readonly string[] = ["virtual"];
  readonly losesContext = false;
  readonly exits: number[] = [];
  readonly #options: VirtualProcessOptions;
  readonly #env: Map<string, string>;
  readonly #listeners = new Map<string, Set<{ callback: () => void }>>();
  readonly #strays = new Set<{ callback: (error: unknown, kind: "rejection" | "exception") => void }>();
  readonly #blocked = new Set<{ callback: (block: Block) => void }>();
  readonly #programs = new Map<string, VirtualProgram>();
  readonly #terminals = new Set<TerminalOptions>();
  #terminalSize: ReturnType<Terminal["size"]> | undefined;
  readonly #written = { stdout: "", stderr: "" };

  constructor(options: VirtualProcessOptions) {
    this.#options = options;
    this.args = options.args;
    this.#env = new Map(Object.entries(options.env));
  }

  get stdout(): string {
    return this.#written.stdout;
  }

  get stderr(): string {
    return this.#written.stderr;
  }

  isRunning(pid: number): boolean {
    return pid === this.pid || this.others.has(pid);
  }

  env(name: string): string | undefined {
    return this.#env.get(name);
  }

  envNames(): readonly string[] {
    return [...this.#env.keys()];
  }

  setEnv(name: string, value: string | undefined): void {
    if (value === undefined) this.#env.delete(name);
    else this.#env.set(name, value);
  }

  home(): string | undefined {
    return this.#env.get("HOME");
  }

  cwd(): string {
    return this.#options.cwd;
  }

  hostname(): string {
    return "virtual";
  }

  user(): string | undefined {
    return this.#env.get("USER");
  }

  memory(): number {
    return 64 * 1024 * 1024;
  }

  releaseMemory(): void {}

  cpu(): number {
    return this.#options.clock.monotonic() / 100;
  }

  onSignal(signal: "SIGINT" | "SIGTERM" | "SIGHUP" | "SIGUSR2", callback: () => void): Disposable {
    const listeners = this.#listeners.get(signal) ?? new Set();
    this.#listeners.set(signal, listeners);
    const entry = { callback };
    listeners.add(entry);
    return { [Symbol.dispose]: () => void listeners.delete(entry) };
  }

  signal(name: "SIGINT" | "SIGTERM" | "SIGHUP" | "SIGUSR2"): boolean {
    const listeners = [...this.#listeners.get(name) ?? []];
    this.#options.activity.touch();
    for (const { callback } of listeners) callback();
    return listeners.length > 0;
  }

  onStray(callback: (error: unknown, kind: "rejection" | "exception") => void): Disposable {
    const entry = { callback };
    this.#strays.add(entry);
    return { [Symbol.dispose]: () => void this.#strays.delete(entry) };
  }

  stray(error: unknown, kind: "rejection" | "exception"): boolean {
    const listeners = [...this.#strays];
    this.#options.activity.touch();
    for (const { callback } of listeners) callback(error, kind);
    return listeners.length > 0;
  }

  onBlocked(callback: (block: Block) => void): Disposable {
    const entry = { callback };
    this.#blocked.add(entry);
    return { [Symbol.dispose]: () => void this.#blocked.delete(entry) };
  }

  block(seconds: number): void {
    const { clock } = this.#options;
    clock.block(seconds);
    if (seconds <= 1) return;
    clock.after(0, () => {
      for (const { callback } of [...this.#blocked]) callback({ seconds, cpu: seconds });
    });
  }

  exit(code: number): never {
    this.exits.push(code);
    throw new VirtualExit(code);
  }

  write(stream: "stdout" | "stderr", text: string): void {
    this.#written[stream] += text;
  }

  isTerminal(stream: "stdout" | "stderr"): boolean {
    return stream === "stdout" && this.#terminalSize !== undefined;
  }

  openTerminal(options: TerminalOptions): Terminal | undefined {
    if (this.#terminalSize === undefined) return undefined;
    this.#terminals.add(options);
    return {
      size: () => this.#terminalSize ?? { columns: 80, rows: 24 },
      [Symbol.dispose]: () => void this.#terminals.delete(options),
    };
  }

  resizeTerminal(size: ReturnType<Terminal["size"]>): void {
    this.#terminalSize = size;
    this.#options.activity.touch();
    for (const { onResize } of [...this.#terminals]) onResize();
  }

  press(key: string): boolean {
    const terminals = [...this.#terminals];
    this.#options.activity.touch();
    for (const { onKey } of terminals) onKey(key);
    return terminals.length > 0;
  }

  program(command: string, program: VirtualProgram): void {
    this.#programs.set(command, program);
  }

  async run(command: string, args: readonly string[], options: RunOptions = {}): Promise<RunResult> {
    const { signal } = options;
    const program = this.#programs.get(command);
    if (!program) throw Object.assign(new Error(`spawn ${command} ENOENT`), { code: "ENOENT" });
    if (signal?.aborted) throw stopped(signal);
    const { promise, reject } = Promise.withResolvers<never>();
    const onAbort = () => reject(stopped(signal));
    signal?.addEventListener("abort", onAbort, { once: true });
    try {
      return await Promise.race([promise, this.#options.activity.run(() => program(args, options))]);
    } finally {
      signal?.removeEventListener("abort", onAbort);
    }
  }

  /** Modules are real ones. */
  work(module: string, input: unknown, signal?: AbortSignal): Promise<unknown> {
    return this.#options.activity.run(() => currentHost().process.work(module, input, signal));
  }

  importModule(path: string, options?: { readonly fresh?: boolean }): Promise<Record<string, unknown>> {
    return this.#options.activity.run(() => currentHost().process.importModule(path, options));
  }

  /** A busy machine takes its time to read files, and a request that waits for that does not hang. */
  load<Part>(load: () => Promise<Part>): Promise<Part> {
    return this.#options.activity.run(load, { patient: true });
  }
}

function stopped(signal: AbortSignal | undefined): Error {
  const error = new Error("The program was stopped", { cause: signal?.reason });
  error.name = "AbortError";
  return error;
}
