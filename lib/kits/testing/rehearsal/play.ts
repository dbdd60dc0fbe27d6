/**
 * Runs operators on a copy of a cluster for some virtual hours, and returns their requests, writes and failures, and the objects that are different in the end.
 *
 * The result is JSON: old and new code run in processes of their own, and are compared by a third.
 */

import { currentHandler } from "../../../execution/invoke.ts";
import { isObject } from "../../../model/json.ts";
import type { JsonObject, KubeObject } from "../../../model/object.ts";
import type { Network, Seconds } from "../../../runtime/host.ts";
import { currentHost } from "../../../runtime/current_host.ts";
import { VERSION } from "../../../runtime/version.ts";
import { type VirtualHost, virtualHost, type VirtualHostOptions } from "../../../runtime/virtual/host.ts";
import { type ApiServer, copiedApiServer } from "../../apiserver/mod.ts";
import { Administrator } from "../administrator.ts";
import { type Runnable, Runner } from "../runner.ts";
import { type ClusterCopy, copiedObjectsOf, seedAfter } from "./cluster_copy.ts";
import {
  type LoopGroup,
  type MissedRight,
  Recorder,
  type RequestCounts,
  titleOf,
  type WriteGroup,
} from "./recorder.ts";

/** Answers requests that handlers send to one origin, such as "https://api.example.com". */
export type Stubs = Readonly<Record<string, (request: Request) => Response | Promise<Response>>>;

/** How to play. */
export interface PlayOptions {
  readonly operators: readonly Runnable[];
  readonly copy: ClusterCopy;
  /** How long, in virtual hours. 0: the first pass alone, in which no time passes. */
  readonly hours: number;
  /** Namespaces that the operators serve. Default: the whole cluster. */
  readonly scope?: readonly string[];
  /** Default: only the cluster is reached. */
  readonly stubs?: Stubs;
  /** Is told how many virtual seconds have passed. */
  readonly onProgress?: (seconds: Seconds) => void;
  /** Calls that were refused outside of the virtual network: the list is read at the end. */
  readonly refused?: readonly Refusal[];
}

/** Calls beyond the cluster that were refused. */
export interface Refusal {
  /** Such as "https://api.example.com". */
  readonly target: string;
  readonly handler?: string;
}

/** An object that a run has changed. */
export interface ChangedObject {
  readonly before?: KubeObject;
  readonly after?: KubeObject;
}

/** Objects on which a handler fails in the same way. */
export interface FailureGroup {
  readonly handler: string;
  readonly error: string;
  readonly objects: number;
  readonly examples: readonly string[];
  /** Whether the handler tries again. */
  readonly retries: boolean;
}

/** Everything that a run was seen to do. */
export interface Played {
  readonly lotse: string;
  /** Virtual seconds. */
  readonly seconds: Seconds;
  /** Objects that are not as they were, by titles such as "Database default/one". */
  readonly changed: Readonly<Record<string, ChangedObject>>;
  readonly writes: readonly WriteGroup[];
  readonly requests: RequestCounts;
  /** When the operator has written last, in seconds since its start; undefined: never. */
  readonly lastWrite?: Seconds;
  /** Whether it was at rest in the end. */
  readonly isAtRest: boolean;
  readonly missed: readonly MissedRight[];
  readonly loops: readonly LoopGroup[];
  readonly failures: readonly FailureGroup[];
  /** Handlers that have not ended: they wait for real time, or for programs and servers that are not in the copy. */
  readonly unended: readonly string[];
  /** Calls beyond the cluster, and how often. */
  readonly notRehearsed: readonly string[];
  /** Resident bytes of the process in the end. */
  readonly memory: number;
  /** The error that an operator ended with. */
  readonly failure?: string;
}

