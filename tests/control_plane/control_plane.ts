/**
 * A real Kubernetes control plane for tests: etcd, kube-apiserver and, if wanted, kube-controller-manager, each test
 * file its own.
 *
 * Everything it needs is in one temporary folder: certificates, data, logs, the kubeconfig, and the Unix socket between
 * the API server and etcd, so that only the API server's port can clash. Nothing survives it: see component.ts.
 * Not for measuring durability: etcd runs without fsync.
 */

import { Buffer } from "node:buffer";
import { spawn } from "node:child_process";
import { generateKeyPairSync, randomBytes, randomInt } from "node:crypto";
import { mkdtempSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { request } from "node:https";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Authority, createAuthority, type IssuedCertificate } from "../../lib/runtime/certificates.ts";
import { type ControlPlaneBinaries, findControlPlane } from "./binaries.ts";
import { type Component, startComponent } from "./component.ts";

export { type ControlPlaneBinaries, type ControlPlaneSearch, findControlPlane } from "./binaries.ts";

/** What to start, and how. */
export interface ControlPlaneOptions {
  /** Default: what {@link findControlPlane} finds. */
  readonly binaries?: ControlPlaneBinaries;
  /** Further flags of kube-apiserver, such as "--feature-gates=ShardedListAndWatch=true". They come last and so win. */
  readonly apiServerFlags?: readonly string[];
  /** How often old versions are forgotten, so that watching from them ends in 410. In seconds. Default: 300. */
  readonly compactionInterval?: number;
  /** Whether kube-controller-manager runs: garbage collection, namespace deletion, workloads. Default: false. */
  readonly controllerManager?: boolean;
}

/** A running control plane. */
export interface ControlPlane extends AsyncDisposable {
  /** The API server's URL: "https://127.0.0.1:<port>". The port stays the same over restarts. */
  readonly server: string;
  /** The path of a kubeconfig file for the administrator, with everything inline. */
  readonly kubeconfig: string;
  /** The authority that signed the API server's certificate. PEM. */
  readonly caPem: string;
  /** The authority itself: the API server takes its client certificates for users (common name) and groups. */
  readonly authority: Authority;
  /** The administrator's client certificate (group system:masters). */
  readonly admin: IssuedCertificate;
  /** A bearer token that makes one the administrator as well. */
  readonly adminToken: string;
  /** The temporary folder; the logs are in it, as `<component>.log`. */
  readonly directory: string;
  /**
   * Runs kubectl as the administrator and gives its standard output.
   *
   * @throws {Error} If it exits with another code than 0; the message is its standard error.
   */
  kubectl(args: readonly string[], options?: KubectlOptions): Promise<string>;
  /** Ends kube-apiserver: SIGTERM lets it finish its watches (about a second), SIGKILL breaks them. Default: SIGTERM. */
  stopApiServer(signal?: "SIGTERM" | "SIGKILL"): Promise<void>;
  /** Starts kube-apiserver again, and resolves when it is ready. Does nothing while it runs. */
  startApiServer(): Promise<void>;
  /** Ends everything and removes the folder. Stopping twice is harmless. */
  stop(): Promise<void>;
}

export interface KubectlOptions {
  /** Text for the standard input, for `-f -`. Default: none. */
  readonly input?: string;
}

/**
 * Starts a control plane and resolves when it is ready: about 3 s, or 5 s with the controller manager.
 *
 * @throws {Error} If there are no executables, or a component fails: then with the end of its log.
 */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const search = options.binaries ? { binaries: options.binaries } : findControlPlane();
  if (!search.binaries) throw new Error(search.reason);
  const files = await writeFiles();
  const parts = new Parts({ ...options, binaries: search.binaries }, files);
  try {
    await parts.startEtcd();
    await parts.startApiServer();
    if (options.controllerManager) await parts.startControllerManager();
  } catch (error) {
    await parts.stop();
    throw error;
  }
  const { directory, kubeconfig, authority, admin, adminToken } = files;
  return {
    server: parts.server,
    kubeconfig,
    caPem: authority.certificate,
    authority,
    admin,
    adminToken,
    directory,
    kubectl: (args, { input } = {}) => runKubectl(search.binaries, { args, input, directory, kubeconfig }),
    stopApiServer: (signal) => parts.stopApiServer(signal),
    startApiServer: () => parts.startApiServer(),
    stop: () => parts.stop(),
    [Symbol.asyncDispose]: () => parts.stop(),
  };
}

interface ControlPlaneFiles {
  readonly directory: string;
  readonly kubeconfig: string;
  readonly authority: Authority;
  readonly admin: IssuedCertificate;
  readonly adminToken: string;
}

/** The components of one control plane, and their order. */
class Parts {
  readonly #options: ControlPlaneOptions & { readonly binaries: ControlPlaneBinaries };
  readonly #files: ControlPlaneFiles;
  #port = 0;
  #etcd: Component | undefined;
  #apiServer: Component | undefined;
  #controllerManager: Component | undefined;

