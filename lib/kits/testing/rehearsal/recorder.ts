/**
 * Stands between an operator and its copy of a cluster: counts requests, keeps each write as a difference (equal ones once), and
 * the refusals; and slows an operator down that writes an object again and again while no time passes, which would never end.
 */

import { currentHandler } from "../../../execution/invoke.ts";
import { isObject } from "../../../model/json.ts";
import type { KubeObject } from "../../../model/object.ts";
import type { Clock, Seconds } from "../../../runtime/host.ts";
import { exampleOf, type FieldChange, fieldChanges, mergeVariants, signatureOf } from "./differences.ts";

/** Writes that change objects in the same way. */
export interface WriteGroup {
  /** In Kubernetes' words: create, update, patch, delete, deletecollection; an apply that makes an object is "create". */
  readonly verb: string;
  /** Such as "statefulsets.apps", or "pods/status". */
  readonly resource: string;
  readonly changes: readonly FieldChange[];
  /** How many writes. */
  readonly writes: number;
  /** How many objects. */
  readonly objects: number;
  /** The first of them, such as "default/one". */
  readonly examples: readonly string[];
  /** The handlers that have sent them. */
  readonly handlers: readonly string[];
}

/** A request that is refused because a right is missing. */
export interface MissedRight {
  readonly verb: string;
  readonly resource: string;
  /** How often. */
  readonly requests: number;
  /** The namespaces; none for the whole cluster. */
  readonly namespaces: readonly string[];
  readonly handlers: readonly string[];
}

/** Objects that are written without end. */
export interface LoopGroup {
  /** Such as "Database default/one". */
  readonly objects: readonly string[];
  /** Writes of one object in its busiest minute; the rehearsal slows such objects down. */
  readonly perMinute: number;
  readonly fields: readonly string[];
  readonly handlers: readonly string[];
}

/** Requests of the operator. */
export interface RequestCounts {
  readonly reads: number;
  readonly writes: number;
  /** Writes without effect. */
  readonly idle: number;
  /** By the minute, from the beginning. */
  readonly perMinute: readonly number[];
}

/** After so many writes in one minute, an object gets one a minute: the rest is to be tried later. */
const MOST_IN_MINUTE = 25;
const LATER: Seconds = 60;

/** So many writes of one object in a minute are a loop. */
const LOOPING = 20;

/** How many examples are kept of each group, and how many fields of a loop. */
const MOST_EXAMPLES = 3;

/** Kinds whose writes are the framework's own way to live. */
const OF_FRAMEWORK = ["events", "events.events.k8s.io", "leases.coordination.k8s.io"];

interface Group {
  readonly verb: string;
  readonly resource: string;
  readonly changes: readonly FieldChange[];
  writes: number;
  readonly objects: Set<string>;
  readonly handlers: Set<string>;
}

/** The writes of one object. */
interface Pace {
  readonly kind: string;
  minute: number;
  inMinute: number;
  most: number;
  readonly fields: Set<string>;
  readonly handlers: Set<string>;
}

/** Answers requests. */
type Answer = (request: Request) => Promise<Response>;

export class Recorder {
  readonly #answer: Answer;
  readonly #clock: Clock;
  readonly #began: Seconds;
  readonly #groups = new Map<string, Group>();
  readonly #paces = new Map<string, Pace>();
  readonly #missed = new Map<string, { requests: number; namespaces: Set<string>; handlers: Set<string> }>();
  readonly #perMinute: number[] = [];
  #reads = 0;
  #writes = 0;
  #idle = 0;
  #lastWrite: Seconds | undefined;

  constructor(answer: Answer, clock: Clock) {
    this.#answer = answer;
    this.#clock = clock;
    this.#began = clock.monotonic();
  }

  /** When the operator has changed an object last, in seconds since the beginning; undefined if never. */
  get lastWrite(): Seconds | undefined {
    return this.#lastWrite;
  }

