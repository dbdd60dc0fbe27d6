/** `apiserver`: serves the API server in the process to kubectl and whatever else speaks Kubernetes. */

import type { Command } from "commander";

import type { ApiServer } from "../kits/apiserver/mod.ts";
import type { Host } from "../runtime/host.ts";
import { applyManifests, findManifestFiles, isDefinition, readManifests } from "./apply.ts";
import { CommandError, isPortTaken, ProgramEnd, UsageError } from "./errors.ts";
import { loggerFor } from "./options.ts";
import { addExamples, CommandOption, portNumber } from "./program.ts";
import { listenForSignals, untilAborted } from "./signals.ts";

/** Where the API server listens, and where its kubeconfig goes. */
export interface ApiServerFlags {
  readonly port?: number;
  readonly kubeconfig?: string;
  readonly rbac?: boolean;
  readonly workloads?: boolean;
  readonly quotas?: boolean;
  readonly data?: string;
  readonly audit?: string;
  readonly auditPolicy?: string;
  readonly hostname?: string;
  readonly token?: string;
  readonly crds?: readonly string[];
  readonly envtest?: string;
  readonly standIn?: "etcd" | "kube-apiserver";
}

/** Adds the options of `ApiServerFlags`, except for the options that only a server alone has. */
export function addApiServerOptions(command: Command): Command {
  return command
    .addOption(
      new CommandOption("--port <number>", "Where to listen; default: any free port").argParser(portNumber),
    )
    .addOption(
      new CommandOption("--kubeconfig <path>", "Where to write the kubeconfig; default: a temporary file"),
    )
    .option(
      "--workloads",
      "Let Deployments, Jobs and the like make Pods, which are ready after a second; default: they are only stored",
    );
}

/** Adds the command. */
export function addApiServer(program: Command, host: Host): void {
  const command = program.command("apiserver").argument("[command...]", "After --: what to run on it");
  command.summary("Serve the in-process API server, without handlers");
  command.description(
    `${command.summary()}\n\nServes with TLS on 127.0.0.1 and prints one line, "ready: <url> KUBECONFIG=<path>", when it ` +
      "answers; runs until SIGTERM or SIGINT. Everything is kept in memory and gone afterwards, unless --data names a folder. " +
      "With a command after --, that is run with KUBECONFIG set, its exit code is ours, and nothing else is printed.",
  );
  addApiServerOptions(command);
  command.option(
    "--rbac",
    "Let roles and bindings decide who may do what; default: everyone may do everything",
  );
  command.option(
    "--quotas",
    "Enforce ResourceQuotas and LimitRanges; default: they are only stored",
  );
  command.option("--data <folder>", "Where to keep what is written, for the next start; default: nowhere");
  command.option(
    "--audit <file>",
    "Where to log each request, as audit events of Kubernetes; default: nowhere",
  );
  command.option(
    "--audit-policy <file>",
    "How much the log tells of which requests: a Policy of audit.k8s.io/v1; default: all, at the level Metadata",
  );
  command.option(
    "--hostname <name>",
    "The name or address to listen at; default: 127.0.0.1. Nobody gets in without credentials",
  );
  command.option("--token <text>", "The administrator's bearer token; default: one that is drawn");
  command.addOption(
    new CommandOption(
      "--crds <path>",
      "CustomResourceDefinitions that are there from the start: a YAML file or a folder; may be repeated",
    ).repeatable(),
  );
  command.option(
    "--envtest <folder>",
    "Serve nothing, but write stand-ins for etcd and kube-apiserver into a folder, for KUBEBUILDER_ASSETS",
  );
  command.addOption(
    new CommandOption("--stand-in <name>", "Be one of the stand-ins").oneOf(["etcd", "kube-apiserver"])
      .hideHelp(),
  );
  addExamples(command, [
    "apiserver --port 6443 --kubeconfig ./kubeconfig",
    "apiserver --rbac",
    "apiserver --data ./state",
    "apiserver --crds config/crd -- pytest",
    "apiserver --envtest ./assets -- go test ./...",
  ]);
  command.action((words: readonly string[], flags: ApiServerFlags) => begin(words, flags, host));
}

async function begin(words: readonly string[], flags: ApiServerFlags, host: Host): Promise<void> {
  if (flags.standIn !== undefined) {
    const { runStandIn } = await import("./stand_in.ts");
    return await runStandIn(flags.standIn, words, host);
  }
  if (flags.envtest === undefined) return await serve(words, flags, host);
  const { writeStandIns } = await import("./stand_in.ts");
  const folder = await writeStandIns(flags.envtest, host);
  if (words.length === 0) return host.process.write("stdout", `KUBEBUILDER_ASSETS=${folder}\n`);
  using stop = listenForSignals(host);
  await runCommand(words, { KUBEBUILDER_ASSETS: folder }, { host, signal: stop.signal });
}

async function serve(words: readonly string[], flags: ApiServerFlags, host: Host): Promise<void> {
  using stop = listenForSignals(host);
  await using api = await serveApi(host, flags);
  if (words.length > 0) {
    return await runCommand(words, { KUBECONFIG: api.kubeconfig }, { host, signal: stop.signal });
  }
  host.process.write("stdout", `ready: ${api.url} KUBECONFIG=${api.kubeconfig}\n`);
  await untilAborted(stop.signal);
}

