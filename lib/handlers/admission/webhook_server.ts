/**
 * The built-in server of admission webhooks: HTTPS on a port of this machine.
 *
 * With certificates from files (which are read again as they change), or with ones that it makes for itself. Connections stay
 * as they are when a certificate is exchanged. Source: Kopf, docs/admission; scenarios B128–B157.
 */

import { aborted } from "../../async/timeout.ts";
import { podNamespace } from "../../client/auth/service_account.ts";
import { toBase64 } from "../../model/encoding.ts";
import { pointTo } from "../../runtime/call_site.ts";
import type { Host, Seconds, Server, ServerTls } from "../../runtime/host.ts";
import type {
  AdmissionServerContext,
  AdmissionServerObject,
  CertificateValidity,
  ServedCertificate,
  WebhookClientConfig,
} from "../../settings/admission_server.ts";
import { admissionApp } from "./app.ts";
import { openIdentity } from "./certificate.ts";
import { checkOptions, CLUSTER_HOSTS, type WebhookServerOptions } from "./server_options.ts";

export type { WebhookServerOptions } from "./server_options.ts";

/** Addresses that stand for all of a machine's, and names by which that machine reaches itself. */
const EVERYWHERE: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" };

/** How long reviews that are under way may take when the server ends: a machine may be busy. */
const GRACE: Seconds = 5;

/** Errors of machines without IPv6. */
const NO_IPV6 = ["EAFNOSUPPORT", "EADDRNOTAVAIL", "EINVAL"];

/**
 * Makes the built-in server of admission webhooks, for `admission.server`. It begins to listen when the operator runs.
 *
 * @throws {TypeError} If options contradict each other.
 * @example
 * ```ts
 * import { operator, webhookServer } from "@lotse/lotse";
 *
 * const op = operator({
 *   admission: { server: webhookServer({ port: 9443, host: "192.168.1.5" }), managed: "lotse.example.com" },
 * });
 * ```
 */
export function webhookServer(options: WebhookServerOptions = {}): AdmissionServerObject {
  try {
    checkOptions(options);
  } catch (error) {
    pointTo(error, webhookServer);
    throw error;
  }
  const { port = 0, service } = options;
  return {
    serve: (context) => serve(options, context),
    ...port !== 0 && { port },
    ...service !== undefined && { service },
  };
}

async function* serve(
  options: WebhookServerOptions,
  { review, convert, host, logger, signal, presents, shared, read, isLeaving }: AdmissionServerContext,
): AsyncGenerator<WebhookClientConfig, void, void> {
  const { path = "", cadump } = options;
  const service = options.service === undefined ? undefined : await inNamespace(options.service, host);
  const name = service === undefined ? nameOf(options) : `${service.name}.${service.namespace}.svc`;
  const identity = await openIdentity(options, { host, name, shared, read });
  const app = admissionApp({ review, convert, logger, path, isLeaving });
  const { fetch } = app;
  const server = await listen(host, {
    ...options,
    fetch: (request, peer) => fetch(request, peer),
    tls: identity?.tls,
  });
  if (service === undefined && name === "localhost" && await podNamespace(host) !== undefined) {
    logger.warn(
      "The API server will not find webhooks at localhost: give webhookServer() the Service that leads here",
    );
  }
  const scheme = identity === undefined ? "http" : "https";
  const url = `${scheme}://${authorityOf(name, server.port, scheme)}${path}`;
  const way: WebhookClientConfig = service === undefined
    ? { url }
    : { service: { port: 443, ...service, ...path !== "" && { path } } };
  const local = `${scheme}://${authorityOf(options.addr ?? "*", server.port, scheme)}${path}`;
  logger.debug("Listening for admission reviews", { at: local });
  logger.debug("Admission reviews are to go to", { ...way });
  try {
    for (let current = identity; !signal.aborted; current = await nextIdentity(current, { server, signal })) {
      if (current !== undefined && cadump !== undefined) await host.files.writeText(cadump, current.caBundle);
      if (current !== undefined) presents(await validityOf(current));
      yield current === undefined ? way : { ...way, caBundle: toBase64(current.caBundle) };
    }
  } finally {
    await server.close(GRACE);
  }
}

/** Waits until the certificate has changed, and puts the new one in its place. */
async function nextIdentity(
  current: ServedCertificate | undefined,
  { server, signal }: { readonly server: Server; readonly signal: AbortSignal },
): Promise<ServedCertificate | undefined> {
  const next = await current?.changed(signal);
  if (next === undefined) await aborted(signal);
  else server.updateTls(next.tls);
  return next;
}

async function validityOf({ tls }: ServedCertificate): Promise<CertificateValidity> {
  const { certificateFacts } = await import("../../runtime/certificate_facts.ts");
  return certificateFacts(tls.cert);
}

interface ListenOptions {
  readonly addr?: string;
  readonly port?: number;
  readonly tls?: ServerTls;
  readonly fetch: Parameters<Host["network"]["serve"]>[0]["fetch"];
}

/** All interfaces are the interfaces of both IP versions, where there are both. */
async function listen(host: Host, { addr, port = 0, tls, fetch }: ListenOptions): Promise<Server> {
  try {
    return await host.network.serve({ hostname: addr ?? "::", port, tls, fetch });
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    if (addr === undefined && NO_IPV6.includes(code)) {
      return await host.network.serve({ hostname: "0.0.0.0", port, tls, fetch });
    }
    throw new Error(`Cannot listen for admission reviews at "${addr ?? "*"}", port ${port}: is it in use?`, {
      cause: error,
    });
  }
}

/** A Service is in the namespace of its pods. @throws {Error} If we are in no pod, and no namespace is given. */
async function inNamespace(
  service: NonNullable<WebhookServerOptions["service"]>,
  host: Host,
): Promise<NonNullable<WebhookClientConfig["service"]>> {
  const { namespace = await podNamespace(host) } = service;
  if (namespace !== undefined) return { ...service, namespace };
  throw new Error(
    `Cannot tell in which namespace the Service "${service.name}" is: this is no Pod (give webhookServer() service.namespace)`,
  );
}

/** By which name or address the API server reaches us, where it does not ask by a Service. */
function nameOf({ host, cluster, addr }: WebhookServerOptions): string {
  if (host !== undefined) return host;
  if (cluster !== undefined) return CLUSTER_HOSTS[cluster] ?? cluster;
  return addr === undefined ? "localhost" : EVERYWHERE[addr] ?? addr;
}

function authorityOf(name: string, port: number, scheme: string): string {
  const host = name.includes(":") && !name.startsWith("[") ? `[${name}]` : name;
  return port === (scheme === "https" ? 443 : 80) ? host : `${host}:${port}`;
}
