/**
 * The authorizer: roles and bindings decide about the rights of users.
 *
 * Bindings are looked up for each request: there are few, and a new binding counts at once. Source: Kubernetes
 * documentation, "Using RBAC Authorization"; k8s.io/kubernetes, plugin/pkg/auth/authorizer/rbac.
 */

import type { JsonObject, KubeObject } from "../../../model/object.ts";
import type { Store } from "../store.ts";
import { getOwn, objectAt, objectsIn } from "../values.ts";
import { isPathWish, type Wish } from "./attributes.ts";
import { allows, type PolicyRule, rulesIn } from "./rules.ts";
import { MASTERS, type User } from "./user.ts";

const GROUP = "rbac.authorization.k8s.io";

/** Whether a request is allowed, and why, or why a role was not found. */
export interface Decision {
  readonly allowed: boolean;
  readonly reason: string;
}

export class Authorizer {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  decide(user: User, wish: Wish): Decision {
    if (user.groups.includes(MASTERS)) return { allowed: true, reason: "" };
    const missing: string[] = [];
    const namespace = isPathWish(wish) ? "" : wish.namespace;
    for (const { rules, reason, error } of this.#grants(user, namespace)) {
      if (error !== undefined) missing.push(error);
      if (rules.some((rule) => allows(rule, wish))) {
        return { allowed: true, reason: `RBAC: allowed by ${reason}` };
      }
    }
    const all = missing.length > 1 ? `[${missing.join(", ")}]` : missing.join("");
    return { allowed: false, reason: all === "" ? "" : `RBAC: ${all}` };
  }

  /** Returns all rules that a user has in a namespace; "" for the rules that count everywhere. */
  rulesFor(user: User, namespace: string): PolicyRule[] {
    return [...this.#grants(user, namespace)].flatMap(({ rules }) => rules);
  }

  /** Returns the rules of a role that is referred to; undefined if there is none. */
  rulesOf(reference: JsonObject, namespace: string): PolicyRule[] | undefined {
    const name = String(getOwn(reference, "name") ?? "");
    const role = reference.kind === "ClusterRole"
      ? this.#store.collection(`clusterroles.${GROUP}`).get(name)
      : this.#store.collection(`roles.${GROUP}`).get(`${namespace}/${name}`);
    return role === undefined ? undefined : rulesIn(role.object);
  }

  *#grants(user: User, namespace: string): Generator<Grant> {
    for (const { object } of this.#store.collection(`clusterrolebindings.${GROUP}`).values()) {
      const grant = this.#grant(object, { user, namespace: "" });
      if (grant !== undefined) yield grant;
    }
    if (namespace === "") return;
    for (const { object } of this.#store.collection(`rolebindings.${GROUP}`).values(`${namespace}/`)) {
      const grant = this.#grant(object, { user, namespace });
      if (grant !== undefined) yield grant;
    }
  }

  #grant(
    binding: KubeObject,
    { user, namespace }: { readonly user: User; readonly namespace: string },
  ): Grant | undefined {
    const subject = objectsIn(binding.subjects).find((candidate) => isSubject(candidate, user, namespace));
    if (subject === undefined) return undefined;
    const reference = objectAt(binding, "roleRef") ?? {};
    const { name } = binding.metadata;
    const kind = namespace === "" ? "ClusterRoleBinding" : "RoleBinding";
    const place = namespace === "" ? `${name}` : `${name}/${namespace}`;
    const reason = `${kind} ${JSON.stringify(place)} of ${reference.kind} ${
      JSON.stringify(reference.name)
    } to ${describe(subject)}`;
    const rules = this.rulesOf(reference, namespace);
    if (rules !== undefined) return { rules, reason };
    const plural = reference.kind === "ClusterRole" ? "clusterrole" : "role";
    return { rules: [], reason, error: `${plural}.${GROUP} ${JSON.stringify(reference.name)} not found` };
  }
}

interface Grant {
  readonly rules: readonly PolicyRule[];
  readonly reason: string;
  /** The role that is not there. */
  readonly error?: string;
}

function isSubject({ kind, name, namespace: own }: JsonObject, user: User, namespace: string): boolean {
  if (kind === "User") return user.username === name;
  if (kind === "Group") return user.groups.includes(String(name));
  const place = typeof own === "string" && own !== "" ? own : namespace;
  return kind === "ServiceAccount" && user.username === `system:serviceaccount:${place}:${name}`;
}

function describe({ kind, name, namespace }: JsonObject): string {
  if (kind === "ServiceAccount") return `ServiceAccount ${JSON.stringify(`${name}/${namespace}`)}`;
  return `${kind} ${JSON.stringify(name)}`;
}
