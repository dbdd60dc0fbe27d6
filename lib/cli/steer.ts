/** `pause`, `resume` and `retry` steer one object by its annotations: any operator of Lotse that handles it heeds them. */

import type { Command } from "commander";

import {
  pauseObject,
  resumeObject,
  retryObject,
  type Steered,
  type SteerOptions,
} from "../operator/steer.ts";
import type { Host, Seconds } from "../runtime/host.ts";
import { UsageError } from "./errors.ts";
import { addClusterOptions, addLogOptions, type ClusterFlags, type LogFlags, loggerFor } from "./options.ts";
import { addExamples, CommandOption } from "./program.ts";
import { questionOf } from "./why.ts";

/** Flags that say which object. */
export interface SteerFlags extends ClusterFlags, LogFlags {
  readonly namespace?: string;
  readonly prefix?: string;
}

interface PauseFlags extends SteerFlags {
  readonly for?: string;
  readonly until?: string;
  readonly reason?: string;
  readonly deletion?: boolean;
}

/** Adds the command `pause`. */
export function addPause(program: Command, host: Host): void {
  const command = program.command("pause").argument("<kind>", "Such as databases, or databases.example.com")
    .argument("<object>", "Its name, or NAMESPACE/NAME");
  command.summary("Pause one object for some time: no handler of it is called");
  command.description(
    `${command.summary()}\n\nWrites the annotation PREFIX/pause on the object. Its deletion is not paused, unless --deletion is given. ` +
      "`resume` ends it.",
  );
  command
    .addOption(
      new CommandOption("--for <duration>", "For how long, such as 90s, 30m, 4h or 2d").exclude("until"),
    )
    .addOption(new CommandOption("--until <time>", "Until when, such as 2026-12-01T00:00:00Z"))
    .addOption(new CommandOption("--reason <text>", "Why: shown by `why`, and in events"))
    .addOption(new CommandOption("--deletion", "Pause the object's deletion, too"));
  addSteerOptions(command);
  addExamples(command, [
    "pause databases default/db-1 --until 2026-12-01T00:00:00Z",
    'pause databases default/db-1 --for 4h --reason "the volume is being moved"',
  ]);
  command.action(async (kind: string, object: string, flags: PauseFlags) => {
    const until = endOf(flags, host);
    const { reason, deletion } = flags;
    const steered = await pauseObject({
      ...steeringOf(kind, object, { flags, host }),
      until,
      reason,
      deletion,
    });
    print(host, steered, `is paused until ${new Date(until).toISOString()}`);
  });
}

/** Adds the command `retry`. */
export function addRetry(program: Command, host: Host): void {
  const command = program.command("retry").argument("<kind>", "Such as databases, or databases.example.com")
    .argument("<object>", "Its name, or NAMESPACE/NAME");
  command.summary("Have one object handled now: handlers that wait to be tried again do not wait");
  command.description(
    `${command.summary()}\n\nWrites the annotation PREFIX/reconcile-now on the object. Handlers of op.reconcile are called, ` +
      "and attempts that were planned for later are made. A handler that has given up is called when the object changes.",
  );
  addSteerOptions(command);
  addExamples(command, ["retry databases default/db-1"]);
  command.action(async (kind: string, object: string, flags: SteerFlags) => {
    print(host, await retryObject(steeringOf(kind, object, { flags, host })), "is to be handled now");
  });
}

/** Ends the pause of an object: the half of `resume` that is about objects. */
export async function resumeOne(kind: string, object: string, flags: SteerFlags, host: Host): Promise<void> {
  print(host, await resumeObject(steeringOf(kind, object, { flags, host })), "is paused no more");
}

function addSteerOptions(command: Command): void {
  command.addOption(
    new CommandOption("-n, --namespace <namespace>", "The object's namespace; default: default"),
  );
  addLogOptions(addClusterOptions(addPrefixOption(command)));
}

/** Adds the option that says whose annotations are meant. */
export function addPrefixOption(command: Command): Command {
  return command.addOption(
    new CommandOption(
      "--prefix <domain>",
      "The domain of the operator's annotations; default: that of its marks on the object, else lotse.dev",
    ),
  );
}

function steeringOf(
  kind: string,
  object: string,
  { flags, host }: { readonly flags: SteerFlags; readonly host: Host },
): SteerOptions {
  const { prefix, kubeconfig, context } = flags;
  return {
    ...questionOf(kind, object, flags),
    prefix,
    kubeconfig,
    context,
    host,
    logger: loggerFor(flags, host),
  };
}

/** @throws {UsageError} If the end is no time, or over. */
function endOf({ for: duration, until }: PauseFlags, host: Host): number {
  const now = host.clock.now();
  if (duration !== undefined) return now + secondsFrom(duration) * 1000;
  if (until === undefined) {
    throw new UsageError("Say for how long: --for 4h, or --until 2026-12-01T00:00:00Z");
  }
  const time = /^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:\d\d)$/i.test(until) ? Date.parse(until) : NaN;
  if (Number.isNaN(time)) {
    throw new UsageError(`"${until}" is no time: give one such as 2026-12-01T00:00:00Z`);
  }
  if (time <= now) throw new UsageError(`"${until}" is over already`);
  return time;
}

const UNITS: Readonly<Record<string, Seconds>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** Reads a duration. @throws {UsageError} If it is none. */
export function secondsFrom(text: string): Seconds {
  const [, number = "", unit = ""] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  const seconds = Number(number) * (UNITS[unit] ?? NaN);
  if (seconds > 0) return seconds;
  throw new UsageError(`"${text}" is no duration: give one such as 90s, 30m, 4h or 2d`);
}

function print(host: Host, { object, annotation }: Steered, words: string): void {
  host.process.write("stdout", `${object} ${words} (${annotation})\n`);
}
