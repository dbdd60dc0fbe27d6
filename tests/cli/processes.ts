/** The command line as a process of its own, on the runtime that runs the tests. */

import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** Starting a process and compiling its modules takes its time where many tests run at once. In milliseconds. */
export const PATIENCE = 60_000;

/** The definition of the kind that projects of tests have: of things that may have any fields. */
export const THINGS = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: things.example.com }
spec:
  group: example.com
  scope: Namespaced
  names: { plural: things, singular: thing, kind: Thing }
  versions:
  - name: v1
    served: true
    storage: true
    schema: { openAPIV3Schema: { type: object, x-kubernetes-preserve-unknown-fields: true } }
`;

export interface StartOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Default: the root of the repository. */
  readonly cwd?: string;
}

/** Starts `lotse` with arguments. */
export function lotse(args: readonly string[], options: StartOptions = {}): Program {
  const flags = "Deno" in globalThis ? ["run", "-A"] : [];
  return new Program(process.execPath, [...flags, join(ROOT, "cli.ts"), ...args], options);
}

/** How long a program that is no longer needed has to end by itself. In milliseconds. */
const GRACE = 5_000;

/** A program that runs, and what it has written so far. Disposing ends it. */
export class Program implements AsyncDisposable {
  stdout = "";
  stderr = "";
  readonly #child: ChildProcess;
  readonly #ended: Promise<number | string>;
  readonly #watchers = new Set<() => void>();
  #hasEnded = false;
  #isSilent = false;

  constructor(command: string, args: readonly string[], { env = {}, cwd = ROOT }: StartOptions = {}) {
    this.#child = spawn(command, [...args], { cwd, env: { ...process.env, NO_COLOR: "1", ...env } });
    this.#ended = new Promise((resolve, reject) => {
      this.#child.on("error", reject);
      this.#child.on("exit", () => this.#hasEnded = true);
      this.#child.on("close", (code, signal) => {
        this.#isSilent = true;
        resolve(code ?? signal ?? "gone");
        this.#look();
      });
    });
    this.#child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      this.stdout += text;
      this.#look();
    });
    this.#child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.stderr += text;
      this.#look();
    });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Everything it wrote, the standard output first. */
  get output(): string {
    return this.stdout + this.stderr;
  }

  kill(signal: "SIGTERM" | "SIGINT" | "SIGKILL"): void {
    // NB: not `this.#child.kill()`: on Deno, that makes it forget the exit code.
    if (!this.#hasEnded) process.kill(this.pid, signal);
  }

  /** Returns its exit code, or the signal that killed it. */
  ended(): Promise<number | string> {
    return this.#ended;
  }

  /** Asks it to stop, and gives its exit code. */
  stop(): Promise<number | string> {
    this.kill("SIGTERM");
    return this.#ended;
  }

  /** Waits until it has written something. @throws {Error} If it ends before. */
  async wrote(pattern: RegExp): Promise<RegExpExecArray> {
    while (true) {
      const found = pattern.exec(this.output);
      if (found !== null) return found;
      if (this.#isSilent) throw new Error(`It ended without writing ${pattern}:\n${this.output}`);
      await new Promise<void>((resolve) => this.#watchers.add(resolve));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.kill("SIGTERM");
    const force = setTimeout(() => this.kill("SIGKILL"), GRACE);
    await this.#ended.catch(() => {});
    clearTimeout(force);
  }

  #look(): void {
    for (const watcher of this.#watchers) watcher();
    this.#watchers.clear();
  }
}

/** Makes a temporary folder with files, which goes when the tests end; those of TypeScript find the package by its path. */
export function project(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), "lotse-project-"));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  process.on("exit", remove);
  if ("Deno" in globalThis) globalThis.addEventListener("unload", remove); // `deno test` has no "exit"
  for (const [name, text] of Object.entries(files)) save(folder, name, text);
  return folder;
}

/** Writes a file of such a folder. */
export function save(folder: string, name: string, text: string): void {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text.replaceAll('"@lotse/lotse"', JSON.stringify(join(ROOT, "mod.ts"))));
}
