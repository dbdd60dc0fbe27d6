/**
 * The identity that Kubernetes gives to a pod.
 *
 * Tokens are short-lived, and the kubelet writes new ones into the same file long before the old ones expire: it is read
 * again every minute, and whenever a server refuses our token. Source: scenarios B260–B278.
 */

import type { Host, Seconds } from "../../runtime/host.ts";
import type { ConnectionInfo } from "./connection_info.ts";
import { LoginError, messageOf } from "../errors.ts";

const FOLDER = "/var/run/secrets/kubernetes.io/serviceaccount";

/** Source: client-go, `transport/token_source.go`. */
const REREAD: Seconds = 60;

export interface ServiceAccountOptions {
  readonly host: Host;
  /** The folder with `token`, `ca.crt` and `namespace`. Default: where Kubernetes mounts it. */
  readonly folder?: string;
}

/** Tells whether there is a service account's token. */
export function hasServiceAccount(options: ServiceAccountOptions): Promise<boolean> {
  const { host, folder = FOLDER } = options;
  return host.files.exists(`${folder}/token`);
}

/** Returns the pod's own identity. @throws {LoginError} If there is no token. */
export async function loadServiceAccount(options: ServiceAccountOptions): Promise<ConnectionInfo> {
  const { host, folder = FOLDER } = options;
  const token = await readRequired(host, `${folder}/token`);
  return {
    server: serverOf(host),
    ca: await readOptional(host, `${folder}/ca.crt`),
    token,
    defaultNamespace: await readOptional(host, `${folder}/namespace`),
    refreshEvery: REREAD,
    refresh: () => loadServiceAccount(options),
  };
}

/** Returns the namespace of the pod that we are in; undefined elsewhere. */
export function podNamespace(host: Host): Promise<string | undefined> {
  return readOptional(host, `${FOLDER}/namespace`);
}

/** The address from the environment works without DNS; without one, the service's name does as well. */
function serverOf(host: Host): string {
  const name = host.process.env("KUBERNETES_SERVICE_HOST");
  const port = host.process.env("KUBERNETES_SERVICE_PORT") || "443";
  if (!name) return "https://kubernetes.default.svc";
  return name.includes(":") ? `https://[${name}]:${port}` : `https://${name}:${port}`;
}

async function readRequired(host: Host, path: string): Promise<string> {
  try {
    const text = (await host.files.readText(path)).trim();
    if (text !== "") return text;
  } catch (error) {
    throw new LoginError(`Cannot read the service account's token "${path}": ${messageOf(error)}`, {
      cause: error,
    });
  }
  throw new LoginError(`Cannot use the service account's token "${path}": it is empty`);
}

async function readOptional(host: Host, path: string): Promise<string | undefined> {
  if (!await host.files.exists(path)) return undefined;
  return (await host.files.readText(path)).trim() || undefined;
}
