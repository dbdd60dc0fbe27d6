/**
 * The place where operators are rehearsed: a copy of a cluster in virtual time, whose network leads nowhere but to it and to stubs.
 *
 * Controllers of workloads play along. They settle before, once for old and new code: on a live cluster they are at rest, but a copy lacks Events
 * and slices, and some clusters have no kubelets.
 */

import { currentHandler } from "../../../execution/invoke.ts";
import { isObject } from "../../../model/json.ts";
import type { JsonObject, KubeObject } from "../../../model/object.ts";
import type { Network, Seconds } from "../../../runtime/host.ts";
import { type VirtualHost, virtualHost, type VirtualHostOptions } from "../../../runtime/virtual/host.ts";
import { type ApiServer, copiedApiServer } from "../../apiserver/mod.ts";
import { Administrator } from "../administrator.ts";
import { type ClusterCopy, copiedObjectsOf, seedAfter } from "./cluster_copy.ts";
import { chooseKinds } from "./copied_kinds.ts";

/** Answers requests that handlers send to one origin, such as "https://api.example.com". */
export type Stubs = Readonly<Record<string, (request: Request) => Response | Promise<Response>>>;

/** Calls beyond the cluster that were refused. */
export interface Refusal {
  /** Such as "https://api.example.com". */
  readonly target: string;
  readonly handler?: string;
}

/** A copy, or a function that reads one: its objects are then let go as soon as a server has them. */
export type GivenCopy = ClusterCopy | (() => Promise<ClusterCopy>);

/** A copy that lives. */
export interface Stage {
  readonly host: VirtualHost;
  readonly server: ApiServer<VirtualHost>;
  /** Calls beyond the cluster so far. */
  readonly refusals: readonly Refusal[];
  /** Sentences about all that is not as in the cluster. */
  departures(): string[];
}

/** Kinds with Pods, and Pods. */
const WORKLOADS = ["Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Job", "CronJob", "Pod"];
/** With more of them, controllers do not play along: each takes a millisecond in the beginning, and many when it rolls. */
const MOST_WORKLOADS = 5000;
/** How long controllers of the cluster may settle before the operators start. */
const SETTLING: Seconds = 60;

/** Opens a copy. */
export async function openStage(
  copy: ClusterCopy,
  { hours, stubs = {}, seed }: { readonly hours: number; readonly stubs?: Stubs; readonly seed?: number },
): Promise<Stage> {
  const refusals: Refusal[] = [];
  const host = closedHost(
    { start: copy.time, seed: seedAfter(copy, seed) },
    stubs,
    (refusal) => refusals.push(refusal),
  );
  const workloads = workloadsOf(copy);
  const isPlayed = hours > 0 && workloads <= MOST_WORKLOADS;
  const server = await copiedApiServer(
    { host, rbac: copy.rights !== undefined, workloads: isPlayed },
    copiedObjectsOf(copy),
  );
  const webhooks = acceptWebhooks(host, copy.objects);
  return {
    host,
    server,
    refusals,
    departures: () => [
      ...webhooks.told(),
      ...hours > 0 && !isPlayed
        ? [
          `${workloads} workloads: more than ${MOST_WORKLOADS} are not played, no Pod starts or ends (-n and --sample take fewer)`,
        ]
        : [],
    ],
  };
}

/**
 * Returns the copy as it is when controllers of workloads have come to rest. Of a copy that a function reads, no object is kept meanwhile but the
 * server's.
 */
export async function settle(copy: GivenCopy): Promise<ClusterCopy> {
  const opened = await openUnsettled(copy);
  if (!("stage" in opened)) return opened;
  const { stage: { host, server }, description, definitions } = opened;
  await host.clock.advance(SETTLING);
  const objects: KubeObject[] = [];
  // The host only carries the requests: no time passes on it.
  using admin = new Administrator({ host: virtualHost(), fetch: (request) => server.fetch(request) });
  const served = await admin.client.discovery.all();
  const { kinds } = await chooseKinds(served, definitions);
  for (const kind of kinds) {
    for await (const { items } of admin.client.list(kind, { chunkSize: null, managedFields: true })) {
      objects.push(...items);
    }
  }
  return {
    ...description,
    objects,
    time: description.time + SETTLING * 1000,
    resourceVersion: server.resourceVersion,
    isSettled: true,
  };
}

