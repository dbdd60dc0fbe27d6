/** Clients that only read, for the user of a kubeconfig and for another user whose rights count. */

import {
  type ConnectionInfo,
  type Credentials,
  fixedCredentials,
} from "../../../client/auth/connection_info.ts";
import { login } from "../../../client/auth/login.ts";
import type { Client } from "../../../client/client.ts";
import { ApiError, LoginError, messageOf } from "../../../client/errors.ts";
import { createClient } from "../../../client/object_client.ts";
import { Transport } from "../../../client/transport/transport.ts";
import { isObject } from "../../../model/json.ts";
import type { Host } from "../../../runtime/host.ts";
import type { Logger } from "../../../runtime/logging.ts";
import { defaultSettings, mergeSettings } from "../../../settings/settings.ts";
import { type ClusterCopy, copyCluster } from "./cluster_copy.ts";

/** Which cluster is copied, and how much of it. */
export interface CopyLiveOptions {
  readonly host: Host;
  readonly logger: Logger;
  readonly kubeconfig?: string;
  readonly context?: string;
  /** The way in, in place of a kubeconfig: for tests. */
  readonly connection?: ConnectionInfo;
  /** The user of the operator, such as "system:serviceaccount:databases:operator". Default: the user of the kubeconfig. */
  readonly as?: string;
  readonly namespaces?: readonly string[];
  readonly sample?: number;
  /** More objects than that are refused. Default: 50,000. */
  readonly most?: number;
  readonly signal?: AbortSignal;
}

const ACCOUNT = /^system:serviceaccount:[^:]+:[^:]+$/;

/**
 * Copies the cluster that a kubeconfig names. Its rights are rehearsed where the user is a service account.
 *
 * @throws {LoginError} If there is no way into a cluster.
 * @throws {Error} If the cluster cannot be reached, or no object may be read.
 */
export async function copyLiveCluster(options: CopyLiveOptions): Promise<ClusterCopy> {
  const { host, as } = options;
  const credentials = options.connection === undefined
    ? await login(options)
    : fixedCredentials(options.connection);
  using caller = openReader(options, credentials);
  const own = await userOf(caller.client, options);
  using reader = openReader(options, as === undefined ? credentials : impersonating(credentials, as));
  const { namespaces, sample, most, signal } = options;
  return await copyCluster({
    client: reader.client,
    caller: caller.client,
    ...as !== undefined || ACCOUNT.test(own) ? { user: as ?? own } : {},
    namespaces,
    sample,
    most,
    signal,
    now: host.clock.now(),
    salt: host.random.uuid(),
  });
}

function openReader(
  { host, logger }: CopyLiveOptions,
  credentials: Credentials,
): Disposable & { readonly client: Client } {
  // Few attempts: a person waits for the answer.
  const { networking } = mergeSettings(defaultSettings(), { networking: { errorBackoffs: [1, 2] } });
  const transport = new Transport({ host, credentials, networking, logger, readOnly: true });
  return { client: createClient(transport), [Symbol.dispose]: () => transport[Symbol.dispose]() };
}

/** Returns credentials that act as another user; infos stay the same for the same original, as refusals name them. */
function impersonating(credentials: Credentials, user: string): Credentials {
  const others = new WeakMap<ConnectionInfo, ConnectionInfo>();
  const originals = new WeakMap<ConnectionInfo, ConnectionInfo>();
  const other = (info: ConnectionInfo): ConnectionInfo => {
    const known = others.get(info);
    if (known !== undefined) return known;
    const made = { ...info, impersonate: { user } };
    others.set(info, made);
    originals.set(made, info);
    return made;
  };
  const original = (info: ConnectionInfo): ConnectionInfo => originals.get(info) ?? info;
  return {
    current: async (signal) => other(await credentials.current(signal)),
    invalidate: (info, cause) => credentials.invalidate(original(info), cause),
    confirm: (info) => credentials.confirm?.(original(info)),
  };
}

/** Returns the user of a client: the first request, so that it tells whether the cluster can be reached. */
async function userOf(client: Client, { signal }: CopyLiveOptions): Promise<string> {
  const resource = {
    group: "authentication.k8s.io",
    version: "v1",
    plural: "selfsubjectreviews",
    namespaced: false,
  };
  const review = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" };
  try {
    const { status } = await client.create<{ status?: unknown }>(resource, review, { signal });
    const info = isObject(status) ? status.userInfo : undefined;
    return isObject(info) && typeof info.username === "string" ? info.username : "";
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof LoginError || (error instanceof ApiError && error.status === 401)) throw error;
    // Clusters before Kubernetes 1.28 have no such review.
    if (error instanceof ApiError) return "";
    const { server } = client.transport;
    throw new Error(
      `Cannot reach the cluster${server === undefined ? "" : ` at ${server}`}: ${messageOf(error)}`,
      {
        cause: error,
      },
    );
  }
}
