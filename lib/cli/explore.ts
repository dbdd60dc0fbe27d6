/**
 * `explore` tries all runs of a small world with the operator of handler files, until one breaks a rule, all were tried, or its time is over.
 */

import type { Command } from "commander";

import type { Operator } from "../../mod.ts";
import {
  type Counterexample,
  ExplorationError,
  type ExplorationProgress,
  explore,
} from "../kits/testing/mod.ts";
import type { Host } from "../runtime/host.ts";
import { formatJson } from "../runtime/json.ts";
import { CommandError, EXIT, ProgramEnd } from "./errors.ts";
import { addLogOptions, type LogFlags } from "./options.ts";
import { addExamples, CommandOption, wholeNumber } from "./program.ts";
import { Pool } from "./simulate.ts";
import {
  addDrawingOptions,
  addTrialOptions,
  type DrawingFlags,
  progressLine,
  type TrialFlags,
} from "./trials.ts";

/** The flags of `explore`. */
interface ExploreFlags extends LogFlags, TrialFlags, DrawingFlags {
  readonly edits: number;
  readonly kills: number;
  readonly losses: number;
  readonly faults?: number;
  readonly depth?: number;
  readonly staleReads: boolean;
  readonly interleave?: boolean;
}

/** Adds the command `explore`. */
export function addExplore(program: Command, host: Host): void {
  const command = program.command("explore").argument("<file>", "The operator's handler file");
  command.summary(
    "Try all runs of a small world: each order of messages, each lost write, a kill at each write",
  );
  command.description(
    `${command.summary()}\n\nA state that was seen is not entered twice. It ends with the number of runs and states, or with the shortest ` +
      "run that breaks a rule, told as a story, with a test to paste: exit code 3. A bound that has cut the search is said. No cluster is needed.",
  );
  const number = (flags: string, description: string): InstanceType<typeof CommandOption> =>
    new CommandOption(flags, description).argParser(wholeNumber);
  addDrawingOptions(
    addTrialOptions(command, {
      crd: "Manifests that must be there, definitions among them",
      seed: "The seed by which objects and edits are drawn",
      minutes: "For how long; default: until all was tried",
    }),
    "How many objects of a kind there are",
  )
    .addOption(number("--edits <number>", "How many edits there are in a run, of all objects").default(2))
    .addOption(number("--kills <number>", "How many kills there are in a run").default(1))
    .addOption(
      number("--losses <number>", "How many lost writes, or lost answers, there are in a run").default(1),
    )
    .addOption(
      number("--faults <number>", "How many faults there are in a run, of all sorts; default: as --kills"),
    )
    .addOption(number("--depth <number>", "How many choices there are in a run at most; default: 200"))
    .addOption(new CommandOption("--no-stale-reads", "Answers to reads, and events, are never late"))
    .addOption(
      new CommandOption(
        "--interleave",
        "Objects that have no request in common are explored in all orders, too",
      ),
    );
  addLogOptions(command);
  addExamples(command, [
    "explore handlers.ts --crd crd.yaml",
    "explore handlers.ts --crd crd.yaml --objects 1 --kills 2 --minutes 10",
  ]);
  command.action((path: string, flags: ExploreFlags) => exploreFile(path, flags, host));
}

async function exploreFile(path: string, flags: ExploreFlags, host: Host): Promise<void> {
  const { crd, example, minutes = Infinity, json = false } = flags;
  const { objects, edits, kills, losses, faults, depth, seed, staleReads, interleave, compare } = flags;
  const pool = new Pool(path, host);
  await pool.fill();
  const progress = progressTo(host, { minutes, json });
  try {
    const exploration = await explore(() => pool.take(), {
      manifests: crd,
      samples: example,
      objects,
      edits,
      kills,
      losses,
      faults,
      depth,
      seed,
      staleReads,
      interleave,
      compare,
      seconds: minutes * 60,
      beforeRun: () => pool.fill(),
      onEnded: (op) => pool.giveBack(op as Operator),
      onRun: progress.onRun,
    });
    progress.end();
    const { summary, seconds } = exploration;
    host.process.write(
      "stdout",
      json ? `${formatJson(exploration)}\n` : `${summary}, in ${seconds.toFixed(1)} s.\n`,
    );
  } catch (error) {
    progress.end();
    if (error instanceof TypeError) throw new CommandError(error.message, { cause: error });
    if (!(error instanceof ExplorationError)) throw error;
    const { finding } = error;
    host.process.write("stdout", json ? `${formatJson({ finding })}\n` : toldFinding(finding));
    throw new ProgramEnd(EXIT.finding);
  }
}

/** Shows how far it is, once a second, on a terminal. */
function progressTo(
  host: Host,
  { minutes, json }: { readonly minutes: number; readonly json: boolean },
): { readonly onRun: (progress: ExplorationProgress) => void; readonly end: () => void } {
  const line = progressLine(host, json);
  let last = 0;
  return {
    onRun({ runs, states, waiting, seconds }) {
      if (seconds - last < 1) return;
      last = seconds;
      const rate = runs / seconds;
      // NB: those that wait bring others with them, so that this is the least.
      const rest = Math.ceil(Math.min(minutes * 60 - seconds, waiting / rate));
      line.show(
        `${runs} runs, ${states} states, ${
          rate.toFixed(1)
        } runs a second, ${waiting} wait, ${rest} s left at least`,
      );
    },
    end: () => line.end(),
  };
}

function toldFinding({ message, run, states, story, test }: Counterexample): string {
  return `Found in run ${run}, after ${states} states: ${message}.\n\n${
    story.join("\n")
  }\n\nAs a test:\n\n${test}\n`;
}
