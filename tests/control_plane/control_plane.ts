/**
 * A real Kubernetes control plane for tests: etcd, kube-apiserver and, if wanted, kube-controller-manager, each test
 * file its own.
 *
 * Everything it needs is in one temporary folder: certificates, data, logs, the kubeconfig, and the Unix socket between
 * the API server and etcd, so that only the API server's port can clash. Nothing survives it: see component.ts.
 * Not for measuring durability: etcd runs without fsync.
 */

import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Authority, IssuedCertificate } from "../../lib/runtime/certificates.ts";
import { type ControlPlaneBinaries, findControlPlane } from "./binaries.ts";
import { type Component, startComponent } from "./component.ts";
import { createFolder, type Folder, writeKubeconfig } from "./folder.ts";
import { type KubectlOptions, runKubectl } from "./kubectl.ts";
import { answersOk, findPort, isListening, readJson, whenReady } from "./readiness.ts";

export { type ControlPlaneBinaries, type ControlPlaneSearch, findControlPlane } from "./binaries.ts";
export type { KubectlOptions } from "./kubectl.ts";

/** What to start, and how. */
export interface ControlPlaneOptions {
  /** Default: what {@link findControlPlane} finds. */
  readonly binaries?: ControlPlaneBinaries;
  /** Further flags of kube-apiserver, such as "--feature-gates=ShardedListAndWatch=true". They come last and so win. */
  readonly apiServerFlags?: readonly string[];
  /**
   * How often etcd forgets old versions, so that continuing a list from them ends in 410. In seconds. Default: 300.
   *
   * Watches are served from the API server's own cache, which remembers longer: they end in 410 after a restart of the
   * API server, or with the flag `--watch-cache=false`.
   */
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

/**
 * Starts a control plane and resolves when it is ready: about 3 s on 2 cores.
 *
 * @throws {Error} If there are no executables, or a component fails: then with the end of its log.
 */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const search = options.binaries ? { binaries: options.binaries } : findControlPlane();
  if (!search.binaries) throw new Error(search.reason);
  const folder = await createFolder();
  const parts = new Parts({ ...options, binaries: search.binaries }, folder);
  try {
    await parts.startEtcd();
    await parts.startApiServer();
    await refuseOurs(parts.server, folder);
    if (options.controllerManager) await parts.startControllerManager();
  } catch (error) {
    await parts.stop();
    throw error;
  }
  const { kubectl } = search.binaries;
  const { directory, kubeconfig, authority, admin, adminToken } = folder;
  return {
    server: parts.server,
    kubeconfig,
    caPem: authority.certificate,
    authority,
    admin,
    adminToken,
    directory,
    async kubectl(args, options = {}) {
      if (!kubectl) throw new Error("Cannot run kubectl: it is neither in KUBEBUILDER_ASSETS nor in PATH");
      return await runKubectl(kubectl, args, { ...options, folder });
    },
    stopApiServer: (signal) => parts.stopApiServer(signal),
    startApiServer: () => parts.startApiServer(),
    stop: () => parts.stop(),
    [Symbol.asyncDispose]: () => parts.stop(),
  };
}

/** @throws {Error} If the server is not the one that ours is to be compared with: KUBEBUILDER_ASSETS may name stand-ins. */
async function refuseOurs(server: string, folder: Folder): Promise<void> {
  const version = String((await readJson(`${server}/version`, folder)).gitVersion);
  if (version.includes("+lotse")) {
    throw new Error(
      `Cannot take ${version} for a real control plane: KUBEBUILDER_ASSETS names stand-ins of Lotse`,
    );
  }
}

type PartsOptions = ControlPlaneOptions & { readonly binaries: ControlPlaneBinaries };

/** The components of one control plane, and their order. */
class Parts {
  readonly #options: PartsOptions;
  readonly #folder: Folder;
  #port = 0;
  #etcd: Component | undefined;
  #apiServer: Component | undefined;
  #controllerManager: Component | undefined;

  constructor(
    options: PartsOptions,
    folder: Folder,
  ) {
    this.#options = options;
    this.#folder = folder;
  }

  get server(): string {
    return `https://127.0.0.1:${this.#port}`;
  }

  async startEtcd(): Promise<void> {
    const { directory } = this.#folder;
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
    await whenReady(etcd, () => isListening(join(directory, "etcd.sock")));
  }

  async startApiServer(): Promise<void> {
    if (this.#apiServer && !this.#apiServer.ended) return;
    for (let attempt = 1;; attempt++) {
      const port = this.#port || await findPort();
      const apiServer = this.#spawnApiServer(port);
      this.#apiServer = apiServer;
      try {
        await whenReady(apiServer, () => this.#exists(port, "/readyz"));
        await whenReady(apiServer, () => this.#exists(port, "/api/v1/namespaces/default"));
      } catch (error) {
        await apiServer.stop("SIGKILL");
        const clash = this.#port === 0 && apiServer.tail().includes("address already in use");
        if (clash && attempt < 5) continue;
        throw error;
      }
      if (this.#port !== 0) return;
      this.#port = port;
      return writeKubeconfig(this.#folder, this.server);
    }
  }

  async stopApiServer(signal: "SIGTERM" | "SIGKILL" = "SIGTERM"): Promise<void> {
    await this.#apiServer?.stop(signal);
  }

  async startControllerManager(): Promise<void> {
    const { directory, kubeconfig } = this.#folder;
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
    await whenReady(
      controllerManager,
      () => this.#exists(this.#port, "/api/v1/namespaces/default/serviceaccounts/default"),
    );
  }

  async stop(): Promise<void> {
    const parts = [this.#controllerManager, this.#apiServer, this.#etcd];
    await Promise.all(parts.map((part) => part?.stop("SIGKILL")));
    await rm(this.#folder.directory, { recursive: true, force: true, maxRetries: 5 });
  }

  #spawnApiServer(port: number): Component {
    const { directory } = this.#folder;
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
        "--allow-privileged=true",
        "--authorization-mode=RBAC",
        "--disable-admission-plugins=ServiceAccount",
        "--shutdown-watch-termination-grace-period=1s",
        ...apiServerFlags,
      ],
      directory,
    });
  }

  #exists(port: number, path: string): Promise<boolean> {
    return answersOk(`https://127.0.0.1:${port}${path}`, this.#folder);
  }
}
