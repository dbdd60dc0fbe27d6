/**
 * Audit policies: how much the audit log tells of which requests.
 *
 * Source: Kubernetes documentation, "Auditing"; k8s.io/apiserver, pkg/audit/policy and pkg/apis/audit/validation.
 */

import type { JsonObject } from "../../../model/object.ts";
import { isPathWish, type ResourceWish, type Wish } from "../access/attributes.ts";
import type { User } from "../access/user.ts";
import { isObject, objectsIn } from "../values.ts";

const LEVELS = ["None", "Metadata", "Request", "RequestResponse"] as const;
const STAGES = ["RequestReceived", "ResponseStarted", "ResponseComplete", "Panic"];

export type AuditLevel = typeof LEVELS[number];

/** How much the log tells of a request. */
export interface AuditWish {
  readonly level: AuditLevel;
  readonly omitStages: readonly string[];
  readonly omitManagedFields: boolean;
}

/** Whether a level is as much as another one, or more. */
export function isAtLeast(level: AuditLevel, other: AuditLevel): boolean {
  return LEVELS.indexOf(level) >= LEVELS.indexOf(other);
}

/** A policy that was checked. */
export class AuditPolicy {
  readonly #policy: JsonObject;

  /** @throws {TypeError} If it is none; the message names its fault. */
  constructor(policy: unknown) {
    const fault = faultIn(policy);
    if (fault !== undefined) throw new TypeError(`Cannot use the audit policy: ${fault}`);
    this.#policy = isObject(policy) ? policy : {};
  }

  /** The first rule that is about a request counts; without one, the request is left out. */
  wishFor(wish: Wish, user: User | undefined): AuditWish {
    const { rules, omitStages, omitManagedFields } = this.#policy;
    const rule = objectsIn(rules).find((candidate) => isMeant(candidate, wish, user));
    return {
      // It was checked.
      level: rule?.level as AuditLevel | undefined ?? "None",
      omitStages: [...textsIn(omitStages), ...textsIn(rule?.omitStages)],
      omitManagedFields: (rule?.omitManagedFields ?? omitManagedFields) === true,
    };
  }
}

function textsIn(list: unknown): string[] {
  return Array.isArray(list) ? list.map(String) : [];
}

function faultIn(policy: unknown): string | undefined {
  if (!isObject(policy)) return "it is no object";
  if (policy.apiVersion !== "audit.k8s.io/v1" || policy.kind !== "Policy") {
    return `it is no Policy of audit.k8s.io/v1, but "${policy.kind}" of "${policy.apiVersion}"`;
  }
  const rules = objectsIn(policy.rules);
  if (rules.length === 0) return "it has no rules";
  const faults = [stageFault(policy.omitStages), ...rules.map(ruleFault)];
  return faults.find((fault) => fault !== undefined);
}

function stageFault(stages: unknown, at = "omitStages"): string | undefined {
  const index = textsIn(stages).findIndex((stage) => !STAGES.includes(stage));
  return index < 0 ? undefined : `${at}[${index}] is none of ${STAGES.join(", ")}`;
}

function ruleFault(rule: JsonObject, index: number): string | undefined {
  const at = `rules[${index}]`;
  if (!LEVELS.some((level) => level === rule.level)) return `${at}.level is none of ${LEVELS.join(", ")}`;
  const paths = textsIn(rule.nonResourceURLs);
  const wrong = paths.find((path) => path !== "*" && !/^\/[^*]*\*?$/.test(path));
  if (wrong !== undefined) {
    return `${at}.nonResourceURLs: "${wrong}" does not begin with "/", or has a "*" before its end`;
  }
  const resources = objectsIn(rule.resources);
  if (paths.length > 0 && (resources.length > 0 || textsIn(rule.namespaces).length > 0)) {
    return `${at} cannot apply to both regular resources and non-resource URLs`;
  }
  if (
    resources.some((each) => textsIn(each.resourceNames).length > 0 && textsIn(each.resources).length === 0)
  ) {
    return `${at}.resources: using resourceNames requires at least one resource`;
  }
  return stageFault(rule.omitStages, `${at}.omitStages`);
}

function isMeant(rule: JsonObject, wish: Wish, user: User | undefined): boolean {
  const { users, userGroups, verbs, namespaces, resources, nonResourceURLs } = rule;
  const has = (list: unknown, value: string | undefined) =>
    textsIn(list).length === 0 || textsIn(list).some((each) => each === value);
  if (!has(users, user?.username) || !has(verbs, wish.verb)) return false;
  const groups = textsIn(userGroups);
  if (groups.length > 0 && !groups.some((group) => user?.groups.includes(group))) return false;
  const kinds = objectsIn(resources);
  if (kinds.length > 0 || textsIn(namespaces).length > 0) {
    if (isPathWish(wish) || !has(namespaces, wish.namespace)) return false;
    return kinds.length === 0 || kinds.some((kind) => isResource(kind, wish));
  }
  const paths = textsIn(nonResourceURLs);
  return paths.length === 0 || (isPathWish(wish) && paths.some((path) => isPath(path, wish.path)));
}

function isPath(rule: string, path: string): boolean {
  return rule === "*" || rule === path || (rule.endsWith("*") && path.startsWith(rule.slice(0, -1)));
}

function isResource(rule: JsonObject, { group, resource, subresource, name }: ResourceWish): boolean {
  if ((rule.group ?? "") !== group && rule.group !== "*") return false;
  const names = textsIn(rule.resourceNames);
  const wanted = textsIn(rule.resources);
  if (wanted.length === 0) return true;
  if (names.length > 0 && !names.includes(name)) return false;
  const own = subresource === "" ? [resource] : [`${resource}/${subresource}`, `*/${subresource}`];
  return wanted.some((each) => each === "*" || each === `${resource}/*` || own.includes(each));
}
