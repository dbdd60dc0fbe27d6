/**
 * APIServices: each says of one version of a group that it is served here.
 *
 * They are there as soon as a client asks for them, and follow the definitions of custom kinds from then on: most clients
 * never look. Source: Kubernetes documentation, "Kubernetes API Aggregation Layer"; k8s.io/kubernetes,
 * pkg/controlplane/apiserver/aggregator.go; k8s.io/kube-aggregator, pkg/controllers.
 */

import type { KubeObject } from "../../../model/object.ts";
import type { Cluster } from "../cluster.ts";
import type { Kind } from "../kinds.ts";
import { timestamp } from "../formats/timestamp.ts";
import { clone, objectAt, objectsIn } from "../values.ts";
import { createObject } from "../writes/create.ts";
import { updateObject } from "../writes/update.ts";
import type { Chores } from "../chores.ts";

const SERVICES = "apiservices.apiregistration.k8s.io";
const MANAGED = "kube-aggregator.kubernetes.io/automanaged";
/** Groups whose kinds are answered, and not stored. */
const UNSTORED = ["authentication.k8s.io/v1", "authorization.k8s.io/v1"];
/** NB: the real server has a table of priorities for its own groups, which no client of ours reads. */
const PRIORITIES = { groupPriorityMinimum: 1000, versionPriority: 100 };

export class ApiServices {
  readonly #cluster: Cluster;
  readonly #chores: Chores;
  #isAsked = false;

  constructor(cluster: Cluster, chores: Chores) {
    this.#cluster = cluster;
    this.#chores = chores;
  }

  /** To be called when a client asks for objects of a kind. */
  asked({ collection }: Kind): void {
    if (this.#isAsked || collection.name !== SERVICES) return;
    this.#isAsked = true;
    this.#sync();
  }

  /** To be called on each change of a definition, or of an APIService. */
  changed(): void {
    if (this.#isAsked) this.#chores.add("APIServices", () => this.#sync());
  }

  /** Whether a collection's changes concern APIServices. */
  static isOf(collection: string): boolean {
    return collection === SERVICES;
  }

  #sync(): void {
    const kind = this.#cluster.kinds.at("apiregistration.k8s.io/v1", "apiservices");
    if (kind === undefined) return;
    const wanted = this.#wanted();
    for (const { key, object } of entriesOf(kind)) {
      const isOurs = object.metadata.labels?.[MANAGED] !== undefined;
      if (isOurs && !wanted.has(key)) this.#cluster.store.remove(kind.collection, key);
    }
    for (const [name, service] of wanted) {
      if (kind.collection.get(name) !== undefined) continue;
      createObject(this.#cluster, service, { kind, writer: { manager: "kube-apiserver" } });
    }
    for (const { object } of entriesOf(kind)) this.#tellAvailable(kind, object);
  }

  #wanted(): Map<string, KubeObject> {
    const found = new Map<string, KubeObject>();
    const versions = new Map(this.#cluster.kinds.all().map(({ apiVersion, custom }) => [apiVersion, custom]));
    // NB: a server knows its own group only after it has registered all others, and does not register it.
    versions.delete("apiregistration.k8s.io/v1");
    for (const apiVersion of UNSTORED) versions.set(apiVersion, false);
    for (const [apiVersion, custom] of versions) {
      const [group = "", version = ""] = apiVersion.includes("/") ? apiVersion.split("/") : ["", apiVersion];
      const name = `${version}.${group}`;
      found.set(name, {
        apiVersion: "apiregistration.k8s.io/v1",
        kind: "APIService",
        metadata: { name, labels: { [MANAGED]: custom ? "true" : "onstart" } },
        spec: { ...(group === "" ? {} : { group }), version, ...PRIORITIES },
      });
    }
    return found;
  }

  /** NB: whoever an APIService with a service stands for is not asked. */
  #tellAvailable(kind: Kind, { metadata: { name = "" }, spec, status }: KubeObject): void {
    if (objectsIn(status?.conditions).some(({ type }) => type === "Available")) return;
    const service = objectAt(spec, "service");
    const condition = {
      type: "Available",
      status: service === undefined ? "True" : "False",
      lastTransitionTime: timestamp(this.#cluster.host.clock.now()),
      reason: service === undefined ? "Local" : "ServiceNotFound",
      message: service === undefined
        ? "Local APIServices are always available"
        : `service/${service.name} in ${JSON.stringify(service.namespace)} is not present`,
    };
    updateObject(this.#cluster, {
      kind,
      reference: { name },
      subresource: "status",
      writer: { manager: "kube-apiserver", subresource: "status" },
      change: (current) => ({
        ...clone(current),
        status: { conditions: [...objectsIn(objectAt(current, "status")?.conditions), condition] },
      }),
    });
  }
}

/** Whether a version of a group is said to be served by another server. */
export function isServedElsewhere({ store }: Pick<Cluster, "store">, apiVersion: string): boolean {
  const [group = "", version = ""] = apiVersion.split("/");
  const service = store.collection(SERVICES).get(`${version}.${group}`)?.object;
  return objectAt(service?.spec, "service") !== undefined;
}

function entriesOf({ collection }: Kind): { readonly key: string; readonly object: KubeObject }[] {
  return [...collection.values()].map(({ object }) => ({ key: object.metadata.name ?? "", object }));
}
