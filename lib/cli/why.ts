/** `why`, `queue` and `top` ask operators that run on this machine, also inside of a Pod. */

import type { Command } from "commander";

import type { Explanation, Queued } from "../public/types.ts";
import type { Host, Seconds } from "../runtime/host.ts";
import { askOperators } from "./ask.ts";
import { UsageError } from "./errors.ts";
import { addExamples, CommandOption, wholeNumber } from "./program.ts";
import { tableOf } from "./top_table.ts";

interface AskFlags {
  readonly json?: boolean;
  readonly pid?: number;
}

interface WhyFlags extends AskFlags {
  readonly namespace?: string;
}

interface TopFlags extends AskFlags {
  readonly once?: boolean;
  readonly interval?: Seconds;
  readonly sort?: string;
}

/** Adds the command `why`. */
export function addWhy(program: Command, host: Host): void {
  const command = program.command("why").argument("<kind>", "Such as databases, or databases.example.com")
    .argument("<object>", "Its name, or NAMESPACE/NAME");
  command.summary("Say why an object is, or is not, handled");
  command.description(
    `${command.summary()}\n\nAsks the operator that runs on this machine; in a cluster: kubectl exec POD -- /operator why KIND NAME. ` +
      "Answers in words: what runs, what it waits for, which handlers were skipped and why, the last ten looks.",
  );
  command.addOption(
    new CommandOption("-n, --namespace <namespace>", "The object's namespace; default: default"),
  );
  addAskOptions(command);
  addExamples(command, ["why databases default/db-1", "why databases.example.com db-1 -n team-a --json"]);
  command.action(async (kind: string, object: string, flags: WhyFlags) => {
    const answers = await askOperators(host, {
      path: "/why",
      question: questionOf(kind, object, flags),
      pid: flags.pid,
    }) as readonly Explanation[];
    // Several operators may run here: the one that has the kind knows most.
    const [first] = answers;
    const best = answers.find(({ handlers }) => handlers.length > 0) ?? first;
    if (best === undefined) return;
    print(host, flags.json ? JSON.stringify(best, undefined, 2) : textOf(best));
  });
}

/** Adds the command `queue`. */
export function addQueue(program: Command, host: Host): void {
  const command = program.command("queue");
  command.summary("List the objects that are being handled, that wait, and that are planned");
  command.description(`${command.summary()}\n\nAsks the operator that runs on this machine.`);
  addAskOptions(command);
  addExamples(command, ["queue --json", "queue"]);
  command.action(async (flags: AskFlags) => {
    const answers = await askOperators(host, { path: "/queue", pid: flags.pid }) as readonly Queued[];
    for (const answer of answers) {
      print(host, flags.json ? JSON.stringify(answer, undefined, 2) : queueText(answer));
    }
  });
}

/** Adds the command `top`. */
export function addTop(program: Command, host: Host): void {
  const command = program.command("top");
  command.summary("Show what each handler does: calls, failing objects, times, and the queue");
  command.description(
    `${command.summary()}\n\nAsks the operator that runs on this machine, again and again until a signal comes; with --once a single time.`,
  );
  command
    .addOption(new CommandOption("--once", "Print once, for scripts"))
    .addOption(
      new CommandOption("--interval <seconds>", "Between two looks; default: 2").argParser(wholeNumber),
    )
    .addOption(
      new CommandOption("--sort <column>", "By which column; default: failing").oneOf([
        "failing",
        "calls",
        "p99",
        "handler",
      ]),
    );
  addAskOptions(command);
  addExamples(command, ["top --once --sort calls", "top"]);
  command.action((flags: TopFlags) => top(flags, host));
}

function addAskOptions(command: Command): void {
  command
    .addOption(new CommandOption("--json", "Print JSON"))
    .addOption(
      new CommandOption("--pid <number>", "The process to ask, where several operators run").argParser(
        wholeNumber,
      ),
    );
}

async function top(
  { once = false, interval = 2, sort = "failing", json = false, pid }: TopFlags,
  host: Host,
): Promise<void> {
  if (interval < 1) throw new UsageError("--interval must be at least 1 second");
  for (;;) {
    const answers = await askOperators(host, { path: "/metrics", pid }) as readonly Counted[];
    const rows = answers.map(({ text, isLate }) => {
      const table = tableOf(text, sort);
      return isLate ? { ...table, text: `${table.text}\n\n${LATE}` } : table;
    });
    if (json) print(host, JSON.stringify(rows.map((each) => each.rows), undefined, 2));
    else print(host, `${once ? "" : CLEAR}${rows.map((each) => each.text).join("\n\n")}`);
    if (once || json) return;
    await host.clock.sleep(interval);
  }
}

/** The metrics of an operator. */
interface Counted {
  readonly text: string;
  /** Whether it counts since it was asked first. */
  readonly isLate: boolean;
}

const LATE = "(counted since `top` asked first; with --liveness: since the start)";

/** Moves the cursor home and clears the screen. */
const CLEAR = "\x1b[H\x1b[2J";

function questionOf(kind: string, object: string, { namespace }: WhyFlags): object {
  const parts = object.split("/");
  if (parts.length > 2 || parts.some((part) => part === "")) {
    throw new UsageError(`"${object}" is no object: give NAME or NAMESPACE/NAME`);
  }
  const [first = "", second] = parts;
  if (second !== undefined && namespace !== undefined && namespace !== first) {
    throw new UsageError(`-n ${namespace} and "${object}" name two namespaces: give one`);
  }
  return second === undefined
    ? { kind, name: first, namespace: namespace ?? "default" }
    : { kind, name: second, namespace: first };
}

function textOf({ object, answer, facts, handlers, looks }: Explanation): string {
  const lines = [object, `  ${answer}`, ...facts.map((fact) => `  ${fact}`)];
  if (handlers.length > 0) {
    lines.push("", "Handlers", ...handlers.map(({ id, state }) => `  ${id}: ${state}`));
  }
  if (looks.length > 0) {
    lines.push("", "Latest looks", ...looks.map(({ time, words }) => `  ${time}  ${words}`));
  }
  return lines.join("\n");
}

function queueText({ running, waiting, planned, objects }: Queued): string {
  const lines = objects.map(({ object, state, seconds, wake, failures }) => {
    const age = state === "planned" ? "" : ` for ${Math.round(seconds)} s`;
    return `  ${state}${age}: ${object} (${wake}${failures > 0 ? `, ${failures} failures in a row` : ""})`;
  });
  return [`${running} running, ${waiting} waiting, ${planned} planned`, ...lines].join("\n");
}

function print(host: Host, text: string): void {
  host.process.write("stdout", `${text}\n`);
}
