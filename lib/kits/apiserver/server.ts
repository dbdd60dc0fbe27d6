/**
 * The API server as a whole: routes on top, the store below, and the little control plane that a cluster needs.
 *
 * It speaks Kubernetes' HTTP through `fetch`, without sockets; `serve()` puts the same on a port with TLS. All time and
 * chance come from the host: on a virtual host it is deterministic.
 */

import { Hono } from "hono";
import type { Authority } from "../../runtime/certificates.ts";
import type { Host, Seconds } from "../../runtime/host.ts";
import { targetOf } from "./access/attributes.ts";
import { type Credentials, Gate } from "./access/gate.ts";
import { ADMIN } from "./access/user.ts";
import { policies } from "./admission/policies.ts";
import { webhooks } from "./admission/webhooks.ts";
import { Ownership } from "./apply/ownership.ts";
import { AuditLog } from "./audit/audit_log.ts";
import { returnTo, takeBaseline } from "./baseline.ts";
import { builtinKinds } from "./builtin_kinds.ts";
import { CelLoader } from "./cel/loader.ts";
import type { Cluster, DefinitionParts } from "./cluster.ts";
import { Control } from "./control/control.ts";
import { type CopiedObjects, restoreCopied } from "./copied_objects.ts";
import { Faults } from "./faults/faults.ts";
import { answerRequest, refuse } from "./front.ts";
import { Kinds } from "./kinds.ts";
import { Late } from "./late.ts";
import { startLifecycle } from "./lifecycle/mod.ts";
import type { Admission, Part } from "./parts.ts";
import { quotas } from "./quota/status.ts";
import { RequestMetrics } from "./request_metrics.ts";
import { addRoutes, type Asked } from "./routes.ts";
import { serveApi, type ServedApi, type ServerCertificate } from "./serving.ts";
import { StateFolder } from "./state/state_folder.ts";
import { DEFINITIONS } from "./storage/collection.ts";
import { Store } from "./store.ts";
import { startWorkloads, type WorkloadsOptions } from "./workloads/mod.ts";
import type { Serve } from "./workloads/world.ts";

/** The world of an API server, and its ways. */
export interface ApiServerOptions<H extends Host = Host> {
  /** All time and chance come from it; sockets, too, if it listens. */
  readonly host: H;
  /**
   * Whether roles and bindings decide about the rights of users. Default: false: every known user may do everything.
   */
  readonly rbac?: boolean;
  /** Users by their bearer tokens; unknown tokens are refused (401). Default: none. */
  readonly tokens?: Readonly<Record<string, ApiUser>>;
  /** The path of a file that each request adds a line to: an audit event, as JSON. Default: none. */
  readonly audit?: string;
  /**
   * How much the audit log tells of which requests: a Policy of audit.k8s.io/v1. Default: all of them, at the level `Metadata`.
   *
   * @throws {TypeError} From `apiServer()` and `openApiServer()`, if it is no Policy.
   */
  readonly auditPolicy?: Readonly<Record<string, unknown>>;
  /**
   * Whether workloads come to life: Deployments make ReplicaSets, and ReplicaSets Pods, which are ready after a second; Jobs
   * complete, StatefulSets and DaemonSets have their Pods, claims are bound, and Services have EndpointSlices. Default: false.
   */
  readonly workloads?: boolean | WorkloadsOptions;
  /**
   * Whether ResourceQuotas and LimitRanges are enforced: a write that exceeds them is refused (403), containers get their
   * defaults, and the status of quotas says how much is used. Default: false: they are only stored.
   */
  readonly quotas?: boolean;
}

/** A user of the API. */
export interface ApiUser {
  /** Such as "alice", or "system:serviceaccount:default:robot". */
  readonly username: string;
  /** Such as "system:masters", whose members may do everything. */
  readonly groups: readonly string[];
}

/** Where to listen. */
export interface ServeApiOptions {
  /** 0 (default) takes any free one. */
  readonly port?: number;
  /** Default: 127.0.0.1. With another one, every request but for health and the version needs credentials. */
  readonly hostname?: string;
  /** The administrator's bearer token. Default: one that is drawn for this server. */
  readonly token?: string;
  /** The certificate that the server shows. Default: one that `authority` signs, for the host name and this machine. */
  readonly certificate?: ServerCertificate;
  /** Further authorities whose client certificates name users. PEM, one after the other. Default: none. */
  readonly clientAuthorities?: string;
  /** Signs the server's certificate. Default: one made for this server. */
  readonly authority?: Authority;
}

/** How a server comes back. */
export interface RestartOptions {
  /** How long requests meet a broken connection. In seconds. Default: 1. */
  readonly downFor?: Seconds;
  /** Whether it has forgotten the past, too: see `compact()`. Default: false. */
  readonly compact?: boolean;
}

