/**
 * Finds out how to reach an API server: from the options of the user, from the environment, from the pod, from the home folder.
 *
 * The order is the one of Kubernetes' own tools: a path or context that is named, `KUBECONFIG`, the pod's service account,
 * `~/.kube/config`. The first that is there counts, and its faults are told; there is no falling back to another cluster.
 */

import { currentHost } from "../../runtime/current_host.ts";
import type { Host, Seconds } from "../../runtime/host.ts";
import { type Logger, silentLogger } from "../../runtime/logging.ts";
import { type ConnectionInfo, type Credentials, toPem } from "./connection_info.ts";
import { LoginError, messageOf } from "../errors.ts";
import { withoutPassword } from "../transport/proxy.ts";
import { kubeconfigPaths, loadKubeconfig } from "./kubeconfig.ts";
import { fromKubeConfig, isKubeConfig, type KubeConfigLike } from "./kubeconfig_object.ts";
import { hasServiceAccount, loadServiceAccount } from "./service_account.ts";
import { Vault } from "./vault.ts";
import { parseTimestamp } from "../../model/timestamps.ts";
import { nearest } from "../../settings/rules.ts";

export interface LoginOptions {
  readonly host: Host;
  /** A kubeconfig's path. Default: see above. */
  readonly kubeconfig?: string;
  /** A context of the kubeconfig. Default: its current one. */
  readonly context?: string;
  /** Where renewals are told. Default: nowhere. */
  readonly logger?: Logger;
  /** Called when credentials were refused and there are no others; an operator stops then. */
  readonly onFailure?: (error: LoginError) => void;
}

/**
 * Logs in, and gives credentials that renew themselves. Only files and programs are asked, no server yet.
 *
 * @throws {LoginError} If there is no way to log in, or the one that there is makes no sense.
 */
export async function login(options: LoginOptions): Promise<Vault> {
  const { host, logger = silentLogger(), onFailure } = options;
  const first = await findConnection(options);
  const again = async (): Promise<Map<string, ConnectionInfo>> => {
    const { key, info } = await findConnection(options);
    return new Map([[key, info]]);
  };
  const vault = new Vault({ host, logger, login: again, onFailure });
  vault.add(first.key, first.info);
  return vault;
}

/** Credentials that are given: with a life of their own, or a way in, or a `KubeConfig` of the official client. */
export type GivenCredentials = Credentials | LoginInfo | KubeConfigLike;

/**
 * Returns credentials that renew themselves, from the given ones.
 *
 * @throws {TypeError | LoginError} If they cannot be used.
 */
export async function credentialsFrom(
  given: GivenCredentials,
  options: Pick<LoginOptions, "host" | "logger" | "onFailure">,
): Promise<Credentials> {
  if ("current" in given && typeof given.current === "function") return given;
  // Not credentials with a life of their own, so a way in.
  const way = given as LoginInfo | KubeConfigLike;
  const { host, logger = silentLogger(), onFailure } = options;
  const again = async (): Promise<Map<string, ConnectionInfo>> =>
    new Map([["given", await toConnectionInfo(host, way)]]);
  const vault = new Vault({ host, logger, login: again, onFailure });
  for (const [key, info] of await again()) vault.add(key, info);
  return vault;
}

/** Where login handlers look. */
export interface LoginSource {
  /** A kubeconfig's path. Default: KUBECONFIG, or `~/.kube/config`. */
  readonly kubeconfig?: string;
  /** Which of its contexts. Default: the current one. */
  readonly context?: string;
  /** Default: the real world. */
  readonly host?: Host;
}

/**
 * Logs in as a kubeconfig says; undefined if there is none. For login handlers that add to it.
 *
 * @throws {LoginError} If it is there, but makes no sense.
 * @example
 * ```ts
 * import { operator } from "@lotse/lotse";
 * import { loginWithKubeconfig } from "@lotse/lotse/client";
 *
 * const op = operator();
 *
 * op.on.login(async function staging() {
 *   const found = await loginWithKubeconfig({ context: "staging" });
 *   return found && { ...found, userAgent: "my-operator/1.0" };
 * });
 * ```
 */
export async function loginWithKubeconfig(source: LoginSource = {}): Promise<ConnectionInfo | undefined> {
  const { host = currentHost(), kubeconfig, context } = source;
  const paths = kubeconfig === undefined ? kubeconfigPaths(host) : [kubeconfig];
  const isNamed = kubeconfig !== undefined || !!host.process.env("KUBECONFIG")?.trim();
  if (!isNamed && !await anyExists(host, paths)) return undefined;
  return await loadKubeconfig({ host, paths, context });
}

/** Logs in as the pod's service account; undefined outside of pods. For login handlers that add to it. @throws {LoginError} If its token is empty. */
export async function loginWithServiceAccount(
  source: Pick<LoginSource, "host"> = {},
): Promise<ConnectionInfo | undefined> {
  const { host = currentHost() } = source;
  return await hasServiceAccount({ host }) ? await loadServiceAccount({ host }) : undefined;
}

async function findConnection(options: LoginOptions): Promise<{ key: string; info: ConnectionInfo }> {
  const { host, kubeconfig, context } = options;
  if (kubeconfig !== undefined) {
    return { key: "kubeconfig", info: await loadKubeconfig({ host, paths: [kubeconfig], context }) };
  }
  const named = context !== undefined || !!host.process.env("KUBECONFIG")?.trim();
  if (!named && await hasServiceAccount({ host })) {
    return { key: "service account", info: await loadServiceAccount({ host }) };
  }
  const paths = kubeconfigPaths(host);
  if (named || await anyExists(host, paths)) {
    return { key: "kubeconfig", info: await loadKubeconfig({ host, paths, context }) };
  }
  throw new LoginError(
    `Cannot log in: there is no kubeconfig (${
      paths.map((path) => `"${path}"`).join(", ") || "no home folder"
    }), ` +
      `KUBECONFIG is not set, and this is not a pod with a service account (name a kubeconfig; to try handlers without a ` +
      "cluster: lotse dev)",
  );
}

