/**
 * The rights of an operator, as the server tells them to it, and roles of them for a copy of the cluster.
 *
 * Rules of the whole cluster are told for any namespace, also for one that there is not. Source: Kubernetes, "Checking API access".
 */

import { Limiter } from "../../../async/limiter.ts";
import type { Client } from "../../../client/client.ts";
import { ApiError } from "../../../client/errors.ts";
import { isObject } from "../../../model/json.ts";
import type { JsonObject, KubeObject } from "../../../model/object.ts";

/** Rules as a SelfSubjectRulesReview has them. */
type Rules = readonly JsonObject[];

/** Rights of one user. */
export interface CopiedRights {
  /** Such as "system:serviceaccount:databases:operator". */
  readonly user: string;
  /** Rules for the whole cluster. */
  readonly cluster: Rules;
  /** Further rules, by namespace. */
  readonly namespaces: Readonly<Record<string, Rules>>;
  /** Whether the server does not know all of them. */
  readonly isIncomplete: boolean;
}

/** A right that is looked for. */
export interface Wanted {
  readonly group: string;
  readonly plural: string;
  readonly verb: string;
}

/** A name that no namespace has. */
const NO_NAMESPACE = "lotse-rehearsal-of-no-namespace";

/** How many reviews are asked for at the same time. */
const AT_ONCE = 8;

/** Reads the rights of a client's user. Where the server has no such reviews, everything is tried. */
export async function readRights(client: Client, namespaces: readonly string[]): Promise<CopiedRights> {
  const everywhere = await rulesIn(client, NO_NAMESPACE);
  if (everywhere === undefined) {
    const all = [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }];
    return { user: "", cluster: all, namespaces: {}, isIncomplete: true };
  }
  const known = new Set(everywhere.rules.map((rule) => JSON.stringify(rule)));
  const limiter = new Limiter(AT_ONCE);
  const found = await Promise.all(namespaces.map((name) =>
    limiter.run(async () => {
      const { rules } = await rulesIn(client, name) ?? { rules: [] };
      return [name, rules.filter((rule) => !known.has(JSON.stringify(rule)))] as const;
    })
  ));
  return {
    user: "",
    cluster: everywhere.rules,
    namespaces: Object.fromEntries(found.filter(([, rules]) => rules.length > 0)),
    isIncomplete: everywhere.isIncomplete,
  };
}

async function rulesIn(
  client: Client,
  namespace: string,
): Promise<{ readonly rules: Rules; readonly isIncomplete: boolean } | undefined> {
  const resource = {
    group: "authorization.k8s.io",
    version: "v1",
    plural: "selfsubjectrulesreviews",
    namespaced: false,
  };
  const review = {
    apiVersion: "authorization.k8s.io/v1",
    kind: "SelfSubjectRulesReview",
    spec: { namespace },
  };
  try {
    const { status } = await client.create<{ status?: unknown }>(resource, review);
    if (!isObject(status) || !Array.isArray(status.resourceRules)) return undefined;
    return { rules: status.resourceRules.filter(isObject), isIncomplete: status.incomplete === true };
  } catch (error) {
    if (error instanceof ApiError && error.status !== 401) return undefined;
    throw error;
  }
}

/** Where a right is granted: in which namespaces, if not everywhere. */
export function isGranted(
  rights: CopiedRights,
  wanted: Wanted,
): "everywhere" | "nowhere" | readonly string[] {
  if (rights.cluster.some((rule) => grants(rule, wanted))) return "everywhere";
  const places = Object.entries(rights.namespaces)
    .filter(([, rules]) => rules.some((rule) => grants(rule, wanted))).map(([name]) => name);
  return places.length === 0 ? "nowhere" : places;
}

function grants(rule: JsonObject, { group, plural, verb }: Wanted): boolean {
  const has = (key: string, value: string): boolean => {
    const list = rule[key];
    return Array.isArray(list) && (list.includes(value) || list.includes("*"));
  };
  const isForAll = !Array.isArray(rule.resourceNames) || rule.resourceNames.length === 0;
  return isForAll && has("verbs", verb) && has("apiGroups", group) && has("resources", plural);
}

/** The name of the roles in a copy. */
const ROLE = "lotse:rehearsal";
const RBAC = "rbac.authorization.k8s.io";

/** Makes roles and bindings that give a user these rights. */
export function rolesFor({ user, cluster, namespaces }: CopiedRights): KubeObject[] {
  const objects = rolePair({ user, kind: "ClusterRole", rules: cluster });
  for (const [namespace, rules] of Object.entries(namespaces)) {
    objects.push(...rolePair({ user, kind: "Role", rules, namespace }));
  }
  return objects;
}

interface RolePair {
  readonly user: string;
  readonly kind: "ClusterRole" | "Role";
  readonly rules: Rules;
  readonly namespace?: string;
}

function rolePair({ user, kind, rules, namespace }: RolePair): KubeObject[] {
  const metadata = (of: string): KubeObject["metadata"] => ({
    name: ROLE,
    uid: `${of}-${namespace ?? ""}`,
    resourceVersion: "1",
    ...namespace === undefined ? {} : { namespace },
  });
  const apiVersion = `${RBAC}/v1`;
  const subjects = [{ kind: "User", apiGroup: RBAC, name: user }];
  const roleRef = { apiGroup: RBAC, kind, name: ROLE };
  return [
    { apiVersion, kind, metadata: metadata(kind), rules },
    { apiVersion, kind: `${kind}Binding`, metadata: metadata(`${kind}Binding`), subjects, roleRef },
  ];
}