/** A Kubernetes API server in the process. */
export interface ApiServer<H extends Host = Host> {
  /** Its world. */
  readonly host: H;
  /**
   * Answers a request; the origin of its URL does not matter. Without credentials it is the administrator's. Tokens of service
   * accounts and the headers of impersonation count; an unknown token is refused (401): `tokens` says which are known.
   */
  fetch(request: Request): Promise<Response>;
  /** Listens with TLS; clients need the credentials in the kubeconfig. */
  serve(options?: ServeApiOptions): Promise<ServedApi>;
  /** The faults that strike requests: none, unless they are injected here. */
  readonly faults: Faults;
  /** Forgets the past: requests for versions before the current one are answered with 410. */
  compact(): void;
  /** Ends all watches, as a restart of the real server does; objects stay. */
  closeWatches(): void;
  /** Behaves as a server that is started anew: breaks all watches, and for a while all requests; objects stay. */
  restart(options?: RestartOptions): void;
  /** The version of the last write. */
  readonly resourceVersion: string;
  /** Remembers the state as it is now: `reset()` goes back to it. Before the first call that is how the server began. */
  checkpoint(): void;
  /**
   * Goes back to the last checkpoint, and takes all faults back: between tests. Watches see the objects that go and
   * come back. Neither finalizers nor webhooks hold that up.
   */
  reset(): void;
  /**
   * Makes another server with the same options, which begins with the state of this one: objects, versions and the past, so that
   * watches go on from any version that this server knows, and tokens of service accounts. From then on both are on their own.
   * Objects are shared until they are written. Faults, watches, the checkpoint and the state folder are not taken along.
   */
  fork(options?: ForkOptions<H>): ApiServer<H>;
}

/** Where a fork lives. */
export interface ForkOptions<H extends Host = Host> {
  /** Default: the same. */
  readonly host?: H;
}

/** Makes an API server with an empty cluster: it has only the usual namespaces. */
export function apiServer<H extends Host>(options: ApiServerOptions<H>): ApiServer<H> {
  return build(options, lateParts(options.host)).server;
}

/**
 * Makes an API server that begins with objects of another cluster, as they are: for rehearsals.
 *
 * @throws {TypeError} If an object is of a kind that neither the server nor a definition among the objects knows.
 */
export async function copiedApiServer<H extends Host>(
  options: ApiServerOptions<H>,
  copied: CopiedObjects,
): Promise<ApiServer<H>> {
  const late = lateParts(options.host);
  await Promise.all([late.definitions.load(), late.cel.load()]);
  return build(options, { ...late, copied }).server;
}

/** An API server whose state is kept in a folder. */
export type KeptApiServer<H extends Host = Host> = ApiServer<H> & AsyncDisposable;

/**
 * Makes an API server that keeps its state in a folder, and begins with the state there. A write is answered when it is
 * kept; disposing lets go of the folder.
 *
 * @throws {StateError} If another process uses the folder, or it cannot be read: it is cut off, or of a later version. Then
 * the folder has not changed.
 */
export async function openApiServer<H extends Host>(
  options: ApiServerOptions<H> & { readonly data: string },
): Promise<KeptApiServer<H>> {
  const state = await StateFolder.open(options.host, options.data);
  try {
    const late = lateParts(options.host);
    await loadFor(state, late);
    const { server, store } = build(options, { ...late, state });
    await state.follow(store);
    return Object.assign(server, { [Symbol.asyncDispose]: () => state[Symbol.asyncDispose]() });
  } catch (error) {
    await state[Symbol.asyncDispose]();
    throw error;
  }
}

/** The parts of a server that are loaded when they are needed. */
interface LateParts {
  readonly cel: CelLoader;
  readonly definitions: Late<DefinitionParts>;
}

function lateParts({ process }: Host): LateParts {
  return {
    cel: new CelLoader(process),
    definitions: new Late(() => import("./lifecycle/definition_parts.ts"), process),
  };
}

/** Kept objects are not written again, so that no write loads the modules that their rules need. */
async function loadFor({ found }: StateFolder, { cel, definitions }: LateParts): Promise<void> {
  const collections = new Set(found?.records.map(({ collection }) => collection));
  const hasExpressions = [...collections].some((name) => name.endsWith(".admissionregistration.k8s.io"));
  if (collections.has(DEFINITIONS)) await definitions.load();
  if (collections.has(DEFINITIONS) || hasExpressions) await cel.load();
}

/** The things that a server is built with, beside its options. */
interface BuildParts extends LateParts {
  readonly state?: StateFolder;
  /** The server that it is a fork of. */
  readonly origin?: Pick<Cluster, "store" | "gate" | "ownersElsewhere">;
  /** Objects that it begins with. */
  readonly copied?: CopiedObjects;
}

interface Built<H extends Host> {
  readonly server: ApiServer<H>;
  readonly store: Store;
}

