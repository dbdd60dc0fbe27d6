/**
 * A real control plane for authors' tests, as envtest of controller-runtime has it: etcd, kube-apiserver and, where there is
 * one, kube-controller-manager. No nodes: Pods are made and never run.
 */

import type { ConnectionInfo } from "../../client/auth/connection_info.ts";
import type { KubeObject } from "../../model/object.ts";
import { currentHost } from "../../runtime/current_host.ts";
import { Administrator } from "./administrator.ts";
import type { ClusterOfTest } from "./cluster.ts";
import type { ConnectedCluster } from "./connection.ts";
import { type Binaries, findBinaries } from "./control_plane/binaries.ts";
import { startControlPlane } from "./control_plane/control_plane.ts";
import { applyAll, type Manifests } from "./manifests.ts";

/** A real cluster, of a test's own. */
export interface RealCluster extends ConnectedCluster, ClusterOfTest {
  /** The path of a kubeconfig of its administrator, for kubectl and other programs. */
  readonly kubeconfig: string;
  /** Ends kube-apiserver at once, and starts it again: watches break, written objects stay. */
  restart(): Promise<void>;
}

/** The beginning of a real cluster, and its parts. */
export interface RealClusterOptions {
  /** Manifests to be applied first: files, folders, objects, texts of YAML. */
  readonly manifests?: Manifests;
  /**
   * The folder with the executables. Default: the folder of KUBEBUILDER_ASSETS, of `deno task control-plane` in a checkout,
   * /usr/local/kubebuilder/bin, or the folder that `setup-envtest` has fetched last.
   */
  readonly assets?: string;
  /** Whether kube-controller-manager runs: garbage collection, workloads, namespaces that end. Default: if there is one. */
  readonly controllers?: boolean;
  /** Further flags of kube-apiserver. They come last, and so win. */
  readonly flags?: readonly string[];
}

/**
 * Starts a real control plane, on this machine, in a temporary folder; it ends with the block, or with the process.
 *
 * It takes some three seconds: share it between tests. Roles count there always; the administrator may do everything.
 *
 * @throws {Error} If there are no executables (the message says how to get them), or one fails: then with the end of its log.
 * @throws {Error} If a manifest cannot be read, or is refused.
 * @example
 * ```ts ignore
 * await using cluster = await realCluster({ manifests: ["crd.yaml"] });
 * await using run = await start(op, { cluster });
 * ```
 */
export async function realCluster(options: RealClusterOptions = {}): Promise<RealCluster> {
  const { manifests = [], assets, flags = [] } = options;
  const host = currentHost();
  const binaries: Binaries = await findBinaries({ host, assets });
  const controllers = options.controllers ?? binaries["kube-controller-manager"] !== undefined;
  const plane = await startControlPlane({ host, binaries, controllers, flags });
  const { ca, token, server, kubeconfig } = plane;
  const connection: ConnectionInfo = { server, ca, token };
  const admin = new Administrator({ host, connection });
  const close = async (): Promise<void> => {
    admin[Symbol.dispose]();
    await plane[Symbol.asyncDispose]();
  };
  const apply = (given: Manifests): Promise<KubeObject[]> => applyAll(given, admin);
  try {
    await apply(manifests);
  } catch (error) {
    await close();
    throw error;
  }
  const { api } = admin;
  const restart = (): Promise<void> => plane.restart();
  return { host, connection, kubeconfig, api, apply, restart, [Symbol.asyncDispose]: close };
}
