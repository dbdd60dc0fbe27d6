/**
 * A control plane in one temporary folder: certificates, data, logs, the kubeconfig, and the socket between the API server
 * and etcd, so that the API server's port alone can clash.
 */

import type { Host } from "../../../runtime/host.ts";
import { createAuthority } from "../../../runtime/certificates.ts";
import type { Binaries } from "./binaries.ts";
import { Component } from "./component.ts";

/** How to start a control plane. */
export interface ControlPlaneOptions {
  readonly host: Host;
  readonly binaries: Binaries;
  readonly controllers: boolean;
  readonly flags: readonly string[];
}

/** A running control plane. */
export interface ControlPlane extends AsyncDisposable {
  readonly server: string;
  /** The path of the administrator's kubeconfig. */
  readonly kubeconfig: string;
  /** The authority's certificate. PEM. */
  readonly ca: string;
  /** The administrator's. */
  readonly token: string;
  restart(): Promise<void>;
}

/** Starts a control plane, and resolves when it is ready. @throws {Error} If a component fails. */
export async function startControlPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
  const { host, controllers } = options;
  const folder = await host.files.makeTempFolder("lotse-cluster-");
  const parts = new Parts(options, await prepare(host, folder));
  try {
    await parts.startEtcd();
    await parts.startApiServer();
    if (controllers) await parts.startControllers();
  } catch (error) {
    await parts.stop();
    throw error;
  }
  const { ca, token, kubeconfig } = parts.place;
  return {
    server: parts.server,
    ca,
    token,
    kubeconfig,
    restart: () => parts.restart(),
    [Symbol.asyncDispose]: () => parts.stop(),
  };
}

interface Place {
  readonly folder: string;
  readonly kubeconfig: string;
  readonly ca: string;
  readonly token: string;
}

/** Writes the files that the components read. Only their owner may read them. */
async function prepare({ files, random }: Host, folder: string): Promise<Place> {
  const authority = await createAuthority({ name: "control-plane" });
  const server = await authority.issue({
    commonName: "kube-apiserver",
    server: true,
    dnsNames: ["localhost", "kubernetes.default.svc"],
    ipAddresses: ["127.0.0.1"],
  });
  // Tokens of service accounts are signed with the key, and checked with the certificate.
  const accounts = await authority.issue({ commonName: "service-accounts", client: true });
  const token = random.uuid();
  const contents = {
    "ca.crt": authority.certificate,
    "server.crt": server.certificate,
    "server.key": server.key,
    "accounts.crt": accounts.certificate,
    "accounts.key": accounts.key,
    "tokens.csv": `${token},admin,admin,system:masters\n`,
  };
  for (const [name, text] of Object.entries(contents)) {
    await files.writeText(files.resolve(folder, name), text, { mode: 0o600 });
  }
  return { folder, kubeconfig: files.resolve(folder, "kubeconfig"), ca: authority.certificate, token };
}

/** The components, and their order. */
class Parts {
  readonly place: Place;
  readonly #options: ControlPlaneOptions;
  readonly #running: Component[] = [];
  #apiServer: Component | undefined;
  #port = 0;

  constructor(options: ControlPlaneOptions, place: Place) {
    this.#options = options;
    this.place = place;
  }

  get server(): string {
    return `https://127.0.0.1:${this.#port}`;
  }

