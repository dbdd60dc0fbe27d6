/**
 * Roles of an operator: the rights that its declarations imply and that it was recorded to use, and no others.
 *
 * An operator of the whole cluster gets one ClusterRole. One of named namespaces gets a Role in each of them, and a
 * ClusterRole for kinds without namespaces.
 */

import { labelsOf } from "../../model/labels.ts";
import type { KubeObject } from "../../model/object.ts";
import { isExactName } from "../../model/patterns.ts";
import type { DeclaredHandler } from "../../registry/declared.ts";
import { optionsOf } from "../../registry/resource.ts";
import type { Settings } from "../../settings/settings.ts";
import { declaredKinds } from "../../registry/declared_kinds.ts";
import { declaredResolver, findNeeds, type Need } from "./needs.ts";
import { type Right, sortRights } from "./rights.ts";

/** An operator, as far as roles go. */
export interface RolesOfOperator {
  readonly declared: readonly DeclaredHandler[];
  readonly settings: Settings;
  /** Whether it applies the definitions of its own kinds. */
  readonly crds?: "apply";
}

export interface RbacOptions {
  readonly operators: readonly RolesOfOperator[];
  /** Rights that were used when the operator ran. */
  readonly recorded?: readonly Right[];
  /** The name of all objects. */
  readonly name: string;
  /** Where the operator itself lives. */
  readonly home: string;
  /** The namespaces that it serves: names and patterns, as for `lotse run`. Default: the whole cluster. */
  readonly namespaces?: readonly string[];
  /** The peering object that it must meet others at, as for `lotse run`. */
  readonly peering?: string;
}

/** Objects to apply, and sentences about unknown rights. */
export interface Rbac {
  /** ServiceAccount, roles and bindings. */
  readonly manifests: readonly KubeObject[];
  /** Sentences about handlers whose rights cannot be told from the declarations. */
  readonly unknown: readonly string[];
  /** Sentences about handlers that may need more than their declarations and their code show. */
  readonly unseen: readonly string[];
}

/** Makes a service account for an operator, with the rights that it needs. */
export function makeRbac({ operators, recorded = [], name, home, namespaces, peering }: RbacOptions): Rbac {
  const isWide = namespaces === undefined || namespaces.length === 0;
  const kinds = declaredKinds({ operators });
  const resolve = declaredResolver(kinds, optionsOf);
  const found = operators.map(({ declared, settings, crds }) =>
    findNeeds({
      handlers: declared,
      settings: peering === undefined
        ? settings
        : { ...settings, peering: { ...settings.peering, mandatory: true } },
      namespaces: isWide ? undefined : namespaces,
      crds,
      home,
      resolve,
    })
  );
  const needs = found.flatMap((each) => each.needs);
  const places = isWide ? [] : namespaces.filter(isExactName);
  // Patterns mean namespaces that are not known yet: rights in all of them.
  const hasPatterns = !isWide && places.length < namespaces.length;
  const used = recorded.flatMap((right) => withImplied(right, recorded));
  const own = needs.filter(({ namespace }) => namespace !== undefined);
  const granted = [
    ...needs.filter((need) => !own.includes(need)).map(withoutPurpose),
    ...used.map((right) => placed(right, needs)),
  ];
  const rules: Map<string, Right[]> = isWide || hasPatterns
    ? new Map([["", granted.map(clusterwide)]])
    : byNamespace(granted, places);
  for (const { group, resource, verb, name: object, namespace = home } of own) {
    const right = { group, resource, verb, ...object !== undefined && { name: object } };
    rules.set(namespace, [...rules.get(namespace) ?? [], right]);
  }
  return {
    manifests: [account(name, home), ...rolesOf(rules, { name, home })],
    unknown: [...new Set(found.flatMap((each) => each.unknown))],
    // A record counts as complete.
    unseen: recorded.length > 0 ? [] : [...new Set(found.flatMap((each) => each.unseen))],
  };
}

/**
 * A recorded right with the rights that the framework uses at other times: where a server streams lists, only the watch is
 * seen, and another one is listed; objects that are watched and patched are read after a conflict.
 */
