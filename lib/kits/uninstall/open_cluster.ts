/** A client of the cluster that a kubeconfig names, for commands that run no operator. */

import { login } from "../../client/auth/login.ts";
import type { Client } from "../../client/client.ts";
import { createClient } from "../../client/object_client.ts";
import { Transport } from "../../client/transport/transport.ts";
import type { Host, Seconds } from "../../runtime/host.ts";
import type { Logger } from "../../runtime/logging.ts";
import { defaultSettings } from "../../settings/settings.ts";

/** Which cluster. */
export interface OpenClusterOptions {
  readonly host: Host;
  readonly logger: Logger;
  readonly kubeconfig?: string;
  readonly context?: string;
}

/** A client, and its connections. */
export interface Cluster extends Disposable {
  readonly client: Client;
}

/** The pauses before a request is sent again. */
const BACKOFFS: readonly Seconds[] = [0.5, 1, 2, 4];

/** Logs in. Disposing closes the connections. @throws {LoginError} If there is no way into a cluster. */
export async function openCluster(options: OpenClusterOptions): Promise<Cluster> {
  const { host, logger } = options;
  // A person waits for the answer.
  const networking = { ...defaultSettings().networking, errorBackoffs: BACKOFFS };
  const transport = new Transport({ host, credentials: await login(options), logger, networking });
  return { client: createClient(transport), [Symbol.dispose]: () => transport[Symbol.dispose]() };
}
