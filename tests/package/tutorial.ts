/**
 * Follows a tutorial as its reader would: types each command, writes each file, and looks for the output that is shown.
 *
 * In the Markdown, lines of `sh` blocks are commands; blocks with `title="name"` are files; `before="text"` or `after` puts a
 * block into a file that is there, before a text or at its end; lines of `text` blocks must be seen, in their order, of the commands before them or of the
 * program that runs in the first terminal. `fails` marks commands that are meant to fail.
 */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Program } from "../cli/processes.ts";

/** How long anything that is shown may take to appear. In milliseconds. */
const PATIENCE = 60_000;

/** What a reader does or sees. */
export type Step =
  | { readonly kind: "command"; readonly line: string; readonly fails: boolean }
  | { readonly kind: "file"; readonly name: string; readonly text: string; readonly where: Where }
  | { readonly kind: "lines"; readonly lines: readonly string[] };

/** Where a block goes: it is the whole file, or is put at the end, or before a text. */
export type Where = "whole" | "after" | { readonly before: string };

/** Returns the steps of a page, by the headings that they stand under. */
export function chaptersOf(page: string): Map<string, Step[]> {
  const chapters = new Map<string, Step[]>();
  for (const chapter of page.split(/^(?=## )/m)) {
    const [, heading] = /^## (.+)\n/.exec(chapter) ?? [];
    if (heading !== undefined) chapters.set(heading, stepsOf(chapter));
  }
  return chapters;
}

/** Returns the steps of a text, in order. */
export function stepsOf(text: string): Step[] {
  return [...text.matchAll(/^```(\w+)([^\n]*)\n([^]*?)^```$/gm)].flatMap(
    ([, language, about = "", block = ""]): Step[] => {
      const [, name] = /title="([^"]+)"/.exec(about) ?? [];
      if (name !== undefined) return [{ kind: "file", name, text: block, where: whereOf(about) }];
      const lines = block.replace(/\\\n\s*/g, "").trim().split("\n");
      if (language === "sh") {
        return lines.map((line) => ({ kind: "command", line, fails: about.includes("fails") }));
      }
      return language === "text" ? [{ kind: "lines", lines }] : [];
    },
  );
}

function whereOf(about: string): Where {
  const [, before] = /before="([^"]+)"/.exec(about) ?? [];
  if (before !== undefined) return { before };
  return / after\b/.test(about) ? "after" : "whole";
}

export interface ReaderOptions {
  /** Where the reader begins. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  /** What stands for commands that cannot be typed here; returns what there is to see. */
  readonly standIns?: readonly StandIn[];
}

export interface StandIn {
  readonly command: RegExp;
  play(reader: Reader): string | Promise<string>;
}

/** Somebody with two terminals: one for a program that goes on, one for commands. */
export class Reader implements AsyncDisposable {
  /** Where the reader is. */
  folder: string;
  readonly #options: ReaderOptions;
  /** What the second terminal has exported. */
  readonly #exported = new Map<string, string>();
  #program: Program | undefined;
  /** What the commands since the last step of another sort have shown. */
  #seen = "";
  /** From where on the program's log counts. */
  #mark = 0;
  #last: Step["kind"] | undefined;

  constructor(options: ReaderOptions) {
    this.#options = options;
    this.folder = options.folder;
  }

  /** The environment of the second terminal. */
  get env(): Readonly<Record<string, string>> {
    return { ...this.#options.env, ...Object.fromEntries(this.#exported) };
  }

  async follow(steps: readonly Step[]): Promise<void> {
    for (const step of steps) {
      if (step.kind !== "lines" && this.#last !== step.kind) this.#seen = "";
      if (step.kind !== "lines") this.#mark = this.#last === step.kind ? this.#mark : this.#log.length;
      this.#last = step.kind;
      if (step.kind === "file") this.write(step);
      else if (step.kind === "command") await this.#type(step);
      else await this.#see(step.lines);
    }
  }

  write({ name, text, where }: Extract<Step, { kind: "file" }>): void {
    const path = join(this.folder, name);
    mkdirSync(dirname(path), { recursive: true });
    if (where === "whole") return writeFileSync(path, text);
    if (where === "after") return appendFileSync(path, text);
    const old = readFileSync(path, "utf8");
    assert.ok(old.includes(where.before), `"${where.before}" is not in ${name}`);
    writeFileSync(path, old.replace(where.before, () => text + where.before));
  }

  /** Starts a program in the first terminal, in place of the one that runs there. */
  async start(command: string, args: readonly string[], env = this.#options.env): Promise<Program> {
    await this.stop();
    this.#program = new Program(command, args, { cwd: this.folder, env });
    this.#mark = 0;
    return this.#program;
  }

  /** Presses Ctrl-C in the first terminal. */
  async stop(): Promise<void> {
    const program = this.#program;
    this.#program = undefined;
    if (program === undefined) return;
    assert.equal(await program.stop(), 0, program.output);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#program?.[Symbol.asyncDispose]();
  }

  /** Runs a line in the second terminal. Returns what it shows. */
  run(line: string, { fails = false } = {}): string {
    const script = `cd '${this.folder}'\n${line}\necho "@ $PWD"`;
    const { status, stdout, stderr } = spawnSync("bash", ["-ec", script], {
      env: { ...this.env },
      encoding: "utf8",
    });
    assert.equal(status !== 0, fails, `${line}: exit code ${status}\n${stdout}${stderr}`);
    const [shown = "", folder] = stdout.split(/^@ (.+)\n$/m);
    if (folder !== undefined) this.folder = folder;
    return shown + stderr;
  }

  async #type({ line, fails }: Extract<Step, { kind: "command" }>): Promise<void> {
    const standIn = this.#options.standIns?.find(({ command }) => command.test(line));
    if (standIn !== undefined) {
      this.#seen += await standIn.play(this);
    } else if (/^npx lotse (dev|run) /.test(line)) {
      // NB: npm passes no signal on to what it has started.
      await this.start("node", ["node_modules/.bin/lotse", ...line.split(" ").slice(2)]);
    } else if (/^(export|unset) /.test(line)) {
      this.#export(line);
    } else {
      if (/^npx lotse build /.test(line)) await this.stop();
      this.#seen += this.run(line, { fails });
    }
  }

  #export(line: string): void {
    const [, name = "", value] = /^\w+ (\w+)(?:=(.*))?$/.exec(line) ?? [];
    if (value === undefined) this.#exported.delete(name);
    else this.#exported.set(name, value.replaceAll("$PWD", this.folder));
  }

  /** Polls, since neither a shell nor a program tells when it has written. */
  async #see(lines: readonly string[]): Promise<void> {
    const pattern = new RegExp(lines.map(toPattern).join("[^]*?"));
    for (
      let waited = 0;
      !pattern.test(this.#seen) && !pattern.test(this.#log.slice(this.#mark));
      waited += 50
    ) {
      assert.ok(
        this.#program !== undefined && waited < PATIENCE,
        `Not seen:\n${lines.join("\n")}\nbut:\n${this.#seen}\n${this.#log.slice(this.#mark)}`,
      );
      await sleep(50);
    }
  }

  get #log(): string {
    return this.#program?.stderr ?? "";
  }
}

/** Spaces stand for any number of spaces, "…" for anything within the line. */
function toPattern(line: string): string {
  return line.trim().split("…").map((part) => part.split(/\s+/).map(RegExp.escape).join("\\s+")).join(".*");
}
