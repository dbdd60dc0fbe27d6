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
import { createObject } from "../writes/create.ts";
import { deleteObject } from "../writes/delete.ts";
import { editObject } from "../writes/update.ts";
import type { Chores } from "./chores.ts";

/** Those that a cluster has from the start. */
const INITIAL = ["default", "kube-node-lease", "kube-public", "kube-system"];
/** Those that cannot be deleted. */
export const IMMORTAL: readonly string[] = ["default", "kube-public", "kube-system"];

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

  #clear(name: string): void {
    let left = 0;
    for (const kind of this.#cluster.kinds.stored()) {
      if (!kind.namespaced) continue;
      const content = contentOf(kind.collection, name);
      for (const { object } of content) {
        if (object.metadata.deletionTimestamp !== undefined) continue;
        const reference = { namespace: name, name: object.metadata.name ?? "" };
        deleteObject(this.#cluster, { kind, reference, propagation: "Background" });
      }
      left += contentOf(kind.collection, name).length;
    }
    if (left === 0) this.#release(name);
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
