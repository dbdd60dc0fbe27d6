/**
 * Options of the built-in server of admission webhooks. The names are Kopf's, in camelCase.
 */

import type { Seconds, ServerTls } from "../../runtime/host.ts";
import { nearest } from "../../settings/rules.ts";

/** Options of the built-in server. */
export interface WebhookServerOptions {
  /** The address to listen on. Default: all interfaces. */
  readonly addr?: string;
  /** The port to listen on. Default: any free one. */
  readonly port?: number;
  /** The beginning of all paths, such as "/admission"; in lower case with a `service`. Default: "". */
  readonly path?: string;
  /** The name or address by which the API server reaches us. Default: the host name of `cluster`, else `addr`, else "localhost". */
  readonly host?: string;
  /**
   * The Service of the cluster that leads here, as `lotse generate manifests` makes it: then the API server asks by it.
   * By default it is in the namespace of our Pod, and its port is 443. Default: none, it asks by `host` and `port`.
   */
  readonly service?: { readonly name: string; readonly namespace?: string; readonly port?: number };
  /** Which local cluster it is, where the machine that we run on has a name of its own. Default: none of them. */
  readonly cluster?: "k3d" | "minikube" | "docker-desktop";
  /** Speak plain HTTP: for tunnels and proxies that do TLS themselves. Kubernetes itself takes HTTPS only. Default: false. */
  readonly insecure?: boolean;
  /** File with the certificate, and the certificates between it and its authority. PEM. Default: one is made. */
  readonly certfile?: string;
  /** File with the certificate's key. PEM. */
  readonly pkeyfile?: string;
  /** Of the key, if it is encrypted. */
  readonly password?: string;
  /** The certificate and its key as texts, in place of files. */
  readonly tls?: ServerTls;
  /** More names and addresses to be in the certificate that is made. */
  readonly extraSans?: readonly string[];
  /** The authorities by which the API server is to trust us. PEM. Default: `cafile`, else the certificate itself. */
  readonly cadata?: string;
  /** The same as a file. */
  readonly cafile?: string;
  /** File to write the authorities to by which we are to be trusted; for configurations that are kept by hand. */
  readonly cadump?: string;
  /** Whether clients are asked for certificates. Default: "none"; "optional", if there is an authority for them. */
  readonly verifyMode?: "none" | "optional" | "required";
  /** File with the authority of clients' certificates. PEM. */
  readonly verifyCafile?: string;
  /** The same as a text. */
  readonly verifyCadata?: string;
  /** How often files are looked at. Default: 60. */
  readonly fileCheckInterval?: Seconds;
}

/** Names under which local clusters reach the machine that they run on. */
export const CLUSTER_HOSTS: Readonly<Record<string, string>> = {
  "k3d": "host.k3d.internal",
  "minikube": "host.minikube.internal",
  "docker-desktop": "host.docker.internal",
};

const NAMES: ReadonlySet<string> = new Set(
  "addr port path host service cluster insecure certfile pkeyfile password tls extraSans cadata cafile cadump verifyMode verifyCafile verifyCadata fileCheckInterval"
    .split(" "),
);

/** Each part is as DNS spells subdomains. Source: k8s.io/apiserver, pkg/util/webhook/validation.go. */
const SERVICE_PATH = /^(\/[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*)*$/;

/** @throws {TypeError} If an option is unknown, or options contradict each other. */
export function checkOptions(options: WebhookServerOptions): void {
  const { path = "", insecure = false, tls, certfile, pkeyfile, cluster, verifyMode } = options;
  const { service, host } = options;
  const refuse = (reason: string): never => {
    throw new TypeError(`Cannot make a webhook server: ${reason}`);
  };
  const unknown = Object.keys(options).find((name) => !NAMES.has(name));
  if (unknown !== undefined) {
    const meant = nearest(unknown, NAMES);
    refuse(`there is no option "${unknown}"${meant === undefined ? "" : `; did you mean "${meant}"?`}`);
  }
  const { port = 0 } = options;
  if (!Number.isInteger(port) || port < 0 || port > 65_535) refuse(`there is no port ${port}`);
  if (insecure && (tls ?? certfile ?? pkeyfile) !== undefined) {
    refuse('"insecure" and certificates contradict each other, take one of them');
  }
  if (tls !== undefined && (certfile ?? pkeyfile) !== undefined) {
    refuse('"tls" and "certfile" contradict each other, take one of them');
  }
  if ((certfile === undefined) !== (pkeyfile === undefined)) refuse('"certfile" and "pkeyfile" go together');
  if (path !== "" && !/^\/[^?#\s]*[^/?#\s]$/.test(path)) {
    refuse('"path" must begin with a slash, and not end with one');
  }
  if (cluster !== undefined && !Object.hasOwn(CLUSTER_HOSTS, cluster)) {
    refuse(`"cluster" must be one of ${Object.keys(CLUSTER_HOSTS).join(", ")}`);
  }
  if (service !== undefined) {
    if ((host ?? cluster) !== undefined) {
      refuse('"service" says how we are reached: leave out "host" and "cluster"');
    }
    if (insecure) refuse('Kubernetes speaks HTTPS with a "service": leave out "insecure"');
    if (!SERVICE_PATH.test(path)) {
      refuse(
        '"path" must be in lower case with a "service": Kubernetes takes letters, digits, "-" and "." there',
      );
    }
    const { name, namespace } = service;
    if (typeof name !== "string" || name === "") refuse('"service" needs a name');
    if (namespace !== undefined && (typeof namespace !== "string" || namespace === "")) {
      refuse('the namespace of "service" must be a name; leave it out for that of the Pod');
    }
  }
  const isVerified = (options.verifyCafile ?? options.verifyCadata) !== undefined;
  if (verifyMode !== undefined && verifyMode !== "none" && !isVerified) {
    refuse(`to verify clients ("${verifyMode}") needs "verifyCafile" or "verifyCadata"`);
  }
}
