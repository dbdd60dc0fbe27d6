/** `uninstall` takes an operator out of a cluster; without `--yes` it says what there is to take away. */

import type { Command } from "commander";

import {
  type Footprint,
  openCluster,
  titleOf,
  Uninstall,
  type UninstallReport,
} from "../kits/uninstall/mod.ts";
import type { Host, Seconds } from "../runtime/host.ts";
import { CommandError, UsageError } from "./errors.ts";
import { declarationsOf, defaultName, type FileDeclarations, type Inside } from "./declarations.ts";
import { addClusterOptions, addLogOptions, type ClusterFlags, type LogFlags, loggerFor } from "./options.ts";
import { addExamples, CommandOption, wholeNumber } from "./program.ts";

/** The flags of `uninstall`. */
interface UninstallFlags extends ClusterFlags, LogFlags {
  readonly name?: string;
  readonly home?: string;
  readonly yes?: boolean;
  readonly waive?: boolean;
  readonly delete?: boolean;
  readonly crds?: boolean;
  readonly timeout?: Seconds;
  readonly json?: boolean;
}

/** How many objects are named in the plan, of each kind. */
const MOST_NAMED = 10;

/** Adds the command `uninstall`, for the operator of handler files; or, in an executable, for the operator inside. */
export function addUninstall(program: Command, host: Host, inside?: Inside): void {
  const command = program.command("uninstall");
  if (inside === undefined) command.argument("<files...>", "The operator's handler files");
  command.summary("Take an operator out of a cluster, with everything that it has left there");
  command.description(
    `${command.summary()}\n\nFinalizers and notes on objects, webhook configurations, conversions, Leases, the Secret of ` +
      "certificates. Without --yes it only says what there is. The operator may run, have gone, or never have come up. Objects " +
      "that wait for a cleanup need a decision: --delete (the operator, which must run, cleans them up) or --waive (they stay, " +
      "and no cleanup runs). The command can be repeated. Its own manifests are yours: `kubectl delete -f` takes them away after it.",
  );
  command
    .addOption(
      new CommandOption(
        "--name <name>",
        "The name of its Deployment; default: that of the first file's folder",
      ),
    )
    .addOption(new CommandOption("--home <namespace>", "Where the operator itself lives; default: its name"))
    .addOption(new CommandOption("--yes", "Do it, and do not only say what there is"))
    .addOption(new CommandOption("--waive", "Let objects go without their cleanups; they are listed"))
    .addOption(
      new CommandOption("--delete", "Delete the objects that wait for cleanups first, and wait for these"),
    )
    .addOption(new CommandOption("--crds", "Remove the definitions of its own kinds, with all their objects"))
    .addOption(
      new CommandOption("--timeout <seconds>", "How long cleanups may take, and the stop; default: 300")
        .argParser(wholeNumber),
    )
    .addOption(new CommandOption("--json", "Print JSON"));
  addLogOptions(addClusterOptions(command));
  const files = inside === undefined ? " handlers.ts" : "";
  addExamples(command, [
    `uninstall${files} --home databases`,
    `uninstall${files} --home databases --delete --crds --yes`,
  ]);
  if (inside === undefined) {
    command.action(async (paths: readonly string[], flags: UninstallFlags) => {
      await uninstall({ ...await declarationsOf(paths, host), name: defaultName(paths, host) }, flags, host);
    });
  } else {
    command.action(async (flags: UninstallFlags) => {
      await uninstall({ ...await inside.declarations(), name: inside.name }, flags, host);
    });
  }
}

