/** Which operator is asked by `why`, `queue`, `top` and `log-level`: one on this machine, or one in a cluster. */

import type { Command } from "commander";

import type { AskedPod } from "../operator/pod_ask.ts";
import type { Host } from "../runtime/host.ts";
import { type Asking, askOperators } from "./ask.ts";
import { CommandError, UsageError } from "./errors.ts";
import { addClusterOptions, type ClusterFlags } from "./options.ts";
import { CommandOption, wholeNumber } from "./program.ts";

/** Flags of all commands that ask. */
export interface AskFlags extends ClusterFlags {
  readonly json?: boolean;
  readonly pid?: number;
  readonly operator?: string;
  readonly executable?: string;
}

/** Adds the options of `AskFlags`. */
export function addAskOptions(command: Command): Command {
  command
    .addOption(new CommandOption("--json", "Print JSON"))
    .addOption(
      new CommandOption("--pid <number>", "The process to ask, where several operators run").argParser(
        wholeNumber,
      ),
    )
    .addOption(
      new CommandOption(
        "--operator <name>",
        "The operator to ask in the cluster: [NAMESPACE/]NAME of its Deployment, or of one of its Pods",
      ).exclude("pid"),
    )
    .addOption(
      new CommandOption(
        "--executable <words>",
        "With --operator: what starts it in its Pod; default: the container's command, else /operator",
      ),
    );
  return addClusterOptions(command);
}

/** Asks the operators on this machine, and returns their answers. @throws {CommandError} If no operator answers. */
export function askHere(
  host: Host,
  { pid }: AskFlags,
  asking: Omit<Asking, "pid">,
): Promise<readonly unknown[]> {
  return askOperators(host, { ...asking, pid });
}

/** Calls a function with the Pods of the operator that `--operator` names. @throws {CommandError} If none can be asked. */
export async function askThere<Result>(
  host: Host,
  { operator = "", executable, kubeconfig, context }: AskFlags,
  act: (pods: readonly AskedPod[]) => Promise<Result>,
): Promise<Result> {
  const [first = "", second, ...more] = operator.split("/");
  if (first === "" || second === "" || more.length > 0) {
    throw new UsageError(`"${operator}" is no operator: give NAME or NAMESPACE/NAME`);
  }
  const { askPods } = await load(host, () => import("../operator/pod_ask.ts"));
  const command = executable?.split(/\s+/).filter((word) => word !== "");
  const place = second === undefined ? { operator: first } : { operator: second, home: first };
  return await askPods({ ...place, command, kubeconfig, context, host }, act);
}

/** Prints the output of each Pod, under its name where there are several. One that fails is named, and the others are asked. */
export async function printAll(
  host: Host,
  pods: readonly AskedPod[],
  args: readonly string[],
): Promise<string> {
  const texts: string[] = [];
  const failures: string[] = [];
  for (const { name, ask } of pods) {
    try {
      const text = (await ask(args)).trimEnd();
      texts.push(pods.length === 1 || args.includes("--json") ? text : `${name}\n\n${text}`);
    } catch (error) {
      failures.push(error instanceof Error ? error.message : String(error));
    }
  }
  if (texts.length === 0) throw new CommandError(failures[0] ?? "No operator answers");
  for (const failure of failures) host.process.write("stderr", `warning: ${failure}\n`);
  return texts.join("\n\n");
}

/** Loads a part of the program that few commands need. */
export function load<Part>(host: Host, part: () => Promise<Part>): Promise<Part> {
  return host.process.load === undefined ? part() : host.process.load(part);
}
