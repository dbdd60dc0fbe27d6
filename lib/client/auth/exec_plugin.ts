/**
 * Credentials from a program: runs it, and reads the ExecCredential that it prints.
 *
 * The credential that it gives is kept until its `expirationTimestamp`, and renewed a little earlier, while the old one still
 * works. The vault sees to it that it runs once however many requests wait. Source: Kubernetes, "Authenticating", "client-go
 * credential plugins".
 */

import { toBase64 } from "../../model/encoding.ts";
import { isObject } from "../../model/json.ts";
import type { JsonObject } from "../../model/object.ts";
import { formatTimestamp, parseTimestamp } from "../../model/timestamps.ts";
import type { RunResult, Seconds } from "../../runtime/host.ts";
import { LoginError, messageOf } from "../errors.ts";
import { checkFields, EXEC_FIELDS } from "./field_types.ts";
import { checkPem, placeOf, type Source, textField } from "./kubeconfig_fields.ts";

/** For how long a program may run: it may ask a server, but must not hang the operator. */
const TIMEOUT: Seconds = 60;

/** How long before their expiration credentials are renewed, unless that is more than a fifth of their life. */
const MARGIN: Seconds = 60;

/** How much of the error output of a program is shown, in characters. */
const COMPLAINT_LIMIT = 512;

/** The facts about the cluster that a program may know. */
export interface ExecCluster {
  readonly server: string;
  readonly ca?: string;
  readonly insecure?: boolean;
  readonly serverName?: string;
  readonly proxy?: string;
  /** The cluster's entry in the kubeconfig. */
  readonly config: JsonObject;
}

/** The identity that a program gave. */
export interface ExecIdentity {
  readonly token?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly expiration?: number;
  readonly refreshAfter?: number;
}

/** @throws {LoginError} If the program is missing, fails, or prints no credentials. */
export async function runExecPlugin(
  source: Source,
  exec: JsonObject,
  options: { readonly cluster: ExecCluster },
): Promise<ExecIdentity> {
  checkFields(`the exec plugin of ${placeOf(source)}`, exec, EXEC_FIELDS);
  const command = textField(exec, "command");
  const apiVersion = textField(exec, "apiVersion");
  if (command === undefined || apiVersion === undefined) {
    throw new LoginError(
      `Cannot run the exec plugin of ${placeOf(source)}: it names no command or no apiVersion`,
    );
  }
  checkModes(source, { apiVersion, mode: textField(exec, "interactiveMode") });
  const cluster = exec["provideClusterInfo"] === true ? toExecCluster(options.cluster) : undefined;
  const info = { apiVersion, kind: "ExecCredential", spec: { interactive: false, cluster } };
  const env = { ...readEnvironment(exec), KUBERNETES_EXEC_INFO: JSON.stringify(info) };
  const result = await run(source, exec, { command: toProgram(source, command), env });
  if (result.code !== 0) {
    throw new LoginError(failure(source, command, `it ended with code ${result.code}${complaint(result)}`));
  }
  return readCredential(source, { command, apiVersion, text: result.stdout });
}

const VERSION = "client.authentication.k8s.io/v1";

/** Only the older version has a default. Source: client-go, `clientcmd/validation.go` and `clientcmd/api/v1/defaults.go`. */
function checkModes(
  source: Source,
  { apiVersion, mode }: { readonly apiVersion: string; readonly mode: string | undefined },
): void {
  const refuse = (problem: string): never => {
    throw new LoginError(`Cannot run the exec plugin of ${placeOf(source)}: ${problem}`);
  };
  if (apiVersion !== VERSION && apiVersion !== `${VERSION}beta1`) {
    refuse(`its apiVersion "${apiVersion}" is neither "${VERSION}" nor "${VERSION}beta1"`);
  }
  if (mode === undefined && apiVersion === VERSION) {
    refuse(`"${VERSION}" wants an interactiveMode ("Never", "IfAvailable" or "Always")`);
  }
  if (mode === "Always") refuse('it needs a terminal ("interactiveMode: Always")');
  if (mode !== undefined && mode !== "Never" && mode !== "IfAvailable") {
    refuse(`its interactiveMode "${mode}" is none of "Never", "IfAvailable", "Always"`);
  }
}