async function uninstall(
  { operators, exports, name: known }: FileDeclarations & { readonly name: string },
  flags: UninstallFlags,
  host: Host,
): Promise<void> {
  if (operators.length === 0) {
    throw new CommandError('No operator is in the files (add "export default op", where op is operator())');
  }
  const { yes = false, waive = false, delete: deletes = false, crds = false, timeout = 300, json = false } =
    flags;
  if (timeout < 1) throw new UsageError("--timeout must be at least 1 second");
  const { name = known } = flags;
  using cluster = await openCluster({ ...flags, host, logger: loggerFor(flags, host) });
  const say = (line: string): void => {
    if (!json) host.process.write("stdout", `${line}\n`);
  };
  const work = new Uninstall({
    operators,
    exports,
    name,
    home: flags.home ?? name,
    client: cluster.client,
    clock: host.clock,
    waive,
    deletes,
    crds,
    timeout,
    say,
  });
  const footprint = await work.survey();
  if (!yes) return printPlan(footprint, { host, json });
  rejectUndecided(footprint, { waive, deletes });
  const report = await work.run();
  printReport(report, { host, json });
  if (report.left.length > 0) {
    throw new CommandError(
      `The operator is not gone entirely:\n${listOf(report.left)}\n(repeat when that is mended)`,
    );
  }
}

interface Printing {
  readonly host: Host;
  readonly json: boolean;
}

/** Nothing is done before it is known what becomes of the objects. */
function rejectUndecided(
  { marked, problems }: Footprint,
  { waive, deletes }: { readonly waive: boolean; readonly deletes: boolean },
): void {
  const forbidden = problems.filter((problem) => problem.startsWith("Cannot list"));
  if (forbidden.length > 0 && !waive) {
    throw new CommandError(
      `Cannot see everything, so nothing was done:\n${
        listOf(forbidden)
      }\n(grant the right, or add --waive to go on without)`,
    );
  }
  const waiting = marked.filter(({ isFinalized }) => isFinalized);
  if (waiting.length === 0 || waive || deletes) return;
  throw new CommandError(
    `${waiting.length} objects wait for cleanups, so nothing was done (add --delete, so that the operator cleans them up, ` +
      "or --waive, to let them go without)",
  );
}

function printPlan({ marked, belongings, problems }: Footprint, { host, json }: Printing): void {
  if (json) {
    const objects = marked.map((each) => ({ object: titleOf(each), waits: each.isFinalized }));
    const things = belongings.map((each) => ({ object: titleOf(each), action: each.action }));
    host.process.write("stdout", `${JSON.stringify({ objects, things, problems }, undefined, 2)}\n`);
    return;
  }
  const lines: string[] = [];
  const waiting = marked.filter(({ isFinalized }) => isFinalized);
  const noted = marked.filter(({ isFinalized }) => !isFinalized);
  if (waiting.length > 0) {
    lines.push(
      `${waiting.length} objects wait for a cleanup (choose --delete or --waive):`,
      namesOf(waiting),
    );
  }
  if (noted.length > 0) lines.push(`${noted.length} objects have notes of the operator:`, namesOf(noted));
  if (belongings.length > 0) {
    lines.push("To take away:", listOf(belongings.map((each) => `${titleOf(each)}: ${each.action}`)));
  }
  if (problems.length > 0) lines.push("Problems:", listOf(problems));
  if (lines.length === 0) lines.push("Nothing of the operator is in the cluster.");
  else lines.push("Nothing was changed: add --yes to do it.");
  host.process.write("stdout", `${lines.join("\n")}\n`);
}

function printReport(report: UninstallReport, { host, json }: Printing): void {
  if (json) {
    host.process.write("stdout", `${JSON.stringify(report, undefined, 2)}\n`);
    return;
  }
  const { waived, released, removed } = report;
  const lines = [`Let go: ${released} objects`];
  if (waived.length > 0) lines.push(`Cleanups that did not run (${waived.length}):`, listOf(waived));
  if (removed.length > 0) lines.push("Taken away:", listOf(removed));
  host.process.write("stdout", `${lines.join("\n")}\n`);
}

function namesOf(marked: Footprint["marked"]): string {
  const names = marked.slice(0, MOST_NAMED).map(titleOf);
  return listOf(marked.length > MOST_NAMED ? [...names, `and ${marked.length - MOST_NAMED} more`] : names);
}

function listOf(lines: readonly string[]): string {
  return lines.map((line) => `  ${line}`).join("\n");
}
