/** The two servers that clients of all sorts are held to: ours on a port, and a real kube-apiserver. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { apiServer } from "../../lib/kits/apiserver/mod.ts";
import { Administrator } from "../../lib/kits/testing/administrator.ts";
import { applyAll, type Manifests } from "../../lib/kits/testing/manifests.ts";
import { currentHost } from "../../lib/runtime/current_host.ts";
import type { Api } from "../../lib/operator/api.ts";
import { startControlPlane } from "../control_plane/control_plane.ts";

/** A server with sockets, and its administrator. */
export interface ServerPlace extends AsyncDisposable {
  /** The path of a kubeconfig. */
  readonly kubeconfig: string;
  readonly api: Api;
  apply(manifests: Manifests): Promise<unknown>;
}

/** Ours; roles count, as they do on the real one. */
export async function openOurs(): Promise<ServerPlace> {
  const host = currentHost();
  const served = await apiServer({ host, rbac: true }).serve();
  const folder = mkdtempSync(join(tmpdir(), "lotse-clients-"));
  const kubeconfig = join(folder, "kubeconfig");
  writeFileSync(kubeconfig, served.kubeconfig);
  const { url: server, ca, token } = served;
  const admin = new Administrator({ host, connection: { server, ca, token } });
  return {
    kubeconfig,
    api: admin.api,
    apply: (manifests) => applyAll(manifests, admin),
    async [Symbol.asyncDispose]() {
      admin[Symbol.dispose]();
      await served.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** The real one. */
export async function openReal(): Promise<ServerPlace> {
  const host = currentHost();
  const plane = await startControlPlane();
  const { server, caPem: ca, adminToken: token, kubeconfig } = plane;
  const admin = new Administrator({ host, connection: { server, ca, token } });
  return {
    kubeconfig,
    api: admin.api,
    apply: (manifests) => applyAll(manifests, admin),
    async [Symbol.asyncDispose]() {
      admin[Symbol.dispose]();
      await plane.stop();
    },
  };
}
