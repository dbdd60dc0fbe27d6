/**
 * `size` measures what many objects cost the operator of a handler file, without a cluster, and prints `resources:` for its manifests.
 *
 * This process plans, with an API server in it. Another one, which is this very command with the hidden option `--plan`, loads the handlers and
 * is measured: nothing else has taken memory in it before.
 */

import type { Command } from "commander";

import { declaredKinds, makeCrds } from "../kits/definitions/mod.ts";
import { type Measured, measureSize, type SizePlan } from "../kits/testing/sizing/mod.ts";
import type { Host } from "../runtime/host.ts";
import { CommandError, UsageError } from "./errors.ts";
import { importFiles, operatorsOf } from "./loading.ts";
import { addExamples, CommandOption } from "./program.ts";
import { listenForSignals } from "./signals.ts";
import { jsonOf, type Sizes, told } from "./size_table.ts";
import { progressLine } from "./trials.ts";

interface SizeFlags {
  readonly objects: number | Readonly<Record<string, number>>;
  readonly bytes?: number;
  readonly sample?: readonly string[];
  readonly crd?: readonly string[];
  readonly rest: number;
  readonly json?: boolean;
  /** Hidden: measures that plan, and writes what was measured into another file. */
  readonly plan?: string;
  readonly result?: string;
}

/** How many objects there are by default. */
const OBJECTS = 10_000;

/** How long the operator is looked at once it has nothing to do, in seconds. */
const REST = 10;

/** Of so many kinds at most each is measured by itself as well. */
const MOST_ALONE = 6;

/** Adds the command. */
export function addSize(program: Command, host: Host): void {
  const command = program.command("size").argument("<file>", "The operator's handler file");
  command.summary("Measure what many objects cost the operator, and print `resources:` for its manifests");
  command.description(
    `${command.summary()}\n\nRuns the operator in a process of its own over objects that are made as they are asked for; no cluster is needed. ` +
      "No handler is called: filters, indexes and caches are filled as in a restart over objects at rest. Startup handlers do not run either: " +
      "settings that they change are not in the figures.",
  );
  command
    .addOption(
      new CommandOption(
        "--objects <number>",
        `How many objects of each kind, or of some: "databases=100000,secrets=2000"; default: ${OBJECTS}`,
      ).argParser(objectsOf).default(OBJECTS, String(OBJECTS)),
    )
    .addOption(
      new CommandOption(
        "--bytes <number>",
        "How long the text of an object is, without managed fields and the operator's notes; default: as it is made",
      ).argParser(positive("--bytes")),
    )
    .addOption(
      new CommandOption("--sample <path>", "Objects as they may be: a file, or a folder; repeatable")
        .repeatable(),
    )
    .addOption(
      new CommandOption("--crd <path>", "Definitions of kinds: a file, or a folder; repeatable").repeatable(),
    )
    .addOption(
      new CommandOption(
        "--rest <seconds>",
        `How long the operator has nothing to do before its memory at rest is taken; default: ${REST}`,
      ).argParser(positive("--rest")).default(REST, String(REST)),
    )
    .addOption(new CommandOption("--json", "Print the result as JSON"))
    .addOption(new CommandOption("--plan <file>", "Measure a plan").hideHelp())
    .addOption(new CommandOption("--result <file>", "Where to write what was measured").hideHelp());
  addExamples(command, [
    "size handlers.ts --crd crd.yaml --objects 100000 --bytes 10000",
    "size handlers.ts --objects databases=100000,secrets=2000 --sample database.yaml",
  ]);
  command.action((path: string, flags: SizeFlags) =>
    flags.plan === undefined
      ? size(path, flags, host)
      : measureHere(path, { plan: flags.plan, result: flags.result ?? "", rest: flags.rest }, host)
  );
}

function positive(option: string): (text: string) => number {
  return (text) => {
    if (/^\d+$/.test(text) && Number(text) > 0) return Number(text);
    throw new UsageError(`${option} ${text} is no whole number above 0`);
  };
}

/** "100000", or "databases=100000,secrets=2000". @throws {UsageError} If it is neither. */
function objectsOf(text: string): number | Record<string, number> {
  const count = positive("--objects");
  if (!text.includes("=")) return count(text);
  return Object.fromEntries(
    text.split(",").map((part) => {
      const [name = "", number = "", ...others] = part.split("=");
      if (name === "" || others.length > 0) {
        throw new UsageError(
          `--objects ${text} is not understood: give a number, or "databases=1000,secrets=20"`,
        );
      }
      return [name, count(number)];
    }),
  );
}

