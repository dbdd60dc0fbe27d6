/** The options that several commands have in common, with Kopf's names, and the logger they ask for. */

import type { Host } from "../runtime/host.ts";
import { textSink } from "../runtime/log_format.ts";
import { createLogger, type Logger, type LogLevel } from "../runtime/logging.ts";
import type { CommandOption, OptionValues } from "./command.ts";

/** What is logged, and how. Source: Kopf, docs/cli, "Logging options". */
export const LOGGING_OPTIONS: readonly CommandOption[] = [
  { flags: "-v, --verbose", summary: "Log each step of the framework, too" },
  { flags: "-q, --quiet", summary: "Log warnings and errors only" },
  { flags: "-d, --debug", summary: "As --verbose, and print stacks where something fails" },
  {
    flags: "--log-format <format>",
    summary: "How lines look; default: plain on a terminal, full elsewhere",
    choices: ["plain", "full", "json"],
  },
  {
    flags: "--log-refkey <key>",
    summary: "The key of the object's reference in JSON lines; default: object",
  },
  { flags: "--log-prefix", summary: 'Begin lines about an object with "[namespace/name]"', negatable: true },
];

/** Which cluster, and as whom. */
export const CLUSTER_OPTIONS: readonly CommandOption[] = [
  {
    flags: "--kubeconfig <path>",
    summary: "How to reach the cluster; default: $KUBECONFIG, ~/.kube/config, service account",
  },
  { flags: "--context <name>", summary: "Which context of the kubeconfig; default: its current one" },
];

/** Which objects. Source: Kopf, docs/scopes. */
export const SCOPE_OPTIONS: readonly CommandOption[] = [
  {
    flags: "-n, --namespace <pattern>",
    summary: "A namespace to serve, or a glob such as 'team-*'; may be repeated",
    repeatable: true,
    excludes: "all-namespaces",
  },
  { flags: "-A, --all-namespaces", summary: "Serve all namespaces (the default)" },
];

/** The priority of operators under development. Source: Kopf, docs/peering. */
export const DEV_PRIORITY = 666;

/** How the operator gets along with others, and with the kubelet. Source: Kopf, docs/peering, docs/probing. */
export const OPERATOR_OPTIONS: readonly CommandOption[] = [
  { flags: "--standalone", summary: "Take no notice of other operators" },
  {
    flags: "--dev",
    summary: "Take precedence over deployed operators: priority 666, whatever --priority says",
  },
  {
    flags: "-p, --priority <number>",
    summary: "Who serves when several operators run: the highest",
    kind: "number",
  },
  {
    flags: "-P, --peering <name>",
    summary: "The peering object to meet other operators at",
    excludes: "standalone",
  },
  { flags: "-L, --liveness <url>", summary: "Where to answer probes, such as http://0.0.0.0:8080/healthz" },
];

/** Gives the logger that the options ask for; it writes to the standard error stream. */
export function loggerFor(options: OptionValues, host: Host): Logger {
  const onTerminal = host.process.isTerminal("stderr");
  const format = options.text("log-format") ?? (onTerminal ? "plain" : "full");
  const sink = textSink({
    format: format as "plain" | "full" | "json", // the option's choices
    level: levelOf(options),
    refkey: options.text("log-refkey"),
    prefix: options.choice("log-prefix"),
    color: onTerminal && format === "plain" && !host.process.env("NO_COLOR"),
    stacks: options.flag("debug") ? "always" : "errors",
    write: (text) => host.process.write("stderr", text),
  });
  return createLogger(sink, host.clock, "lotse");
}

/** -v and -d win over -q. Source: Kopf, docs/cli. */
function levelOf(options: OptionValues): LogLevel {
  if (options.flag("verbose") || options.flag("debug")) return "debug";
  return options.flag("quiet") ? "warn" : "info";
}
