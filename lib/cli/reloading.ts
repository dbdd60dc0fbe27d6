/** Runs handlers, and replaces them when their files are saved. */

import { defaultOperator, type Operator } from "../../mod.ts";
import { importFiles, operatorsOf } from "./loading.ts";
import { reportError } from "./reporting.ts";
import { runOperators, type RunOperatorsOptions } from "./running.ts";
import { watchSources } from "./sources.ts";

export interface ReloadOptions extends RunOperatorsOptions {
  /** Handler files. */
  readonly files: readonly string[];
  /** Manifest files. */
  readonly manifests: readonly string[];
  /** Applies manifest files that were saved. */
  readonly apply: (files: readonly string[]) => Promise<void>;
}

/**
 * Runs operators until the signal aborts; those of saved files take their place.
 *
 * A file that cannot be loaded, or applied, is reported and changes nothing.
 *
 * @throws What an operator fails with.
 */
export async function serveWithReload(operators: readonly Operator[], options: ReloadOptions): Promise<void> {
  const ended = new AbortController();
  const signal = AbortSignal.any([options.signal, ended.signal]);
  let current = start(operators, options, ended);
  for await (
    const changed of watchSources([...options.files, ...options.manifests], { ...options, signal })
  ) {
    const manifests = options.manifests.filter((file) => changed.includes(file));
    if (manifests.length > 0) await reapply(manifests, options);
    if (manifests.length === changed.length) continue;
    const next = await reload(options);
    if (next === undefined) continue;
    await current.stop();
    current = start(next, options, ended);
  }
  await current.stop();
}

/** Operators that run. */
interface Generation {
  /** Stops them gracefully. @throws What they failed with. */
  stop(): Promise<void>;
}

/** `ended` is aborted when they end otherwise than by `stop()`. */
function start(operators: readonly Operator[], options: ReloadOptions, ended: AbortController): Generation {
  const stopping = new AbortController();
  const signal = AbortSignal.any([options.signal, stopping.signal]);
  const done = runOperators(operators, { ...options, signal });
  const end = () => stopping.signal.aborted || ended.abort();
  done.then(end, end);
  return {
    stop() {
      stopping.abort();
      return done;
    },
  };
}

async function reload({ host, logger, files, options }: ReloadOptions): Promise<Operator[] | undefined> {
  try {
    defaultOperator.reset();
    const operators = operatorsOf(await importFiles(files, { host, fresh: true }));
    logger.info("Reloaded", { files });
    return operators;
  } catch (error) {
    reportError(error, { host, options, note: "the handlers from before keep running" });
    return undefined;
  }
}

async function reapply(files: readonly string[], { host, options, apply }: ReloadOptions): Promise<void> {
  try {
    await apply(files);
  } catch (error) {
    reportError(error, { host, options });
  }
}
