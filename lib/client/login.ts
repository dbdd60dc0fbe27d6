/**
 * Finds out how to reach an API server: from what the user names, from the environment, from the pod, from the home folder.
 *
 * The order is that of Kubernetes' own tools: a path or context that is named, `KUBECONFIG`, the pod's service account,
 * `~/.kube/config`. The first that is there counts, and its faults are told; there is no falling back to another cluster.
 */

import type { Host } from "../runtime/host.ts";
import { type Logger, silentLogger } from "../runtime/logging.ts";
import type { ConnectionInfo } from "./connection_info.ts";
import { LoginError } from "./errors.ts";
import { kubeconfigPaths, loadKubeconfig } from "./kubeconfig.ts";
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
