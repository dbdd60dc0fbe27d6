/** An operator that runs in a process of its own, and the trace that its handlers write. */

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { lotse, type Program } from "../cli/processes.ts";
import type { ControlPlane } from "../control_plane/control_plane.ts";

/** How long anything may take. In seconds of real time. */
const PATIENCE = 60;

const HANDLERS = fileURLToPath(new URL("handlers.ts", import.meta.url));

/** Processes of the operator, one after the other, on one control plane. */
export class Operators implements AsyncDisposable {
  readonly #plane: ControlPlane;
  readonly #trace: string;
  readonly #all: Program[] = [];
  #read = 0;

  constructor(plane: ControlPlane) {
    this.#plane = plane;
    this.#trace = join(plane.directory, "trace.log");
  }

  /** The process that was started last. */
  get current(): Program {
    return this.#all.at(-1) ?? assert.fail("No operator was started");
  }

  start(env: Readonly<Record<string, string>> = {}): void {
    const args = ["run", HANDLERS, "-A", "--standalone", "--kubeconfig", this.#plane.kubeconfig];
    this.#all.push(lotse([...args, "--log-format", "plain"], { env: { TRACE: this.#trace, ...env } }));
  }

  /** Kills it as a crash does, and waits for its end. */
  async crash(): Promise<void> {
    process.kill(this.current.pid, "SIGKILL");
    assert.notEqual(await this.current.ended(), 0);
  }

  async stop(): Promise<void> {
    assert.equal(await this.current.stop(), 0, this.current.output);
  }

  /** Waits until the process has written something to its log. */
  async logged(pattern: RegExp): Promise<void> {
    await until(() => pattern.test(this.current.output), () => `No ${pattern} in\n${this.current.output}`);
  }

  /** Returns what was called since this was asked last, in order: "handler object retry". */
  calls(): string[] {
    const lines = this.#lines();
    const calls = lines.slice(this.#read);
    this.#read = lines.length;
    return calls.filter((line) => !line.startsWith("followPod "));
  }

  /** Returns the names of the Pods whose events were handled. */
  pods(): Set<string> {
    const lines = this.#lines().filter((line) => line.startsWith("followPod "));
    return new Set(lines.map((line) => line.split(" ")[1] ?? ""));
  }

  /** Waits until a handler has been called. */
  async called(line: string): Promise<void> {
    await until(() => this.#lines().includes(line), () => `No "${line}" in\n${this.#lines().join("\n")}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const program of this.#all) await program[Symbol.asyncDispose]();
  }

  #lines(): string[] {
    return existsSync(this.#trace) ? readFileSync(this.#trace, "utf8").trim().split("\n") : [];
  }
}

/** Waits, for real: the operator is another process, and so is the control plane. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  explain: () => string,
): Promise<void> {
  const end = performance.now() + PATIENCE * 1000;
  while (!(await condition())) {
    if (performance.now() > end) assert.fail(explain());
    await sleep(50);
  }
}
