/**
 * Refusals of Kubernetes for the rules of webhooks and policies.
 *
 * Source: k8s.io/kubernetes, pkg/apis/admissionregistration/validation/validation.go.
 */

import type { JsonObject } from "../../../model/object.ts";
import { type Cause, invalid, notSupported, required } from "../causes.ts";

const OPERATIONS = ["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];
const SCOPES = ["*", "Cluster", "Namespaced"];

/** Returns the faults of a rule at a field. */
export function ruleCauses(rule: JsonObject, at: string): Cause[] {
  const list = (field: string): string[] => {
    const value = rule[field];
    return Array.isArray(value) ? value.map(String) : [];
  };
  const operations = list("operations");
  const causes = operations.length === 0 ? [required(`${at}.operations`)] : aloneCauses(operations, {
    at: `${at}.operations`,
    what: "operations",
  });
  for (const [index, value] of operations.entries()) {
    if (OPERATIONS.includes(value)) continue;
    causes.push(notSupported(`${at}.operations[${index}]`, { value, supported: OPERATIONS }));
  }
  for (const [field, what] of [["apiGroups", "API groups"], ["apiVersions", "API versions"]] as const) {
    const values = list(field);
    causes.push(
      ...(values.length === 0
        ? [required(`${at}.${field}`)]
        : aloneCauses(values, { at: `${at}.${field}`, what })),
    );
  }
  for (const [index, version] of list("apiVersions").entries()) {
    if (version === "") causes.push(required(`${at}.apiVersions[${index}]`));
  }
  causes.push(...resourceCauses(list("resources"), `${at}.resources`));
  const { scope } = rule;
  if (scope === undefined || scope === null || SCOPES.includes(String(scope))) return causes;
  return [...causes, notSupported(`${at}.scope`, { value: scope, supported: SCOPES })];
}

function aloneCauses(values: readonly string[], { at, what }: { at: string; what: string }): Cause[] {
  if (values.length < 2 || !values.includes("*")) return [];
  return [invalid(at, { value: values, detail: `if '*' is present, must not specify other ${what}` })];
}

function resourceCauses(resources: readonly string[], at: string): Cause[] {
  if (resources.length === 0) return [required(at)];
  const causes: Cause[] = [];
  const withAllSubresources = new Set<string>();
  const ofAllResources = new Set<string>();
  for (const [index, value] of resources.entries()) {
    if (value === "") {
      causes.push(required(`${at}[${index}]`));
      continue;
    }
    if (!value.includes("/")) continue;
    const [main = "", sub = ""] = value.split(/\/(.*)/, 2);
    const refuse = (pattern: string) =>
      causes.push(
        invalid(`${at}[${index}]`, {
          value,
          detail: `if '${pattern}' is present, must not specify ${value}`,
        }),
      );
    if (withAllSubresources.has(main)) refuse(`${main}/*`);
    if (ofAllResources.has(sub)) refuse(`*/${sub}`);
    if (sub === "*") withAllSubresources.add(main);
    if (main === "*") ofAllResources.add(sub);
  }
  if (resources.length > 1 && resources.includes("*/*")) {
    const detail = "if '*/*' is present, must not specify other resources";
    causes.push(invalid(at, { value: resources, detail }));
  }
  // NB: only the last one without a subresource counts.
  const plain = resources.filter((value) => value !== "" && !value.includes("/"));
  if (plain.includes("*") && plain.at(-1) !== "*") {
    const detail = "if '*' is present, must not specify other resources without subresources";
    causes.push(invalid(at, { value: resources, detail }));
  }
  return causes;
}
