/**
 * The cluster as controllers see and change it: as clients of the server, with webhooks, quotas and owners
 * of fields; but without a network, so that no fault strikes them.
 */

import type { JsonObject, KubeObject } from "../../../model/object.ts";
import type { Clock, Random } from "../../../runtime/host.ts";
import { AUTHENTICATED, MASTERS, type User } from "../access/user.ts";
import type { Cluster } from "../cluster.ts";
import type { Kind } from "../kinds.ts";
import type { Stored } from "../storage/stored.ts";
import { timestamp } from "../formats/timestamp.ts";
import { equal } from "../values.ts";
import { Lookup, ofController, ofLabel, ofNone, ofSelector } from "./lookup.ts";

/** Answers a request of a user that has been let in. */
export type Serve = (request: Request, user: User) => Promise<Response>;

/** Where a kind is served: such as "apps/v1/deployments". */
export type Place = string;

export const PLACES = {
  claims: "v1/persistentvolumeclaims",
  cronJobs: "batch/v1/cronjobs",
  daemonSets: "apps/v1/daemonsets",
  deployments: "apps/v1/deployments",
  endpoints: "v1/endpoints",
  events: "v1/events",
  jobs: "batch/v1/jobs",
  nodes: "v1/nodes",
  pods: "v1/pods",
  replicaSets: "apps/v1/replicasets",
  replicationControllers: "v1/replicationcontrollers",
  revisions: "apps/v1/controllerrevisions",
  services: "v1/services",
  slices: "discovery.k8s.io/v1/endpointslices",
  statefulSets: "apps/v1/statefulsets",
  storageClasses: "storage.k8s.io/v1/storageclasses",
  volumes: "v1/persistentvolumes",
} as const;

/** The program that writes an object. */
export type Agent = "kube-controller-manager" | "kube-scheduler" | "kubelet";

/** A refusal by the server. */
export class ControlError extends Error {
  override readonly name = "ControlError";
  readonly code: number;

  constructor(message: string, code: number) {
    super(message);
    this.code = code;
  }
}

interface Written {
  readonly as?: Agent;
  readonly subresource?: string;
}

/** How many objects are kept as they were read: thousands of them would take more than all that the server stores. */
const KEPT = 500;

export class World {
  /** The objects that were read last, the oldest first. */
  readonly #parsed = new Map<Stored, KubeObject>();
  /** By the names of collections: the lookups that were asked for. */
  readonly #lookups = new Map<string, Lookup>();
  readonly clock: Clock;
  readonly random: Random;
  readonly #cluster: Cluster;
  readonly #serve: Serve;

  constructor(cluster: Cluster, serve: Serve) {
    this.#cluster = cluster;
    this.#serve = serve;
    this.clock = cluster.host.clock;
    this.random = cluster.host.random;
    cluster.store.onChange((change, { name }) => this.#lookups.get(name)?.follow(change));
  }

  /** The time, as objects have it. */
  get now(): string {
    return timestamp(this.clock.now());
  }

  /** How many seconds ago that was. */
  since(time: string | undefined): number {
    return time === undefined ? 0 : (this.clock.now() - Date.parse(time)) / 1000;
  }

  kind(place: Place): Kind {
    const slash = place.lastIndexOf("/");
    const kind = this.#cluster.kinds.at(place.slice(0, slash), place.slice(slash + 1));
    if (kind === undefined) throw new TypeError(`Cannot serve workloads: there are no ${place}`);
    return kind;
  }

  /** The objects of a kind, in one namespace or all, in order. They must not be changed. */
  list<Obj extends KubeObject<JsonObject, JsonObject>>(place: Place, namespace?: string): Obj[] {
    const { collection } = this.kind(place);
    const prefix = namespace === undefined ? "" : `${namespace}/`;
    return collection.select(collection.present(), prefix).map((stored) => typed<Obj>(this.objectOf(stored)));
  }

  /** The objects that have one of the terms (`lookup.ts`), in order. They must not be changed. */
  having<Obj extends KubeObject<JsonObject, JsonObject>>(place: Place, ...terms: readonly string[]): Obj[] {
    return this.#lookup(place).any(terms).map((stored) => typed<Obj>(this.objectOf(stored)));
  }

  /** The objects that a controller has, and the objects of its namespace without a controller, in order. */
  controlledOrFree<Obj extends KubeObject<JsonObject, JsonObject>>(
    place: Place,
    { metadata: { namespace, uid = "" } }: KubeObject<JsonObject, JsonObject>,
  ): Obj[] {
    return this.having(place, ofController(uid), ofNone(namespace));
  }

  /** The objects of a namespace that may have all these labels, in order: the objects with the rarest of them. */
  labelled<Obj extends KubeObject<JsonObject, JsonObject>>(
    place: Place,
    { namespace, labels }: { readonly namespace?: string; readonly labels: JsonObject },
  ): Obj[] {
    const terms = Object.entries(labels).map((pair) => ofLabel(namespace, pair));
    if (terms.length === 0) return this.list(place, namespace);
    return this.#lookup(place).rarest(terms).map((stored) => typed<Obj>(this.objectOf(stored)));
  }

  /** The Services of a namespace that may select a Pod with these labels, in order. */
  servicesFor(namespace: string | undefined, labels: Readonly<Record<string, string>> = {}): KubeObject[] {
    const terms = Object.entries(labels).map((pair) => ofSelector(namespace, pair));
    return this.having(PLACES.services, ofSelector(namespace), ...terms);
  }

  #lookup(place: Place): Lookup {
    const { collection } = this.kind(place);
    let lookup = this.#lookups.get(collection.name);
    if (lookup === undefined) {
      lookup = new Lookup(collection);
      this.#lookups.set(collection.name, lookup);
    }
    return lookup;
  }

