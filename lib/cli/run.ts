/** `run`: serves a cluster with the handlers of some files. `dev` and built executables run operators as it does. */

import type { Command } from "commander";

import type { Operator, RunOptions } from "../../mod.ts";
import { detectIdentity } from "../operator/freeze.ts";
import type { Host } from "../runtime/host.ts";
import type { LevelSwitch } from "../runtime/level_switch.ts";
import type { Logger } from "../runtime/logging.ts";
import { CommandError, EXIT, isPortTaken } from "./errors.ts";
import { importFiles, operatorsOf } from "./loading.ts";
import {
  addClusterOptions,
  addLogOptions,
  addOperatorOptions,
  addScopeOptions,
  type ClusterFlags,
  DEV_PRIORITY,
  type LogFlags,
  type OperatorFlags,
  type ScopeFlags,
  switchedLoggerFor,
} from "./options.ts";
import { addExamples, CommandOption } from "./program.ts";
import { listenForLevel, listenForSignals } from "./signals.ts";

/** The options of `run`, which built executables have, too. */
export interface RunFlags extends ScopeFlags, ClusterFlags, OperatorFlags, LogFlags {}

/** Adds the options of `RunFlags`. */
export function addRunOptions(command: Command): Command {
  return addLogOptions(addReplicasOption(addOperatorOptions(addClusterOptions(addScopeOptions(command)))));
}

/** NB: not for `dev`, which serves a cluster of its own. */
function addReplicasOption(command: Command): Command {
  return command.addOption(
    new CommandOption(
      "--replicas",
      "Share the objects with other replicas, by Leases; name them by LOTSE_REPLICAS_NAME or in the code",
    ),
  );
}

/** Adds the command. */
export function addRun(program: Command, host: Host): void {
  const command = program.command("run").argument("<files...>", "Handler files");
  command.summary("Run handlers against a cluster");
  command.description(
    `${command.summary()}\n\nEach file exports an operator by default; ` +
      "several operators run side by side. SIGTERM or SIGINT stops gracefully (exit code 0), a second one at once (130).",
  );
  addRunOptions(command);
  addExamples(command, ["run handlers.ts", "run handlers.ts -n 'team-*' --log-format json"]);
  command.action((files: readonly string[], flags: RunFlags) => run(files, flags, host));
}

async function run(files: readonly string[], flags: RunFlags, host: Host): Promise<void> {
  const { logger, levels } = switchedLoggerFor(flags, host);
  using stop = listenForSignals(host);
  const operators = operatorsOf(await importFiles(files, { host }));
  await runOperators(operators, { host, flags, logger, levels, signal: stop.signal });
}

export interface RunOperatorsOptions {
  readonly host: Host;
  readonly flags: RunFlags;
  readonly logger: Logger;
  /** The switch of its level. Default: it has none. */
  readonly levels?: LevelSwitch;
  /** The kubeconfig of a cluster of one's own. Default: the kubeconfig of the flags. */
  readonly kubeconfig?: string;
  /** Stops them all, gracefully. */
  readonly signal: AbortSignal;
  /** The author's own, where it is known. */
  readonly release?: RunOptions["release"];
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
  { host, flags, logger, levels, kubeconfig, signal, release, ready }: RunOperatorsOptions,
): Promise<void> {
  if (operators.length > 1 && flags.liveness !== undefined) {
    throw new CommandError(
      `Cannot answer probes for ${operators.length} operators at one address: run them one by one, or make one of them`,
    );
  }
  if (kubeconfig === undefined) rejectSharedNames(operators, { host, flags });
  const failure = new AbortController();
  const stop = AbortSignal.any([signal, failure.signal]);
  let waiting = operators.length;
  const told = operators.length > 1 ? logger.child({ namesKinds: true }) : logger;
  // NB: one process is one peer: its operators must not pause for each other.
  const identity = detectIdentity(host);
  const runs = operators.map((op, number) =>
    op.run({
      ...operatorOptions(flags, { isOwn: kubeconfig !== undefined }),
      identity,
      // One operator is enough: its listeners hear the stray errors of the whole process.
      strayErrors: number === 0 ? "handle" : "leave",
      kubeconfig: kubeconfig ?? flags.kubeconfig,
      host,
      logger: told,
      logLevels: levels,
      release,
      signal: stop,
      ready: () => --waiting === 0 && ready?.(),
    }).catch((error: unknown) => {
      failure.abort(error);
      throw error;
    })
  );
  using _loud = levels && listenForLevel(host, { logger, levels });
  using _limit = limitShutdown(operators, { host, logger, signal });
  await Promise.allSettled(runs);
  if (!failure.signal.aborted) return;
  const { reason } = failure.signal;
  if (flags.liveness === undefined || !isPortTaken(reason)) throw reason;
  throw new CommandError(
    `Cannot answer probes at "${flags.liveness}": the port is in use (give another --liveness)`,
  );
}

/** @throws {CommandError} If replicas of several operators would have Leases of one name: each would leave the other's objects alone. */
function rejectSharedNames(
  operators: readonly Operator[],
  { host, flags }: Pick<RunOperatorsOptions, "host" | "flags">,
): void {
  const given = host.process.env("LOTSE_REPLICAS_NAME");
  const isEnabled = host.process.env("LOTSE_REPLICAS_ENABLED") === "true" || flags.replicas === true;
  const names = operators.map(({ settings: { replicas } }) => replicas).filter(({ enabled }) =>
    enabled || isEnabled
  ).map(({ name }) => given ?? name);
  const name = names.find((each, index) => names.indexOf(each) !== index);
  if (name === undefined || name === null) return;
  throw new CommandError(
    `Cannot run several operators as replicas under one name, "${name}": give each its own in the code (replicas.name), or run them one by one`,
  );
}

/**
 * Ends the process where a shutdown takes longer than `process.ultimateExitingTimeout` of all operators: a handler or request
 * hangs.
 *
 * Source: Kopf, docs/configuration, "ultimate termination".
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

/** Returns the options of `op.run()` that the command line stands for. */
function operatorOptions(
  {
    context,
    namespace = [],
    allNamespaces,
    liveness,
    standalone,
    peering,
    replicas,
    dev,
    priority,
    recordRights,
    settings,
  }: RunFlags,
  { isOwn }: { readonly isOwn: boolean },
): Parameters<Operator["run"]>[0] {
  // A cluster of one's own is served as a whole, as no other operators are disturbed there.
  const isWhole = allNamespaces || (isOwn && namespace.length === 0);
  return {
    context,
    scope: isWhole ? "cluster" : namespace.length > 0 ? namespace : undefined,
    liveness,
    recordRights,
    settings,
    selfCheck: true,
    questions: true,
    standalone,
    peering,
    // A cluster of one's own has no other replicas.
    replicas: isOwn ? false : replicas,
    priority: dev ? DEV_PRIORITY : priority,
  };
}