/** Kinds with Pods, and Pods. More of them take controllers too long: they look through all of them again and again. */
const WORKLOADS = ["Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Job", "CronJob", "Pod"];
const MOST_WORKLOADS = 300_000;
/** How long controllers of the cluster may settle before the operators start. */
const SETTLING: Seconds = 60;
/** How long a first pass takes. */
const FIRST_PASS: Seconds = 1;
/** Time between two looks at the progress. */
const STEP: Seconds = 60;
/** An operator without a write for so long in the end, or for a tenth of the time, is at rest. */
const REST: Seconds = 300;
/** How many calls of handlers are remembered. */
const REMEMBERED = 200_000;
const MOST_EXAMPLES = 3;

/** Runs operators on a copy. */
export async function play(options: PlayOptions): Promise<Played> {
  const { copy, hours, operators, scope, onProgress, stubs = {} } = options;
  const refusals: Refusal[] = [];
  const host = closedHost(
    { start: copy.time, seed: seedAfter(copy) },
    stubs,
    (refusal) => refusals.push(refusal),
  );
  const hasRights = copy.rights !== undefined;
  const workloads = copy.objects.filter(({ kind = "" }) => WORKLOADS.includes(kind)).length;
  const isPlayed = hours > 0 && workloads <= MOST_WORKLOADS;
  const server = await copiedApiServer(
    { host, rbac: hasRights, workloads: isPlayed },
    copiedObjectsOf(copy),
  );
  const webhooks = acceptWebhooks(host, copy.objects);
  if (isPlayed) await host.clock.advance(SETTLING);
  const base = server.fork({ host: virtualHost({ start: host.clock.now() }) });
  const recorder = new Recorder((request) => server.fetch(request), host.clock);
  const fetch = (request: Request): Promise<Response> =>
    request.headers.get("user-agent") === TESTER ? server.fetch(request) : recorder.pass(request);
  const began = host.clock.monotonic();
  const runners = operators.map((op) =>
    new Runner(op, {
      cluster: { host, fetch },
      globals: true,
      level: "warn",
      reraise: false,
      remembered: REMEMBERED,
      standalone: true,
      scope: scope ?? "cluster",
      ...copy.rights === undefined ? {} : { user: copy.rights.user },
    })
  );
  // Some work is put off by moments, so that more of it can be done at once.
  await host.clock.advance(FIRST_PASS);
  for (const end = began + hours * 3600; host.clock.monotonic() < end - 0.001;) {
    await host.clock.advance(Math.min(STEP, end - host.clock.monotonic()));
    onProgress?.(host.clock.monotonic() - began);
    if (runners.every(({ isRunning }) => !isRunning)) break;
  }
  const seconds = host.clock.monotonic() - began;
  const changed = await changesBetween(base, server);
  const failed = runners.find(({ failure }) => failure !== undefined)?.failure;
  const { lastWrite } = recorder;
  const played: Played = {
    lotse: VERSION,
    seconds,
    changed,
    writes: recorder.groups,
    requests: recorder.counts,
    ...lastWrite === undefined ? {} : { lastWrite },
    isAtRest: lastWrite === undefined || hours === 0 || seconds - lastWrite > Math.min(REST, seconds / 10),
    missed: recorder.missed,
    loops: recorder.loops,
    failures: failuresOf(runners),
    unended: unendedOf(runners, host.clock.now()),
    notRehearsed: [
      ...told([...refusals, ...options.refused ?? []]),
      ...webhooks.told(),
      ...hours > 0 && !isPlayed
        ? [`${workloads} workloads: too many to be played, they stay as they are`]
        : [],
    ],
    memory: currentHost().process.memory(),
    ...failed === undefined ? {} : { failure: failed instanceof Error ? failed.message : String(failed) },
  };
  await Promise.all(runners.map((runner) => runner.stop().catch(() => {})));
  return played;
}

/** The user agent of the kit's own clients, whose requests are none of the operator's. */
const TESTER = "lotse-test";

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