async function anyExists(host: Host, paths: readonly string[]): Promise<boolean> {
  for (const path of paths) {
    if (await host.files.exists(path)) return true;
  }
  return false;
}

// The results of logins, in the forms that people have them in, and how they become connection infos.
// Certificates come as PEM text, as base64 of it, or as files; expirations as numbers, dates or timestamps. A value that cannot be
// meant is refused here, where it can be said which field it is. Source: scenarios B260–B278.

/** How often certificates and keys that live in files are read again. Source: client-go. */
const REREAD: Seconds = 60;

/** A way into an API server, as login handlers give it. Certificates and keys: PEM text, or base64 of it. */
export interface LoginInfo extends Omit<ConnectionInfo, "expiration" | "refresh"> {
  /** A file with the authority's certificates, in place of `ca`. */
  readonly caPath?: string;
  /** A file with the client certificate, in place of `cert`. */
  readonly certPath?: string;
  /** A file with its key, in place of `key`. */
  readonly keyPath?: string;
  /** Milliseconds since 1970, a date, or a timestamp; one without a zone is UTC. Default: never. */
  readonly expiration?: number | string | Date;
  /** Returns the next credentials. Default: the login handlers are called again; files are read again. */
  readonly refresh?: () => LoginInfo | Promise<LoginInfo>;
}

const NAMES: ReadonlySet<string> = new Set(
  ("server ca caPath cert certPath key keyPath insecure serverName token scheme username password proxy impersonate " +
    "disableCompression defaultNamespace userAgent priority expiration refreshAfter refresh").split(" "),
);

/** Tells whether a value could be a login's: it has a server's URL, or is a `KubeConfig` of the official client. */
export function isLogin(value: unknown): value is LoginInfo | KubeConfigLike {
  if (typeof value !== "object" || value === null) return false;
  return isKubeConfig(value) || ("server" in value && typeof value.server === "string");
}

/**
 * Returns the connection info of a login.
 *
 * @throws {TypeError} If fields are unknown, or contradict each other.
 * @throws {LoginError} If a file cannot be read, or holds no PEM.
 */
export async function toConnectionInfo(
  host: Host,
  login: LoginInfo | KubeConfigLike,
): Promise<ConnectionInfo> {
  if (isKubeConfig(login)) return await fromKubeConfig(host, login);
  rejectNonsense(login);
  const { ca, caPath, cert, certPath, key, keyPath, expiration, refresh, refreshAfter, ...rest } = login;
  const hasFiles = (caPath ?? certPath ?? keyPath) !== undefined;
  const renew = refresh ?? (hasFiles ? () => login : undefined);
  return {
    ...rest,
    server: rest.server.replace(/(?<!\/)\/+$/, ""),
    ca: await pemOf(host, { name: "ca", text: ca, path: caPath }),
    cert: await pemOf(host, { name: "cert", text: cert, path: certPath }),
    key: await pemOf(host, { name: "key", text: key, path: keyPath }),
    expiration: toMilliseconds(expiration),
    refreshAfter,
    refreshEvery: hasFiles && refreshAfter === undefined ? REREAD : undefined,
    refresh: renew && (async () => await toConnectionInfo(host, await renew())),
  };
}

function rejectNonsense(login: LoginInfo): void {
  const fail = (problem: string): never => {
    // Whatever untyped code has put there.
    const { server }: { readonly server?: unknown } = login;
    const where = typeof server === "string" ? ` to "${withoutPassword(server)}"` : "";
    throw new TypeError(`Cannot log in${where}: ${problem}`);
  };
  for (const name of Object.keys(login)) {
    if (NAMES.has(name)) continue;
    const meant = nearest(name, NAMES);
    fail(`there is no field "${name}"${meant === undefined ? "" : `; did you mean "${meant}"?`}`);
  }
  if (typeof login.server !== "string" || !/^https?:\/\//.test(login.server) || !URL.canParse(login.server)) {
    fail("the server must be an http or https URL");
  }
  for (const name of ["ca", "cert", "key"] as const) {
    if (login[name] !== undefined && login[`${name}Path`] !== undefined) {
      fail(`"${name}" and "${name}Path" are both given: take one of them`);
    }
  }
  const [cert, key] = [login.cert ?? login.certPath, login.key ?? login.keyPath];
  if ((cert === undefined) !== (key === undefined)) {
    fail(`"${cert === undefined ? "key" : "cert"}" is given alone: a certificate and its key go together`);
  }
  const { expiration } = login;
  if (expiration !== undefined && toMilliseconds(expiration) === undefined) {
    fail(`its expiration "${String(expiration)}" is not a time`);
  }
}

async function pemOf(
  host: Host,
  { name, text, path }: { readonly name: string; readonly text?: string; readonly path?: string },
): Promise<string | undefined> {
  const what = path === undefined ? `"${name}" of a login` : `file "${path}", the "${name}Path" of a login`;
  try {
    const data = path === undefined ? text : await host.files.readText(path);
    return data === undefined ? undefined : toPem(data);
  } catch (error) {
    throw new LoginError(`Cannot use ${what}: ${messageOf(error)}`, { cause: error });
  }
}

function toMilliseconds(expiration: number | string | Date | undefined): number | undefined {
  if (typeof expiration === "string") return parseTimestamp(expiration);
  const time = expiration instanceof Date ? expiration.getTime() : expiration;
  return time === undefined || Number.isNaN(time) ? undefined : time;
}
