/**
 * The rules for APIServices. Those with a service, which would stand for other servers, are refused.
 *
 * Source: k8s.io/kube-aggregator, pkg/apis/apiregistration/validation.
 */

import type { KubeObject } from "../../../model/object.ts";
import { type Cause, invalid, required } from "../causes.ts";
import { dns1035Errors, dnsSubdomainErrors } from "../names.ts";
import { notServed } from "../refusal.ts";
import { objectAt } from "../values.ts";

/** @throws {Refusal} 501 */
export function refuseServices(object: KubeObject): undefined {
  if (objectAt(object.spec, "service") === undefined) return undefined;
  throw notServed("APIServices with a service, which would stand for other API servers");
}

/** Says what is wrong with an APIService. */
export function apiServiceCauses({ metadata: { name = "" }, spec = {} }: KubeObject): Cause[] {
  const [group, version] = [String(spec.group ?? ""), String(spec.version ?? "")];
  const wanted = `${version}.${group}`;
  const causes: Cause[] = [];
  if (name !== wanted) {
    const detail = `must be \`spec.version+"."+spec.group\`: ${JSON.stringify(wanted)}`;
    causes.push(invalid("metadata.name", { value: name, detail }));
  }
  if (group === "" && version !== "v1") {
    causes.push(required("spec.group", "only v1 may have an empty group and it better be legacy kube"));
  }
  const wrongGroup = group === "" ? [] : dnsSubdomainErrors(group);
  for (const detail of wrongGroup) causes.push(invalid("spec.group", { value: group, detail }));
  for (const detail of dns1035Errors(version)) {
    causes.push(invalid("spec.version", { value: version, detail }));
  }
  for (const [field, most] of [["groupPriorityMinimum", 20_000], ["versionPriority", 1000]] as const) {
    const value = Number(spec[field] ?? 0);
    if (value > 0 && value <= most) continue;
    causes.push(invalid(`spec.${field}`, { value, detail: `must be positive and less than ${most}` }));
  }
  if (typeof spec.caBundle === "string" && spec.caBundle !== "") {
    const value = `${atob(spec.caBundle).length} bytes`;
    causes.push(invalid("spec.caBundle", { value, detail: "local APIServices may not have a caBundle" }));
  }
  if (spec.insecureSkipTLSVerify === true) {
    const detail = "local APIServices may not have insecureSkipTLSVerify";
    causes.push(invalid("spec.insecureSkipTLSVerify", { value: true, detail }));
  }
  return causes;
}
