/** `run`: serves a cluster with the handlers of some files. */

import type { Command, Invocation } from "./command.ts";
import { EXIT } from "./errors.ts";
import { importFiles, operatorsOf } from "./loading.ts";
import { runOperators } from "./running.ts";
import {
  CLUSTER_OPTIONS,
  loggerFor,
  LOGGING_OPTIONS,
  OPERATOR_OPTIONS,
  SCOPE_OPTIONS,
} from "./shared_options.ts";
import { listenForSignals } from "./signals.ts";

/** The options of `run`, which built executables have, too. */
export const RUN_OPTIONS = [...SCOPE_OPTIONS, ...CLUSTER_OPTIONS, ...OPERATOR_OPTIONS, ...LOGGING_OPTIONS];

/** The command. */
export const RUN: Command = {
  name: "run",
  summary: "Run handlers against a cluster",
  details: [
    "Each file exports an operator by default, or registers handlers at the default one; several operators run side by " +
    "side. SIGTERM or SIGINT stops gracefully (exit code 0), a second one at once (130).",
  ],
  files: "required",
  options: RUN_OPTIONS,
  examples: ["run handlers.ts", "run handlers.ts -n 'team-*' --log-format json"],
  run,
};

async function run({ host, files, options }: Invocation): Promise<number> {
  const logger = loggerFor(options, host);
  using stop = listenForSignals(host);
  const operators = operatorsOf(await importFiles(files, { host }));
  await runOperators(operators, { host, options, logger, signal: stop.signal });
  return EXIT.done;
}
