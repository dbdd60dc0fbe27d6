/** `log-level` changes the level of an operator that runs, for some time; `heap-snapshot` has it write its memory into a file. */

import type { Command } from "commander";

import type { Host } from "../runtime/host.ts";
import { addAskOptions, type AskFlags, askHere, askThere, printAll } from "./asked.ts";
import { addExamples, CommandOption } from "./program.ts";
import { secondsFrom } from "./steer.ts";

interface LevelFlags extends AskFlags {
  readonly for?: string;
}

const LEVELS: readonly string[] = ["debug", "info", "warn", "error"];

/** Adds the command `log-level`. */
export function addLogLevel(program: Command, host: Host): void {
  const command = program.command("log-level");
  command.argument("[level]", `One of ${LEVELS.join(", ")}; none: print the present one`);
  command.summary("Change the log level of an operator that runs, for some time");
  command.description(
    `${command.summary()}\n\nThen it goes back by itself. The signal SIGUSR2 has the same effect as "debug" for ten minutes, and a second one ends that.`,
  );
  command.addOption(new CommandOption("--for <duration>", "For how long, such as 90s or 2h; default: 10m"));
  addAskOptions(command);
  addExamples(command, ["log-level debug --operator ops/database-operator", "log-level debug --for 10m"]);
  command.action(async (level: string | undefined, flags: LevelFlags) => {
    const { for: duration = "10m" } = flags;
    const seconds = secondsFrom(duration);
    if (flags.operator !== undefined) {
      const args = ["log-level", ...level === undefined ? [] : [level, "--for", duration]];
      return print(host, await askThere(host, flags, (pods) => printAll(host, pods, args)));
    }
    const question = level === undefined ? undefined : { level, seconds };
    const [answer] = await askHere(host, flags, { path: "/log-level", question }) as readonly Level[];
    if (flags.json) print(host, JSON.stringify(answer));
    else if (answer !== undefined) {
      print(host, `The level is ${answer.level}${level === undefined ? "" : ` for ${duration}`}`);
    }
  });
}

interface Level {
  readonly level: string;
}

/** Adds the command `heap-snapshot`. */
export function addHeapSnapshot(program: Command, host: Host): void {
  const command = program.command("heap-snapshot");
  command.summary("Have an operator write its memory into a file, where its settings allow it");
  command.description(
    `${command.summary()}\n\nThe file holds whatever the operator knows, Secrets included: only its own user can read it. ` +
      "The setting process.heapSnapshots allows it. No handler runs meanwhile.",
  );
  addAskOptions(command);
  addExamples(command, ["heap-snapshot --pid 4711"]);
  command.action(async (flags: AskFlags) => {
    if (flags.operator !== undefined) {
      return print(host, await askThere(host, flags, (pods) => printAll(host, pods, ["heap-snapshot"])));
    }
    const answers = await askHere(host, flags, { path: "/heap-snapshot" }) as readonly {
      readonly path: string;
    }[];
    for (const answer of answers) print(host, flags.json ? JSON.stringify(answer) : answer.path);
  });
}

function print(host: Host, text: string): void {
  host.process.write("stdout", `${text}\n`);
}