function withImplied(right: Right, recorded: readonly Right[]): Right[] {
  if (right.verb !== "watch") return [right];
  const isPatched = recorded.some(({ group, resource, verb }) =>
    group === right.group && resource.split("/")[0] === right.resource && verb === "patch"
  );
  return [right, { ...right, verb: "list" }, ...isPatched ? [{ ...right, verb: "get" }] : []];
}

interface GrantedRight {
  readonly right: Right;
  readonly namespaced: boolean;
}

function withoutPurpose({ group, resource, verb, namespaced }: Need): GrantedRight {
  return { right: { group, resource, verb }, namespaced };
}

/** Recorded rights tell by their namespaces whether their kinds have any; declared ones know. */
function placed(right: Right, needs: readonly Need[]): GrantedRight {
  const plural = right.resource.split("/")[0];
  const declared = needs.find(({ group, resource }) => group === right.group && resource === plural);
  return { right, namespaced: declared?.namespaced ?? right.namespace !== undefined };
}

function clusterwide({ right: { group, resource, verb } }: GrantedRight): Right {
  return { group, resource, verb };
}

/** The rights by namespace; "" is for kinds without namespaces. */
function byNamespace(granted: readonly GrantedRight[], places: readonly string[]): Map<string, Right[]> {
  const rules = new Map<string, Right[]>();
  const add = (namespace: string, right: Right): void =>
    void rules.set(namespace, [...rules.get(namespace) ?? [], right]);
  for (const { right, namespaced } of granted) {
    const { group, resource, verb, namespace } = right;
    if (!namespaced) add("", { group, resource, verb });
    else if (namespace !== undefined && !places.includes(namespace)) {
      add(namespace, { group, resource, verb });
    } else for (const place of places) add(place, { group, resource, verb });
  }
  return rules;
}

function account(name: string, namespace: string): KubeObject {
  return { apiVersion: "v1", kind: "ServiceAccount", metadata: { name, namespace, labels: labelsOf(name) } };
}

const RBAC = "rbac.authorization.k8s.io";

function rolesOf(
  rules: ReadonlyMap<string, readonly Right[]>,
  { name, home }: { readonly name: string; readonly home: string },
): KubeObject[] {
  const apiVersion = `${RBAC}/v1`;
  const subjects = [{ kind: "ServiceAccount", name, namespace: home }];
  return [...rules].filter(([, rights]) => rights.length > 0).sort(([a], [b]) => a < b ? -1 : 1).flatMap(
    ([namespace, rights]) => {
      const prefix = namespace === "" ? "Cluster" : "";
      const metadata = { name, ...namespace !== "" && { namespace }, labels: labelsOf(name) };
      return [
        { apiVersion, kind: `${prefix}Role`, metadata, rules: toRules(rights) },
        {
          apiVersion,
          kind: `${prefix}RoleBinding`,
          metadata,
          roleRef: { apiGroup: RBAC, kind: `${prefix}Role`, name },
          subjects,
        },
      ];
    },
  );
}

/** One rule of a role. */
export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  /** The names of the objects that it is about. Undefined: all. */
  readonly resourceNames?: readonly string[];
}

const VERBS = ["get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"];

/** Puts rights together: resources of a group with the same verbs share a rule. */
export function toRules(rights: readonly Right[]): PolicyRule[] {
  const verbs = new Map<string, Pick<Right, "group" | "resource" | "name"> & { verbs: string[] }>();
  for (
    const { group, resource, verb, name } of sortRights(rights.map(({ namespace: _, ...right }) => right))
  ) {
    const key = `${group}|${resource}|${name ?? ""}`;
    const entry = verbs.get(key) ?? { group, resource, name, verbs: [] };
    entry.verbs.push(verb);
    verbs.set(key, entry);
  }
  const rules = new Map<string, PolicyRule & { resources: string[] }>();
  for (const { group, resource, name, verbs: own } of verbs.values()) {
    const sorted = own.toSorted((a, b) => rankOf(a) - rankOf(b));
    const key = `${group}|${sorted.join()}|${name ?? ""}`;
    const named = name === undefined ? {} : { resourceNames: [name] };
    const rule = rules.get(key) ?? { apiGroups: [group], resources: [], ...named, verbs: sorted };
    rule.resources.push(resource);
    rules.set(key, rule);
  }
  return [...rules.values()];
}

function rankOf(verb: string): number {
  const rank = VERBS.indexOf(verb);
  return rank < 0 ? VERBS.length : rank;
}