  get counts(): RequestCounts {
    const perMinute = Array.from(this.#perMinute, (count = 0) => count);
    return { reads: this.#reads, writes: this.#writes, idle: this.#idle, perMinute };
  }

  /** The groups of writes, the largest first. */
  get groups(): WriteGroup[] {
    const groups = mergeVariants([...this.#groups.values()], {
      keyOf: ({ verb, resource }) => `${verb} ${resource}`,
      merge: (first, others) => ({
        ...first,
        changes: exampleOf(first.changes),
        writes: others.reduce((sum, { writes }) => sum + writes, 0),
        objects: new Set(others.flatMap(({ objects }) => [...objects])),
        handlers: new Set(others.flatMap(({ handlers }) => [...handlers])),
      }),
    });
    return groups.sort((a, b) => b.objects.size - a.objects.size)
      .map(({ objects, handlers, ...group }) => ({
        ...group,
        objects: objects.size,
        examples: [...objects].slice(0, MOST_EXAMPLES),
        handlers: [...handlers],
      }));
  }

  get missed(): MissedRight[] {
    return [...this.#missed].map(([key, { requests, namespaces, handlers }]) => {
      const [verb = "", resource = ""] = key.split(" ");
      return { verb, resource, requests, namespaces: [...namespaces].sort(), handlers: [...handlers] };
    });
  }

  get loops(): LoopGroup[] {
    const groups = new Map<
      string,
      { objects: string[]; perMinute: number; fields: string[]; handlers: string[] }
    >();
    for (const [title, { most, fields, handlers }] of this.#paces) {
      if (most < LOOPING) continue;
      const key = JSON.stringify([[...handlers].sort(), [...fields].sort()]);
      const group = groups.get(key) ??
        { objects: [], perMinute: 0, fields: [...fields], handlers: [...handlers] };
      group.objects.push(title);
      group.perMinute = Math.max(group.perMinute, most);
      groups.set(key, group);
    }
    return [...groups.values()].sort((a, b) => b.objects.length - a.objects.length);
  }

  /** Answers a request of the operator. */
  async pass(request: Request): Promise<Response> {
    const target = targetOf(request);
    this.#count(target);
    const { isWrite, isReview, resource } = target;
    if (!isWrite || isReview || OF_FRAMEWORK.includes(resource)) {
      const response = await this.#answer(request);
      if (response.status === 403) this.#miss(target);
      return response;
    }
    this.#writes++;
    return await this.#write(request, target);
  }

  async #write(request: Request, target: Target): Promise<Response> {
    const handler = currentHandler();
    const before = target.verb === "create" || target.name === "" ? undefined : await this.#read(target.path);
    if (before !== undefined && this.#isEndless(before)) return tryLater();
    const response = await this.#answer(request);
    if (response.status === 403) this.#miss(target);
    if (!response.ok || target.isDryRun) return response;
    const answered: unknown = await response.clone().json().catch(() => undefined);
    const after = isKubeObject(answered) ? answered : undefined;
    if (target.verb === "create" && target.subresource !== "") return response;
    this.#note({
      target,
      before,
      after: target.verb === "delete" ? await this.#rest(target, after) : after,
      handler,
    });
    return response;
  }

  /** An object that finalizers hold is still there. */
  async #rest({ path }: Target, answered: KubeObject | undefined): Promise<KubeObject | undefined> {
    return answered?.metadata.deletionTimestamp === undefined ? undefined : await this.#read(path);
  }

  #note(
    { target, before, after, handler }: {
      readonly target: Target;
      readonly before: KubeObject | undefined;
      readonly after: KubeObject | undefined;
      readonly handler: string | undefined;
    },
  ): void {
    const isSame = before !== undefined && after !== undefined &&
      before.metadata.resourceVersion === after.metadata.resourceVersion;
    if (isSame) return void this.#idle++;
    this.#lastWrite = this.#clock.monotonic() - this.#began;
    const object = after ?? before;
    const key = object === undefined ? `${target.namespace}/*` : nameOf(object);
    // The state of a deleted object is no news; that it goes is.
    const all = target.verb === "delete" && after === undefined ? [] : fieldChanges(before, after);
    const isLooping = object !== undefined && (this.#paces.get(titleOf(object))?.most ?? 0) > LOOPING;
    const changes = isLooping ? all.map(({ path }) => ({ path, after: "(again and again)" })) : all;
    // An apply makes an object that is not there.
    const verb = before === undefined && after !== undefined ? "create" : target.verb;
    const resource = target.subresource === "" ? target.resource : `${target.resource}/${target.subresource}`;
    const signature = signatureOf([{ path: `${verb} ${resource}` }, ...changes]);
    let group = this.#groups.get(signature);
    if (group === undefined) {
      group = { verb, resource, changes, writes: 0, objects: new Set(), handlers: new Set() };
      this.#groups.set(signature, group);
    }
    group.writes++;
    group.objects.add(key);
    if (handler !== undefined) group.handlers.add(handler);
    if (object !== undefined) this.#pace(object, { changes, handler });
  }

  #pace(
    object: KubeObject,
    { changes, handler }: { readonly changes: readonly FieldChange[]; readonly handler: string | undefined },
  ): void {
    const key = titleOf(object);
    const minute = this.#minute;
    let pace = this.#paces.get(key);
    if (pace === undefined) {
      const { kind = "" } = object;
      pace = {
        kind,
        minute,
        inMinute: 0,
        most: 0,
        fields: new Set(),
        handlers: new Set(),
      };
      this.#paces.set(key, pace);
    }
    if (pace.minute !== minute) [pace.minute, pace.inMinute] = [minute, 0];
    pace.most = Math.max(pace.most, ++pace.inMinute);
    if (pace.inMinute > 3) {
      for (const { path } of changes) if (pace.fields.size < MOST_EXAMPLES) pace.fields.add(path);
    }
    if (handler !== undefined) pace.handlers.add(handler);
  }

  #isEndless(object: KubeObject): boolean {
    const pace = this.#paces.get(titleOf(object));
    return pace !== undefined && pace.most >= MOST_IN_MINUTE && pace.minute === this.#minute;
  }

  get #minute(): number {
    return Math.floor((this.#clock.monotonic() - this.#began) / 60);
  }

  #count({ isWatch, isWrite }: Target): void {
    if (isWatch) return;
    if (!isWrite) this.#reads++;
    const minute = this.#minute;
    while (this.#perMinute.length < minute) this.#perMinute.push(0);
    this.#perMinute[minute] = (this.#perMinute[minute] ?? 0) + 1;
  }

  #miss({ verb, resource, subresource, namespace }: Target): void {
    const key = `${verb} ${subresource === "" ? resource : `${resource}/${subresource}`}`;
    const missed = this.#missed.get(key) ?? { requests: 0, namespaces: new Set(), handlers: new Set() };
    missed.requests++;
    if (namespace !== "") missed.namespaces.add(namespace);
    const handler = currentHandler();
    if (handler !== undefined) missed.handlers.add(handler);
    this.#missed.set(key, missed);
  }

  async #read(path: string): Promise<KubeObject | undefined> {
    const response = await this.#answer(new Request(`https://cluster.test${path}`));
    const body: unknown = await response.json();
    return response.ok && isKubeObject(body) ? body : undefined;
  }
}

