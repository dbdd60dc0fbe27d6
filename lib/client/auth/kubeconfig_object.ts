/**
 * The official client's `KubeConfig` objects as a way into a cluster, known by their shape: none of its code is loaded.
 *
 * Their cluster and user are read as in a kubeconfig, by our own code. Where a user's token comes from a provider that
 * only the object knows (OIDC, clouds), the object is asked for it, again and again. Source: @kubernetes/client-node 2.0,
 * `config.ts`, `config_types.ts`.
 */

import type { JsonObject } from "../../model/object.ts";
import type { Host, Seconds } from "../../runtime/host.ts";
import type { ConnectionInfo } from "./connection_info.ts";
import { LoginError, messageOf } from "../errors.ts";
import { readCluster, type Source } from "./kubeconfig_fields.ts";
import { readUser } from "./kubeconfig_user.ts";

/** How often the object is asked again. Source: client-go. */
const REREAD: Seconds = 60;

/** A cluster as the object holds it. */
export interface KubeConfigCluster {
  /** Its name. */
  readonly name: string;
  /** Base64 of PEM. */
  readonly caData?: string;
  /** A file. */
  readonly caFile?: string;
  /** The base URL. */
  readonly server: string;
  /** The name in the server's certificate. */
  readonly tlsServerName?: string;
  /** Whether certificates are not checked. */
  readonly skipTLSVerify?: boolean;
  /** A proxy's URL. */
  readonly proxyUrl?: string;
}

/** A user as the object holds it. */
export interface KubeConfigUser {
  /** Its name. */
  readonly name: string;
  /** Base64 of PEM. */
  readonly certData?: string;
  /** A file. */
  readonly certFile?: string;
  /** A program that gives credentials. */
  readonly exec?: unknown;
  /** Base64 of PEM. */
  readonly keyData?: string;
  /** A file. */
  readonly keyFile?: string;
  /** Another source of credentials. */
  readonly authProvider?: unknown;
  /** A token. */
  readonly token?: string;
  /** For basic authentication. */
  readonly username?: string;
  /** For basic authentication. */
  readonly password?: string;
  /** Whom to act as. */
  readonly impersonateUser?: string;
}

/** The part of the official client's `KubeConfig` that we need. */
export interface KubeConfigLike {
  /** The cluster of the current context. */
  getCurrentCluster(): KubeConfigCluster | null;
  /** The user of the current context. */
  getCurrentUser(): KubeConfigUser | null;
  /** The name of the current context. */
  getCurrentContext(): string;
  /** A context by its name. */
  getContextObject(name: string): { readonly namespace?: string } | null;
  /** Fills in the headers that its user needs. */
  applyToHTTPSOptions(options: { headers?: Record<string, string> }): Promise<void>;
}

/** Tells whether it has the shape. */
export function isKubeConfig(value: object): value is KubeConfigLike {
  return ["getCurrentCluster", "getCurrentUser", "getContextObject", "applyToHTTPSOptions"].every((name) =>
    name in value && typeof (value as Record<string, unknown>)[name] === "function"
  );
}

/** Returns the connection info of the current context, as it is at each renewal. @throws {LoginError} If it cannot be used. */
export async function fromKubeConfig(host: Host, config: KubeConfigLike): Promise<ConnectionInfo> {
  const context = config.getCurrentContext();
  const cluster = config.getCurrentCluster();
  if (cluster === null) {
    throw new LoginError(
      `Cannot use the KubeConfig object: its current context "${context}" leads to no cluster (load a kubeconfig, or set the context)`,
    );
  }
  const user = config.getCurrentUser();
  const clusterSource: Source = { host, kind: "cluster", name: cluster.name, path: PLACE };
  const clusterInfo = await readCluster(clusterSource, clusterOf(cluster));
  const identity = await identityOf(host, { config, user, cluster: clusterInfo });
  return {
    ...clusterInfo,
    ...identity,
    defaultNamespace: config.getContextObject(context)?.namespace,
    refreshAfter: identity.refreshAfter,
    refreshEvery: identity.refreshAfter === undefined ? REREAD : undefined,
    refresh: () => fromKubeConfig(host, config),
  };
}

/** Stands in messages where a kubeconfig's path would; relative paths start where the process does. */
const PLACE = "(a KubeConfig object)";

interface Parts {
  readonly config: KubeConfigLike;
  readonly user: KubeConfigUser | null;
  readonly cluster: ConnectionInfo;
}

async function identityOf(host: Host, { config, user, cluster }: Parts): Promise<Partial<ConnectionInfo>> {
  if (user === null) return {};
  const source: Source = { host, kind: "user", name: user.name, path: PLACE };
  const content = userOf(user);
  const { files: _, ...identity } = await readUser(source, content, { cluster: { ...cluster, config: {} } });
  if (user.authProvider === undefined || user.authProvider === null || content["tokenFile"] !== undefined) {
    return identity;
  }
  return { ...identity, ...await askObject(config, user) };
}

async function askObject(config: KubeConfigLike, user: KubeConfigUser): Promise<Partial<ConnectionInfo>> {
  const options: { headers?: Record<string, string> } = { headers: {} };
  try {
    await config.applyToHTTPSOptions(options);
  } catch (error) {
    throw new LoginError(`Cannot use user "${user.name}" of the KubeConfig object: ${messageOf(error)}`, {
      cause: error,
    });
  }
  const [scheme, ...rest] = (options.headers?.["Authorization"] ?? "").split(" ");
  return scheme === undefined || scheme === "" ? {} : { scheme, token: rest.join(" ") };
}

function clusterOf(cluster: KubeConfigCluster): JsonObject {
  return {
    "server": cluster.server,
    "certificate-authority-data": cluster.caData,
    "certificate-authority": cluster.caFile,
    "insecure-skip-tls-verify": cluster.skipTLSVerify,
    "tls-server-name": cluster.tlsServerName,
    "proxy-url": cluster.proxyUrl,
  };
}

function userOf(user: KubeConfigUser): JsonObject {
  return {
    "client-certificate-data": user.certData,
    "client-certificate": user.certFile,
    "client-key-data": user.keyData,
    "client-key": user.keyFile,
    "token": user.token,
    "tokenFile": tokenFileOf(user.authProvider),
    "username": user.username,
    "password": user.password,
    "exec": user.exec,
    "as": user.impersonateUser,
  };
}

/** In a pod, the object reads the service account's token through a provider of its own. */
function tokenFileOf(provider: unknown): string | undefined {
  const { name, config } = (provider ?? {}) as { name?: unknown; config?: { tokenFile?: unknown } | null };
  return name === "tokenFile" && typeof config?.tokenFile === "string" ? config.tokenFile : undefined;
}
