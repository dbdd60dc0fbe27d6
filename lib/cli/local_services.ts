/**
 * Services of a cluster that lead to this process: `dev` has no Pods, and asks webhooks all the same by the Service that the
 * author's code names. So Kubernetes' rules for such webhooks show there, and not only in the cluster.
 */

import { webhookServer } from "../../mod.ts";
import type { AdmissionServer, AdmissionServerContext } from "../public/admission.ts";
import type { Host } from "../runtime/host.ts";

/** A Service, as `webhookServer()` takes it. */
interface Service {
  readonly name: string;
  /** Default: "default", as this process is in no Pod. */
  readonly namespace?: string;
  /** Default: 443. */
  readonly port?: number;
}

/** The Services of one process. */
export class LocalServices {
  /** The same host; connections to a Service lead to where it is served. */
  readonly host: Host;
  /** URLs on this machine, by "name.namespace.svc:port". */
  readonly #served = new Map<string, string>();

  constructor(host: Host) {
    const { network } = host;
    this.host = {
      ...host,
      network: {
        serve: (options) => network.serve(options),
        connect: (options) => {
          const { hostname, port } = new URL(options.server);
          const server = this.#served.get(`${hostname}:${port || 443}`);
          return network.connect(
            server === undefined ? options : { ...options, server, serverName: hostname },
          );
        },
      },
    };
  }

  /** Returns a server that listens on this machine, and is reached by the Service. */
  serverFor({ name, namespace = "default", port = 443 }: Service): AdmissionServer {
    const served = this.#served;
    const hostname = `${name}.${namespace}.svc`;
    const { serve } = webhookServer({ addr: "127.0.0.1", extraSans: [hostname] });
    return async function* (context: AdmissionServerContext) {
      for await (const { url, caBundle } of serve(context)) {
        if (url !== undefined) served.set(`${hostname}:${port}`, url);
        yield { service: { name, namespace, port }, caBundle };
      }
    };
  }
}
