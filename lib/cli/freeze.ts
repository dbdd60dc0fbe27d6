/**
 * `freeze` pauses operators from outside, by a record in their peering object; `resume` takes the record away, or the pause of one
 * object.
 */

import type { Command } from "commander";

import { freezePeers, resumePeers } from "../operator/freeze.ts";
import type { Host } from "../runtime/host.ts";
import { UsageError } from "./errors.ts";
import {
  addClusterOptions,
  addLogOptions,
  addScopeOptions,
  type ClusterFlags,
  DEV_PRIORITY,
  type LogFlags,
  loggerFor,
  type ScopeFlags,
} from "./options.ts";
import { addExamples, CommandOption, wholeNumber } from "./program.ts";
import { addPrefixOption, resumeOne } from "./steer.ts";

/** Which peering object, and in whose name. */
interface ResumeFlags extends ScopeFlags, ClusterFlags, LogFlags {
  readonly peering?: string;
  readonly prefix?: string;
  readonly id?: string;
}

interface FreezeFlags extends ResumeFlags {
  readonly lifetime: number;
  readonly priority?: number;
  readonly dev?: boolean;
  readonly message?: string;
}

/** Adds the command `freeze`. */
export function addFreeze(program: Command, host: Host): void {
  const command = program.command("freeze");
  command.summary("Pause operators for some time, through their peering object");
  command.description(
    `${command.summary()}\n\nOperators of a lower or the same priority pause until the time is over, or until \`resume\`.`,
  );
  addPeeringOptions(command, { isDemanded: true });
  command
    .addOption(
      new CommandOption("-t, --lifetime <seconds>", "For how long they pause").argParser(wholeNumber)
        .demand(),
    )
    .addOption(
      new CommandOption("-p, --priority <number>", "Operators up to it pause; default: 100").argParser(
        wholeNumber,
      ),
    )
    .addOption(new CommandOption("--dev", `Pause operators up to priority ${DEV_PRIORITY}`))
    .addOption(new CommandOption("-m, --message <text>", "Why; nobody reads it (as in Kopf)"));
  addScopeOptions(command, "pause");
  addLogOptions(addClusterOptions(command));
  addExamples(command, [
    "freeze --peering default --lifetime 60",
    "freeze -P default -t 600 -p 1000 -n team-a",
  ]);
  command.action((flags: FreezeFlags) => freeze(flags, host));
}

/** Adds the command `resume`. */
export function addResume(program: Command, host: Host): void {
  const command = program.command("resume");
  command.argument("[kind]", "Of one object that `pause` has paused: such as databases")
    .argument("[object]", "Its name, or NAMESPACE/NAME");
  command.summary("Let an object go on that `pause` has paused, or operators that `freeze` has paused");
  command.description(`${command.summary()}\n\nEither the object is given, or --peering.`);
  addPeeringOptions(command, { isDemanded: false });
  addScopeOptions(command, "resume");
  addLogOptions(addClusterOptions(addPrefixOption(command)));
  addExamples(command, ["resume databases default/db-1", "resume --peering default"]);
  command.action(async (kind: string | undefined, object: string | undefined, flags: ResumeFlags) => {
    await resume({ kind, object }, flags, host);
  });
}

async function resume(
  { kind, object }: { readonly kind?: string; readonly object?: string },
  flags: ResumeFlags,
  host: Host,
): Promise<void> {
  const { peering, namespace: namespaces = [] } = flags;
  if ((kind === undefined) === (peering === undefined) || (kind !== undefined && object === undefined)) {
    throw new UsageError("Say what goes on: an object (KIND NAME), or operators (--peering NAME)");
  }
  if (kind === undefined || object === undefined) return await resumePeers(peeringOf(flags, host));
  if (namespaces.length > 1) throw new UsageError("An object is in one namespace: give -n once");
  await resumeOne(kind, object, { ...flags, namespace: namespaces[0] }, host);
}

function addPeeringOptions(command: Command, { isDemanded }: { readonly isDemanded: boolean }): void {
  const peering = new CommandOption("-P, --peering <name>", "The peering object that the operators meet at");
  command
    .addOption(isDemanded ? peering.demand() : peering)
    .addOption(new CommandOption("-i, --id <identity>", "In whose name; default: user@host"));
}

async function freeze(flags: FreezeFlags, host: Host): Promise<void> {
  const { lifetime, dev, priority } = flags;
  if (lifetime < 1) throw new UsageError("--lifetime must be at least 1 second");
  await freezePeers({ ...peeringOf(flags, host), lifetime, priority: dev ? DEV_PRIORITY : priority });
}

function peeringOf(flags: ResumeFlags, host: Host): Parameters<typeof resumePeers>[0] {
  return {
    peering: flags.peering ?? "",
    identity: flags.id,
    namespaces: flags.namespace,
    kubeconfig: flags.kubeconfig,
    context: flags.context,
    logger: loggerFor(flags, host),
    host,
  };
}
