/** `top` asks an operator again and again, and keeps its answers on one screen: a table by handler, and one by stream. */

import type { Command } from "commander";

import type { Host, Seconds, Terminal } from "../runtime/host.ts";
import { addAskOptions, type AskFlags, askHere, askThere, printAll } from "./asked.ts";
import { UsageError } from "./errors.ts";
import { addExamples, CommandOption, wholeNumber } from "./program.ts";
import { SORTS, type StreamRow, tableOf, type TableOptions, type TopRow } from "./top_table.ts";

interface TopFlags extends AskFlags {
  readonly once?: boolean;
  readonly interval?: Seconds;
  readonly sort?: string;
  readonly filter?: string;
}

/** Adds the command `top`. */
export function addTop(program: Command, host: Host): void {
  const command = program.command("top");
  command.summary("Show what each handler does: calls, failing objects, times, requests, and the queue");
  command.description(
    `${command.summary()}\n\nAsks the operator that runs on this machine (with --operator one in a cluster), again and again until a signal comes; with --once a single time. ` +
      "On a terminal the table fits the screen; keys: s sorts by the next column, / filters, q ends.",
  );
  command
    .addOption(new CommandOption("--once", "Print once, for scripts"))
    .addOption(
      new CommandOption("--interval <seconds>", "Between two looks; default: 2").argParser(wholeNumber),
    )
    .addOption(new CommandOption("--sort <column>", "By which column; default: failing").oneOf([...SORTS]));
  command.addOption(
    new CommandOption("--filter <text>", "Only handlers and kinds whose names hold the text"),
  );
  addAskOptions(command);
  addExamples(command, ["top --once --sort calls", "top"]);
  command.action((flags: TopFlags) => top(flags, host));
}

async function top(flags: TopFlags, host: Host): Promise<void> {
  const { once = false, interval = 2, sort = "failing", filter = "", json = false } = flags;
  if (interval < 1) throw new UsageError("--interval must be at least 1 second");
  const isOnce = once || json;
  using screen = new Screen(host, { sort, filter, isLive: !isOnce });
  const show = async (look: () => Promise<string>): Promise<void> => {
    do screen.draw(await look()); while (!isOnce && await screen.wait(interval));
  };
  if (flags.operator === undefined) return await show(() => lookHere(host, flags, screen));
  await askThere(host, flags, (pods) =>
    show(() => {
      const narrowed = screen.filter === "" ? [] : ["--filter", screen.filter];
      return printAll(host, pods, [
        "top",
        "--once",
        "--sort",
        screen.sort,
        ...narrowed,
        ...json ? ["--json"] : [],
      ]);
    }));
}

/** The metrics of an operator. */
interface Counted {
  readonly text: string;
  /** Whether it counts since it was asked first. */
  readonly isLate: boolean;
  readonly running?: TableOptions["running"];
}

/** The rows of an operator, and when they were made: for events in a second. */
interface Look {
  readonly rows: readonly TopRow[];
  readonly streams: readonly StreamRow[];
  readonly asked: Seconds;
}

const LATE = "(counted since `top` asked first; with --liveness: since the start)";

async function lookHere(host: Host, flags: TopFlags, screen: Screen): Promise<string> {
  const answers = await askHere(host, flags, { path: "/metrics" }) as readonly Counted[];
  const asked = host.clock.monotonic();
  const { sort, filter, before } = screen;
  // Several operators share the screen.
  const rows = screen.rows && Math.floor(screen.rows / answers.length);
  const tables = answers.map(({ text, isLate, running }, place) => {
    const earlier = before[place];
    const table = tableOf(text, {
      sort,
      filter,
      running,
      rows: rows && rows - (isLate ? 2 : 0),
      before: earlier && { streams: earlier.streams, seconds: asked - earlier.asked },
    });
    return { ...table, asked, text: isLate ? `${table.text}\n\n${LATE}` : table.text };
  });
  // A key may have it look again at once: too short a time to count events in.
  if (asked - (before[0]?.asked ?? -Infinity) >= 1) screen.before = tables;
  return flags.json
    ? JSON.stringify(tables.map(({ rows: handlers, streams }) => ({ handlers, streams })), undefined, 2)
    : tables.map((each) => each.text).join("\n\n");
}

/** Moves the cursor home and clears the screen. */
const CLEAR = "\x1b[H\x1b[2J";

/** The screen, and the wishes of the person before it. Disposing gives the terminal back. */
class Screen implements Disposable {
  readonly #host: Host;
  readonly #isLive: boolean;
  readonly #terminal: Terminal | undefined;
  sort: string;
  filter: string;
  /** The look before; empty: there was none. */
  before: readonly Look[] = [];
  /** The filter that is being typed; undefined: none is. */
  #typed: string | undefined;
  #isEnded = false;
  /** Ends the pause between two looks. */
  #wake: (() => void) | undefined;

  constructor(
    host: Host,
    { sort, filter, isLive }: { readonly sort: string; readonly filter: string; readonly isLive: boolean },
  ) {
    this.#host = host;
    this.#isLive = isLive;
    this.sort = sort;
    this.filter = filter;
    this.#terminal = isLive
      ? host.process.openTerminal?.({ onKey: (key) => this.#press(key), onResize: () => this.#wake?.() })
      : undefined;
  }

  /** How many lines the table may have; undefined: as many as it likes. */
  get rows(): number | undefined {
    // The last line is the person's.
    return this.#terminal && Math.max(1, this.#terminal.size().rows - 1);
  }

  draw(text: string): void {
    const { process } = this.#host;
    const { rows, columns } = this.#terminal?.size() ?? {};
    if (rows === undefined || columns === undefined) {
      return process.write("stdout", `${this.#isLive ? CLEAR : ""}${text}\n`);
    }
    const lines = text.split("\n").slice(0, rows - 1);
    process.write(
      "stdout",
      `${CLEAR}${[...lines, this.#hint()].map((line) => cut(line, columns)).join("\n")}`,
    );
  }

  /** Waits for the time of the next look, or a key. Returns whether there is to be one. */
  async wait(seconds: Seconds): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    using _timer = this.#host.clock.after(seconds, resolve);
    if (!this.#isEnded) await promise;
    this.#wake = undefined;
    return !this.#isEnded;
  }

  [Symbol.dispose](): void {
    if (this.#terminal === undefined) return;
    this.#terminal[Symbol.dispose]();
    this.#host.process.write("stdout", "\n");
  }

  #hint(): string {
    if (this.#typed !== undefined) return `filter: ${this.#typed}`;
    return `s sort (${this.sort})  / filter${this.filter && ` (${this.filter})`}  q quit`;
  }

  #press(key: string): void {
    if (this.#typed !== undefined) this.#type(key, this.#typed);
    else if (key === "q" || key === "\x03") this.#isEnded = true;
    else if (key === "/") this.#typed = "";
    else if (key === "s") {
      this.sort = SORTS[(SORTS.findIndex((each) => each === this.sort) + 1) % SORTS.length] ?? this.sort;
    } else return;
    this.#wake?.();
  }

  #type(key: string, typed: string): void {
    if (key === "\x03") this.#isEnded = true;
    else if (key === "\x1b") this.#typed = undefined;
    else if (key === "\r" || key === "\n") {
      this.filter = typed;
      this.#typed = undefined;
    } else if (key === "\x7f" || key === "\b") this.#typed = typed.slice(0, -1);
    else if (key >= " " && !key.startsWith("\x1b")) this.#typed = typed + key;
  }
}

function cut(line: string, columns: number): string {
  return line.length <= columns ? line : `${line.slice(0, columns - 1)}…`;
}