/** Opens a copy, unless it has settled, or is too large for that. NB: by itself, so that nothing keeps its objects. */
async function openUnsettled(given: GivenCopy): Promise<
  ClusterCopy | {
    readonly stage: Stage;
    readonly description: Omit<ClusterCopy, "objects">;
    readonly definitions: readonly KubeObject[];
  }
> {
  const copy = typeof given === "function" ? await given() : given;
  if (copy.isSettled === true || workloadsOf(copy) > MOST_WORKLOADS) return copy;
  const { objects, ...description } = copy;
  const { rights: _rights, ...withoutRights } = copy;
  return {
    stage: await openStage(withoutRights, { hours: 1 }),
    description,
    definitions: objects.filter(({ kind }) => kind === "CustomResourceDefinition"),
  };
}

function workloadsOf({ objects }: ClusterCopy): number {
  return objects.filter(({ kind = "" }) => WORKLOADS.includes(kind)).length;
}

/** Makes a host whose network leads to the cluster and to stubs, and tells of everything else. */
function closedHost(
  world: VirtualHostOptions,
  stubs: Stubs,
  onRefusal: (refusal: Refusal) => void,
): VirtualHost {
  const host = virtualHost(world);
  const known = new Set<string>();
  const network: VirtualHost["network"] = {
    get inFlight() {
      return host.network.inFlight;
    },
    route(origin, fetch) {
      known.add(new URL(origin).origin);
      host.network.route(origin, fetch);
    },
    deafen: (origin) => host.network.deafen(origin),
    breakAll: () => host.network.breakAll(),
    serve: async (options) => {
      const server = await host.network.serve(options);
      known.add(new URL(`${options.tls ? "https" : "http"}://${server.hostname}:${server.port}`).origin);
      return server;
    },
    connect(options): ReturnType<Network["connect"]> {
      const { origin } = new URL(options.server);
      const handler = currentHandler();
      if (known.has(origin)) return host.network.connect(options);
      onRefusal({ target: origin, ...handler === undefined ? {} : { handler } });
      const error = new Error(
        `nothing beyond the cluster is reached in a rehearsal, but stubs for it (--stubs)`,
      );
      return { request: () => Promise.reject(error), [Symbol.dispose]() {} };
    },
  };
  for (const [origin, fetch] of Object.entries(stubs)) network.route(origin, fetch);
  return { ...host, network };
}

/** Has webhooks of the cluster agree to everything, as they are not here; returns a sentence about each webhook that was asked. */
function acceptWebhooks(
  host: VirtualHost,
  objects: readonly KubeObject[],
): { told(): string[] } {
  const asked = new Map<string, number>();
  for (const { kind = "", webhooks } of objects) {
    if (!kind.endsWith("WebhookConfiguration") || !Array.isArray(webhooks)) continue;
    for (const { name, clientConfig } of webhooks.filter(isObject)) {
      const origin = originOf(clientConfig);
      if (origin === undefined) continue;
      host.network.route(origin, async (request) => {
        asked.set(String(name), (asked.get(String(name)) ?? 0) + 1);
        const review: unknown = await request.json();
        const uid = isObject(review) && isObject(review.request) ? review.request.uid : "";
        return Response.json({ ...review as JsonObject, response: { uid, allowed: true } });
      });
    }
  }
  return {
    told: () =>
      [...asked].map(([name, count]) => `webhook ${name} was not asked about ${count} writes, which passed`),
  };
}

function originOf(clientConfig: unknown): string | undefined {
  if (!isObject(clientConfig)) return undefined;
  const { url, service } = clientConfig;
  if (typeof url === "string" && URL.canParse(url)) return new URL(url).origin;
  if (!isObject(service)) return undefined;
  const port = typeof service.port === "number" ? service.port : 443;
  return `https://${String(service.name)}.${String(service.namespace)}.svc:${port}`;
}
