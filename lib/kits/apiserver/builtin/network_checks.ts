/**
 * Refusals of Ingresses, NetworkPolicies and EndpointSlices.
 *
 * Source: k8s.io/kubernetes, pkg/apis/networking/validation and pkg/apis/discovery/validation.
 */

import type { JsonObject, KubeObject } from "../../../model/object.ts";
import { type Cause, forbidden, invalid, notSupported, required } from "../causes.ts";
import { ipErrors, readAddress } from "../formats/ip_address.ts";
import { selectorCauses } from "../labels.ts";
import { dnsLabelErrors, dnsSubdomainErrors, portNameErrors } from "../names.ts";
import { objectAt, objectsIn } from "../values.ts";
import { choiceCauses, portCauses } from "./value_checks.ts";

const PATH_TYPES = ["Exact", "ImplementationSpecific", "Prefix"];
const SEQUENCES = ["//", "/./", "/../", "%2f", "%2F"];
const SUFFIXES = ["/..", "/."];

const WILDCARD = /^\*\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const WILDCARD_SAYS =
  "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case " +
  "alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex used for " +
  `validation is '${WILDCARD.source.slice(1, -1)}')`;

/** Says what is wrong with an Ingress. */
export function ingressCauses(spec: JsonObject): Cause[] {
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

/** Says what is wrong with a NetworkPolicy. */
export function networkPolicyCauses(spec: JsonObject): Cause[] {
  const causes = selectorCauses(spec.podSelector, "spec.podSelector");
  for (const [direction, peers] of [["ingress", "from"], ["egress", "to"]] as const) {
    for (const [index, rule] of objectsIn(spec[direction]).entries()) {
      const path = `spec.${direction}[${index}]`;
      for (const [i, port] of objectsIn(rule.ports).entries()) {
        causes.push(...policyPortCauses(port, `${path}.ports[${i}]`));
      }
      for (const [i, peer] of objectsIn(rule[peers]).entries()) {
        causes.push(...peerCauses(peer, `${path}.${peers}[${i}]`));
      }
    }
  }
  const types = Array.isArray(spec.policyTypes) ? spec.policyTypes : [];
  if (types.length > 2) {
    const detail = "may not specify more than two policyTypes";
    return [...causes, invalid("spec.policyTypes", { value: types, detail })];
  }
  const supported = ["Ingress", "Egress"];
  return [...causes, ...types.flatMap((type, i) => choiceCauses(type, `spec.policyTypes[${i}]`, supported))];
}

function policyPortCauses({ protocol, port, endPort: value }: JsonObject, path: string): Cause[] {
  const causes = choiceCauses(protocol, `${path}.protocol`, ["TCP", "UDP", "SCTP"]);
  const endCauses = (detail: string) =>
    value === undefined ? [] : [invalid(`${path}.endPort`, { value, detail })];
  if (typeof port === "string") {
    return [
      ...causes,
      ...endCauses("may not be specified when `port` is non-numeric"),
      ...portNameErrors(port).map((detail) => invalid(`${path}.port`, { value: port, detail })),
    ];
  }
  if (port === undefined) {
    return [...causes, ...endCauses("may not be specified when `port` is not specified")];
  }
  causes.push(...portCauses(port, `${path}.port`));
  if (value === undefined) return causes;
  if (Number(value) < Number(port)) {
    causes.push(
      invalid(`${path}.endPort`, { value: port, detail: "must be greater than or equal to `port`" }),
    );
  }
  return [...causes, ...portCauses(value, `${path}.endPort`)];
}

function peerCauses(peer: JsonObject, path: string): Cause[] {
  const block = objectAt(peer, "ipBlock");
  const selectors = [objectAt(peer, "podSelector"), objectAt(peer, "namespaceSelector")];
  const count = selectors.filter((each) => each !== undefined).length;
  const selected = ["podSelector", "namespaceSelector"].flatMap((field) =>
    selectorCauses(peer[field], `${path}.${field}`)
  );
  if (block === undefined) return count === 0 ? [required(path, "must specify a peer")] : selected;
  const { cidr = "" } = block;
  const field = `${path}.ipBlock.cidr`;
  const detail = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";
  const wrong = cidr === ""
    ? [required(field)]
    : isNetwork(String(cidr))
    ? []
    : [invalid(field, { value: cidr, detail })];
  const causes = [...selected, ...wrong];
  return count === 0 ? causes : [...causes, forbidden(path, "may not specify both ipBlock and another peer")];
}

function isNetwork(cidr: string): boolean {
  const [, address = "", length = ""] = /^([^/]+)\/(\d{1,3})$/.exec(cidr) ?? [];
  const most = address.includes(":") ? 128 : 32;
  return readAddress(address) !== undefined && Number(length) <= most;
}

/** Says what is wrong with an EndpointSlice. */
export function sliceCauses({ addressType, endpoints }: KubeObject): Cause[] {
  const supported = ["FQDN", "IPv4", "IPv6"];
  if (addressType === undefined || addressType === "") return [required("addressType")];
  const causes = choiceCauses(addressType, "addressType", supported);
  if (causes.length > 0 || addressType === "FQDN") return causes;
  return objectsIn(endpoints).flatMap(({ addresses }, index) =>
    (Array.isArray(addresses) ? addresses : []).flatMap((value, i) =>
      addressCauses(value, { type: String(addressType), path: `endpoints[${index}].addresses`, index: i })
    )
  );
}

function addressCauses(
  value: unknown,
  { type, path, index }: { readonly type: string; readonly path: string; readonly index: number },
): Cause[] {
  const errors = ipErrors(String(value));
  if (errors.length > 0) return errors.map((detail) => invalid(`${path}[${index}]`, { value, detail }));
  const isOther = String(value).includes(":") !== (type === "IPv6");
  return isOther ? [invalid(path, { value, detail: `must be an ${type} address` })] : [];
}
