/** `resume`: lets operators go on that `freeze` has paused. */

import { resumePeers } from "../../mod.ts";
import type { Command, Invocation } from "./command.ts";
import { EXIT } from "./errors.ts";
import { PEERING_OPTIONS } from "./freeze.ts";
import { CLUSTER_OPTIONS, loggerFor, LOGGING_OPTIONS, SCOPE_OPTIONS } from "./shared_options.ts";

/** The command. */
export const RESUME: Command = {
  name: "resume",
  summary: "Let operators go on that `freeze` has paused",
  options: [...PEERING_OPTIONS, ...SCOPE_OPTIONS, ...CLUSTER_OPTIONS, ...LOGGING_OPTIONS],
  examples: ["resume --peering default"],
  run,
};

async function run({ host, options }: Invocation): Promise<number> {
  await resumePeers({
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