function tryLater(): Response {
  const message =
    "the rehearsal has seen this object written without end: it takes one write a minute from now on";
  const status = {
    kind: "Status",
    apiVersion: "v1",
    status: "Failure",
    reason: "TooManyRequests",
    message,
    code: 429,
  };
  return Response.json(status, { status: 429, headers: { "retry-after": String(LATER) } });
}

/** Such as "Database default/one". */
export function titleOf(object: KubeObject): string {
  return `${object.kind} ${nameOf(object)}`;
}

function nameOf({ metadata: { namespace, name = "" } }: KubeObject): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}

function isKubeObject(value: unknown): value is KubeObject {
  return isObject(value) && isObject(value.metadata) && value.kind !== "Status";
}

/** A request, as Kubernetes sees it. */
interface Target {
  readonly verb: string;
  /** Such as "deployments.apps". */
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly isWrite: boolean;
  readonly isWatch: boolean;
  readonly isReview: boolean;
  readonly isDryRun: boolean;
  /** The path of the object, without a subresource. */
  readonly path: string;
}

const VERBS: Readonly<Record<string, string>> = {
  POST: "create",
  PUT: "update",
  PATCH: "patch",
  DELETE: "delete",
};

function targetOf({ method, url }: Request): Target {
  const { pathname, searchParams } = new URL(url);
  const [first, ...parts] = pathname.split("/").filter((part) => part !== "").map(decodeURIComponent);
  const group = first === "api" ? "" : parts[0] ?? "";
  let rest = parts.slice(first === "api" ? 1 : 2);
  // NB: a namespace itself is at "namespaces/NAME", with subresources "status" and "finalize".
  const isInside = rest[0] === "namespaces" && rest.length > 2 &&
    !["status", "finalize"].includes(rest[2] ?? "");
  const namespace = isInside ? rest[1] ?? "" : "";
  if (isInside) rest = rest.slice(2);
  const [plural = "", name = "", subresource = ""] = rest;
  const isWatch = searchParams.has("watch") && searchParams.get("watch") !== "false";
  const reading = isWatch ? "watch" : name === "" ? "list" : "get";
  const writing = method === "DELETE" && name === "" ? "deletecollection" : VERBS[method];
  return {
    verb: writing ?? reading,
    resource: group === "" ? plural : `${plural}.${group}`,
    subresource,
    namespace,
    name,
    isWrite: writing !== undefined,
    isWatch,
    isReview: group === "authorization.k8s.io" || group === "authentication.k8s.io",
    isDryRun: searchParams.has("dryRun"),
    path: subresource === "" ? pathname : pathname.slice(0, pathname.lastIndexOf("/")),
  };
}