  /**
   * An object as it is stored, which must not be changed. NB: controllers read an object again and again, and a settled one is parsed anew
   * each time.
   */
  objectOf(stored: Stored): KubeObject {
    const known = this.#parsed.get(stored);
    if (known !== undefined) return known;
    const { object } = stored;
    const [oldest] = this.#parsed.size < KEPT ? [] : this.#parsed.keys();
    if (oldest !== undefined) this.#parsed.delete(oldest);
    this.#parsed.set(stored, object);
    return object;
  }

  /** An object, which must not be changed; undefined if there is none. */
  get<Obj extends KubeObject<JsonObject, JsonObject>>(
    place: Place,
    { namespace, name }: { readonly namespace?: string; readonly name: string },
  ): Obj | undefined {
    const found = this.kind(place).collection.get(namespace === undefined ? name : `${namespace}/${name}`);
    return found && typed<Obj>(this.objectOf(found));
  }

  /** @throws {ControlError} */
  async create(place: Place, object: KubeObject, { as, subresource }: Written = {}): Promise<KubeObject> {
    const { namespace, name } = object.metadata;
    const target = subresource === undefined ? { namespace } : { namespace, name, subresource };
    return await this.#send("POST", this.#path(place, target), { body: object, as });
  }

  /**
   * Writes an object that was read before, unless another client has written it meanwhile.
   *
   * @throws {ControlError} With code 409, then.
   */
  async replace(place: Place, object: KubeObject, { as, subresource }: Written = {}): Promise<void> {
    const { namespace, name = "" } = object.metadata;
    const path = this.#path(place, { namespace, name, subresource });
    await this.#send("PUT", path, { body: object, as });
  }

  /** Writes the status, and annotations if they come along, if they differ. @throws {ControlError} */
  async report(
    place: Place,
    object: KubeObject<JsonObject, JsonObject>,
    { status, annotations, as }: {
      readonly status: JsonObject;
      readonly annotations?: Record<string, string>;
      readonly as?: Agent;
    },
  ): Promise<void> {
    const notes = annotations ?? object.metadata.annotations;
    const isSame = equal(withoutUndefined(status), object.status ?? {}) &&
      equal(notes, object.metadata.annotations);
    if (isSame) return;
    const metadata = { ...object.metadata, ...(notes === undefined ? {} : { annotations: notes }) };
    await this.replace(place, { ...object, metadata, status }, { as, subresource: "status" });
  }

  /** Deletes an object, if it has not gone. @throws {ControlError} */
  async remove(
    place: Place,
    { metadata }: KubeObject<JsonObject, JsonObject>,
    { as, options = {} }: { readonly as?: Agent; readonly options?: JsonObject } = {},
  ): Promise<void> {
    const { namespace, name = "", uid } = metadata;
    try {
      await this.#send("DELETE", this.#path(place, { namespace, name }), {
        body: { apiVersion: "v1", kind: "DeleteOptions", preconditions: { uid }, ...options },
        as,
      });
    } catch (error) {
      if (!(error instanceof ControlError) || error.code !== 404) throw error;
    }
  }

  #path(
    place: Place,
    { namespace, name, subresource }: {
      readonly namespace?: string;
      readonly name?: string;
      readonly subresource?: string;
    },
  ): string {
    const { group, version, plural } = this.kind(place);
    const root = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
    const scope = namespace === undefined ? "" : `/namespaces/${namespace}`;
    const rest = [plural, name, subresource].filter((part) => part !== undefined).join("/");
    return `${root}${scope}/${rest}`;
  }

  async #send(
    method: string,
    path: string,
    { body, as = "kube-controller-manager" }: { readonly body: unknown; readonly as?: Agent },
  ): Promise<KubeObject> {
    const request = new Request(`https://kubernetes.default.svc${path}`, {
      method,
      headers: { "content-type": "application/json", "user-agent": `${as}/v1.36.3` },
      body: JSON.stringify(body),
    });
    const response = await this.#serve(request, {
      username: as === "kubelet" ? "system:node:lotse" : `system:${as}`,
      groups: [MASTERS, AUTHENTICATED],
    });
    const answer = await response.json();
    if (!response.ok) throw new ControlError(`${method} ${path}: ${answer.message}`, response.status);
    return answer;
  }
}

/** NB: the types of built-in kinds are checked when they are written (bodies/typed_decode.ts). */
function typed<Obj>(object: KubeObject): Obj {
  return object as Obj;
}

/** Returns the object without undefined members, which JSON does not write. */
function withoutUndefined(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}