async function size(path: string, flags: SizeFlags, host: Host): Promise<void> {
  using stop = listenForSignals(host);
  const progress = progressLine(host, flags.json);
  const folder = await host.files.makeTempFolder("lotse-size-");
  try {
    progress.show("Planning");
    const plan = await planFor(path, flags);
    const measuring = { host, path, folder, rest: flags.rest, signal: stop.signal };
    progress.show(`Measuring ${plan.kinds.map(({ kind, objects }) => `${objects} ${kind}`).join(", ")}`);
    const all = await measureElsewhere(plan, measuring);
    const kinds = plan.kinds.filter(({ objects }) => objects > 0);
    const alone: Record<string, Measured> = {};
    for (const { kind } of kinds.length > 1 && kinds.length <= MOST_ALONE ? kinds : []) {
      progress.show(`Measuring ${kind} alone`);
      alone[kind] = await measureElsewhere(onlyOf(plan, kind), measuring);
    }
    progress.end();
    const sizes: Sizes = { plan, all, alone };
    host.process.write("stdout", flags.json ? `${JSON.stringify(jsonOf(sizes))}\n` : told(sizes));
  } finally {
    progress.end();
    await host.files.remove(folder);
  }

  async function planFor(file: string, { objects, bytes, sample, crd = [] }: SizeFlags): Promise<SizePlan> {
    const files = await importFiles([file], { host });
    const [op] = operatorsOf(files);
    if (op === undefined) throw new CommandError(`Cannot measure "${file}": it exports no operator`);
    const { planSize } = await import("../kits/testing/sizing/size_plan.ts");
    const exports = files.flatMap(({ module }) => Object.values(module));
    const made = makeCrds(declaredKinds({ operators: [op], exports }));
    try {
      return await planSize(op, { objects, bytes, samples: sample ?? [], manifests: [...made, ...crd] });
    } catch (error) {
      if (error instanceof TypeError) throw new CommandError(error.message, { cause: error });
      throw error;
    }
  }
}

function onlyOf({ kinds, answers }: SizePlan, kind: string): SizePlan {
  return { answers, kinds: kinds.map((each) => each.kind === kind ? each : { ...each, objects: 0 }) };
}

interface Measuring {
  readonly host: Host;
  readonly path: string;
  readonly folder: string;
  readonly rest: number;
  readonly signal: AbortSignal;
}

/** Measures in a process that does nothing else. @throws {CommandError} If it ends without a result. */
async function measureElsewhere(
  plan: SizePlan,
  { host, path, folder, rest, signal }: Measuring,
): Promise<Measured> {
  const { files, process } = host;
  const [file, result] = [files.resolve(folder, "plan.json"), files.resolve(folder, "result.json")];
  await files.writeText(file, JSON.stringify(plan), { mode: 0o600 });
  await files.remove(result);
  const [command = "", ...words] = process.self;
  const handlers = files.resolve(process.cwd(), path);
  const args = [...words, "size", handlers, "--plan", file, "--result", result, "--rest", String(rest)];
  const { code, stderr } = await process.run(command, args, { signal });
  if (await files.exists(result)) {
    // The same command has written it.
    return JSON.parse(await files.readText(result)) as Measured;
  }
  const reason = stderr.trim().replace(/^error: /, "");
  const advice = code === 137 ? " (killed: the machine has too little memory for so many objects)" : "";
  throw new CommandError(
    `Cannot measure "${path}": ${reason || `its process ended with code ${code}${advice}`}`,
  );
}

/** Measures in this process. */
async function measureHere(
  path: string,
  { plan: file, result, rest }: { readonly plan: string; readonly result: string; readonly rest: number },
  host: Host,
): Promise<void> {
  const [op] = operatorsOf(await importFiles([path], { host }));
  if (op === undefined) throw new CommandError(`Cannot measure "${path}": it exports no operator`);
  // The same command has written it.
  const plan = JSON.parse(await host.files.readText(file)) as SizePlan;
  host.process.endStart?.();
  const measured = await measureSize(op, plan, { host, rest });
  await host.files.writeText(result, JSON.stringify(measured));
  // Modules of the author's may have begun work of their own.
  host.process.exit(0);
}
