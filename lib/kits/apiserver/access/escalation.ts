/**
 * The check that users only grant rights that they have.
 *
 * Source: Kubernetes documentation, "Privilege escalation prevention and bootstrapping"; k8s.io/kubernetes,
 * pkg/registry/rbac.
 */

import type { KubeObject } from "../../../model/object.ts";
import type { Kind } from "../kinds.ts";
import { forbidden, notFound } from "../refusal.ts";
import { equal, objectAt, objectsIn } from "../values.ts";
import type { Gate } from "./gate.ts";
import { type PolicyRule, printRule, rulesIn, uncovered } from "./rules.ts";
import { MASTERS, type User } from "./user.ts";

const GROUP = "rbac.authorization.k8s.io";
const EVERYTHING: readonly PolicyRule[] = [
  { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
  { verbs: ["*"], nonResourceURLs: ["*"] },
];

export interface Grant {
  readonly kind: Kind;
  readonly user: User;
  /** Where it is written; undefined for cluster-wide kinds. */
  readonly namespace?: string;
  readonly object: KubeObject;
  readonly old?: KubeObject;
}

/**
 * Checks that a role or a binding grants no right that its writer lacks.
 *
 * @throws {Refusal} 403, or 404 if a binding's role does not exist.
 */
export function checkEscalation(gate: Gate, grant: Grant): void {
  const { kind, user } = grant;
  if (!gate.rbac || kind.group !== GROUP || user.groups.includes(MASTERS)) return;
  if (grant.old !== undefined && onlyMetadata(grant.object, grant.old)) return;
  if (kind.kind.endsWith("Binding")) checkBinding(gate, grant);
  else checkRole(gate, grant);
}

function onlyMetadata(object: KubeObject, old: KubeObject): boolean {
  const bare = { metadata: undefined };
  const [now, before] = [object.metadata, old.metadata];
  return equal({ ...object, ...bare }, { ...old, ...bare }) && equal(now.labels, before.labels) &&
    equal(now.annotations, before.annotations);
}

function checkRole(gate: Gate, { kind, user, namespace = "", object, old }: Grant): void {
  const name = object.metadata.name ?? "";
  const wish = { verb: "escalate", group: GROUP, resource: kind.plural, subresource: "", name, namespace };
  if (gate.may(user, wish)) return;
  confirm(gate, rulesIn(object), { kind, user, name, namespace });
  if (
    ![object, old].some((role) =>
      objectsIn(objectAt(role, "aggregationRule")?.clusterRoleSelectors).length > 0
    )
  ) return;
  if (uncovered(EVERYTHING, gate.authorizer.rulesFor(user, namespace)).length > 0) {
    throw forbidden(kind, name, "must have cluster-admin privileges to use the aggregationRule");
  }
}

function checkBinding(gate: Gate, { kind, user, namespace = "", object }: Grant): void {
  const reference = objectAt(object, "roleRef") ?? {};
  const roleName = String(reference.name ?? "");
  const plural = reference.kind === "ClusterRole" ? "clusterroles" : "roles";
  const wish = { verb: "bind", group: GROUP, resource: plural, subresource: "", name: roleName, namespace };
  if (gate.may(user, wish)) return;
  const rules = gate.authorizer.rulesOf(reference, namespace);
  if (rules === undefined) throw notFound(kind, roleName); // NB: the real server calls it a binding, too.
  confirm(gate, rules, { kind, user, name: object.metadata.name ?? "", namespace });
}

interface Confirming {
  readonly kind: Kind;
  readonly user: User;
  readonly name: string;
  readonly namespace: string;
}

function confirm(
  gate: Gate,
  rules: readonly PolicyRule[],
  { kind, user, name, namespace }: Confirming,
): void {
  const missing = uncovered(rules, gate.authorizer.rulesFor(user, namespace));
  if (missing.length === 0) return;
  const list = [...new Set(missing.map(printRule))].sort().join("\n");
  const groups = `[${user.groups.map((group) => JSON.stringify(group)).join(" ")}]`;
  throw forbidden(
    kind,
    name,
    `user ${
      JSON.stringify(user.username)
    } (groups=${groups}) is attempting to grant RBAC permissions not currently held:\n${list}`,
  );
}
