/**
 * APIServices. The ones with a service, which stand for other servers, are kept, and none of these servers is asked.
 *
 * Source: k8s.io/kube-aggregator, pkg/apis/apiregistration/validation.
 */

import type { JsonObject, KubeObject } from "../../../../model/object.ts";
import { type Cause, invalid, required } from "../../causes.ts";
import { dns1035Errors, dnsSubdomainErrors } from "../../names.ts";
import { fill, objectAt } from "../../values.ts";
import { ageOf, conditionOf, row, textAt } from "../cells.ts";
import type { KindModule } from "../kind_module.ts";

export const API_SERVICE: KindModule = {
  status: {},
  complete: ({ spec }) => void fill(objectAt(spec, "service") ?? {}, { port: 443 }),
  causes: apiServiceCauses,
  cells: row(
    () => "Local",
    (object) => textAt(conditionOf(object, "Available"), "status") || "Unknown",
    ageOf,
  ),
};

/** Returns the faults of an APIService. */
function apiServiceCauses({ metadata: { name = "" }, spec = {} }: KubeObject): Cause[] {
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
  const service = objectAt(spec, "service");
  if (service !== undefined) return [...causes, ...serviceCauses(service, spec)];
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

function serviceCauses(service: JsonObject, { insecureSkipTLSVerify, caBundle }: JsonObject): Cause[] {
  const causes = ["namespace", "name"].filter((field) => (service[field] ?? "") === "")
    .map((field) => required(`spec.service.${field}`));
  const port = Number(service.port ?? 0);
  if (port < 1 || port > 65_535) {
    const detail = "port is not valid: must be between 1 and 65535, inclusive";
    causes.push(invalid("spec.service.port", { value: port, detail }));
  }
  if (insecureSkipTLSVerify === true && caBundle) {
    const detail = "may not be true if caBundle is present";
    causes.push(invalid("spec.insecureSkipTLSVerify", { value: true, detail }));
  }
  return causes;
}
