/** `why` and `queue` ask operators that run on this machine, also inside of a Pod, or in a cluster. */

import type { Command } from "commander";

import type { AskedPod } from "../operator/pod_ask.ts";
import type { Explanation, Question, Queued } from "../public/types.ts";
import type { Host } from "../runtime/host.ts";
import { hasOperators } from "./ask.ts";
import { addAskOptions, type AskFlags, askHere, askThere, load, printAll } from "./asked.ts";
import { CommandError, UsageError } from "./errors.ts";
import { addExamples, CommandOption } from "./program.ts";

interface WhyFlags extends AskFlags {
  readonly namespace?: string;
  readonly offline?: boolean;
}

/** Adds the command `why`. */
export function addWhy(program: Command, host: Host): void {
  const command = program.command("why").argument("<kind>", "Such as databases, or databases.example.com")
    .argument("<object>", "Its name, or NAMESPACE/NAME");
  command.summary("Say why an object is, or is not, handled");
  command.description(
    `${command.summary()}\n\nAsks the operator that runs on this machine; where there is none, the one of the kind in the cluster (--operator names it), by its own command in its Pod ` +
      "(of several replicas the responsible one). " +
      "Answers in words: what runs, what it waits for, which handlers were skipped and why, the last ten looks.",
  );
  command.addOption(
    new CommandOption("-n, --namespace <namespace>", "The object's namespace; default: default"),
  );
  command.addOption(
    new CommandOption("--offline", "Ask no operator: say what the notes on the object tell").exclude(
      "operator",
    ),
  );
  addAskOptions(command);
  addExamples(command, [
    "why databases.example.com db-1 -n team-a --json",
    "why databases default/db-1 --operator ops/database-operator",
    "why databases default/db-1",
  ]);
  command.action(async (kind: string, object: string, flags: WhyFlags) => {
    const answer = await explanationOf(host, questionOf(kind, object, flags), flags);
    if (answer !== undefined) print(host, flags.json ? JSON.stringify(answer, undefined, 2) : textOf(answer));
  });
}

async function explanationOf(
  host: Host,
  question: Question,
  flags: WhyFlags,
): Promise<Explanation | undefined> {
  const { kubeconfig, context } = flags;
  if (flags.offline) {
    const { explainOffline } = await load(host, () => import("../operator/offline_why.ts"));
    return await explainOffline({ ...question, kubeconfig, context, host });
  }
  const operator = flags.operator ?? await findThere(host, question, flags);
  if (operator !== undefined) {
    return await askThere(host, { ...flags, operator }, (pods) => askResponsible(pods, question));
  }
  const answers = await askHere(host, flags, { path: "/why", question }) as readonly Explanation[];
  // Several operators may run here: the one that has the kind knows most.
  return answers.find(({ handlers }) => handlers.length > 0) ?? answers[0];
}

/**
 * Where none runs on this machine, looks for the operator of the kind in the cluster. Not inside of a Pod, where this command may
 * have been started by such a question itself.
 */
async function findThere(
  host: Host,
  { kind, namespace }: Question,
  { pid, kubeconfig, context }: AskFlags,
): Promise<string | undefined> {
  const isInside = host.process.env("KUBERNETES_SERVICE_HOST") !== undefined;
  if (isInside || pid !== undefined || await hasOperators(host)) return undefined;
  const { findResponsible } = await load(host, () => import("../operator/responsible_operator.ts"));
  try {
    const operator = await findResponsible({ kind, namespace, kubeconfig, context, host });
    host.process.write("stderr", `The operator ${operator} is asked\n`);
    return operator;
  } catch (error) {
    if (error instanceof Error && error.name === "LoginError") return undefined;
    throw error;
  }
}

/** Asks one replica, and then the one that is responsible, where that is another. */
async function askResponsible(
  pods: readonly AskedPod[],
  { kind, namespace, name }: Question,
): Promise<Explanation | undefined> {
  const place = namespace === undefined ? name : `${namespace}/${name}`;
  const ask = async (pod: AskedPod): Promise<Explanation> => {
    const text = await pod.ask(["why", kind, place, "--json"]);
    try {
      return JSON.parse(text) as Explanation; // the command of the same name has written it
    } catch {
      throw new CommandError(
        `The program in the Pod "${pod.name}" gives no answer: is it an operator of Lotse?`,
      );
    }
  };
  let failure: unknown;
  for (const pod of pods) {
    try {
      const answer = await ask(pod);
      const responsible = pods.find((each) => each !== pod && answer.holder?.startsWith(`${each.name}_`));
      return responsible === undefined ? answer : await ask(responsible);
    } catch (error) {
      failure ??= error;
    }
  }
  throw failure;
}

/** Adds the command `queue`. */
export function addQueue(program: Command, host: Host): void {
  const command = program.command("queue");
  command.summary("List the objects that are being handled, that wait, and that are planned");
  command.description(
    `${command.summary()}\n\nAsks the operator that runs on this machine; with --operator one in a cluster.`,
  );
  addAskOptions(command);
  addExamples(command, ["queue --json", "queue"]);
  command.action(async (flags: AskFlags) => {
    if (flags.operator !== undefined) {
      const args = ["queue", ...flags.json ? ["--json"] : []];
      return print(host, await askThere(host, flags, (pods) => printAll(host, pods, args)));
    }
    const answers = await askHere(host, flags, { path: "/queue" }) as readonly Queued[];
    for (const answer of answers) {
      print(host, flags.json ? JSON.stringify(answer, undefined, 2) : queueText(answer));
    }
  });
}

/** @throws {UsageError} If it names no object. */
export function questionOf(
  kind: string,
  object: string,
  { namespace }: { readonly namespace?: string },
): Question {
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

/** How many objects of the queue are named. */
const MOST_QUEUED = 30;

function queueText({ running, waiting, planned, objects }: Queued): string {
  const lines = objects.slice(0, MOST_QUEUED).map(({ object, state, seconds, wake, failures }) => {
    const age = state === "planned" ? "" : ` for ${Math.round(seconds)} s`;
    return `  ${state}${age}: ${object} (${wake}${failures > 0 ? `, ${failures} failures in a row` : ""})`;
  });
  const more = objects.length - lines.length;
  if (more > 0) lines.push(`  and ${more} more (--json names all)`);
  return [`${running} running, ${waiting} waiting, ${planned} planned`, ...lines].join("\n");
}

function print(host: Host, text: string): void {
  host.process.write("stdout", `${text}\n`);
}
