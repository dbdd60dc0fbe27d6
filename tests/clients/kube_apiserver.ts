/**
 * The API server in the process as a program that takes kube-apiserver's flags, for suites that start one themselves:
 * controller-runtime's envtest, and Kubernetes' tests of kubectl.
 *
 * Flags that say where and for whom to serve count; all others are accepted, and have no effect. `--workloads` stands for a
 * controller manager. As `etcd` (the first argument) it only says that it is healthy, since nothing is kept in it.
 */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { type ApiServer, apiServer, type ApiUser } from "../../lib/kits/apiserver/mod.ts";
import { createAuthority } from "../../lib/runtime/certificates.ts";
import { certificateFacts } from "../../lib/runtime/certificate_facts.ts";
import { currentHost } from "../../lib/runtime/current_host.ts";
import type { Peer, ServeOptions, ServerTls } from "../../lib/runtime/host.ts";
import { parseYaml } from "../../lib/runtime/yaml.ts";

const ANONYMOUS: ApiUser = { username: "system:anonymous", groups: ["system:unauthenticated"] };

const SERVICE = JSON.stringify({
  metadata: { name: "kubernetes", labels: { component: "apiserver", provider: "kubernetes" } },
  spec: { clusterIP: "10.96.0.1", ports: [{ name: "https", port: 443, targetPort: 6443 }] },
});

/** Where AlwaysAllow is the last of several authorizers; reviews of the tests ask about the last of the groups. */
const EVERYBODY = JSON.stringify({
  metadata: { name: "always-allow" },
  roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
  subjects: ["system:authenticated", "system:unauthenticated", "the-group"].map((name) => ({
    apiGroup: "rbac.authorization.k8s.io",
    kind: "Group",
    name,
  })),
});

const TOKENS = "token-auth-file";

const host = currentHost();
const flags = readFlags(process.argv.slice(2));
if (flags.has("help")) {
  // NB: envtest looks here for flags that only old versions have.
  console.log("--secure-port");
} else if (process.argv[2] === "etcd") await serveEtcd();
else await serveKubernetes();

/** Reads `--name=value`, `--name value` and `--name`; the last of a name counts, but all files of tokens do. */
function readFlags(args: readonly string[]): ReadonlyMap<string, string> {
  const read = new Map<string, string>();
  for (const [index, arg] of args.entries()) {
    const [, name, value] = /^--([^=]+)(?:=(.*))?$/s.exec(arg) ?? [];
    const next = args[index + 1];
    if (name === undefined) continue;
    const given = value ?? (next?.startsWith("--") === false ? next : "true");
    const before = name === TOKENS ? read.get(name) : undefined;
    read.set(name, before === undefined ? given : `${before},${given}`);
  }
  return read;
}

async function serveEtcd(): Promise<void> {
  const { hostname, port } = new URL(flags.get("listen-client-urls") ?? "http://127.0.0.1:2379");
  const fetch = () => Promise.resolve(Response.json({ health: "true" }));
  await host.network.serve({ hostname, port: Number(port), fetch });
}

async function serveKubernetes(): Promise<void> {
  const workloads = flags.has("workloads") ? { nodes: 0 } : false;
  // NB: where roles are one of several authorizers, there are the default ones.
  const modes = flags.get("authorization-mode") ?? "";
  const rbac = modes !== "AlwaysAllow";
  const server = apiServer({ host, rbac, quotas: true, workloads, tokens: readTokens(), ...readAudit() });
  // Ours has no Service of its own, which clients of a real cluster are sure to find.
  await create(server, "/api/v1/namespaces/default/services", SERVICE);
  if (modes.endsWith(",AlwaysAllow")) {
    await create(server, "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", EVERYBODY);
  }
  await serveWhenFree({
    hostname: flags.get("bind-address") ?? "127.0.0.1",
    port: Number(flags.get("secure-port") ?? 6443),
    tls: await findCertificates(),
    fetch: async (request, peer) => await answer(server, await asUser(request, userOf(peer))),
  });
  console.log("ready");
}

/** NB: suites choose a port that is free, and a connection or another server may have it a moment later, for a while. */
async function serveWhenFree(options: ServeOptions): Promise<void> {
  for (let patience = 40; patience > 0; patience--) {
    try {
      await host.network.serve(options);
      return;
    } catch (error) {
      if (!/in use|EADDRINUSE/i.test(String(error))) throw error;
      await host.clock.sleep(1);
    }
  }
  throw new Error(`Cannot listen on port ${options.port}: it is in use`);
}

/** Whether objects may be made in namespaces that are not there. */
const isWithoutNamespaces = flags.get("disable-admission-plugins")?.includes("NamespaceLifecycle") ?? false;

/** Answers a request. Who ends a namespace by hand, since envtest's servers do not, may find that ours has done it. */
async function answer(server: ApiServer, request: Request): Promise<Response> {
  if (isWithoutNamespaces && request.method !== "GET") await ensureNamespace(server, request.url);
  if (request.method === "POST" && new URL(request.url).pathname.endsWith("/serviceaccounts")) {
    return await createAccount(server, request);
  }
  if (request.method !== "PUT" || !new URL(request.url).pathname.endsWith("/finalize")) {
    return await server.fetch(request);
  }
  const { url, method, headers, signal } = request;
  const body = await request.arrayBuffer();
  const response = await server.fetch(new Request(url, { method, headers, body, signal }));
  if (response.status !== 404) return response;
  return new Response(body, { headers: { "content-type": headers.get("content-type") ?? "" } });
}