  async startEtcd(): Promise<void> {
    const { files } = this.#options.host;
    // NB: etcd refuses to advertise a socket. With one member, no program dials the advertised addresses.
    const etcd = this.#start("etcd", [
      `--data-dir=${this.#path("etcd")}`,
      "--unsafe-no-fsync",
      `--listen-client-urls=unix://${this.#path("etcd.sock")}`,
      "--advertise-client-urls=http://127.0.0.1:2379",
      `--listen-peer-urls=unix://${this.#path("peer.sock")}`,
      "--initial-advertise-peer-urls=http://127.0.0.1:2380",
      "--initial-cluster=default=http://127.0.0.1:2380",
    ]);
    await etcd.whenReady(() => files.exists(this.#path("etcd.sock")));
  }

  async startApiServer(): Promise<void> {
    const { host } = this.#options;
    if (this.#port === 0) this.#port = await findPort(host);
    const apiServer = this.#start("kube-apiserver", this.#apiServerFlags());
    this.#apiServer = apiServer;
    await apiServer.whenReady(() => this.#isThere("/readyz"));
    await apiServer.whenReady(() => this.#isThere("/api/v1/namespaces/default"));
    await host.files.writeText(this.place.kubeconfig, kubeconfigOf(this.place, this.server), { mode: 0o600 });
  }

  async restart(): Promise<void> {
    await this.#apiServer?.stop();
    await this.startApiServer();
  }

  async startControllers(): Promise<void> {
    const { kubeconfig } = this.place;
    const controllers = this.#start("kube-controller-manager", [
      `--kubeconfig=${kubeconfig}`,
      `--authentication-kubeconfig=${kubeconfig}`,
      `--authorization-kubeconfig=${kubeconfig}`,
      "--leader-elect=false",
      "--secure-port=0", // It does not serve, so that no port can clash.
      `--service-account-private-key-file=${this.#path("accounts.key")}`,
      `--root-ca-file=${this.#path("ca.crt")}`,
    ]);
    await controllers.whenReady(() => this.#isThere("/api/v1/namespaces/default/serviceaccounts/default"));
  }

  async stop(): Promise<void> {
    await Promise.all(this.#running.map((part) => part.stop()));
    await this.#options.host.files.remove(this.place.folder);
  }

  #start(name: keyof Binaries, args: readonly string[]): Component {
    const { host, binaries } = this.#options;
    const command = binaries[name];
    if (command === undefined) throw new Error(`Cannot start ${name}: there is no such executable`);
    const component = new Component({ host, name, command, args, folder: this.place.folder });
    this.#running.push(component);
    return component;
  }

  #path(name: string): string {
    return this.#options.host.files.resolve(this.place.folder, name);
  }

  #apiServerFlags(): string[] {
    return [
      `--etcd-servers=unix://${this.#path("etcd.sock")}`,
      "--bind-address=127.0.0.1",
      "--advertise-address=127.0.0.1",
      "--endpoint-reconciler-type=none", // Endpoints must not be loopback addresses.
      `--secure-port=${this.#port}`,
      `--tls-cert-file=${this.#path("server.crt")}`,
      `--tls-private-key-file=${this.#path("server.key")}`,
      `--client-ca-file=${this.#path("ca.crt")}`,
      `--token-auth-file=${this.#path("tokens.csv")}`,
      `--service-account-key-file=${this.#path("accounts.crt")}`,
      `--service-account-signing-key-file=${this.#path("accounts.key")}`,
      "--service-account-issuer=https://kubernetes.default.svc",
      "--service-cluster-ip-range=10.0.0.0/24",
      "--authorization-mode=RBAC",
      "--disable-admission-plugins=ServiceAccount",
      "--shutdown-watch-termination-grace-period=1s",
      ...this.#options.flags,
    ];
  }

  /** False as well if there is no such server, or a stranger's. */
  async #isThere(path: string): Promise<boolean> {
    const { ca, token } = this.place;
    using connection = this.#options.host.network.connect({ server: this.server, ca, connectTimeout: 5 });
    try {
      const headers = { authorization: `Bearer ${token}` };
      const response = await connection.request({ method: "GET", path, headers });
      await response.text();
      return response.status === 200;
    } catch {
      return false;
    }
  }
}

/**
 * A free port below the range that systems hand out by themselves, so that no other program takes it while the API server is
 * away.
 */
async function findPort({ network, random }: Host): Promise<number> {
  for (;;) {
    const port = 15_000 + Math.floor(random.next() * 15_000);
    const server = await network.serve({ port, fetch: () => new Response() }).catch(() => undefined);
    if (server === undefined) continue;
    await server.close();
    return port;
  }
}

function kubeconfigOf({ ca, token }: Place, server: string): string {
  return `apiVersion: v1
kind: Config
clusters:
- name: control-plane
  cluster: { server: "${server}", certificate-authority-data: ${btoa(ca)} }
users:
- name: admin
  user: { token: ${token} }
contexts:
- name: control-plane
  context: { cluster: control-plane, user: admin, namespace: default }
current-context: control-plane
`;
}
