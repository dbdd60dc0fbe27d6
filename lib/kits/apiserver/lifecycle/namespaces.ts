/**
 * Namespaces: four exist from the start, and one that is deleted takes its content with it.
 *
 * Source: Kubernetes documentation, "Namespaces"; k8s.io/kubernetes, pkg/controller/namespace.
 */

import type { KubeObject } from "../../../model/object.ts";
import type { Cluster } from "../cluster.ts";
import type { Kind } from "../kinds.ts";
import type { Collection } from "../storage/collection.ts";
import type { Stored } from "../storage/stored.ts";
import { timestamp } from "../formats/timestamp.ts";
import { createObject } from "../writes/create.ts";
import { deleteObject } from "../writes/delete.ts";
import { editObject } from "../writes/update.ts";
import type { Chores } from "../chores.ts";
import { endingConditions, type Remaining, type Rest } from "./namespace_conditions.ts";

/** The namespaces that a cluster has from the start. */
const INITIAL = ["default", "kube-node-lease", "kube-public", "kube-system"];

export class Namespaces {
  readonly #cluster: Cluster;
  readonly #chores: Chores;

  constructor(cluster: Cluster, chores: Chores) {
    this.#cluster = cluster;
    this.#chores = chores;
  }

  /** Makes the namespaces that every cluster has. */
  initialize(): void {
    const kind = this.#kind();
    for (const name of INITIAL) {
      if (kind.collection.get(name) !== undefined) continue;
      createObject(this.#cluster, { metadata: { name } }, { kind, writer: { manager: "kube-apiserver" } });
    }
  }

  /** To be called on each change of a namespace. */
  changed({ metadata }: KubeObject): void {
    if (metadata.deletionTimestamp !== undefined) this.#plan(metadata.name ?? "");
  }

  /** To be called when an object with a namespace is gone. */
  removed(namespace: string): void {
    const stored = this.#cluster.store.collection("namespaces").get(namespace);
    if (stored?.metadata.deletionTimestamp !== undefined) this.#plan(namespace);
  }

  #plan(name: string): void {
    this.#chores.add(`namespace ${name}`, () => this.#clear(name));
  }

  /** NB: Pods go first: objects that they need must be there until they have ended. */
  #clear(name: string): void {
    const kinds = this.#cluster.kinds.stored().filter(({ namespaced }) => namespaced);
    const pods = kinds.filter(({ group, plural }) => group === "" && plural === "pods");
    const left = this.#empty(name, pods);
    if (left.length > 0) return this.#report(name, { left, waits: true });
    const others = this.#empty(name, kinds);
    if (others.length === 0) this.#release(name);
    else this.#report(name, { left: others, waits: false });
  }

  /** Deletes all objects of the kinds; returns the ones that are left, by kind. */
  #empty(name: string, kinds: readonly Kind[]): Rest[] {
    return kinds.flatMap((kind) => {
      for (const { object } of contentOf(kind.collection, name)) {
        if (object.metadata.deletionTimestamp !== undefined) continue;
        const reference = { namespace: name, name: object.metadata.name ?? "" };
        deleteObject(this.#cluster, { kind, reference, propagation: "Background" });
      }
      const objects = contentOf(kind.collection, name).map(({ object }) => object);
      return objects.length === 0 ? [] : [{ kind, objects }];
    });
  }

  /** Says in the namespace's status why it is still there. */
  #report(name: string, content: Remaining): void {
    const kind = this.#kind();
    const time = timestamp(this.#cluster.host.clock.now());
    editObject(this.#cluster, {
      kind,
      reference: { name },
      subresource: "status",
      edit(namespace) {
        namespace.status = { ...namespace.status, conditions: endingConditions(namespace, content, time) };
      },
    });
  }

  #release(name: string): void {
    const kind = this.#kind();
    if (kind.collection.get(name) === undefined) return;
    editObject(this.#cluster, {
      kind,
      reference: { name },
      edit: (namespace) => {
        namespace.spec = { ...namespace.spec, finalizers: [] };
      },
    });
  }

  #kind(): Kind {
    const kind = this.#cluster.kinds.at("v1", "namespaces");
    if (kind === undefined) throw new TypeError("Cannot serve namespaces: the kind is missing");
    return kind;
  }
}

function contentOf(collection: Collection, namespace: string): Stored[] {
  return collection.select(collection.present(), `${namespace}/`);
}
