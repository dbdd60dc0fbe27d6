/** Where everything is measured: one real control plane with one kind, and the load generator beside it. */

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ControlPlane, startControlPlane } from "../../tests/control_plane/control_plane.ts";
import { writeKubeconfig } from "../../tests/control_plane/folder.ts";
import { ITEM_DEFINITION } from "../item.ts";
import { cpuMsOf } from "./candidate.ts";
import { Lines } from "./lines.ts";

/** Flags of the load generator, by their names. */
export type LoadFlags = Readonly<Record<string, string | number | undefined>>;

/** Whose requests are counted: the user in the operators' kubeconfig. */
const USER = "peer";

const POLICY = {
  apiVersion: "audit.k8s.io/v1",
  kind: "Policy",
  omitStages: ["RequestReceived"],
  rules: [{ level: "Metadata", users: [USER] }, { level: "None" }],
};

export interface PlaceOptions {
  /** The load generator's executable. */
  readonly load: string;
  /** Whether the API server writes down the operators' requests. That costs it time. Default: false. */
  readonly audit?: boolean;
}

/** A control plane that is ready, with the kind in it. */
export class Place implements AsyncDisposable {
  readonly plane: ControlPlane;
  readonly #load: string;
  readonly #folder: string;
  #namespaces = 0;

  private constructor(plane: ControlPlane, { load, folder }: { load: string; folder: string }) {
    this.plane = plane;
    this.#load = load;
    this.#folder = folder;
  }

  static async open({ load, audit = false }: PlaceOptions): Promise<Place> {
    const folder = mkdtempSync(join(tmpdir(), "lotse-peers-"));
    const policy = join(folder, "policy.json");
    writeFileSync(policy, JSON.stringify(POLICY));
    const flags = [`--audit-policy-file=${policy}`, `--audit-log-path=${join(folder, "audit.log")}`];
    const plane = await startControlPlane({ apiServerFlags: audit ? flags : [] });
    for (const [name, text] of [["admin.crt", plane.admin.certificate], ["admin.key", plane.admin.key]]) {
      writeFileSync(join(plane.directory, name ?? ""), text ?? "", { mode: 0o600 });
    }
    await plane.kubectl(["create", "-f", "-"], { input: JSON.stringify(ITEM_DEFINITION) });
    await plane.kubectl(["wait", "--for=condition=Established", "crd/items.bench.lotse.dev"]);
    // NB: a new kind ends its first watches after a second or two; nobody is measured by that.
    await new Promise((resolve) => setTimeout(resolve, 4000));
    return new Place(plane, { load, folder });
  }

  /** The name of a namespace that nobody has used; `first` of the load generator makes it. */
  newNamespace(): string {
    return `peers-${++this.#namespaces}`;
  }

  /** Writes a kubeconfig for an operator, with another address of the API server where there is one. Returns its path. */
  async kubeconfig(server = this.plane.server): Promise<string> {
    const { authority, adminToken, directory } = this.plane;
    const admin = await authority.issue({
      commonName: USER,
      organizations: ["system:masters"],
      client: true,
    });
    const kubeconfig = join(this.#folder, "kubeconfig");
    writeKubeconfig({ directory, kubeconfig, authority, admin, adminToken }, server);
    return kubeconfig;
  }

  /** Starts a command of the load generator. */
  begin(command: string, flags: LoadFlags = {}): Lines {
    const given: LoadFlags = { server: this.plane.server, folder: this.plane.directory, ...flags };
    const args = Object.entries(given).filter(([, value]) => value !== undefined);
    return new Lines(this.#load, [command, ...args.map(([name, value]) => `--${name}=${value}`)]);
  }

  /** Runs a command of the load generator that has one answer. */
  async load<T>(command: string, flags: LoadFlags): Promise<T> {
    using lines = this.begin(command, flags);
    return await lines.next<T>();
  }

  /** The operators' requests so far, as "patch items/status"; only where they are written down. */
  requests(): string[] {
    const lines = readFileSync(join(this.#folder, "audit.log"), "utf8").trim().split("\n");
    const entries = lines.filter(Boolean).map((line) => JSON.parse(line) as AuditEntry);
    const unique = new Map(entries.map((entry) => [entry.auditID, entry]));
    return [...unique.values()].map(({ verb, objectRef: { resource = "", subresource } = {} }) =>
      `${verb} ${resource}${subresource === undefined ? "" : `/${subresource}`}`
    );
  }

  /** CPU time that the API server and etcd have taken, in milliseconds; in steps of 10. */
  serverCpuMs(): number {
    const pids = readdirSync("/proc").map(Number).filter((pid) => isPartOf(pid, this.plane.directory));
    return pids.reduce((sum, pid) => sum + cpuMsOf(pid), 0);
  }

  /** How many patches and replacements of the kind the API server has answered, whoever sent them. */
  async writes(): Promise<number> {
    const text = await this.plane.kubectl(["get", "--raw", "/metrics"]);
    const lines = text.split("\n").filter((line) =>
      /^apiserver_request_total\{.*resource="items"/.test(line) && /verb="(PATCH|PUT|APPLY)"/.test(line)
    );
    return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" "))), 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.plane.stop();
    rmSync(this.#folder, { recursive: true });
  }
}

/** Whether a process is the API server or etcd of the control plane in this folder. */
function isPartOf(pid: number, directory: string): boolean {
  if (Number.isNaN(pid)) return false;
  try {
    const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
    const isServer = words.slice(0, 2).some((word) => /(^|\/)(kube-apiserver|etcd)$/.test(word));
    return isServer && words.some((word) => word.includes(directory));
  } catch {
    return false; // NB: it has ended since the folder was read.
  }
}

/** As much of an audit event as is looked at. */
interface AuditEntry {
  readonly auditID: string;
  readonly verb: string;
  readonly objectRef?: { readonly resource?: string; readonly subresource?: string };
}
