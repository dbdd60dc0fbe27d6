/** Runs operators side by side, as `run`, `dev` and built executables do. */

import { detectIdentity, type Operator } from "../../mod.ts";
import type { Host } from "../runtime/host.ts";
import type { Logger } from "../runtime/logging.ts";
import type { OptionValues } from "./command.ts";
import { CommandError, EXIT } from "./errors.ts";
import { DEV_PRIORITY } from "./shared_options.ts";

export interface RunOperatorsOptions {
  readonly host: Host;
  readonly options: OptionValues;
  readonly logger: Logger;
  /** Default: that of the options. */
  readonly kubeconfig?: string;
  /** Stops them all, gracefully. */
  readonly signal: AbortSignal;
  /** Called once, when all of them serve. */
  readonly ready?: () => void;
}

/**
 * Runs operators until the signal aborts; where one fails, the others are stopped, too.
 *
 * @throws The first failure, when all of them have ended.
 */
export async function runOperators(
  operators: readonly Operator[],
  { host, options, logger, kubeconfig, signal, ready }: RunOperatorsOptions,
): Promise<void> {
  if (operators.length > 1 && options.text("liveness") !== undefined) {
    throw new CommandError(
      `Cannot answer probes for ${operators.length} operators at one address: run them one by one, or make one of them`,
    );
  }
  const failure = new AbortController();
  const stop = AbortSignal.any([signal, failure.signal]);
  let waiting = operators.length;
  // NB: one process is one peer: its operators must not pause for each other.
  const identity = detectIdentity(host);
  const runs = operators.map((op) =>
    op.run({
      ...operatorOptions(options, { isOwn: kubeconfig !== undefined }),
      identity,
      kubeconfig: kubeconfig ?? options.text("kubeconfig"),
      host,
      logger,
      signal: stop,
      ready: () => --waiting === 0 && ready?.(),
    }).catch((error: unknown) => {
      failure.abort(error);
      throw error;
    })
  );
  using _limit = limitShutdown(operators, { host, logger, signal });
  await Promise.allSettled(runs);
  if (failure.signal.aborted) throw failure.signal.reason;
}

/**
 * Ends the process where a shutdown takes longer than `process.ultimateExitingTimeout` of all operators: something hangs.
 *
 * Source: Kopf, B §5.11, "ultimate termination".
 */
function limitShutdown(
  operators: readonly Operator[],
  { host, logger, signal }: Pick<RunOperatorsOptions, "host" | "logger" | "signal">,
): Disposable {
  let timer: Disposable | undefined;
  const onAbort = (): void => {
    const limit = Math.max(...operators.map((op) => op.settings.process.ultimateExitingTimeout ?? Infinity));
    if (limit === Infinity) return;
    timer = host.clock.after(limit, () => {
      logger.error("The shutdown hangs, the process is ended", { seconds: limit });
      host.process.exit(EXIT.failed);
    });
  };
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort, { once: true });
  return {
    [Symbol.dispose]() {
      signal.removeEventListener("abort", onAbort);
      timer?.[Symbol.dispose]();
    },
  };
}

/** What `op.run()` is to be told of the command line's options. */
function operatorOptions(
  options: OptionValues,
  { isOwn }: { readonly isOwn: boolean },
): Parameters<Operator["run"]>[0] {
  const namespaces = options.list("namespace");
  // Nobody is disturbed in a cluster of one's own.
  const isWhole = options.flag("all-namespaces") || (isOwn && namespaces.length === 0);
  return {
    context: options.text("context"),
    namespaces,
    clusterwide: isWhole || undefined,
    liveness: options.text("liveness"),
    standalone: options.choice("standalone"),
    peering: options.text("peering"),
    priority: options.flag("dev") ? DEV_PRIORITY : options.number("priority"),
  };
}
