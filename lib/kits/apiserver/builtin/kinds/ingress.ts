/** Ingresses. Source: k8s.io/kubernetes, pkg/apis/networking/validation. */

import type { JsonObject, KubeObject } from "../../../../model/object.ts";
import { type Cause, invalid, notSupported, required } from "../../causes.ts";
import { readAddress } from "../../formats/ip_address.ts";
import { dnsLabelErrors, dnsSubdomainErrors } from "../../names.ts";
import { objectAt, objectsIn } from "../../values.ts";
import { ageOf, listAt, row, textAt, textCell } from "../cells.ts";
import type { KindModule } from "../kind_module.ts";
import { portCauses } from "../value_checks.ts";

export const INGRESS: KindModule = {
  status: { loadBalancer: {} },
  causes: ({ spec = {} }) => ingressCauses(spec),
  warnings: ({ metadata, spec }, old) =>
    old === undefined && Object.hasOwn(metadata.annotations ?? {}, CLASS) &&
      spec?.ingressClassName === undefined
      ? [`annotation "${CLASS}" is deprecated, please use 'spec.ingressClassName' instead`]
      : [],
  cells: row(
    textCell("spec.ingressClassName", "<none>"),
    (object) => hostsText(listAt(object, "spec", "rules")),
    balancerText,
    (object) => listAt(object, "spec", "tls").length > 0 ? "80, 443" : "80",
    ageOf,
  ),
};

const CLASS = "kubernetes.io/ingress.class";
const PATH_TYPES = ["Exact", "ImplementationSpecific", "Prefix"];
const SEQUENCES = ["//", "/./", "/../", "%2f", "%2F"];
const SUFFIXES = ["/..", "/."];

const WILDCARD = /^\*\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const WILDCARD_SAYS =
  "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case " +
  "alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex used for " +
  `validation is '${WILDCARD.source.slice(1, -1)}')`;

/** Returns the faults of an Ingress. */
function ingressCauses(spec: JsonObject): Cause[] {
  const rules = objectsIn(spec.rules);
  const causes: Cause[] = [];
  const standard = objectAt(spec, "defaultBackend");
  if (rules.length === 0 && standard === undefined) {
    const detail = "either `defaultBackend` or `rules` must be specified";
    causes.push(invalid("spec", { value: spec.rules ?? null, detail }));
  }
  if (standard !== undefined) causes.push(...backendCauses(standard, "spec.defaultBackend"));
  for (const [index, rule] of rules.entries()) causes.push(...ruleCauses(rule, `spec.rules[${index}]`));
  return causes;
}

function ruleCauses(rule: JsonObject, path: string): Cause[] {
  const { host = "" } = rule;
  const causes: Cause[] = [];
  const bad = (detail: string) => causes.push(invalid(`${path}.host`, { value: host, detail }));
  if (host !== "") {
    const name = String(host);
    if (readAddress(name) !== undefined) bad("must be a DNS name, not an IP address");
    if (!name.includes("*")) { for (const detail of dnsSubdomainErrors(name)) bad(detail); }
    else if (!WILDCARD.test(name)) bad(WILDCARD_SAYS);
  }
  const http = objectAt(rule, "http");
  if (http === undefined) return causes;
  const paths = objectsIn(http.paths);
  if (paths.length === 0) causes.push(required(`${path}.http.paths`));
  for (const [index, each] of paths.entries()) {
    causes.push(...pathCauses(each, `${path}.http.paths[${index}]`));
  }
  return causes;
}

function pathCauses(rule: JsonObject, path: string): Cause[] {
  const { path: value = "", pathType } = rule;
  const field = `${path}.pathType`;
  if (pathType === undefined || pathType === null) return [required(field, "pathType must be specified")];
  const causes: Cause[] = [];
  const text = String(value);
  const bad = (detail: string) => causes.push(invalid(`${path}.path`, { value, detail }));
  const isFree = pathType === "ImplementationSpecific";
  if (!PATH_TYPES.includes(String(pathType))) {
    causes.push(notSupported(field, { value: pathType, supported: PATH_TYPES }));
  } else {
    if (!text.startsWith("/") && !(isFree && text === "")) bad("must be an absolute path");
    for (const sequence of isFree ? [] : SEQUENCES) {
      if (text.includes(sequence)) bad(`must not contain '${sequence}'`);
    }
    for (const suffix of isFree ? [] : SUFFIXES) {
      if (text.endsWith(suffix)) bad(`cannot end with '${suffix}'`);
    }
  }
  return [...causes, ...backendCauses(objectAt(rule, "backend") ?? {}, `${path}.backend`)];
}

function backendCauses(backend: JsonObject, path: string): Cause[] {
  const [resource, service] = [objectAt(backend, "resource"), objectAt(backend, "service")];
  const bad = (detail: string) => [invalid(path, { value: "", detail })];
  if (resource !== undefined && service !== undefined) {
    return bad("cannot set both resource and service backends");
  }
  if (resource !== undefined) return [];
  if (service === undefined) return bad("resource or service backend is required");
  const { name = "" } = service;
  const causes = name === ""
    ? [required(`${path}.service.name`)]
    : dnsLabelErrors(String(name)).map((detail) => invalid(`${path}.service.name`, { value: name, detail }));
  const port = objectAt(service, "port") ?? {};
  if (port.name && port.number) return [...causes, ...bad("cannot set both port name & port number")];
  if (!port.name && !port.number) return [...causes, required(path, "port name or number is required")];
  return [...causes, ...(port.name ? [] : portCauses(port.number, `${path}.service.port.number`))];
}

function hostsText(rules: readonly unknown[]): string {
  const hosts = rules.map((rule) => textAt(rule, "host")).filter(Boolean);
  if (hosts.length === 0) return "*";
  const shown = hosts.slice(0, 3).join(",");
  return rules.length > 3 ? `${shown} + ${rules.length - 3} more...` : shown;
}

export function balancerText(object: KubeObject): string {
  const ingress = listAt(object, "status", "loadBalancer", "ingress");
  const addresses = ingress.map((entry) => textAt(entry, "ip") || textAt(entry, "hostname")).filter(Boolean);
  return [...new Set(addresses)].sort().join(",");
}
