/** The administrator of a test's cluster: a client beside the operator, whose requests are not tried again. */

import { fixedCredentials } from "../../client/auth/connection_info.ts";
import type { Client } from "../../client/client.ts";
import { createClient } from "../../client/object_client.ts";
import { Transport } from "../../client/transport/transport.ts";
import { type Api, createApi } from "../../operator/api.ts";
import type { Host } from "../../runtime/host.ts";
import { silentLogger } from "../../runtime/logging.ts";
import { defaultSettings, mergeSettings } from "../../settings/settings.ts";
import { type Cluster, connectionOf } from "./connection.ts";

/** The administrator of a cluster. */
export class Administrator implements Disposable {
  readonly host: Host;
  readonly api: Api;
  readonly client: Client;
  readonly #transport: Transport;

  constructor(cluster: Cluster) {
    const { host } = cluster;
    const credentials = fixedCredentials({ ...connectionOf(cluster), userAgent: "lotse-test" });
    // NB: pauses between attempts would wait for a clock that the test does not wind meanwhile.
    const settings = mergeSettings(defaultSettings(), { networking: { errorBackoffs: [] } });
    const logger = silentLogger();
    const { networking } = settings;
    const transport = new Transport({ host, credentials, networking, logger });
    const client = createClient(transport);
    this.host = host;
    this.client = client;
    this.api = createApi(() => ({ host, settings, client, logger }));
    this.#transport = transport;
  }

  [Symbol.dispose](): void {
    this.#transport[Symbol.dispose]();
  }
}
