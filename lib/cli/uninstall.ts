/** `uninstall` takes an operator out of a cluster; without `--yes` it prints a plan. */

import type { Command } from "commander";

import type { KubeObject } from "../../mod.ts";
import {
  type Cluster,
  type Footprint,
  type InManifests,
  openCluster,
  operatorIn,
  operatorInCluster,
  tracesOf,
  Uninstall,
  type Uninstalled,
} from "../kits/uninstall/mod.ts";
import type { Host, Seconds } from "../runtime/host.ts";
import { findManifestFiles, readManifests } from "./apply.ts";
import { CommandError, describeError, UsageError } from "./errors.ts";
import { declarationsOf, defaultName, type FileDeclarations, type Inside } from "./declarations.ts";
import { addClusterOptions, addLogOptions, type ClusterFlags, type LogFlags, loggerFor } from "./options.ts";
import { addExamples, CommandOption, wholeNumber } from "./program.ts";
import { listOf, printPlan, printReport } from "./uninstall_report.ts";

/** The flags of `uninstall`. */
interface UninstallFlags extends ClusterFlags, LogFlags {
  readonly filename?: readonly string[];
  readonly name?: string;
  readonly home?: string;
  readonly namespace?: readonly string[];
  readonly yes?: boolean;
  readonly waive?: boolean;
  readonly delete?: boolean;
  readonly crds?: boolean;
  readonly incomplete?: boolean;
  readonly timeout?: Seconds;
  readonly json?: boolean;
}

/** Adds the command `uninstall`, for the operator of handler files; or, in an executable, for the operator inside. */
export function addUninstall(program: Command, host: Host, inside?: Inside): void {
  const command = program.command("uninstall");
  if (inside === undefined) command.argument("[files...]", "The operator's handler files");
  command.summary("Take an operator out of a cluster, with everything that it has left there");
  command.description(
    `${command.summary()}\n\nFinalizers and notes on objects, webhook configurations, conversions, Leases, the Secret of ` +
      "certificates. Without --yes it only says what there is. The operator may run, have gone, or never have come up. Objects " +
      "that wait for a cleanup need a decision: --delete (the operator, which must run, cleans them up) or --waive (they stay, " +
      "and no cleanup runs). The command can be repeated. Its own manifests are yours: `kubectl delete -f` takes them away after it." +
      (inside === undefined
        ? "\n\nWhat the operator leaves is told by its code, by its manifests (-f), or by its Deployment in the cluster (--name alone)."
        : ""),
  );
  addUninstallOptions(command, inside !== undefined);
  addLogOptions(addClusterOptions(command));
  addExamples(
    command,
    inside === undefined
      ? [
        "uninstall handlers.ts --home databases",
        "uninstall -f operator.yaml --delete --crds --yes",
        "uninstall --name databases --home databases --waive --yes",
      ]
      : ["uninstall --home databases", "uninstall --home databases --delete --crds --yes"],
  );
  const run = async (flags: UninstallFlags, source: Source): Promise<void> => {
    if ((flags.timeout ?? TIMEOUT) < 1) throw new UsageError("--timeout must be at least 1 second");
    using cluster = await openCluster({ ...flags, host, logger: loggerFor(flags, host) });
    await uninstall(await source(cluster.client), { client: cluster.client, flags, host });
  };
  if (inside === undefined) {
    command.action((paths: readonly string[], flags: UninstallFlags) =>
      run(flags, sourceOf(paths, flags, host))
    );
  } else {
    command.action((flags: UninstallFlags) =>
      run(flags, async () => toUninstalled(await inside.declarations(), { ...flags, known: inside.name }))
    );
  }
}

function addUninstallOptions(command: Command, isInside: boolean): void {
  if (!isInside) {
    command.addOption(
      new CommandOption(
        "-f, --filename <path>",
        "The manifests that it was installed with, in place of its code: a file, or a folder; repeatable",
      ).repeatable(),
    );
  }
  command
    .addOption(
      new CommandOption(
        "--name <name>",
        "The name of its Deployment; default: as the manifests say, else that of the first file's folder",
      ),
    )
    .addOption(
      new CommandOption(
        "--home <namespace>",
        "Where the operator itself lives; default: as the manifests say, else its name",
      ),
    )
    .addOption(
      new CommandOption("-n, --namespace <name>", "Look at objects of that namespace only; repeatable")
        .repeatable(),
    )
    .addOption(new CommandOption("--yes", "Do it, and do not only say what there is"))
    .addOption(new CommandOption("--waive", "Let objects go without their cleanups; they are listed"))
    .addOption(
      new CommandOption("--delete", "Delete the objects that wait for cleanups first, and wait for these"),
    )
    .addOption(new CommandOption("--crds", "Remove the definitions of its own kinds, with all their objects"))
    .addOption(
      new CommandOption(
        "--incomplete",
        "Go on although rights are missing; what cannot be seen or taken away is named",
      ),
    )
    .addOption(
      new CommandOption("--timeout <seconds>", "How long cleanups may take, and the stop; default: 300")
        .argParser(wholeNumber),
    )
    .addOption(new CommandOption("--json", "Print JSON"));
}

/** How long cleanups may take, and the stop. */
const TIMEOUT: Seconds = 300;

