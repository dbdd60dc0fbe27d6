/**
 * `simulate` runs the operator of handler files again and again in virtual time, with faults, until a run breaks a rule or its
 * time is over.
 *
 * Each process has modules of its own, which are loaded anew: so variables of a module do not outlive a process by themselves.
 */

import type { Command } from "commander";

import type { Operator } from "../../mod.ts";
import {
  type Finding,
  simulate,
  type Simulation,
  SimulationError,
  type SimulationProgress,
} from "../kits/testing/mod.ts";
import type { Host } from "../runtime/host.ts";
import { formatJson } from "../runtime/json.ts";
import { CommandError, EXIT, ProgramEnd } from "./errors.ts";
import { importFiles, operatorsOf } from "./loading.ts";
import { addLogOptions, type LogFlags } from "./options.ts";
import { addExamples, CommandOption, wholeNumber } from "./program.ts";
import {
  addDrawingOptions,
  addTrialOptions,
  type DrawingFlags,
  progressLine,
  type TrialFlags,
} from "./trials.ts";

/** The flags of `simulate`. */
interface SimulateFlags extends LogFlags, TrialFlags, DrawingFlags {
  readonly runs?: number;
  readonly steps: number;
  readonly replicas?: number;
}

/** How long it goes on by default, in minutes. */
const MINUTES = 0.5;

/** How many loaded operators are at hand before a run: more than one run has processes. */
const AT_HAND = 16;

/** Adds the command `simulate`. */
export function addSimulate(program: Command, host: Host): void {
  const command = program.command("simulate").argument("<file>", "The operator's handler file");
  command.summary("Look for a run in which the operator goes wrong, in virtual time, with faults by a seed");
  command.description(
    `${command.summary()}\n\nObjects are drawn from the definitions' schemas, or begin as examples. Requests fail, watches break, processes ` +
      "are killed and started anew. A run that breaks a rule is made small, and told as a story, with a test to paste: exit code 3. " +
      "No cluster is needed.",
  );
  addDrawingOptions(
    addTrialOptions(command, {
      crd: "Manifests that must be there, definitions among them",
      seed: "The seed of the first run",
      minutes: `For how long; default: ${MINUTES}, or no limit with --runs`,
    }),
    "How many objects of a kind there are at once",
  )
    .addOption(
      new CommandOption("--runs <number>", "How many runs at most; default: as many as there is time for")
        .argParser(wholeNumber),
    )
    .addOption(
      new CommandOption("--steps <number>", "How many steps a run has").argParser(wholeNumber).default(10),
    )
    .addOption(
      new CommandOption(
        "--replicas <number>",
        "How many replicas run, with Leases; default: one process without",
      ).argParser(wholeNumber),
    );
  addLogOptions(command);
  addExamples(command, [
    "simulate handlers.ts --crd crd.yaml",
    "simulate handlers.ts --crd crd.yaml --example database.yaml --minutes 60",
  ]);
  command.action((path: string, flags: SimulateFlags) => simulateFile(path, flags, host));
}

async function simulateFile(path: string, flags: SimulateFlags, host: Host): Promise<void> {
  const { runs = Infinity, minutes = flags.runs === undefined ? MINUTES : Infinity } = flags;
  const pool = new Pool(path, host);
  await pool.fill();
  const progress = progressTo(host, { ...flags, runs, minutes });
  try {
    const simulation = await simulate(() => pool.take(), {
      manifests: flags.crd,
      samples: flags.example,
      seed: flags.seed,
      runs: runs === Infinity ? Number.MAX_SAFE_INTEGER : runs,
      seconds: minutes * 60,
      steps: flags.steps,
      objects: flags.objects,
      replicas: flags.replicas,
      compare: flags.compare,
      beforeRun: () => pool.fill(),
      onEnded: (op) => pool.giveBack(op as Operator),
      onRun: progress.onRun,
    });
    progress.end();
    host.process.write("stdout", flags.json ? `${formatJson(simulation)}\n` : told(simulation));
  } catch (error) {
    progress.end();
    if (error instanceof TypeError) throw new CommandError(error.message, { cause: error });
    if (!(error instanceof SimulationError)) throw error;
    const { finding } = error;
    host.process.write("stdout", flags.json ? `${formatJson({ finding })}\n` : toldFinding(finding));
    throw new ProgramEnd(EXIT.finding);
  }
}

/** Operators of one file, each from modules of its own. */
export class Pool {
  readonly #path: string;
  readonly #host: Host;
  readonly #free: Operator[] = [];

  constructor(path: string, host: Host) {
    this.#path = path;
    this.#host = host;
  }

  /** Loads modules until there are operators enough for a run. @throws {CommandError} If the file has none. */
  async fill(): Promise<void> {
    while (this.#free.length < AT_HAND) {
      const files = await importFiles([this.#path], { host: this.#host, fresh: true });
      const [op] = operatorsOf(files);
      if (op === undefined) throw new CommandError(`Cannot run "${this.#path}": it exports no operator`);
      this.#free.push(op);
    }
  }

  /** @throws {Error} If a run has more processes than operators were loaded. */
  take(): Operator {
    const op = this.#free.pop();
    if (op === undefined) {
      throw new Error(`Cannot run "${this.#path}": a run has more than ${AT_HAND} processes`);
    }
    return op;
  }

  giveBack(op: Operator): void {
    this.#free.push(op);
  }
}

/** Shows how far it is, once a second, on a terminal. */
function progressTo(
  host: Host,
  { runs, minutes, json }: { readonly runs: number; readonly minutes: number; readonly json?: boolean },
): { readonly onRun: (progress: SimulationProgress) => void; readonly end: () => void } {
  const line = progressLine(host, json);
  let last = 0;
  return {
    onRun({ runs: done, objects, seconds }) {
      if (seconds - last < 1) return;
      last = seconds;
      const rest = Math.min(minutes * 60 - seconds, (runs - done) * (seconds / done));
      line.show(
        `${done} runs, ${objects} objects, ${(done / seconds).toFixed(1)} runs a second, ${
          Math.ceil(rest)
        } s left`,
      );
    },
    end: () => line.end(),
  };
}

function told({ runs, objects, requests, calls, seconds, digest }: Simulation): string {
  return `Nothing found in ${runs} runs: ${objects} objects, ${calls} calls of handlers, ${requests} requests, in ${
    seconds.toFixed(1)
  } s (digest ${digest}).\n`;
}

function toldFinding({ message, seed, run, story, test }: Finding): string {
  return `Found in run ${run} (seed ${seed}): ${message}.\n\n${story.join("\n")}\n\nAs a test:\n\n${test}\n`;
}
