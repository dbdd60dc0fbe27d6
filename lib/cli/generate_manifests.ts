/** `generate rbac` and `generate manifests`: the manifests by which a cluster runs an operator. */

import type { Command } from "commander";

import { declaredKinds, makeCrds } from "../kits/definitions/mod.ts";
import { converterOf, makeManifests, toChart, toKustomize, toYaml } from "../kits/generate/mod.ts";
import { makeRbac, parseRights, type Rbac, type RbacOptions, type Right } from "../kits/rights/mod.ts";
import type { Host } from "../runtime/host.ts";
import { VERSION } from "../runtime/version.ts";
import { formatYaml } from "../runtime/yaml.ts";
import { CommandError, UsageError } from "./errors.ts";
import { declarationsOf, defaultName } from "./declarations.ts";
import { addExamples, CommandOption, portNumber, wholeNumber } from "./program.ts";

interface RbacFlags {
  readonly name?: string;
  readonly home?: string;
  readonly namespace?: readonly string[];
  readonly peering?: string;
  readonly record?: readonly string[];
  /** For roles: whether there may be several; for manifests: how many. */
  readonly replicas?: boolean | number;
}

interface ManifestsFlags extends RbacFlags {
  readonly image?: string;
  readonly format: "yaml" | "kustomize" | "helm";
  readonly output?: string;
  readonly monitoring?: boolean;
  readonly networkPolicy?: boolean;
  readonly runbook?: string;
  readonly webhookPort?: number;
}

/** Adds the command `rbac`. */
export function addRbac(parent: Command, host: Host): void {
  const command = parent.command("rbac").argument("<files...>", "Handler files");
  command.summary("Print a service account with the rights that an operator needs, and no others");
  command.description(
    `${command.summary()}\n\nWhat handlers do by themselves does not show in their declarations: record it, with ` +
      "`lotse run --record-rights FILE`, and give the files.",
  );
  addRbacOptions(command);
  command.addOption(
    new CommandOption(
      "--replicas",
      "Add the rights that several replicas need, as in `run`; default: as the code says",
    ),
  );
  addExamples(command, [
    "generate rbac handlers.ts --record rights.json",
    "generate rbac handlers.ts -n team-a",
  ]);
  command.action(async (files: readonly string[], flags: RbacFlags) => {
    const rbac = makeRbac(await optionsOf(files, flags, host));
    reportUnknown(rbac, flags, host);
    printYaml(rbac.manifests, host);
  });
}

/** Adds the command `manifests`. */
export function addManifests(parent: Command, host: Host): void {
  const command = parent.command("manifests").argument("<files...>", "Handler files");
  command.summary("Print everything that a cluster needs to run an operator");
  command.description(
    `${command.summary()}\n\nNamespace, definitions of kinds with schemas, service account, roles, Deployment, Services, ` +
      "PodDisruptionBudget; on request ServiceMonitor, alerts and NetworkPolicy. As YAML for kubectl, or as a folder: a " +
      "Kustomize base or a Helm chart.",
  );
  command
    .addOption(new CommandOption("--image <image>", "The operator's image, with its tag").demand())
    .addOption(
      new CommandOption("--format <format>", "What to make; default: yaml").oneOf([
        "yaml",
        "kustomize",
        "helm",
      ])
        .default("yaml"),
    )
    .addOption(new CommandOption("-o, --output <folder>", "Where to write a Kustomize base or a Helm chart"))
    .addOption(
      new CommandOption("--monitoring", "Add a ServiceMonitor and alerts, for the Prometheus operator"),
    )
    .addOption(
      new CommandOption(
        "--runbook <url>",
        "Where alerts lead to: a page with a heading for each; default: Lotse's own",
      ),
    )
    .addOption(new CommandOption("--network-policy", "Add a NetworkPolicy"))
    .addOption(
      new CommandOption(
        "--replicas <number>",
        "How many replicas share the objects by Leases; default: 2 if the code has `replicas`, else one without Leases. Update from a release without Leases once with `strategy: Recreate`: its Pods know none",
      ).argParser(wholeNumber),
    )
    .addOption(
      new CommandOption(
        "--webhook-port <port>",
        "Where webhooks are served; default: as the code says, else 9443",
      ).argParser(
        portNumber,
      ),
    );
  addRbacOptions(command);
  addExamples(command, [
    "generate manifests handlers.ts --image registry.example.com/bakery:1.0 | kubectl apply -f -",
    "generate manifests handlers.ts --image bakery:1.0 --format helm -o chart",
  ]);
  command.action((files: readonly string[], flags: ManifestsFlags) => writeManifests(files, flags, host));
}

function addRbacOptions(command: Command): void {
  command
    .addOption(
      new CommandOption("--name <name>", "The name of all objects; default: that of the first file's folder"),
    )
    .addOption(new CommandOption("--home <namespace>", "Where the operator itself lives; default: its name"))
    .addOption(
      new CommandOption("-n, --namespace <pattern>", "Serve namespaces of that name, as in `run`; repeatable")
        .repeatable(),
    )
    .addOption(
      new CommandOption("--peering <name>", "Meet other operators at this peering object, as in `run`"),
    )
    .addOption(new CommandOption("--record <file>", "Rights that were recorded; repeatable").repeatable());
}

