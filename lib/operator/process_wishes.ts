/** Wishes about the whole process, of callers on its machine: another log level for some time, and a file with its memory. */

import { isObject } from "../model/json.ts";
import type { Host } from "../runtime/host.ts";
import type { Logger, LogLevel } from "../runtime/logging.ts";
import type { Settings } from "../settings/settings.ts";
import type { RunOptions } from "./run_options.ts";

const LEVELS: readonly LogLevel[] = ["debug", "info", "warn", "error"];

/** Nobody needs a loud operator for longer. In seconds. */
const LONGEST = 86_400;

/** The logger, and the switch of its level. */
export interface SwitchedLogger {
  readonly logger: Logger;
  readonly logLevels: RunOptions["logLevels"];
}

/** Sets the level that is asked for, and returns the present one. @throws {TypeError} If it cannot be set, or is none. */
export function setLevel(
  question: unknown,
  { logger, logLevels }: SwitchedLogger,
): { readonly level: LogLevel } {
  if (logLevels === undefined) {
    throw new TypeError(
      "The level of this operator's lines cannot be changed: it has a logger of its author's own",
    );
  }
  if (question === undefined) return { level: logLevels.level };
  const { level: wanted, seconds } = isObject(question) ? question : {};
  const level = LEVELS.find((each) => each === wanted);
  if (level === undefined) {
    throw new TypeError(`"${String(wanted)}" is no level: take one of ${LEVELS.join(", ")}`);
  }
  if (typeof seconds !== "number" || !(seconds > 0) || seconds > LONGEST) {
    throw new TypeError("The level can be set for a day at most: say for how long");
  }
  logLevels.set(level, seconds);
  logger.warn("The log level is another one for some time", { level, seconds });
  return { level };
}

/** Writes a heap snapshot where only the operator's own user can read it. @throws {TypeError} If that is not allowed, or not possible. */
export async function writeHeapSnapshot(
  { files, process }: Host,
  settings: Pick<Settings, "process">,
): Promise<{ readonly path: string }> {
  if (!settings.process.heapSnapshots) {
    throw new TypeError(
      "Heap snapshots are not allowed, as they hold Secrets: the setting process.heapSnapshots allows them",
    );
  }
  if (process.writeHeapSnapshot === undefined) {
    throw new TypeError("This runtime cannot write heap snapshots");
  }
  const path = files.resolve(await files.makeTempFolder("lotse-heap-"), "operator.heapsnapshot");
  process.writeHeapSnapshot(path);
  return { path };
}
