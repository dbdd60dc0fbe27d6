/** A program that says what it has seen in lines of JSON on its standard output. */

import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** A program that runs, and its lines. Disposing kills it. */
export class Lines implements Disposable {
  readonly #child: ChildProcess;
  readonly #name: string;
  readonly #lines: AsyncIterator<string>;

  constructor(command: string, args: readonly string[]) {
    this.#name = args[0] ?? command;
    const child = spawn(command, [...args], { stdio: ["pipe", "pipe", "inherit"] });
    this.#child = child;
    this.#lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  }

  /** Returns the next line's value. @throws {Error} If the program ends instead. */
  async next<T>(): Promise<T> {
    const { value, done } = await this.#lines.next();
    if (done) throw new Error(`The load generator ended without an answer to "${this.#name}"`);
    return JSON.parse(value) as T;
  }

  /** Asks for another line. */
  ask(text = ""): void {
    this.#child.stdin?.write(`${text}\n`);
  }

  [Symbol.dispose](): void {
    this.#child.kill("SIGKILL");
  }
}
