/**
 * Programs that stand in for `etcd` and `kube-apiserver` where a test starts them itself, as envtest does: KUBEBUILDER_ASSETS
 * names a folder of them.
 *
 * They take the flags of the real ones. Flags for addresses, certificates and users count; all others have no effect, which is
 * told on the standard error stream. The program that is called etcd keeps no data: it only answers that it is healthy.
 */

import type { ApiServerOptions, ApiUser, ServerCertificate } from "../kits/apiserver/mod.ts";
import type { Host } from "../runtime/host.ts";
import { CommandError, isPortTaken } from "./errors.ts";
import { listenForSignals, untilAborted } from "./signals.ts";

/** The programs that there are stand-ins for. */
export const STAND_INS = ["etcd", "kube-apiserver"] as const;

type StandIn = typeof STAND_INS[number];

/**
 * Writes the stand-ins into a folder, which is made if there is none, and with them a way to kubectl if one is on the path.
 * Returns the folder's absolute path.
 */
export async function writeStandIns(folder: string, host: Host): Promise<string> {
  const { files, process } = host;
  const path = files.resolve(process.cwd(), folder);
  for (const name of STAND_INS) {
    const words = [...process.self, "apiserver", "--stand-in", name, "--"];
    await writeScript(host, { path: files.resolve(path, name), words });
  }
  const kubectl = await findKubectl(host, path);
  if (kubectl !== undefined) {
    await writeScript(host, { path: files.resolve(path, "kubectl"), words: [kubectl] });
  }
  return path;
}

async function writeScript(
  { files }: Host,
  { path, words }: { readonly path: string; readonly words: readonly string[] },
): Promise<void> {
  const quoted = words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ");
  await files.remove(path);
  await files.writeText(path, `#!/bin/sh\nexec ${quoted} "$@"\n`, { mode: 0o755 });
}

async function findKubectl({ files, process }: Host, without: string): Promise<string | undefined> {
  for (const folder of (process.env("PATH") ?? "").split(":")) {
    const path = files.resolve(folder, "kubectl");
    if (folder !== "" && folder !== without && await files.exists(path)) return path;
  }
  return undefined;
}

/** Runs as one of the programs, until SIGTERM or SIGINT. @throws {CommandError} If it cannot serve. */
export async function runStandIn(name: StandIn, args: readonly string[], host: Host): Promise<void> {
  const flags = readFlags(args);
  if (flags.has("version")) return host.process.write("stdout", "Kubernetes v1.36.3+lotse\n");
  // Envtest looks into the help for flags that only old versions have.
  if (flags.has("help")) {
    return host.process.write(
      "stdout",
      [...KNOWN].map((flag) => `--${flag}\n`).join(""),
    );
  }
  using stop = listenForSignals(host);
  await using _server = name === "etcd" ? await serveEtcd(flags, host) : await serveKubernetes(flags, host);
  await untilAborted(stop.signal);
}

type Flags = ReadonlyMap<string, string>;

/** Reads `--name=value`, `--name value` and `--name`; the last of a name counts. */
function readFlags(args: readonly string[]): Flags {
  const read = new Map<string, string>();
  for (const [index, arg] of args.entries()) {
    const [, name, value] = /^--([^=]+)(?:=(.*))?$/s.exec(arg) ?? [];
    if (name === undefined) continue;
    const next = args[index + 1];
    read.set(name, value ?? (next?.startsWith("--") === false ? next : "true"));
  }
  return read;
}

async function serveEtcd(flags: Flags, host: Host): Promise<AsyncDisposable> {
  const [first = ""] = (flags.get("listen-client-urls") ?? "http://127.0.0.1:2379").split(",");
  const { protocol, hostname, port } = new URL(first);
  if (protocol !== "http:") {
    throw new CommandError(
      `Cannot listen at ${first}: the stand-in for etcd takes http:// alone, as it keeps nothing`,
    );
  }
  const server = await host.network.serve({
    hostname,
    port: Number(port),
    fetch: () => Promise.resolve(Response.json({ health: "true" })),
  });
  return { [Symbol.asyncDispose]: () => server.close() };
}

