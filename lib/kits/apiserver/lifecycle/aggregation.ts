/**
 * ClusterRoles that gather the rules of others.
 *
 * Source: Kubernetes documentation, "Aggregated ClusterRoles"; k8s.io/kubernetes, pkg/controller/clusterroleaggregation.
 */

import type { KubeObject } from "../../../model/object.ts";
import type { Cluster } from "../cluster.ts";
import { selects } from "../selectors/selector.ts";
import { equal, objectAt, objectsIn } from "../values.ts";
import { editObject } from "../writes/update.ts";
import type { Chores } from "../chores.ts";

export const CLUSTER_ROLES = "clusterroles.rbac.authorization.k8s.io";

export class Aggregation {
  readonly #cluster: Cluster;
  readonly #chores: Chores;

  constructor(cluster: Cluster, chores: Chores) {
    this.#cluster = cluster;
    this.#chores = chores;
  }

  /** To be called on each change of a ClusterRole. */
  changed(): void {
    this.#chores.add("aggregated roles", () => this.gather());
  }

  /** Fills each ClusterRole that gathers rules with the rules of the others. */
  gather(): void {
    const roles = [...this.#cluster.store.collection(CLUSTER_ROLES).values()].map(({ object }) => object);
    for (const role of roles) {
      const selectors = objectsIn(objectAt(role, "aggregationRule")?.clusterRoleSelectors);
      if (selectors.length > 0) this.#fill(role, gatheredRules(role, roles, selectors));
    }
  }

  #fill(role: KubeObject, rules: unknown[]): void {
    if (equal(role.rules ?? [], rules)) return;
    const kind = this.#cluster.kinds.at("rbac.authorization.k8s.io/v1", "clusterroles");
    if (kind === undefined) return;
    editObject(this.#cluster, {
      kind,
      reference: { name: role.metadata.name ?? "" },
      edit: (copy) => {
        copy.rules = rules;
      },
    });
  }
}

/** NB: a rule that two roles have stands there once. */
function gatheredRules(
  role: KubeObject,
  roles: readonly KubeObject[],
  selectors: readonly unknown[],
): unknown[] {
  const gathered: unknown[] = [];
  for (const selector of selectors) {
    for (const other of roles) {
      if (other.metadata.name === role.metadata.name || !selects(selector, other.metadata.labels)) continue;
      for (const rule of objectsIn(other.rules)) {
        if (!gathered.some((known) => equal(known, rule))) gathered.push(rule);
      }
    }
  }
  return gathered;
}
