/**
 * Which webhooks and policies a request is for: rules, scopes, selectors and equivalent versions.
 *
 * Source: k8s.io/apiserver, pkg/admission/plugin/webhook/{generic,predicates}; Kubernetes documentation, "Dynamic Admission
 * Control", "Matching requests".
 */

import type { JsonObject } from "../../../model/object.ts";
import type { Cluster } from "../cluster.ts";
import type { Kind } from "../kinds.ts";
import { notFound } from "../refusal.ts";
import { isEmptySelector, selects } from "../selectors/selector.ts";
import { objectsIn } from "../values.ts";
import { type Attributes, namespaceLabels } from "./attributes.ts";

/** Constraints by which webhooks and policies select. */
export interface Constraints {
  readonly rules?: unknown;
  readonly excludeRules?: unknown;
  readonly namespaceSelector?: unknown;
  readonly objectSelector?: unknown;
  readonly matchPolicy?: unknown;
}

/**
 * Returns the version of the kind in which the object shall be shown; undefined if the request is not meant.
 *
 * @throws {Refusal} 404 if the namespace is unknown, and selected by its labels.
 */
export function matchedKind(
  cluster: Cluster,
  constraints: Constraints,
  attributes: Attributes,
): Kind | undefined {
  const { kind, object, oldObject } = attributes;
  const { objectSelector } = constraints;
  const isSelected = isEmptySelector(objectSelector) ||
    [object, oldObject].some((state) =>
      state !== undefined && selects(objectSelector, state.metadata.labels)
    );
  if (!isSelected) return undefined;
  const others = constraints.matchPolicy === "Exact" ? [] : equivalents(cluster, kind);
  const matches = (rules: unknown) => {
    const list = objectsIn(rules);
    if (list.some((rule) => matchesRule(rule, attributes, kind))) return kind;
    for (const rule of list) {
      const found = others.find((other) => matchesRule(rule, attributes, other));
      if (found !== undefined) return found;
    }
    return undefined;
  };
  const shown = matches(constraints.rules);
  if (shown === undefined || matches(constraints.excludeRules) !== undefined) return undefined;
  return isInNamespace(cluster, constraints.namespaceSelector, attributes) ? shown : undefined;
}

function isInNamespace(cluster: Cluster, selector: unknown, attributes: Attributes): boolean {
  const { kind, namespace } = attributes;
  if ((namespace === "" && kind.plural !== "namespaces") || isEmptySelector(selector)) return true;
  const labels = namespaceLabels(cluster, attributes);
  if (labels === undefined) {
    throw notFound({ group: "", plural: "namespaces", kind: "Namespace" }, namespace);
  }
  return selects(selector, labels);
}

/** The other versions in which the same objects are served. */
function equivalents({ kinds }: Cluster, kind: Kind): Kind[] {
  return kinds.all().filter((other) => other !== kind && other.collection === kind.collection);
}

function matchesRule(rule: JsonObject, attributes: Attributes, kind: Kind): boolean {
  const { operation, subresource, namespace, name } = attributes;
  return isListed(rule.operations, operation) && isListed(rule.apiGroups, kind.group) &&
    isListed(rule.apiVersions, kind.version) && isInScope(rule.scope, kind, namespace) &&
    texts(rule.resources).some((resource) => {
      const [main = "", sub = ""] = resource.split(/\/(.*)/, 2);
      return (main === "*" || main === kind.plural) && (sub === "*" || sub === subresource);
    }) && (texts(rule.resourceNames).length === 0 || texts(rule.resourceNames).includes(name));
}

function isInScope(scope: unknown, kind: Kind, namespace: string): boolean {
  const isNamespace = kind.group === "" && kind.plural === "namespaces";
  if (scope === "Namespaced") return !isNamespace && namespace !== "";
  if (scope === "Cluster") return isNamespace || namespace === "";
  return true;
}

function isListed(list: unknown, value: string): boolean {
  const values = texts(list);
  return values.includes("*") || values.includes(value);
}

function texts(list: unknown): string[] {
  return Array.isArray(list) ? list.filter((item) => typeof item === "string") : [];
}
