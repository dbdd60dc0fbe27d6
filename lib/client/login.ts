/**
 * Finds out how to reach an API server: from what the user names, from the environment, from the pod, from the home folder.
 *
 * The order is that of Kubernetes' own tools: a path or context that is named, `KUBECONFIG`, the pod's service account,
 * `~/.kube/config`. The first that is there counts, and its faults are told; there is no falling back to another cluster.
 */

import { currentHost } from "../runtime/current.ts";
import type { Host } from "../runtime/host.ts";
import { type Logger, silentLogger } from "../runtime/logging.ts";
import type { ConnectionInfo, Credentials } from "./connection_info.ts";
import { LoginError } from "./errors.ts";
import { kubeconfigPaths, loadKubeconfig } from "./kubeconfig.ts";
import type { KubeConfigLike } from "./kubeconfig_object.ts";
import { type LoginInfo, toConnectionInfo } from "./login_info.ts";
import { hasServiceAccount, loadServiceAccount } from "./service_account.ts";
import { Vault } from "./vault.ts";

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
 * @throws {LoginError} If there is nothing to log in with, or what there is makes no sense.
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
 * Gives credentials that renew themselves, from what was given.
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
 * Logs in as a kubeconfig says; undefined if there is none. For login handlers that add something to it.
 *
 * @throws {LoginError} If it is there, but makes no sense.
 * @example
 * ```ts
 * import { loginWithKubeconfig, operator } from "@lotse/lotse";
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

/** Logs in as the pod's service account; undefined outside of pods. For login handlers that add something to it. @throws {LoginError} If its token is empty. */
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
      `KUBECONFIG is not set, and this is not a pod with a service account`,
  );
}

async function anyExists(host: Host, paths: readonly string[]): Promise<boolean> {
  for (const path of paths) {
    if (await host.files.exists(path)) return true;
  }
  return false;
}