async function writeManifests(files: readonly string[], flags: ManifestsFlags, host: Host): Promise<void> {
  const { image = "", format, output, monitoring = false, networkPolicy = false, webhookPort, runbook } =
    flags;
  if (runbook !== undefined && !/^https?:\/\//.test(runbook)) {
    throw new UsageError(`--runbook "${runbook}" is no address (such as https://wiki.example.com/alerts)`);
  }
  if (format === "yaml" && output !== undefined) {
    throw new UsageError("-o is for --format kustomize and --format helm: redirect the output instead");
  }
  if (format !== "yaml" && output === undefined) throw new UsageError(`--format ${format} needs -o FOLDER`);
  const options = await optionsOf(files, flags, host);
  const replicas = replicasOf(flags, options.operators);
  const crds = makeCrds(declaredKinds(options), converterOf({ ...options, webhookPort }));
  const manifests = makeManifests({
    ...options,
    image,
    replicas,
    webhookPort,
    runbook,
    crds,
    roles: makeRbac(options),
  });
  reportUnknown(manifests, flags, host);
  const wanted = { monitoring, networkPolicy };
  if (output === undefined) {
    host.process.write("stdout", toYaml(manifests, wanted));
    return;
  }
  const texts = format === "helm"
    ? toChart(manifests, { ...wanted, name: options.name, version: VERSION })
    : toKustomize(manifests, wanted);
  const folder = host.files.resolve(host.process.cwd(), output);
  if (await host.files.exists(folder) && (await host.files.list(folder)).length > 0) {
    await rejectStrangers(folder, [...texts.keys()], host);
  }
  for (const [path, text] of texts) await host.files.writeText(host.files.resolve(folder, path), text);
  host.process.write("stdout", `${[...texts.keys()].map((path) => `${output}/${path}`).join("\n")}\n`);
}

/**
 * Refuses a folder with other files than the ones to be written: files of an earlier run are written anew, and no others are
 * touched.
 */
async function rejectStrangers(folder: string, paths: readonly string[], host: Host): Promise<void> {
  const own = new Set(paths.map((path) => path.split("/")[0]));
  const strangers = (await host.files.list(folder)).filter((name) => !own.has(name));
  if (strangers.length === 0) return;
  throw new CommandError(
    `Cannot write to "${folder}": there is something else, such as "${strangers[0]}" (name an empty folder)`,
  );
}

async function optionsOf(
  files: readonly string[],
  flags: RbacFlags,
  host: Host,
): Promise<RbacOptions & { readonly exports?: readonly unknown[] }> {
  const { operators, exports } = await declarationsOf(files, host);
  if (operators.length === 0) {
    throw new CommandError(
      `No operator is in ${files.join(", ")} (add "export default op", where op is operator())`,
    );
  }
  const name = flags.name ?? defaultName(files, host);
  if (!/^[a-z]([-a-z0-9]{0,51}[a-z0-9])?$/.test(name)) {
    throw new UsageError(
      `--name "${name}" is no name (lower-case letters, digits and dashes, beginning with a letter)`,
    );
  }
  return {
    operators: flags.replicas === undefined ? operators : operators.map(withReplicas),
    exports,
    name,
    home: flags.home ?? name,
    namespaces: flags.namespace,
    peering: flags.peering,
    recorded: await readRights(flags.record ?? [], host),
  };
}

/** Returns how many replicas are wanted; undefined: one, without Leases. */
function replicasOf({ replicas }: ManifestsFlags, operators: RbacOptions["operators"]): number | undefined {
  if (replicas === undefined) {
    return operators.some(({ settings }) => settings.replicas.enabled) ? 2 : undefined;
  }
  const count = Number(replicas);
  if (count >= 1) return count;
  throw new UsageError("--replicas must be 1 or more");
}

type Roles = RbacOptions["operators"][number];

function withReplicas({ declared, settings, crds }: Roles): Roles {
  return { declared, crds, settings: { ...settings, replicas: { ...settings.replicas, enabled: true } } };
}

async function readRights(files: readonly string[], host: Host): Promise<Right[]> {
  const rights: Right[] = [];
  for (const file of files) {
    try {
      rights.push(...parseRights(await host.files.readText(host.files.resolve(host.process.cwd(), file))));
    } catch (error) {
      throw new CommandError(`Cannot read "${file}"`, { cause: error });
    }
  }
  return rights;
}

/** Rights that the code does not show are an error without a record, and a warning with one, which may have them. */
function reportUnknown(
  { unknown, unseen }: Pick<Rbac, "unknown" | "unseen">,
  { record = [] }: RbacFlags,
  host: Host,
): void {
  if (unseen.length > 0) {
    const hint = "(lotse run --record-rights FILE, then --record FILE)";
    const said = listOf(unseen);
    host.process.write(
      "stderr",
      `warning: these may need more rights than their code shows ${hint}:${said}\n`,
    );
  }
  if (unknown.length === 0) return;
  const list = listOf(unknown);
  if (record.length === 0) {
    throw new CommandError(
      `Cannot tell all rights:${list}\n(name the kind by its plural and group, or add --record FILE)`,
    );
  }
  host.process.write("stderr", `warning: the rights of these are taken from the record alone:${list}\n`);
}

function listOf(sentences: readonly string[]): string {
  return sentences.map((sentence) => `\n  ${sentence}`).join("");
}

/** Prints manifests as YAML. */
export function printYaml(manifests: readonly unknown[], host: Host): void {
  host.process.write("stdout", manifests.map((manifest) => formatYaml(manifest)).join("---\n"));
}
