/**
 * The objects that each namespace has: the service account `default`, and the authority that clients in Pods trust.
 *
 * Source: k8s.io/kubernetes, pkg/controller/serviceaccount and pkg/controller/certificates/rootcacertpublisher.
 */

import type { KubeObject } from "../../../model/object.ts";
import type { Cluster } from "../cluster.ts";
import { isObject } from "../values.ts";
import { createObject } from "../writes/create.ts";
import { editObject } from "../writes/update.ts";
import type { Chores } from "../chores.ts";

const ROOT_CA = "kube-root-ca.crt";
const DESCRIPTION =
  "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.";

export class Accounts {
  readonly #cluster: Cluster;
  readonly #chores: Chores;
  #rootCa = "";

  constructor(cluster: Cluster, chores: Chores) {
    this.#cluster = cluster;
    this.#chores = chores;
  }

  /** Whether a ConfigMap is put right when a client changes it. */
  static isKept(key: string): boolean {
    return key.endsWith(`/${ROOT_CA}`);
  }

  /** To be called on each change of a namespace, its service account or its ConfigMap, and when one of them has gone. */
  changed(namespace: string): void {
    this.#chores.add(`accounts of ${namespace}`, () => this.#complete(namespace));
  }

  /** Completes the namespaces that there are, at once: a server that has started has all that a cluster begins with. */
  initialize(): void {
    if (this.#rootCa === "") this.#rootCa = this.#storedRootCa();
    for (const { object } of [...this.#cluster.store.collection("namespaces").values()]) {
      this.#complete(object.metadata.name ?? "");
    }
  }

  /** Tells all namespaces the authority of the server's certificate. PEM. */
  publish(rootCa: string): void {
    this.#rootCa = rootCa;
    this.initialize();
  }

  /** Returns the authority that namespaces know already, in a fork or a copied cluster. */
  #storedRootCa(): string {
    const { keys, get } = this.#cluster.store.collection("configmaps").present();
    for (const key of keys) {
      const data = Accounts.isKept(key) ? get(key)?.object.data : undefined;
      const text = isObject(data) ? data["ca.crt"] : undefined;
      if (typeof text === "string" && text !== "") return text;
    }
    return "";
  }

  #complete(namespace: string): void {
    const found = this.#cluster.store.collection("namespaces").get(namespace)?.object;
    if (found === undefined || found.metadata.deletionTimestamp !== undefined) return;
    this.#ensure("serviceaccounts", namespace, { metadata: { name: "default" } });
    const metadata = { name: ROOT_CA, annotations: { "kubernetes.io/description": DESCRIPTION } };
    const data = { "ca.crt": this.#rootCa };
    this.#ensure("configmaps", namespace, { metadata, data });
    const kind = this.#cluster.kinds.at("v1", "configmaps");
    if (kind === undefined) return;
    editObject(this.#cluster, {
      kind,
      reference: { namespace, name: ROOT_CA },
      edit: (copy) => {
        copy.data = data;
      },
    });
  }

  #ensure(plural: string, namespace: string, object: KubeObject): void {
    const kind = this.#cluster.kinds.at("v1", plural);
    if (kind === undefined || kind.collection.get(`${namespace}/${object.metadata.name}`) !== undefined) {
      return;
    }
    createObject(this.#cluster, { apiVersion: "v1", kind: kind.kind, ...object }, { kind, namespace });
  }
}
