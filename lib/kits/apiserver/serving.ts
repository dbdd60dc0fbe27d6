/**
 * The API server on a port: TLS with its own authority, and a kubeconfig that lets clients in.
 */

import type { Authority } from "../../runtime/certificates.ts";
import { certificateFacts } from "../../runtime/certificate_facts.ts";
import type { Host, Peer } from "../../runtime/host.ts";
import type { Credentials } from "./access/gate.ts";
import { AUTHENTICATED, type User } from "./access/user.ts";

export interface ServingOptions {
  readonly host: Host;
  readonly answer: (request: Request, credentials: Credentials) => Promise<Response>;
  readonly port?: number;
  readonly hostname?: string;
  readonly authority?: Authority;
  readonly token?: string;
  readonly certificate?: ServerCertificate;
  readonly clientAuthorities?: string;
}

/** A certificate that a server shows, in place of one of its own making. */
export interface ServerCertificate {
  /** PEM. */
  readonly certificate: string;
  /** PEM. */
  readonly key: string;
}

/** An API server that listens. */
export interface ServedApi extends AsyncDisposable {
  /** Such as "https://127.0.0.1:6443". */
  readonly url: string;
  /** YAML with everything inline: the authority's certificate, and the client's certificate with its key. */
  readonly kubeconfig: string;
  /** The authority's certificate. PEM. */
  readonly ca: string;
  /** The bearer token that a client may send instead of a certificate. */
  readonly token: string;
  /** Stops listening, and cuts open connections. */
  close(): Promise<void>;
}

/** Starts to listen. */
export async function serveApi(options: ServingOptions): Promise<ServedApi> {
  const { host, answer, port = 0, hostname = "127.0.0.1", certificate, clientAuthorities = "" } = options;
  const authority = options.authority ?? await ownAuthority(host);
  const isAddress = /^[0-9.]+$|:/.test(hostname);
  const [server, client] = await Promise.all([
    authority.issue({
      commonName: "kube-apiserver",
      server: true,
      dnsNames: [
        ...new Set(["localhost", "kubernetes", "kubernetes.default.svc", ...(isAddress ? [] : [hostname])]),
      ],
      ipAddresses: [...new Set(["127.0.0.1", "::1", ...(isAddress ? [hostname] : [])])],
    }),
    authority.issue({ commonName: "kubernetes-admin", organizations: ["system:masters"], client: true }),
  ]);
  const token = options.token ?? hex(host.random.bytes(16));
  const { certificate: cert, key } = certificate ?? server;
  const shown = { cert, key };
  const listener = await host.network.serve({
    hostname,
    port,
    tls: { ...shown, ca: [authority.certificate, clientAuthorities].filter((pem) => pem !== "").join("\n") },
    fetch: (request, peer) => answer(request, { certified: userOf(peer) }),
  });
  const place = EVERYWHERE[hostname] ?? hostname;
  const url = `https://${place.includes(":") ? `[${place}]` : place}:${listener.port}`;
  const close = () => listener.close();
  return {
    url,
    token,
    ca: authority.certificate,
    kubeconfig: formatKubeconfig({
      url,
      ca: authority.certificate,
      cert: client.certificate,
      key: client.key,
    }),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Where one's own clients find a server that listens at all addresses of the machine. */
const EVERYWHERE: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" };

/** NB: a server that does not listen needs no certificates, whose making takes longer to load than all else of it. */
async function ownAuthority(host: Host): Promise<Authority> {
  const { createAuthority } = await import("../../runtime/certificates.ts");
  return await createAuthority({ name: "lotse", now: () => host.clock.now() });
}

/** Returns the user that a certificate names, as Kubernetes reads one: the common name, and organizations as groups. */
function userOf({ certificate }: Peer): User | undefined {
  if (certificate === undefined) return undefined;
  const { CN, O = [] } = certificateFacts(certificate).subject;
  const [username = ""] = [CN].flat();
  return { username, groups: [...[O].flat(), AUTHENTICATED] };
}

interface KubeconfigParts {
  readonly url: string;
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

function formatKubeconfig({ url, ca, cert, key }: KubeconfigParts): string {
  return `apiVersion: v1
kind: Config
current-context: lotse
clusters:
- name: lotse
  cluster:
    server: ${url}
    certificate-authority-data: ${btoa(ca)}
contexts:
- name: lotse
  context:
    cluster: lotse
    user: lotse
    namespace: default
users:
- name: lotse
  user:
    client-certificate-data: ${btoa(cert)}
    client-key-data: ${btoa(key)}
`;
}

function hex(bytes: Uint8Array): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
