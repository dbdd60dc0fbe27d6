/**
 * Which requests a flow schema is about.
 *
 * Source: k8s.io/apiserver, pkg/util/flowcontrol/rule.go.
 */

import type { JsonObject, KubeObject } from "../../../model/object.ts";
import { isPathWish, type PathWish, type ResourceWish, type Wish } from "../access/attributes.ts";
import type { User } from "../access/user.ts";
import { objectAt, objectsIn } from "../values.ts";

/** The collection of priority levels. */
export const LEVELS = "prioritylevelconfigurations.flowcontrol.apiserver.k8s.io";

/** A request, and whose it is. */
export interface Asking {
  readonly user: User;
  readonly wish: Wish;
}

/** Tells whether a flow schema is about a request. */
export function isAbout({ spec }: KubeObject, { user, wish }: Asking): boolean {
  return objectsIn(spec?.rules).some(({ subjects, resourceRules, nonResourceRules }) => {
    if (!objectsIn(subjects).some((subject) => isSubject(subject, user))) return false;
    return isPathWish(wish)
      ? objectsIn(nonResourceRules).some((rule) => isPath(rule, wish))
      : objectsIn(resourceRules).some((rule) => isResource(rule, wish));
  });
}

function isSubject(subject: JsonObject, { username, groups }: User): boolean {
  const named = (key: string) => objectAt(subject, key)?.name;
  if (subject.kind === "User") return ["*", username].includes(String(named("user")));
  if (subject.kind === "Group") return ["*", ...groups].includes(String(named("group")));
  if (subject.kind !== "ServiceAccount") return false;
  const place = `system:serviceaccount:${objectAt(subject, "serviceAccount")?.namespace}:`;
  const name = named("serviceAccount");
  return name === "*" ? username.startsWith(place) : username === `${place}${name}`;
}

function isResource(
  rule: JsonObject,
  { verb, group, resource, subresource, namespace }: ResourceWish,
): boolean {
  const combined = subresource === "" ? resource : `${resource}/${subresource}`;
  if (!has(rule.verbs, verb) || !has(rule.apiGroups, group) || !has(rule.resources, combined)) return false;
  return namespace === "" ? rule.clusterScope === true : has(rule.namespaces, namespace);
}

function isPath(rule: JsonObject, { verb, path }: PathWish): boolean {
  const { nonResourceURLs: patterns } = rule;
  return has(rule.verbs, verb) && Array.isArray(patterns) && patterns.some((pattern) => {
    if (pattern === "*" || pattern === path) return true;
    const start = String(pattern).replace(/\*$/, "");
    return path.startsWith(start.endsWith("/") ? start : `${start}/`);
  });
}

function has(list: unknown, value: string): boolean {
  return Array.isArray(list) && (list.includes("*") || list.includes(value));
}