/** The addresses at which a client has made the service account `default` of a namespace. */
const accounts = new Set<string>();

/**
 * Creates a service account. Servers of envtest and of integration tests have no controller that makes those called `default`, so
 * that tests make them: the one that ours has made is replaced, once.
 */
async function createAccount(server: ApiServer, request: Request): Promise<Response> {
  const { url, headers, signal } = request;
  const body = await request.arrayBuffer();
  const refused = await server.fetch(new Request(url, { method: "POST", headers, body, signal }));
  const address = new URL(url);
  address.pathname += "/default";
  if (refused.status !== 409 || accounts.has(address.pathname)) return refused;
  const response = await server.fetch(new Request(address, { method: "PUT", headers, body, signal }));
  // It has another name.
  if (!response.ok) return refused;
  accounts.add(address.pathname);
  return new Response(response.body, { status: 201, headers: response.headers });
}

async function ensureNamespace(server: ApiServer, url: string): Promise<void> {
  const [, name] = /\/namespaces\/([^/?]+)\/./.exec(url) ?? [];
  if (name === undefined) return;
  if ((await server.fetch(new Request(`https://api/api/v1/namespaces/${name}`))).ok) return;
  await create(server, "/api/v1/namespaces", JSON.stringify({ metadata: { name } }));
}

/** NB: without a type of its own a text is `text/plain` on Deno, which no API server takes; on Bun it is of none. */
async function create(server: ApiServer, path: string, body: string): Promise<void> {
  const headers = { "content-type": "application/json" };
  const request = new Request(`https://api${path}`, { method: "POST", headers, body });
  const response = await server.fetch(request);
  // Another request may have been first.
  if (!response.ok && response.status !== 409) {
    throw new Error(`Cannot create ${path}: ${await response.text()}`);
  }
}

/** Certificates that are given, or new ones. */
async function findCertificates(): Promise<ServerTls> {
  const folder = flags.get("cert-dir") ?? ".";
  const authority = await createAuthority({ name: "kubernetes", now: () => Date.now() });
  const clients = flags.get("client-ca-file");
  const ca = clients === undefined ? authority.certificate : readFileSync(clients, "utf8");
  const [cert, key] = ["crt", "key"].map((suffix) => join(folder, `apiserver.${suffix}`));
  if (cert !== undefined && key !== undefined && existsSync(cert)) {
    return { cert: readFileSync(cert, "utf8"), key: readFileSync(key, "utf8"), ca };
  }
  const issued = await authority.issue({
    commonName: "kube-apiserver",
    server: true,
    ipAddresses: ["127.0.0.1"],
  });
  // Who starts us has to know whom to believe.
  if (flags.has("cert-dir")) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "server-ca.crt"), authority.certificate);
  }
  return { cert: issued.certificate, key: issued.key, ca };
}

/** NB: without a policy, the real server logs nothing. */
function readAudit(): { readonly audit?: string; readonly auditPolicy?: Readonly<Record<string, unknown>> } {
  const [audit, policy] = [flags.get("audit-log-path"), flags.get("audit-policy-file")];
  if (audit === undefined || policy === undefined) return {};
  const [parsed] = parseYaml(readFileSync(policy, "utf8"));
  // What is none is refused by the server.
  return { audit, auditPolicy: parsed as Record<string, unknown> };
}

/** Reads lines of a token, a user's name and uid, and groups. Source: Kubernetes documentation, "Static token file". */
function readTokens(): Record<string, ApiUser> {
  const files = flags.get(TOKENS)?.split(",") ?? [];
  const lines = files.flatMap((file) => readFileSync(file, "utf8").split("\n"));
  return Object.fromEntries(
    lines.filter((line) => line !== "").map((line) => {
      const [token = "", username = "", , ...groups] = line.replaceAll('"', "").split(",");
      return [token, { username, groups: [...groups, "system:authenticated"] }];
    }),
  );
}

function userOf({ certificate }: Peer): ApiUser {
  if (certificate === undefined) return ANONYMOUS;
  const { CN, O = [] } = certificateFacts(certificate).subject;
  return { username: String([CN].flat()[0] ?? ""), groups: [O].flat().map(String) };
}

/** A call in the process is the administrator's, who may speak for anybody. */
async function asUser(request: Request, { username, groups }: ApiUser): Promise<Request> {
  const headers = new Headers(request.headers);
  const isAdmin = groups.includes("system:masters");
  if (isAdmin || headers.has("authorization") || headers.has("impersonate-user")) return request;
  headers.set("impersonate-user", username);
  for (const group of groups) headers.append("impersonate-group", group);
  // NB: the host's requests are not the web's, which could be copied.
  const { method, url, signal } = request;
  const body = method === "GET" || method === "HEAD" ? undefined : await request.arrayBuffer();
  return new Request(url, { method, headers, body, signal });
}
