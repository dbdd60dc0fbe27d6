/** The options that several commands have in common, with Kopf's names, and the logger they ask for. */

import type { Command } from "commander";

import type { Host } from "../runtime/host.ts";
import { LevelSwitch } from "../runtime/level_switch.ts";
import { textSink } from "../runtime/log_format.ts";
import { createLogger, type Logger, type LogLevel, type LogSink } from "../runtime/logging.ts";
import { CommandOption, wholeNumber } from "./program.ts";

/** Flags for logging: how much, and in which form. Source: Kopf, docs/cli, "Logging options". */
export interface LogFlags {
  readonly verbose?: boolean;
  readonly quiet?: boolean;
  readonly debug?: boolean;
  readonly logFormat?: "plain" | "full" | "json";
  readonly logRefkey?: string;
  readonly logPrefix?: boolean;
}

/** Adds the options of `LogFlags`. */
export function addLogOptions(command: Command): Command {
  return command
    .addOption(new CommandOption("-v, --verbose", "Log each step of the framework, too"))
    .addOption(new CommandOption("-q, --quiet", "Log warnings and errors only"))
    .addOption(new CommandOption("-d, --debug", "As --verbose, and print stacks where something fails"))
    .addOption(
      new CommandOption(
        "--log-format <format>",
        "How lines look; default: plain on a terminal, full elsewhere",
      ).oneOf(["plain", "full", "json"]),
    )
    .addOption(
      new CommandOption(
        "--log-refkey <key>",
        "The key of the object's reference in JSON lines; default: object",
      ),
    )
    .addOption(new CommandOption("--log-prefix", 'Begin lines about an object with "[namespace/name]"'))
    .addOption(new CommandOption("--no-log-prefix", "The opposite of --log-prefix"));
}

/** Which cluster, and as whom. */
export interface ClusterFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
}

/** Adds the options of `ClusterFlags`. */
export function addClusterOptions(command: Command): Command {
  return command
    .addOption(
      new CommandOption(
        "--kubeconfig <path>",
        "How to reach the cluster; default: $KUBECONFIG, service account, ~/.kube/config",
      ),
    )
    .addOption(
      new CommandOption("--context <name>", "Which context of the kubeconfig; default: its current one"),
    );
}

/** Which objects. Source: Kopf, docs/scopes. */
export interface ScopeFlags {
  /** Names and globs. */
  readonly namespace?: readonly string[];
  readonly allNamespaces?: boolean;
}

/** Adds the options of `ScopeFlags`. `verb` is the command's word for "serve" in the help. */
export function addScopeOptions(command: Command, verb = "serve"): Command {
  const Verb = `${verb.charAt(0).toUpperCase()}${verb.slice(1)}`;
  return command
    .addOption(
      new CommandOption(
        "-n, --namespace <pattern>",
        `A namespace to ${verb}, or a glob such as 'team-*'; may be repeated`,
      ).repeatable().exclude("allNamespaces"),
    )
    .addOption(new CommandOption("-A, --all-namespaces", `${Verb} all namespaces (the default)`));
}

/** The priority of operators under development. Source: Kopf, docs/peering. */
export const DEV_PRIORITY = 666;

/** How the operator gets along with others, and with the kubelet. Source: Kopf, docs/peering, docs/probing. */
export interface OperatorFlags {
  readonly standalone?: boolean;
  readonly dev?: boolean;
  readonly priority?: number;
  readonly peering?: string;
  readonly replicas?: boolean;
  readonly liveness?: string;
  readonly recordRights?: string;
  readonly settings?: string;
}

/** Adds the options of `OperatorFlags`. */
export function addOperatorOptions(command: Command): Command {
  return command
    .addOption(new CommandOption("--standalone", "Take no notice of other operators"))
    .addOption(
      new CommandOption(
        "--dev",
        "Take precedence over deployed operators: priority 666, whatever --priority says",
      ),
    )
    .addOption(
      new CommandOption("-p, --priority <number>", "Who serves when several operators run: the highest")
        .argParser(wholeNumber),
    )
    .addOption(
      new CommandOption("-P, --peering <name>", "The peering object to meet other operators at")
        .exclude("standalone"),
    )
    .addOption(
      new CommandOption(
        "-L, --liveness <url>",
        "Where to answer probes, such as http://0.0.0.0:8080/healthz",
      ),
    )
    .addOption(
      new CommandOption(
        "--record-rights <file>",
        "Add the rights that are used to a file, for `generate rbac`",
      ),
    )
    .addOption(new CommandOption("--settings <file>", "Settings of the operator, in YAML or JSON"));
}

/** Returns the logger that the options ask for; it writes to the standard error stream. */
export function loggerFor(flags: LogFlags, host: Host): Logger {
  return createLogger(sinkFor(flags, host), host.clock, "lotse");
}

/** Returns the logger that the flags ask for, and the switch of its level. */
export function switchedLoggerFor(
  flags: LogFlags,
  host: Host,
): { readonly logger: Logger; readonly levels: LevelSwitch } {
  const options = { level: levelOf(flags), clock: host.clock };
  const levels = new LevelSwitch(sinkFor(flags, host, "debug"), options);
  return { logger: createLogger(levels, host.clock, "lotse"), levels };
}

function sinkFor(flags: LogFlags, host: Host, level = levelOf(flags)): LogSink {
  const onTerminal = host.process.isTerminal("stderr");
  const format = flags.logFormat ?? (onTerminal ? "plain" : "full");
  return textSink({
    format,
    level,
    refkey: flags.logRefkey,
    prefix: flags.logPrefix,
    color: onTerminal && format === "plain" && !host.process.env("NO_COLOR"),
    stacks: flags.debug ? "always" : "errors",
    write: (text) => host.process.write("stderr", text),
  });
}

/** -v and -d win over -q. Source: Kopf, docs/cli. */
function levelOf({ verbose, debug, quiet }: LogFlags): LogLevel {
  if (verbose || debug) return "debug";
  return quiet ? "warn" : "info";
}
