/**
 * The rules of roles: whether one allows a request, and which rules are covered by others.
 *
 * Sources: k8s.io/kubernetes, pkg/apis/rbac/v1/evaluation_helpers.go; k8s.io/component-helpers, auth/rbac/validation.
 */

import type { JsonObject } from "../../../model/object.ts";
import { objectsIn } from "../values.ts";
import { isPathWish, type Wish } from "./attributes.ts";

export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

/** Reads the rules of a role as it is stored. */
export function rulesIn(role: JsonObject | undefined): PolicyRule[] {
  return objectsIn(role?.rules).map((rule) => ({
    verbs: texts(rule.verbs),
    ...pick(rule, "apiGroups"),
    ...pick(rule, "resources"),
    ...pick(rule, "resourceNames"),
    ...pick(rule, "nonResourceURLs"),
  }));
}

function pick(rule: JsonObject, key: Exclude<keyof PolicyRule, "verbs">): Partial<PolicyRule> {
  const list = texts(rule[key]);
  return list.length === 0 ? {} : { [key]: list };
}

function texts(list: unknown): string[] {
  return Array.isArray(list) ? list.filter((item) => typeof item === "string") : [];
}

/** Tells whether a rule allows a wish. */
export function allows(rule: PolicyRule, wish: Wish): boolean {
  if (!has(rule.verbs, wish.verb)) return false;
  if (isPathWish(wish)) return (rule.nonResourceURLs ?? []).some((pattern) => coversPath(pattern, wish.path));
  const { group, resource, subresource, name } = wish;
  const { apiGroups = [], resources = [], resourceNames = [] } = rule;
  const combined = subresource === "" ? resource : `${resource}/${subresource}`;
  const isMeant = resources.includes("*") || resources.includes(combined) ||
    (subresource !== "" && resources.includes(`*/${subresource}`));
  return isMeant && has(apiGroups, group) && (resourceNames.length === 0 || resourceNames.includes(name));
}

function has(list: readonly string[], value: string): boolean {
  return list.includes("*") || list.includes(value);
}

function coversPath(pattern: string, path: string): boolean {
  if (pattern === "*" || pattern === path) return true;
  return pattern.endsWith("*") && path.startsWith(pattern.slice(0, -1));
}

/** Returns the parts of the rules that no rule in `held` covers, as rules of one group and one resource each. */
export function uncovered(rules: readonly PolicyRule[], held: readonly PolicyRule[]): PolicyRule[] {
  const missing = rules.flatMap(breakDown).filter((rule) => !held.some((owner) => covers(owner, rule)));
  const merged = new Map<string, PolicyRule>();
  for (const rule of missing) {
    const key = JSON.stringify([rule.apiGroups, rule.resources, rule.resourceNames, rule.nonResourceURLs]);
    const before = merged.get(key);
    merged.set(key, before === undefined ? rule : { ...before, verbs: [...before.verbs, ...rule.verbs] });
  }
  return [...merged.values()];
}

/** Rules with one verb and one thing each. */
function breakDown(
  { verbs, apiGroups = [], resources = [], resourceNames, nonResourceURLs = [] }: PolicyRule,
): PolicyRule[] {
  const byResource = apiGroups.flatMap((group) =>
    resources.flatMap((resource) =>
      verbs.flatMap((verb): PolicyRule[] => {
        const rule = { verbs: [verb], apiGroups: [group], resources: [resource] };
        return resourceNames === undefined
          ? [rule]
          : resourceNames.map((name) => ({ ...rule, resourceNames: [name] }));
      })
    )
  );
  const byPath = nonResourceURLs.flatMap((url) =>
    verbs.map((verb) => ({ verbs: [verb], nonResourceURLs: [url] }))
  );
  return [...byResource, ...byPath];
}

function covers(owner: PolicyRule, rule: PolicyRule): boolean {
  const all = (list: readonly string[] = [], wanted: readonly string[] = []) =>
    list.includes("*") || wanted.every((value) => list.includes(value));
  if (!all(owner.verbs, rule.verbs)) return false;
  if (rule.nonResourceURLs !== undefined) {
    return rule.nonResourceURLs.every((url) =>
      (owner.nonResourceURLs ?? []).some((pattern) => coversPath(pattern, url))
    );
  }
  const { resourceNames = [] } = owner;
  const areNamed = resourceNames.length === 0 ||
    (rule.resourceNames !== undefined && rule.resourceNames.every((name) => resourceNames.includes(name)));
  return areNamed && all(owner.apiGroups, rule.apiGroups) && coversResources(owner, rule);
}

function coversResources({ resources = [] }: PolicyRule, rule: PolicyRule): boolean {
  if (resources.includes("*")) return true;
  return (rule.resources ?? []).every((resource) => {
    const [, subresource] = resource.split("/");
    return resources.includes(resource) ||
      (subresource !== undefined && resources.includes(`*/${subresource}`));
  });
}

/** Returns a rule as Kubernetes prints it in refusals, such as `{APIGroups:[""], Resources:["pods"], Verbs:["get"]}`. */
export function printRule(rule: PolicyRule): string {
  const parts = [
    ["APIGroups", rule.apiGroups],
    ["Resources", rule.resources],
    ["NonResourceURLs", rule.nonResourceURLs],
    ["ResourceNames", rule.resourceNames],
    ["Verbs", rule.verbs],
  ] as const;
  const shown = parts.flatMap(([name, list]) =>
    list === undefined || list.length === 0
      ? []
      : [`${name}:[${list.map((item) => JSON.stringify(item)).join(" ")}]`]
  );
  return `{${shown.join(", ")}}`;
}