/** Returns the objects that differ between two servers, the one being a fork of the other. */
async function changesBetween(base: ApiServer, server: ApiServer): Promise<Record<string, ChangedObject>> {
  const [before, after] = [await allObjects(base), await allObjects(server)];
  const changed: Record<string, ChangedObject> = Object.create(null);
  for (const title of new Set([...before.keys(), ...after.keys()])) {
    const [old, now] = [before.get(title), after.get(title)];
    if (
      old?.metadata.resourceVersion === now?.metadata.resourceVersion &&
      old?.metadata.uid === now?.metadata.uid
    ) {
      continue;
    }
    changed[title] = {
      ...old === undefined ? {} : { before: old },
      ...now === undefined ? {} : { after: now },
    };
  }
  return changed;
}

/** Kinds that differ without anybody's interest. */
const PASSING = ["events", "leases", "endpoints", "endpointslices", "controllerrevisions"];

async function allObjects(server: ApiServer): Promise<Map<string, KubeObject>> {
  // The host only carries the requests: no time passes on it.
  const host = virtualHost();
  using admin = new Administrator({ host, fetch: (request) => server.fetch(request) });
  const { client } = admin;
  const found = new Map<string, KubeObject>();
  const seen = new Set<string>();
  for (const kind of await client.discovery.all()) {
    const name = `${kind.group}/${kind.plural}`;
    if (!kind.verbs.includes("list") || !kind.preferred || seen.has(name) || PASSING.includes(kind.plural)) {
      continue;
    }
    seen.add(name);
    for await (const { items } of client.list(kind, { chunkSize: null })) {
      for (const item of items) found.set(titleIn(found, item), item);
    }
  }
  return found;
}

/** Objects with drawn names are called by their owner and number, as their names differ from run to run. */
function titleIn(found: ReadonlyMap<string, KubeObject>, object: KubeObject): string {
  const { metadata: { generateName, namespace = "" } } = object;
  if (generateName === undefined) {
    const title = titleOf(object);
    return found.has(title) ? `${title} (${object.apiVersion})` : title;
  }
  for (let number = 1;; number++) {
    const title = `${object.kind} ${namespace}/${generateName}* (${number})`;
    if (!found.has(title)) return title;
  }
}

function failuresOf(runners: readonly Runner[]): FailureGroup[] {
  const last = new Map<string, Runner["calls"][number]>();
  for (const call of runners.flatMap(({ calls }) => calls)) {
    if (call.outcome === undefined) continue;
    const { kind = "", namespace = "", name = "" } = call.object ?? {};
    last.set(`${call.handler} ${kind} ${namespace}/${name}`, call);
  }
  const groups = new Map<string, { -readonly [Key in keyof FailureGroup]: FailureGroup[Key] }>();
  for (const { handler, object, outcome, error } of last.values()) {
    if (error === undefined || (outcome !== "failure" && outcome !== "retry")) continue;
    const text = object?.name === undefined ? error.message : error.message.replaceAll(object.name, "<name>");
    const key = `${handler} ${outcome} ${text}`;
    const title = object === undefined
      ? "the operator itself"
      : `${object.kind} ${object.namespace === undefined ? "" : `${object.namespace}/`}${object.name}`;
    const group = groups.get(key) ??
      { handler, error: text, objects: 0, examples: [], retries: outcome === "retry" };
    group.objects++;
    if (group.examples.length < MOST_EXAMPLES) group.examples = [...group.examples, title];
    groups.set(key, group);
  }
  return [...groups.values()].sort((a, b) => b.objects - a.objects);
}

function unendedOf(runners: readonly Runner[], now: number): string[] {
  const open = runners.flatMap(({ calls }) => calls).filter(({ outcome, type, time }) =>
    outcome === undefined && type !== "Daemon" && now - time > REST * 1000
  );
  return [...new Set(open.map(({ handler }) => handler))];
}

function told(refusals: readonly Refusal[]): string[] {
  const counts = new Map<string, number>();
  for (const { target, handler } of refusals) {
    const text = handler === undefined ? target : `${target} (handler "${handler}")`;
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return [...counts].map(([text, count]) => `${text}: ${count} ${count === 1 ? "call" : "calls"} refused`);
}