async function run(
  source: Source,
  exec: JsonObject,
  options: { readonly command: string; readonly env: Record<string, string> },
): Promise<RunResult> {
  const { command, env } = options;
  const { process, clock } = source.host;
  const args = Array.isArray(exec["args"]) ? exec["args"].map(String) : [];
  const controller = new AbortController();
  const timer = clock.after(TIMEOUT, () => controller.abort());
  try {
    return await process.run(command, args, { env, signal: controller.signal });
  } catch (error) {
    const hint = textField(exec, "installHint");
    const problem = controller.signal.aborted ? `it did not end within ${TIMEOUT} seconds` : messageOf(error);
    throw new LoginError(
      failure(source, command, hint === undefined ? problem : `${problem}. ${hint.trim()}`),
      {
        cause: error,
      },
    );
  } finally {
    timer[Symbol.dispose]();
  }
}

function readCredential(
  source: Source,
  options: { readonly command: string; readonly apiVersion: string; readonly text: string },
): ExecIdentity {
  const { command, apiVersion, text } = options;
  const answer = parseObject(text);
  if (answer?.["kind"] !== "ExecCredential" || answer["apiVersion"] !== apiVersion) {
    throw new LoginError(failure(source, command, `it did not print an ExecCredential of "${apiVersion}"`));
  }
  const { status } = answer;
  const fields = isObject(status) ? status : {};
  const token = textField(fields, "token");
  const cert = textField(fields, "clientCertificateData");
  const key = textField(fields, "clientKeyData");
  if (token === undefined && (cert === undefined || key === undefined)) {
    throw new LoginError(failure(source, command, "it gave neither a token nor a certificate with its key"));
  }
  const pair = cert === undefined || key === undefined ? {} : {
    cert: checkPem(source, cert, "exec plugin's clientCertificateData"),
    key: checkPem(source, key, "exec plugin's clientKeyData"),
  };
  return { token, ...pair, ...readExpiration(source, command, textField(fields, "expirationTimestamp")) };
}

function readExpiration(
  source: Source,
  command: string,
  timestamp: string | undefined,
): Pick<ExecIdentity, "expiration" | "refreshAfter"> {
  if (timestamp === undefined) return {};
  const expiration = parseTimestamp(timestamp);
  if (expiration === undefined) {
    throw new LoginError(failure(source, command, `its expirationTimestamp "${timestamp}" is not a time`));
  }
  const now = source.host.clock.now();
  if (expiration <= now) {
    const times = `have expired at ${formatTimestamp(expiration)}, and it is ${formatTimestamp(now)}`;
    throw new LoginError(
      failure(source, command, `the credentials that it gave ${times} (is this machine's clock right?)`),
    );
  }
  const life = expiration - now;
  return { expiration, refreshAfter: expiration - Math.min(MARGIN * 1000, Math.max(0, life / 5)) };
}

/** A command with a folder in it is found from the kubeconfig, any other one in PATH. */
function toProgram(source: Source, command: string): string {
  const { files } = source.host;
  return /[/\\]/.test(command) ? files.resolve(files.folderOf(source.path), command) : command;
}

function toExecCluster(cluster: ExecCluster): JsonObject {
  const extensions = cluster.config["extensions"];
  const found = Array.isArray(extensions)
    ? extensions.find((it: { name?: unknown }) => it?.name === "client.authentication.k8s.io/exec")
    : undefined;
  return {
    "server": cluster.server,
    "certificate-authority-data": cluster.ca === undefined ? undefined : toBase64(cluster.ca),
    "insecure-skip-tls-verify": cluster.insecure,
    "tls-server-name": cluster.serverName,
    "proxy-url": cluster.proxy,
    "config": (found as { extension?: unknown } | undefined)?.extension,
  };
}

function readEnvironment(exec: JsonObject): Record<string, string> {
  const list: unknown[] = Array.isArray(exec["env"]) ? exec["env"] : [];
  const env: Record<string, string> = {};
  for (const item of list) {
    const name = isObject(item) ? textField(item, "name") : undefined;
    if (isObject(item) && name !== undefined) env[name] = textField(item, "value") ?? "";
  }
  return env;
}

function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined; // said by the caller, without the text: it may hold a token
  }
}

function complaint(result: RunResult): string {
  const text = result.stderr.trim().slice(0, COMPLAINT_LIMIT);
  return text === "" ? "" : `: ${text}`;
}

function failure(source: Source, command: string, problem: string): string {
  return `Cannot run exec plugin "${command}" of ${placeOf(source)}: ${problem}`;
}
