/** `freeze`: pauses operators from outside, by a record in their peering object. */

import { freezePeers } from "../../mod.ts";
import type { Command, CommandOption, Invocation } from "./command.ts";
import { EXIT, UsageError } from "./errors.ts";
import {
  CLUSTER_OPTIONS,
  DEV_PRIORITY,
  loggerFor,
  LOGGING_OPTIONS,
  SCOPE_OPTIONS,
} from "./shared_options.ts";

/** Which peering object, and in whose name. */
export const PEERING_OPTIONS: readonly CommandOption[] = [
  { flags: "-P, --peering <name>", summary: "The peering object that the operators meet at", required: true },
  { flags: "-i, --id <identity>", summary: "In whose name; default: user@host" },
];

/** The command. */
export const FREEZE: Command = {
  name: "freeze",
  summary: "Pause operators for some time, through their peering object",
  details: ["Operators of a lower or the same priority pause until the time is over, or until `resume`."],
  options: [
    ...PEERING_OPTIONS,
    { flags: "-t, --lifetime <seconds>", summary: "For how long", kind: "number", required: true },
    { flags: "-p, --priority <number>", summary: "Operators up to it pause; default: 100", kind: "number" },
    { flags: "--dev", summary: "Priority 666, whatever --priority says" },
    { flags: "-m, --message <text>", summary: "Why; nobody reads it (as in Kopf)" },
    ...SCOPE_OPTIONS,
    ...CLUSTER_OPTIONS,
    ...LOGGING_OPTIONS,
  ],
  examples: ["freeze --peering default --lifetime 60", "freeze -P default -t 600 -p 1000 -n team-a"],
  run,
};

async function run({ host, options }: Invocation): Promise<number> {
  const lifetime = options.number("lifetime") ?? 0;
  if (lifetime < 1) throw new UsageError("--lifetime must be at least 1 second");
  await freezePeers({
    lifetime,
    priority: options.flag("dev") ? DEV_PRIORITY : options.number("priority"),
    peering: options.text("peering") ?? "", // it is required
    identity: options.text("id"),
    namespaces: options.list("namespace"),
    kubeconfig: options.text("kubeconfig"),
    context: options.text("context"),
    logger: loggerFor(options, host),
    host,
  });
  return EXIT.done;
}
