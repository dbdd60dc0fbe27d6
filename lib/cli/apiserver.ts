/** `apiserver`: serves the API server in the process to kubectl and whatever else speaks Kubernetes. */

import type { Command } from "commander";

import type { ApiServer } from "../kits/apiserver/mod.ts";
import type { Host } from "../runtime/host.ts";
import { CommandError, isPortTaken } from "./errors.ts";
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
}

/** Adds the options of `ApiServerFlags`, except for those that only a server alone has. */
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
  const command = program.command("apiserver");
  command.summary("Serve the in-process API server, without handlers");
  command.description(
    `${command.summary()}\n\nServes with TLS on 127.0.0.1 and prints one line, "ready: <url> KUBECONFIG=<path>", when it ` +
      "answers; runs until SIGTERM or SIGINT. Everything is kept in memory and gone afterwards, unless --data names a folder.",
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
  addExamples(command, [
    "apiserver --port 6443 --kubeconfig ./kubeconfig",
    "apiserver --rbac",
    "apiserver --data ./state",
  ]);
  command.action((flags: ApiServerFlags) => serve(flags, host));
}

async function serve(flags: ApiServerFlags, host: Host): Promise<void> {
  using stop = listenForSignals(host);
  await using api = await serveApi(host, flags);
  host.process.write("stdout", `ready: ${api.url} KUBECONFIG=${api.kubeconfig}\n`);
  await untilAborted(stop.signal);
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
}

/** Starts an API server and writes its kubeconfig, readable by its owner only. */
export async function serveApi(
  host: Host,
  { port = 0, kubeconfig, rbac, workloads, quotas, data, audit, auditPolicy }: ServeApiOptions = {},
): Promise<ServedApi> {
  // Loaded only here: most commands do without, and it is the largest part of all.
  const { apiServer, openApiServer, StateError } = await import("../kits/apiserver/mod.ts");
  const policy = auditPolicy === undefined ? undefined : await readPolicy(host, auditPolicy);
  const options = { host, rbac, workloads, quotas, audit, auditPolicy: policy };
  const open = async (): Promise<ApiServer & Partial<AsyncDisposable>> =>
    data === undefined ? apiServer(options) : await openApiServer({ ...options, data });
  const server = await open().catch((error: unknown) => {
    const isExplained = error instanceof StateError || (error instanceof TypeError && policy !== undefined);
    throw isExplained ? new CommandError(error.message, { cause: error }) : error;
  });
  const served = await server.serve({ port }).catch(async (error: unknown) => {
    await server[Symbol.asyncDispose]?.();
    throw isPortTaken(error) ? new CommandError(portTaken(port)) : error;
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

async function readPolicy(host: Host, path: string): Promise<Readonly<Record<string, unknown>>> {
  const { parseYaml } = await import("../runtime/yaml.ts");
  try {
    const text = await host.files.readText(host.files.resolve(host.process.cwd(), path));
    // What is none is refused by the server.
    return parseYaml(text)[0] as Record<string, unknown>;
  } catch (error) {
    throw new CommandError(`Cannot read the audit policy "${path}": ${messageOf(error)}`, { cause: error });
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function portTaken(port: number): string {
  return `Cannot listen on 127.0.0.1:${port}: the port is in use (give another --port, or none for any free one)`;
}