interface RunCommandOptions {
  readonly host: Host;
  readonly signal: AbortSignal;
}

/** @throws {ProgramEnd} With its exit code, unless that is 0. @throws {UsageError} If there is no such program. */
async function runCommand(
  [program = "", ...args]: readonly string[],
  env: Readonly<Record<string, string>>,
  { host, signal }: RunCommandOptions,
): Promise<void> {
  try {
    const { code } = await host.process.run(program, args, { env, input: "inherit", inherit: true, signal });
    if (code !== 0) throw new ProgramEnd(code);
  } catch (error) {
    if (signal.aborted) return;
    const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
    throw isMissing ? new UsageError(`Cannot run "${program}": there is no such program`) : error;
  }
}

/** An API server that listens, and a kubeconfig file that leads to it. */
export interface ServedApi extends AsyncDisposable {
  readonly url: string;
  /** The path of the kubeconfig file. */
  readonly kubeconfig: string;
  /** Answers a request without a socket. */
  fetch(request: Request): Promise<Response>;
}

export interface ServeApiOptions {
  /** Default: any free one. */
  readonly port?: number;
  /** Where to write the kubeconfig. Default: a temporary file, which goes with the server. */
  readonly kubeconfig?: string;
  /** Whether roles and bindings count. Default: false. */
  readonly rbac?: boolean;
  /** Whether workloads come to life. Default: false. */
  readonly workloads?: boolean;
  /** Whether quotas and limits are enforced. Default: false. */
  readonly quotas?: boolean;
  /** The folder in which the state is kept. Default: none. */
  readonly data?: string;
  /** The file of the audit log. Default: none. */
  readonly audit?: string;
  /** The file of its policy. Default: none. */
  readonly auditPolicy?: string;
  /** Where to listen. Default: 127.0.0.1. */
  readonly hostname?: string;
  /** The administrator's bearer token. Default: one that is drawn. */
  readonly token?: string;
  /** Files and folders with the definitions that are there from the start. Default: none. */
  readonly crds?: readonly string[];
}

/** Starts an API server and writes its kubeconfig, readable by its owner only. */
export async function serveApi(
  host: Host,
  { port = 0, kubeconfig, hostname, token, crds = [], data, auditPolicy, ...modes }: ServeApiOptions = {},
): Promise<ServedApi> {
  // Loaded only here: most commands do without, and it is the largest part of all.
  const { apiServer, openApiServer, StateError } = await import("../kits/apiserver/mod.ts");
  const policy = auditPolicy === undefined ? undefined : await readPolicy(host, auditPolicy);
  const { rbac, workloads, quotas, audit } = modes;
  const options = { host, rbac, workloads, quotas, audit, auditPolicy: policy };
  const open = async (): Promise<ApiServer & Partial<AsyncDisposable>> =>
    data === undefined ? apiServer(options) : await openApiServer({ ...options, data });
  const server = await open().catch((error: unknown) => {
    const isExplained = error instanceof StateError || (error instanceof TypeError && policy !== undefined);
    throw isExplained ? new CommandError(error.message, { cause: error }) : error;
  });
  const begin = async () => {
    await define(crds, server, host);
    return await server.serve({ port, hostname, token });
  };
  const served = await begin().catch(async (error: unknown) => {
    await server[Symbol.asyncDispose]?.();
    throw isPortTaken(error) ? new CommandError(portTaken(port, hostname)) : error;
  });
  const folder = kubeconfig === undefined ? await host.files.makeTempFolder("lotse-") : undefined;
  const path = host.files.resolve(host.process.cwd(), folder ?? "", kubeconfig ?? "kubeconfig");
  await host.files.writeText(path, served.kubeconfig, { mode: 0o600 });
  return {
    url: served.url,
    kubeconfig: path,
    fetch: (request) => server.fetch(request),
    async [Symbol.asyncDispose]() {
      await served.close();
      await server[Symbol.asyncDispose]?.();
      if (folder !== undefined) await host.files.remove(folder);
    },
  };
}

/** Applies the definitions in files and folders, but no other objects: definitions are there after each reset, too. */
async function define(paths: readonly string[], server: ApiServer, host: Host): Promise<void> {
  if (paths.length === 0) return;
  const files = await findManifestFiles(paths, host);
  const objects = (await Promise.all(files.map((file) => readManifests(file, host)))).flat();
  const definitions = objects.filter(isDefinition);
  if (definitions.length === 0) {
    throw new CommandError(
      `Cannot define kinds: there is no CustomResourceDefinition in "${paths.join('", "')}"`,
    );
  }
  const logger = loggerFor({ quiet: true }, host);
  await applyManifests(definitions, { host, logger, fetch: (request) => server.fetch(request) });
  server.checkpoint();
}

async function readPolicy(host: Host, path: string): Promise<Readonly<Record<string, unknown>>> {
  const { parseYaml } = await import("../runtime/yaml.ts");
  try {
    const text = await host.files.readText(host.files.resolve(host.process.cwd(), path));
    // The server refuses any other value.
    return parseYaml(text)[0] as Record<string, unknown>;
  } catch (error) {
    throw new CommandError(`Cannot read the audit policy "${path}": ${messageOf(error)}`, { cause: error });
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function portTaken(port: number, hostname = "127.0.0.1"): string {
  return `Cannot listen on ${hostname}:${port}: the port is in use (give another --port, or none for any free one)`;
}