function build<H extends Host>(options: ApiServerOptions<H>, given: BuildParts): Built<H> {
  const { host } = options;
  const admission: Admission[] = [];
  const cluster = makeCluster(options, { ...given, admission });
  const { store, gate } = cluster;
  const app = new Hono<Asked>();
  const serve: Serve = async (request, user) =>
    await app.fetch(request, { user, target: targetOf(request.url) });
  const faults = new Faults(host.clock);
  const parts: Part[] = [...partsOf(cluster, options, serve), faults];
  admission.push(...parts.flatMap((part) => part.admission ?? []));
  if (given.origin !== undefined) gate.tokens.take(given.origin.gate.tokens);
  const lifecycle = startLifecycle(cluster, () => {
    given.state?.restore(store);
    if (given.origin !== undefined) store.take(given.origin.store);
    if (given.copied !== undefined) restoreCopied(cluster, given.copied);
  });
  addRoutes(app, cluster, { asked: lifecycle.asked, failed: () => given.state?.hasFailed ? ["etcd"] : [] });
  app.onError((error, c) => refuse(error, c.req.raw, c.env.record));
  for (const part of parts) part.start?.();
  const audit = parts.find(({ log }) => log !== undefined)?.log;
  const front = { host, app, gate, metrics: new RequestMetrics(store), audit, state: given.state };
  const answer = (request: Request, credentials: Credentials) =>
    Control.isAsked(request)
      ? control.answer(request, credentials)
      : passThrough(parts, request, () => answerRequest(front, request, credentials));
  let checkpoint = takeBaseline(store);
  const closeWatches = () => {
    for (const { listeners } of store.collections()) {
      for (const listener of [...listeners]) listener.close?.();
    }
  };
  const server: ApiServer<H> = {
    host,
    faults,
    fetch: (request) => answer(request, { caller: ADMIN }),
    async serve(options = {}) {
      const served = await serveApi({ ...options, host, answer });
      gate.adminToken = served.token;
      lifecycle.publishRootCa(served.ca);
      return served;
    },
    compact: () => store.compact(),
    closeWatches,
    restart({ downFor = 1, compact = false } = {}) {
      if (compact) store.compact();
      faults.goDown(downFor);
      closeWatches();
    },
    get resourceVersion() {
      return String(store.version);
    },
    checkpoint() {
      checkpoint = takeBaseline(store);
    },
    reset() {
      faults.clear();
      returnTo(store, checkpoint);
    },
    fork({ host: other = host } = {}) {
      const { cel, definitions } = given;
      return build({ ...options, host: other }, { cel, definitions, origin: cluster }).server;
    },
  };
  const control = new Control(gate, server);
  return { server, store };
}

/** Lets a request pass by all parts that may answer in the server's place. */
function passThrough(
  parts: readonly Part[],
  request: Request,
  forward: () => Promise<Response>,
): Promise<Response> {
  const next = ([part, ...others]: readonly Part[]): Promise<Response> =>
    part === undefined ? forward() : part.pass?.(request, () => next(others)) ?? next(others);
  return next(parts);
}

/** Makes the things that all parts share, with the kinds that every server has. */
function makeCluster(
  { host, rbac = false, tokens, workloads = false }: ApiServerOptions,
  { cel, definitions, state, origin, admission }: BuildParts & Pick<Cluster, "admission">,
): Cluster {
  const store = new Store(host.clock);
  const kinds = new Kinds();
  const gate = new Gate({ host, store }, { rbac, users: tokens });
  const ownership = new Ownership(kinds, host.clock);
  const ownersElsewhere = new Set(origin?.ownersElsewhere);
  const runsPods = workloads === true || (workloads !== false && workloads.nodes !== 0);
  const context = { store, clock: host.clock, cel, definitions, runsPods };
  for (const kind of builtinKinds(context)) kinds.add(kind);
  return { host, store, kinds, cel, definitions, gate, state, ownership, ownersElsewhere, admission };
}

/** Returns all parts of the server, which know its cluster and not each other. */
function partsOf(cluster: Cluster, options: ApiServerOptions, serve: Serve): Part[] {
  const { host, audit, auditPolicy: policy, workloads = false } = options;
  if (policy !== undefined && audit === undefined) {
    throw new TypeError("Cannot use the audit policy: there is no log");
  }
  const parts: Part[] = [{ admission: policies(cluster) }, { admission: webhooks(cluster) }];
  if (options.quotas === true) parts.unshift({ admission: quotas(cluster) });
  if (audit !== undefined) parts.push({ log: new AuditLog(host, { path: audit, policy }) });
  if (workloads !== false) {
    const wanted = workloads === true ? {} : workloads;
    parts.push({ start: () => startWorkloads(cluster, { ...wanted, serve }) });
  }
  return parts;
}