/** The flags of kube-apiserver that count. */
const KNOWN: ReadonlySet<string> = new Set([
  "audit-log-path",
  "audit-policy-file",
  "authorization-mode",
  "bind-address",
  "cert-dir",
  "client-ca-file",
  "secure-port",
  "tls-cert-file",
  "tls-private-key-file",
  "token-auth-file",
]);

async function serveKubernetes(flags: Flags, host: Host): Promise<AsyncDisposable> {
  const ignored = [...flags.keys()].filter((name) => !KNOWN.has(name));
  if (ignored.length > 0) {
    host.process.write(
      "stderr",
      `These flags have no effect: ${ignored.map((name) => `--${name}`).join(" ")}\n`,
    );
  }
  const read = async (name: string): Promise<string | undefined> => {
    const path = flags.get(name);
    return path === undefined ? undefined : await readFile(path, host);
  };
  // Loaded only here: a suite waits for the stand-in for etcd before it starts this one.
  const [{ apiServer }, policy] = await Promise.all([
    import("../kits/apiserver/mod.ts"),
    readPolicy(await read("audit-policy-file")),
  ]);
  const options: ApiServerOptions = {
    host,
    rbac: (flags.get("authorization-mode") ?? "AlwaysAllow") !== "AlwaysAllow",
    tokens: readTokens(await read("token-auth-file") ?? ""),
    // Without a policy, the real server logs no requests. An invalid policy is refused.
    ...(policy === undefined || !flags.has("audit-log-path")
      ? {}
      : { audit: flags.get("audit-log-path"), auditPolicy: policy as Record<string, unknown> }),
  };
  const port = Number(flags.get("secure-port") ?? 6443);
  const served = {
    port,
    hostname: flags.get("bind-address") ?? "127.0.0.1",
    certificate: await findCertificate(flags, host),
    clientAuthorities: await read("client-ca-file"),
  };
  const server = apiServer(options);
  // Suites choose a port that is free, and a connection may have it for a moment then.
  for (let patience = PATIENCE;; patience--) {
    try {
      return await server.serve(served);
    } catch (error) {
      if (!isPortTaken(error)) throw error;
      if (patience === 0) {
        throw new CommandError(`Cannot listen on port ${port}: it is in use`, { cause: error });
      }
      await host.clock.sleep(PAUSE);
    }
  }
}

async function readPolicy(text: string | undefined): Promise<unknown> {
  if (text === undefined) return undefined;
  const { parseYaml } = await import("../runtime/yaml.ts");
  return parseYaml(text)[0];
}

/** How often a port that is taken is tried again, and after what pause. In seconds. */
const PATIENCE = 50;
const PAUSE = 0.1;

/** The certificate that is given, or lies where the real server would put its own. */
async function findCertificate(flags: Flags, host: Host): Promise<ServerCertificate | undefined> {
  const { files, process } = host;
  const folder = files.resolve(process.cwd(), flags.get("cert-dir") ?? "/var/run/kubernetes");
  const path = flags.get("tls-cert-file") ?? files.resolve(folder, "apiserver.crt");
  const keyPath = flags.get("tls-private-key-file") ?? files.resolve(folder, "apiserver.key");
  if (!flags.has("tls-cert-file") && !await files.exists(path)) return undefined;
  return { certificate: await readFile(path, host), key: await readFile(keyPath, host) };
}

async function readFile(path: string, { files, process }: Host): Promise<string> {
  try {
    return await files.readText(files.resolve(process.cwd(), path));
  } catch (error) {
    throw new CommandError(`Cannot read "${path}"`, { cause: error });
  }
}

/** Reads lines of a token, a user's name and uid, and groups. Source: Kubernetes documentation, "Static token file". */
function readTokens(text: string): Record<string, ApiUser> {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return Object.fromEntries(lines.map((line) => {
    const [token = "", username = "", , ...groups] = line.replaceAll('"', "").split(",");
    return [token, { username, groups: [...groups, "system:authenticated"] }];
  }));
}
