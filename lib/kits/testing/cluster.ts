/**
 * Clusters that tests run operators on: one in the process, with a clock that is wound by hand.
 */

import {
  type ApiServer,
  apiServer,
  type ApiServerOptions,
  copiedApiServer,
  type FaultRule,
  type InjectedFault,
} from "../apiserver/mod.ts";
import type { KubeObject } from "../../model/object.ts";
import type { Api } from "../../operator/api.ts";
import { currentHost } from "../../runtime/current_host.ts";
import { type VirtualHost, virtualHost, type VirtualHostOptions } from "../../runtime/virtual/host.ts";
import { Administrator } from "./administrator.ts";
import type { ServedCluster } from "./connection.ts";
import { applyAll, type Manifests } from "./manifests.ts";
import { type ClusterCopy, copiedObjectsOf, seedAfter } from "./rehearsal/cluster_copy.ts";
import { readFork } from "./rehearsal/fork_file.ts";

/** The hands of a test on a cluster of its own, before and beside the runs of operators. */
export interface ClusterOfTest extends AsyncDisposable {
  /** Objects of the cluster, by its administrator: all that `op.api` has. */
  readonly api: Api;
  /**
   * Applies objects (server-side), definitions first, and resolves to the objects as the cluster keeps them.
   *
   * @throws {Error} If a file cannot be read, the cluster knows no such kind, or refuses an object.
   */
  apply(manifests: Manifests): Promise<KubeObject[]>;
}

/** A cluster in the process, of a test's own. */
export interface TestCluster extends ServedCluster, ClusterOfTest {
  /** The API server itself: to end its watches, to forget old versions, to start it anew, to put it on a port. */
  readonly server: ApiServer<VirtualHost>;
  /**
   * Injects a fault into the next requests that fit: of operators, unless the rule names another `userAgent`. Requests of the
   * test itself are spared, but for `server.restart()`.
   */
  inject(rule: FaultRule): InjectedFault;
  /**
   * Makes another cluster, with a clock of its own that begins at this one's time, and with all objects of this one as they are
   * now; from then on both are on their own. So the work before many tests is done once.
   */
  fork(): TestCluster;
}

/** The beginning and the ways of a cluster in the process: the options of `apiServer()` and of `virtualHost()`. */
export interface TestClusterOptions
  extends Omit<ApiServerOptions, "host">, Pick<VirtualHostOptions, "seed" | "start" | "env" | "files"> {
  /** Manifests to be applied first: files, folders, objects, texts of YAML. */
  readonly manifests?: Manifests;
  /**
   * A copy of a live cluster to begin with: the path of a file that `lotse rehearse --save` has written. The clock begins at the time
   * of the copy, unless `start` says otherwise. Roles count (`rbac`) if the copy has rights of an operator: run it as that `user`.
   */
  readonly fork?: string;
}

const OPTIONS: Readonly<Record<keyof TestClusterOptions, true>> = {
  manifests: true,
  fork: true,
  seed: true,
  start: true,
  env: true,
  files: true,
  rbac: true,
  workloads: true,
  quotas: true,
  tokens: true,
  audit: true,
  auditPolicy: true,
};

/** How the user agents of operators begin; the administrator has another. */
const OPERATORS = "lotse/";

/**
 * Makes a cluster in the process: an API server without sockets, and a clock that stands still until it is wound.
 *
 * @throws {Error} If a manifest cannot be read, or is refused.
 * @throws {TypeError} If there is no such option.
 * @example
 * ```ts
 * import { kinds } from "@lotse/lotse";
 * import { testCluster } from "@lotse/lotse/testing";
 *
 * await using cluster = await testCluster({
 *   manifests: "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: one }\n",
 * });
 * await cluster.api.get(kinds.ConfigMap, { name: "one", namespace: "default" });
 * ```
 */
export async function testCluster(options: TestClusterOptions = {}): Promise<TestCluster> {
  for (const name of Object.keys(options)) {
    if (Object.hasOwn(OPTIONS, name)) continue;
    throw new TypeError(
      `Cannot make a cluster with option "${name}": known are ${Object.keys(OPTIONS).join(", ")}`,
    );
  }
  const { manifests = [], seed: given, start, env, files, fork, ...serverOptions } = options;
  const copy = fork === undefined ? undefined : await openFork(fork);
  const seed = copy === undefined ? given : seedAfter(copy, given);
  const world = { seed, env, files };
  const host = virtualHost({ ...world, start: start ?? copy?.time });
  const server = copy === undefined ? apiServer({ ...serverOptions, host }) : await copiedApiServer(
    { rbac: copy.rights !== undefined, ...serverOptions, host },
    copiedObjectsOf(copy),
  );
  const cluster = clusterOf(server, world);
  await cluster.apply(manifests);
  return cluster;
}

async function openFork(path: string): Promise<ClusterCopy> {
  const { files, process } = currentHost();
  return await readFork(files, files.resolve(process.cwd(), path));
}

/** Returns the hands of a test on a server. */
function clusterOf(
  server: ApiServer<VirtualHost>,
  world: Pick<VirtualHostOptions, "seed" | "env" | "files">,
): TestCluster {
  const { host } = server;
  const fetch = (request: Request): Promise<Response> => server.fetch(request);
  const admin = new Administrator({ host, fetch });
  return {
    host,
    server,
    fetch,
    apply: (given) => applyAll(given, admin),
    api: admin.api,
    inject: (rule) => server.faults.inject({ userAgent: OPERATORS, ...rule }),
    fork() {
      // NB: the same chance would draw the uids anew that objects have already.
      const seed = seedAfter(server, world.seed);
      const other = virtualHost({ ...world, seed, start: host.clock.now() });
      return clusterOf(server.fork({ host: other }), { ...world, seed });
    },
    [Symbol.asyncDispose]() {
      admin[Symbol.dispose]();
      server.closeWatches();
      return Promise.resolve();
    },
  };
}