/** Finds out which operator is meant, and its traces. */
type Source = (client: Cluster["client"]) => Promise<Uninstalled>;

function sourceOf(paths: readonly string[], flags: UninstallFlags, host: Host): Source {
  const { filename = [], name, home = name } = flags;
  if (paths.length > 0) {
    if (filename.length > 0) throw new UsageError("Give handler files, or manifests by -f: not both");
    return async () =>
      toUninstalled(await declarationsOf(paths, host), { ...flags, known: defaultName(paths, host) });
  }
  if (filename.length > 0) {
    return async () => {
      for (const path of filename) {
        if (!(await host.files.exists(host.files.resolve(host.process.cwd(), path, "Chart.yaml")))) continue;
        throw new CommandError(
          `Cannot read "${path}": it is a Helm chart (give the output of: helm get manifest RELEASE)`,
        );
      }
      const manifests: KubeObject[] = [];
      for (const file of await findManifestFiles(filename, host)) {
        manifests.push(...await readManifests(file, host));
      }
      return await inManifests(() => operatorIn(manifests, name), {
        flags,
        host,
        origin: filename.join(", "),
      });
    };
  }
  if (name === undefined || home === undefined) {
    throw new UsageError("Name handler files, or manifests by -f, or a Deployment in the cluster by --name");
  }
  return async (client) =>
    await inManifests(() => operatorInCluster(client, { name, home }), {
      flags,
      host,
      origin: `the Deployment ${home}/${name}`,
    });
}

interface ManifestsSource {
  readonly flags: UninstallFlags;
  readonly host: Host;
  /** The manifests' origin, for messages. */
  readonly origin: string;
}

async function inManifests(
  find: () => InManifests | Promise<InManifests>,
  { flags, host, origin }: ManifestsSource,
): Promise<Uninstalled> {
  let found: InManifests;
  try {
    found = await find();
  } catch (error) {
    throw new CommandError(`Cannot tell what the operator of ${origin} leaves: ${describeError(error)}`);
  }
  const { traces, name, isGuess } = found;
  if (isGuess) {
    host.process.write(
      "stderr",
      "warning: the manifests do not say which marks the operator leaves; Lotse's usual ones are looked for on the kinds that " +
        "their definitions and roles name (manifests of `lotse generate manifests` say it)\n",
    );
  }
  return { traces, name, home: flags.home ?? found.home ?? name, namespaces: flags.namespace };
}

function toUninstalled(
  { operators, exports }: FileDeclarations,
  { known, name = known, home = name, namespace }: UninstallFlags & { readonly known: string },
): Uninstalled {
  if (operators.length === 0) {
    throw new CommandError('No operator is in the files (add "export default op", where op is operator())');
  }
  return { traces: tracesOf({ operators, exports }), name, home, namespaces: namespace };
}

interface UninstallTools {
  readonly client: Cluster["client"];
  readonly flags: UninstallFlags;
  readonly host: Host;
}

async function uninstall(operator: Uninstalled, { client, flags, host }: UninstallTools): Promise<void> {
  const { yes = false, waive = false, delete: deletes = false, crds = false, json = false } = flags;
  const { incomplete = false, timeout = TIMEOUT } = flags;
  const say = (line: string): void => {
    if (!json) host.process.write("stdout", `${line}\n`);
  };
  const work = new Uninstall({ ...operator, client, clock: host.clock, waive, deletes, crds, timeout, say });
  const footprint = await work.survey();
  const missing = await work.missing(footprint);
  const deployment = `${operator.home}/${operator.name}`;
  if (!yes) return printPlan({ footprint, missing, crds, deployment }, { host, json });
  if (!incomplete) rejectBlind([...footprint.problems, ...missing]);
  rejectUndecided(footprint, { waive, deletes, deployment });
  const report = await work.run();
  printReport(report, { host, json });
  if (report.left.length > 0) {
    throw new CommandError(
      `The operator is not gone entirely:\n${listOf(report.left)}\n(repeat when that is mended)`,
    );
  }
}

/** Refuses work that would stay half done. */
function rejectBlind(problems: readonly string[]): void {
  if (problems.length === 0) return;
  throw new CommandError(
    `Cannot take everything away, so nothing was done:\n${listOf(problems)}\n` +
      "(run it as a user with these rights, or add --incomplete to go on without)",
  );
}

interface Decision {
  readonly waive: boolean;
  readonly deletes: boolean;
  /** The Deployment, as "namespace/name". */
  readonly deployment: string;
}

/** Refuses to begin before it is decided about the objects. */
function rejectUndecided({ marked, presence }: Footprint, { waive, deletes, deployment }: Decision): void {
  const waiting = marked.filter(({ isFinalized }) => isFinalized).length;
  if (waiting === 0) return;
  if (deletes && presence === "not ready") {
    throw new CommandError(
      `The operator does not run (deployment ${deployment} has no Pod that is ready), so it cannot clean up, and nothing was done ` +
        "(start it, or take --waive in place of --delete)",
    );
  }
  if (waive || deletes) return;
  throw new CommandError(
    `${waiting} objects wait for cleanups, so nothing was done (add --delete, so that the operator cleans them up, ` +
      "or --waive, to let them go without)",
  );
}