  constructor(
    options: ControlPlaneOptions & { readonly binaries: ControlPlaneBinaries },
    files: ControlPlaneFiles,
  ) {
    this.#options = options;
    this.#files = files;
  }

  get server(): string {
    return `https://127.0.0.1:${this.#port}`;
  }

  async startEtcd(): Promise<void> {
    const { directory } = this.#files;
    // NB: etcd refuses to advertise a socket. With one member, nobody dials the advertised addresses.
    const etcd = startComponent({
      name: "etcd",
      command: this.#options.binaries.etcd,
      args: [
        `--data-dir=${join(directory, "etcd")}`,
        "--unsafe-no-fsync",
        `--listen-client-urls=unix://${join(directory, "etcd.sock")}`,
        "--advertise-client-urls=http://127.0.0.1:2379",
        `--listen-peer-urls=unix://${join(directory, "peer.sock")}`,
        "--initial-advertise-peer-urls=http://127.0.0.1:2380",
        "--initial-cluster=default=http://127.0.0.1:2380",
      ],
      directory,
      ownsDirectory: true,
    });
    this.#etcd = etcd;
    await until(etcd, () => answers(join(directory, "etcd.sock")));
  }

  async startApiServer(): Promise<void> {
    if (this.#apiServer && !this.#apiServer.ended) return;
    for (let attempt = 1;; attempt++) {
      const port = this.#port || await findPort();
      const apiServer = this.#spawnApiServer(port);
      this.#apiServer = apiServer;
      try {
        await until(apiServer, () => this.#exists(port, "/readyz"));
        await until(apiServer, () => this.#exists(port, "/api/v1/namespaces/default"));
      } catch (error) {
        await apiServer.stop("SIGKILL");
        const clash = this.#port === 0 && apiServer.tail().includes("address already in use");
        if (clash && attempt < 5) continue;
        throw error;
      }
      if (this.#port === 0) writeKubeconfig(this.#files, port);
      this.#port = port;
      return;
    }
  }

  async stopApiServer(signal: "SIGTERM" | "SIGKILL" = "SIGTERM"): Promise<void> {
    await this.#apiServer?.stop(signal);
  }

  async startControllerManager(): Promise<void> {
    const { directory, kubeconfig } = this.#files;
    const command = this.#options.binaries["kube-controller-manager"];
    if (!command) throw new Error("Cannot start kube-controller-manager: it is not in KUBEBUILDER_ASSETS");
    const controllerManager = startComponent({
      name: "kube-controller-manager",
      command,
      args: [
        `--kubeconfig=${kubeconfig}`,
        `--authentication-kubeconfig=${kubeconfig}`,
        `--authorization-kubeconfig=${kubeconfig}`,
        "--leader-elect=false",
        "--secure-port=0", // It serves nothing, so that no port can clash.
        `--service-account-private-key-file=${join(directory, "service-account.key")}`,
        `--root-ca-file=${join(directory, "ca.crt")}`,
      ],
      directory,
    });
    this.#controllerManager = controllerManager;
    await until(
      controllerManager,
      () => this.#exists(this.#port, "/api/v1/namespaces/default/serviceaccounts/default"),
    );
  }

  async stop(): Promise<void> {
    const parts = [this.#controllerManager, this.#apiServer, this.#etcd];
    await Promise.all(parts.map((part) => part?.stop("SIGKILL")));
    await rm(this.#files.directory, { recursive: true, force: true, maxRetries: 5 });
  }

  #spawnApiServer(port: number): Component {
    const { directory } = this.#files;
    const { binaries, compactionInterval = 300, apiServerFlags = [] } = this.#options;
    return startComponent({
      name: "kube-apiserver",
      command: binaries["kube-apiserver"],
      args: [
        `--etcd-servers=unix://${join(directory, "etcd.sock")}`,
        `--etcd-compaction-interval=${compactionInterval}s`,
        "--bind-address=127.0.0.1",
        "--advertise-address=127.0.0.1",
        "--endpoint-reconciler-type=none", // Endpoints must not be loopback addresses.
        `--secure-port=${port}`,
        `--tls-cert-file=${join(directory, "server.crt")}`,
        `--tls-private-key-file=${join(directory, "server.key")}`,
        `--client-ca-file=${join(directory, "ca.crt")}`,
        `--token-auth-file=${join(directory, "tokens.csv")}`,
        `--service-account-key-file=${join(directory, "service-account.key")}`,
        `--service-account-signing-key-file=${join(directory, "service-account.key")}`,
        "--service-account-issuer=https://kubernetes.default.svc",
        "--service-cluster-ip-range=10.0.0.0/24",
        "--authorization-mode=RBAC",
        "--disable-admission-plugins=ServiceAccount",
        "--shutdown-watch-termination-grace-period=1s",
        ...apiServerFlags,
      ],
      directory,
    });
  }

  #exists(port: number, path: string): Promise<boolean> {
    return answersOk(`https://127.0.0.1:${port}${path}`, this.#files);
  }
}

async function writeFiles(): Promise<ControlPlaneFiles> {
  const authority = await createAuthority({ name: "control-plane" });
  const server = await authority.issue({
    commonName: "kube-apiserver",
    server: true,
    dnsNames: ["localhost", "kubernetes.default.svc"],
    ipAddresses: ["127.0.0.1"],
  });
  const admin = await authority.issue({
    commonName: "admin",
    organizations: ["system:masters"],
    client: true,
  });
  const adminToken = randomBytes(16).toString("hex");
  const serviceAccount = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
  const directory = mkdtempSync(join(tmpdir(), "lotse-"));
  const write = (name: string, text: string) => writeFileSync(join(directory, name), text, { mode: 0o600 });
  write("ca.crt", authority.certificate);
  write("server.crt", server.certificate);
  write("server.key", server.key);
  write("tokens.csv", `${adminToken},admin,admin,system:masters\n`);
  write("service-account.key", serviceAccount.export({ type: "sec1", format: "pem" }).toString());
  return { directory, kubeconfig: join(directory, "kubeconfig"), authority, admin, adminToken };
}

function writeKubeconfig(files: ControlPlaneFiles, port: number): void {
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  const text = `apiVersion: v1
kind: Config
clusters:
- name: control-plane
  cluster:
    server: https://127.0.0.1:${port}
    certificate-authority-data: ${base64(files.authority.certificate)}
users:
- name: admin
  user:
    client-certificate-data: ${base64(files.admin.certificate)}
    client-key-data: ${base64(files.admin.key)}
contexts:
- name: control-plane
  context: { cluster: control-plane, user: admin, namespace: default }
current-context: control-plane
`;
  writeFileSync(files.kubeconfig, text, { mode: 0o600 });
}

/** Waits for real time, because the component is a real process. */
async function until(component: Component, isReady: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 60_000;
  while (!(await isReady())) {
    if (component.ended) {
      throw new Error(`${component.name} ended while starting. Its log ends:\n${component.tail()}`);
    }
    if (performance.now() > deadline) {
      throw new Error(`${component.name} is not ready after 60 s. Its log ends:\n${component.tail()}`);
    }
    await sleep(50);
  }
}

/**
 * A free port below those that Linux and macOS hand out by themselves, so that neither connections nor servers of other
 * tests take it while the API server is stopped. Another control plane may still be faster: the caller tries again.
 */
async function findPort(): Promise<number> {
  while (true) {
    const port = randomInt(15_000, 30_000);
    const free = await new Promise<boolean>((resolve) => {
      const server = createServer().once("error", () => resolve(false));
      server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
    });
    if (free) return port;
  }
}

function answers(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(socketPath);
    socket.once("connect", () => resolve(true)).once("connect", () => socket.destroy());
    socket.once("error", () => resolve(false));
  });
}

function answersOk(url: string, { authority, adminToken }: ControlPlaneFiles): Promise<boolean> {
  return new Promise((resolve) => {
    const headers = { authorization: `Bearer ${adminToken}` };
    const outgoing = request(
      url,
      { ca: authority.certificate, headers, agent: false, timeout: 5000 },
      (response) => {
        response.resume();
        resolve(response.statusCode === 200);
      },
    );
    outgoing.once("timeout", () => outgoing.destroy());
    outgoing.once("error", () => resolve(false));
    outgoing.end();
  });
}

interface KubectlRun {
  readonly args: readonly string[];
  readonly input: string | undefined;
  readonly directory: string;
  readonly kubeconfig: string;
}

function runKubectl(binaries: ControlPlaneBinaries, run: KubectlRun): Promise<string> {
  const { args, input, directory, kubeconfig } = run;
  const command = binaries.kubectl;
  if (!command) throw new Error("Cannot run kubectl: it is neither in KUBEBUILDER_ASSETS nor in PATH");
  const [program, ...first] = command;
  return new Promise((resolve, reject) => {
    // HOME, because kubectl caches there what it discovers, per host and port.
    const env = { ...process.env, KUBECONFIG: kubeconfig, HOME: directory };
    const child = spawn(program, [...first, ...args], { env, stdio: ["pipe", "pipe", "pipe"] });
    let output = "";
    let errors = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => output += text);
    child.stderr.setEncoding("utf8").on("data", (text: string) => errors += text);
    child.once("error", reject);
    child.once("close", (code) => {
      if (code === 0) resolve(output);
      else reject(new Error(`kubectl ${args.join(" ")} exited with ${code}: ${errors.trimEnd()}`));
    });
    child.stdin.on("error", () => {}); // kubectl need not read it all.
    child.stdin.end(input ?? "");
  });
}
