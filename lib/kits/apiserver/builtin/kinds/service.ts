/**
 * The rules of Services: defaults by type, addresses and node ports, and fields that exclude each other.
 *
 * There are no reservations: an address follows from the name, a node port is one that no other Service has, and a given
 * one must be free. Addresses may be of any range.
 * Source: k8s.io/kubernetes, pkg/registry/core/service and pkg/apis/core/validation, ValidateService.
 */

import type { JsonObject, KubeObject } from "../../../../model/object.ts";
import { type Cause, duplicate, forbidden, invalid, notSupported, required } from "../../causes.ts";
import { ageOf, at, labelText, listAt, numberAt, row, textAt, textCell } from "../cells.ts";
import { balancerText } from "./ingress.ts";
import type { KindRules } from "../../kinds.ts";
import { labelCauses } from "../../labels.ts";
import { dnsLabelErrors, dnsSubdomainErrors, portNameErrors, qualifiedNameErrors } from "../../names.ts";
import type { Collection } from "../../storage/collection.ts";
import { equal, fill, isObject, objectAt, objectsIn } from "../../values.ts";

const TYPES = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];
const PROTOCOLS = ["SCTP", "TCP", "UDP"];
/** The range of ports that nodes listen at. */
const FIRST_PORT = 30_000;
const LAST_PORT = 32_767;
/** For how long a client comes back to the same Pod, in seconds. */
const AFFINITY_SECONDS = 10_800;

/** Returns the rules of Services; others are in the collection. */
export function serviceRules(services: Collection): KindRules {
  return {
    normalize(object) {
      if (!isObject(object.spec)) object.spec = {};
      defaultService(object.spec);
      if (object.spec.type === "LoadBalancer") {
        const { ingress } = objectAt(object.status, "loadBalancer") ?? {};
        for (const entry of objectsIn(ingress)) if (entry.ip) fill(entry, { ipMode: "VIP" });
      }
      return [];
    },
    settle(object, old) {
      if (old === undefined) object.status = { loadBalancer: {} };
      else inherit(object, old);
      if (!hasAddress(object.spec ?? {})) delete object.spec?.internalTrafficPolicy;
      allocateAddresses(object);
      allocatePorts(object, services);
    },
    validate(object, { old, part }) {
      if (part === "status") return [];
      const sealed = old === undefined ? [] : sealedCauses(object.spec ?? {}, old.spec ?? {});
      const families = familyCauses(object.spec ?? {});
      if (families.length > 0) return families;
      const causes = [...sealed, ...serviceCauses(object.spec ?? {})];
      return causes.length > 0 ? causes : takenCauses(object, old, services);
    },
    warnings: ({ spec = {}, metadata }) => serviceWarnings(spec, metadata),
    cells: row(
      textCell("spec.type"),
      clusterIp,
      externalIp,
      (service) => listAt(service, "spec", "ports").map(portText).join(",") || "<none>",
      ageOf,
      (service) => labelText(at(service, "spec", "selector")),
    ),
  };
}

function hasNodePorts({ type }: JsonObject): boolean {
  return type === "NodePort" || type === "LoadBalancer";
}

/** Whether its ports get node ports by themselves. */
function wantsNodePorts(spec: JsonObject): boolean {
  return hasNodePorts(spec) &&
    !(spec.type === "LoadBalancer" && spec.allocateLoadBalancerNodePorts === false);
}

function hasAddress({ type }: JsonObject): boolean {
  return type !== "ExternalName";
}

function isExternal(spec: JsonObject): boolean {
  const hasAddresses = Array.isArray(spec.externalIPs) && spec.externalIPs.length > 0;
  return hasNodePorts(spec) || (spec.type === "ClusterIP" && hasAddresses);
}

/** Whether load balancers ask nodes, at a port of its own, if there are Pods on them. */
function isProbed({ type, externalTrafficPolicy }: JsonObject): boolean {
  return type === "LoadBalancer" && externalTrafficPolicy === "Local";
}

function defaultService(spec: JsonObject): void {
  fill(spec, { type: "ClusterIP", sessionAffinity: "None" });
  if (spec.sessionAffinity === "None") delete spec.sessionAffinityConfig;
  if (spec.sessionAffinity === "ClientIP") {
    fill(spec, { sessionAffinityConfig: { clientIP: { timeoutSeconds: AFFINITY_SECONDS } } });
  }
  if (isExternal(spec)) fill(spec, { externalTrafficPolicy: "Cluster" });
  if (hasAddress(spec)) fill(spec, { internalTrafficPolicy: "Cluster" });
  if (spec.type === "LoadBalancer") fill(spec, { allocateLoadBalancerNodePorts: true });
  for (const port of objectsIn(spec.ports)) {
    fill(port, { protocol: "TCP" });
    if (port.targetPort === undefined || port.targetPort === 0 || port.targetPort === "") {
      port.targetPort = port.port;
    }
  }
}

/**
 * Takes over the addresses and ports that the server had given, and drops fields that the new type does not have, unless they
 * were changed as well.
 */
function inherit(object: KubeObject, old: KubeObject): void {
  const [spec, before] = [object.spec ?? {}, old.spec ?? {}];
  const drop = (had: boolean, has: boolean, ...fields: readonly string[]) => {
    for (const field of fields) if (had && !has && equal(spec[field], before[field])) delete spec[field];
  };
  const addresses = ["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"];
  drop(hasAddress(before), hasAddress(spec), ...addresses, "internalTrafficPolicy");
  drop(isProbed(before), isProbed(spec), "healthCheckNodePort");
  const balanced = ["allocateLoadBalancerNodePorts", "loadBalancerClass"];
  drop(before.type === "LoadBalancer", spec.type === "LoadBalancer", ...balanced);
  drop(isExternal(before), isExternal(spec), "externalTrafficPolicy");
  if (spec.type !== "LoadBalancer" && objectAt(object.status, "loadBalancer") !== undefined) {
    object.status = { ...object.status, loadBalancer: {} };
  }
  if (hasAddress(before) && hasAddress(spec) && !spec.clusterIP) {
    fill(spec, { clusterIPs: before.clusterIPs });
    spec.clusterIP = before.clusterIP;
  }
  if (isProbed(before) && isProbed(spec)) fill(spec, { healthCheckNodePort: before.healthCheckNodePort });
  if (hasNodePorts(before)) inheritPorts(spec, before);
}

function inheritPorts(spec: JsonObject, before: JsonObject): void {
  const [ports, old] = [objectsIn(spec.ports), objectsIn(before.ports)];
  const numbers = (list: readonly JsonObject[]) => list.map(({ nodePort }) => nodePort ?? 0);
  if (!hasNodePorts(spec)) {
    if (equal(numbers(ports), numbers(old))) { for (const port of ports) delete port.nodePort; }
    return;
  }
  if (!wantsNodePorts(spec) || !wantsNodePorts(before)) return;
  const used = new Set<unknown>(numbers(ports));
  for (const port of ports) {
    const kept = old.find(({ name = "" }) => name === (port.name ?? ""))?.nodePort;
    if (port.nodePort || !kept || used.has(kept)) continue;
    port.nodePort = kept;
    used.add(kept);
  }
}

function placeOf({ metadata }: KubeObject): string {
  return `${metadata.namespace}/${metadata.name}`;
}

function allocateAddresses(object: KubeObject): void {
  const spec = object.spec ?? {};
  if (spec.clusterIP) fill(spec, { clusterIPs: [spec.clusterIP] });
  if (!hasAddress(spec)) return;
  if (spec.clusterIP === undefined || spec.clusterIP === "") {
    spec.clusterIP = addressFor(placeOf(object));
  }
  // NB: without an address and without a selector, a service is taken to have endpoints of both kinds.
  const both = spec.clusterIP === "None" && Object.keys(objectAt(spec, "selector") ?? {}).length === 0;
  fill(spec, {
    clusterIPs: [spec.clusterIP],
    ipFamilies: both && spec.ipFamilyPolicy === undefined ? ["IPv4", "IPv6"] : ["IPv4"],
    ipFamilyPolicy: both ? "RequireDualStack" : "SingleStack",
  });
}

/** There are addresses of version 4 alone. NB: this is told before anything else. */
function familyCauses(spec: JsonObject): Cause[] {
  const isOpen = spec.clusterIP === "None" && Object.keys(objectAt(spec, "selector") ?? {}).length === 0;
  if (!hasAddress(spec) || isOpen) return [];
  const { ipFamilyPolicy: value } = spec;
  const families = Array.isArray(spec.ipFamilies) ? spec.ipFamilies : [];
  const repeated = families.flatMap((family, index) =>
    families.indexOf(family) < index ? [duplicate(`spec.ipFamilies[${index}]`, family)] : []
  );
  if (repeated.length > 0) return repeated;
  const detail = "this cluster is not configured for dual-stack services";
  const causes = value === "RequireDualStack" ? [invalid("spec.ipFamilyPolicy", { value, detail })] : [];
  for (const [index, family] of families.entries()) {
    if (family !== "IPv6") continue;
    const detail = "not configured on this cluster";
    causes.push(invalid(`spec.ipFamilies[${index}]`, { value: family, detail }));
  }
  return causes;
}

/** An address that looks like one of a service network, and is always the same for the same name. */
function addressFor(name: string): string {
  const hash = hashOf(name);
  return `10.${96 + ((hash >>> 16) % 16)}.${(hash >>> 8) & 255}.${1 + (hash & 255) % 254}`;
}

function hashOf(text: string): number {
  let hash = 2166136261;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 16777619) >>> 0;
  return hash;
}

function allocatePorts(object: KubeObject, services: Collection): void {
  const spec = object.spec ?? {};
  if (!hasNodePorts(spec)) return;
  const wanting = wantsNodePorts(spec) ? objectsIn(spec.ports).filter(({ nodePort }) => !nodePort) : [];
  const isUnprobed = isProbed(spec) && !spec.healthCheckNodePort;
  if (wanting.length === 0 && !isUnprobed) return;
  const used = portsOfOthers(object, services);
  for (const port of nodePortsOf(spec)) used.add(port);
  const next = (name: string) => {
    const count = LAST_PORT - FIRST_PORT + 1;
    const start = hashOf(`${placeOf(object)}/${name}`);
    for (let i = 0; i < count; i++) {
      const port = FIRST_PORT + (start + i) % count;
      if (used.has(port)) continue;
      used.add(port);
      return port;
    }
    return undefined;
  };
  for (const port of wanting) port.nodePort = next(String(port.name ?? ""));
  if (isUnprobed) spec.healthCheckNodePort = next("/health");
}

function nodePortsOf(spec: JsonObject): number[] {
  const ports = [...objectsIn(spec.ports).map(({ nodePort }) => nodePort), spec.healthCheckNodePort];
  return ports.filter((port): port is number => typeof port === "number" && port !== 0);
}

function portsOfOthers(object: KubeObject, services: Collection): Set<number> {
  const used = new Set<number>();
  for (const { object: other } of services.values()) {
    if (placeOf(other) === placeOf(object)) continue;
    for (const port of nodePortsOf(other.spec ?? {})) used.add(port);
  }
  return used;
}

/** Says which ports and addresses that were asked for cannot be had. */
function takenCauses(object: KubeObject, old: KubeObject | undefined, services: Collection): Cause[] {
  const [spec, before] = [object.spec ?? {}, old?.spec ?? {}];
  const { clusterIP: address } = spec;
  const wasGiven = address === before.clusterIP || address === addressFor(placeOf(object));
  if (typeof address === "string" && address !== "None" && !wasGiven) {
    for (const { object: other } of services.values()) {
      if (other.spec?.clusterIP !== address || placeOf(other) === placeOf(object)) continue;
      const detail = `failed to allocate IP ${address}: provided IP is already allocated`;
      return [invalid("spec.clusterIPs", { value: [address], detail })];
    }
  }
  if (!hasNodePorts(spec)) return [];
  const known = new Set(nodePortsOf(before));
  const asked = objectsIn(spec.ports).map(({ nodePort }) => Number(nodePort ?? 0));
  if (asked.every((port) => port === 0 || known.has(port))) return [];
  const used = portsOfOthers(object, services);
  for (const [index, port] of asked.entries()) {
    const detail = port === 0 || known.has(port)
      ? undefined
      : port < FIRST_PORT || port > LAST_PORT
      ? `provided port is not in the valid range. The range of valid ports is ${FIRST_PORT}-${LAST_PORT}`
      : used.has(port)
      ? "provided port is already allocated"
      : undefined;
    if (detail !== undefined) return [invalid(`spec.ports[${index}].nodePort`, { value: port, detail })];
  }
  return [];
}

function serviceCauses(spec: JsonObject): Cause[] {
  const { type, clusterIP, externalName } = spec;
  const ports = objectsIn(spec.ports);
  const causes: Cause[] = [];
  if (ports.length === 0 && clusterIP !== "None" && hasAddress(spec)) causes.push(required("spec.ports"));
  if (hasNodePorts(spec) && clusterIP === "None") {
    const detail = `may not be set to 'None' for ${type} services`;
    causes.push(invalid("spec.clusterIPs[0]", { value: clusterIP, detail }));
  }
  if (!hasAddress(spec)) causes.push(...externalCauses(spec, String(externalName ?? "")));
  causes.push(...portCauses(ports), ...labelCauses(spec.selector, "spec.selector"));
  if (!["ClientIP", "None"].includes(String(spec.sessionAffinity))) {
    const supported = ["ClientIP", "None"];
    causes.push(notSupported("spec.sessionAffinity", { value: spec.sessionAffinity, supported }));
  }
  if (!TYPES.includes(String(type))) {
    causes.push(notSupported("spec.type", { value: type, supported: TYPES }));
  }
  if (type === "ClusterIP") {
    for (const [index, { nodePort }] of ports.entries()) {
      const detail = "may not be used when `type` is 'ClusterIP'";
      if (nodePort) causes.push(forbidden(`spec.ports[${index}].nodePort`, detail));
    }
  }
  causes.push(...repeatedCauses(ports));
  return [...causes, ...policyCauses(spec)];
}

function externalCauses(spec: JsonObject, externalName: string): Cause[] {
  const causes: Cause[] = [];
  for (const field of ["clusterIPs", "ipFamilies", "ipFamilyPolicy"]) {
    const value = spec[field];
    if (value === undefined || (Array.isArray(value) && value.length === 0)) continue;
    causes.push(forbidden(`spec.${field}`, "may not be set for ExternalName services"));
  }
  const name = externalName.replace(/\.$/, "");
  if (name === "") return [...causes, required("spec.externalName")];
  const field = "spec.externalName";
  return [...causes, ...dnsSubdomainErrors(name).map((detail) => invalid(field, { value: name, detail }))];
}

function portCauses(ports: readonly JsonObject[]): Cause[] {
  const names = new Set<unknown>();
  return ports.flatMap(({ name = "", port = 0, protocol, targetPort }, index) => {
    const path = `spec.ports[${index}]`;
    const causes: Cause[] = [];
    if (name === "" && ports.length > 1) causes.push(required(`${path}.name`));
    if (name !== "") {
      const errors = dnsLabelErrors(String(name));
      causes.push(...errors.map((detail) => invalid(`${path}.name`, { value: name, detail })));
      if (names.has(name)) causes.push(duplicate(`${path}.name`, name));
      names.add(name);
    }
    if (!PROTOCOLS.includes(String(protocol))) {
      causes.push(notSupported(`${path}.protocol`, { value: protocol, supported: PROTOCOLS }));
    }
    if (typeof targetPort === "string") {
      const errors = portNameErrors(targetPort);
      causes.push(...errors.map((detail) => invalid(`${path}.targetPort`, { value: targetPort, detail })));
    }
    for (const [field, value] of Object.entries({ port, targetPort })) {
      if (typeof value !== "number" || (value >= 1 && value <= 65_535)) continue;
      causes.push(invalid(`${path}.${field}`, { value, detail: "must be between 1 and 65535, inclusive" }));
    }
    return causes;
  });
}

function repeatedCauses(ports: readonly JsonObject[]): Cause[] {
  const seen = new Set<string>();
  const isNew = (key: string) => seen.size < seen.add(key).size;
  const nodePorts = ports.flatMap(({ protocol, nodePort }, index) =>
    !nodePort || isNew(`node ${protocol} ${nodePort}`)
      ? []
      : [duplicate(`spec.ports[${index}].nodePort`, nodePort)]
  );
  const repeated = ports.flatMap(({ protocol, port }, index) => {
    // The real server prints the whole of its internal type.
    const shown = { Name: "", Protocol: protocol, AppProtocol: null, Port: port, TargetPort: 0, NodePort: 0 };
    const message = `Duplicate value: ${JSON.stringify(shown)}`;
    const cause: Cause = { reason: "FieldValueDuplicate", message, field: `spec.ports[${index}]` };
    return isNew(`${protocol} ${port}`) ? [] : [cause];
  });
  return [...nodePorts, ...repeated];
}

function policyCauses(spec: JsonObject): Cause[] {
  const { type, externalTrafficPolicy: policy } = spec;
  const causes: Cause[] = [];
  if (spec.allocateLoadBalancerNodePorts !== undefined && type !== "LoadBalancer") {
    const detail = "may only be used when `type` is 'LoadBalancer'";
    causes.push(forbidden("spec.allocateLoadBalancerNodePorts", detail));
  }
  const { loadBalancerClass } = spec;
  if (loadBalancerClass !== undefined && type !== "LoadBalancer") {
    causes.push(forbidden("spec.loadBalancerClass", "may only be used when `type` is 'LoadBalancer'"));
  } else if (loadBalancerClass !== undefined) {
    for (const detail of qualifiedNameErrors(String(loadBalancerClass))) {
      causes.push(invalid("spec.loadBalancerClass", { value: loadBalancerClass, detail }));
    }
  }
  if (policy !== undefined && policy !== "" && !isExternal(spec)) {
    const detail = "may only be set for externally-accessible services";
    causes.push(invalid("spec.externalTrafficPolicy", { value: policy, detail }));
  }
  if (isExternal(spec) && !["Cluster", "Local"].includes(String(policy))) {
    const supported = ["Cluster", "Local"];
    causes.push(notSupported("spec.externalTrafficPolicy", { value: policy, supported }));
  }
  if (spec.healthCheckNodePort && !isProbed(spec)) {
    const detail = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
    causes.push(invalid("spec.healthCheckNodePort", { value: spec.healthCheckNodePort, detail }));
  }
  return causes;
}

function sealedCauses(now: JsonObject, before: JsonObject): Cause[] {
  const isFree = [now, before].some(({ type }) => type === "ExternalName");
  const [value, old] = [now.clusterIP, before.clusterIP];
  const detail = "may not change once set";
  const causes = isFree || old === undefined || old === "" || value === old
    ? []
    : [invalid("spec.clusterIPs[0]", { value: [value ?? ""], detail })];
  const isBalanced = [now, before].every(({ type }) => type === "LoadBalancer");
  if (!isBalanced || now.loadBalancerClass === before.loadBalancerClass) return causes;
  return [...causes, invalid("spec.loadBalancerClass", { value: now.loadBalancerClass ?? null, detail })];
}

const HINTS = "service.kubernetes.io/topology-aware-hints";

function serviceWarnings(spec: JsonObject, { annotations = {} }: KubeObject["metadata"]): string[] {
  const isHeadless = spec.type === "ClusterIP" && spec.clusterIP === "None";
  const isExternal = spec.type === "ExternalName";
  const hasExternal = Array.isArray(spec.externalIPs) && spec.externalIPs.length > 0;
  const said: readonly (readonly [boolean, string])[] = [
    [
      Object.hasOwn(annotations, HINTS),
      `annotation ${HINTS} is deprecated, please use service.kubernetes.io/topology-mode instead`,
    ],
    [isHeadless && Boolean(spec.loadBalancerIP), "spec.loadBalancerIP is ignored for headless services"],
    [isHeadless && hasExternal, "spec.externalIPs is ignored for headless services"],
    [
      isHeadless && spec.sessionAffinity !== "None",
      "spec.SessionAffinity is ignored for headless services",
    ],
    [
      hasExternal && !isHeadless && !isExternal,
      "spec.externalIPs is deprecated and may no longer be implemented in some clusters",
    ],
    [isExternal && hasExternal, 'spec.externalIPs is ignored when spec.type is "ExternalName"'],
    [
      !isExternal && Boolean(spec.externalName),
      'spec.externalName is ignored when spec.type is not "ExternalName"',
    ],
    [
      spec.trafficDistribution === "PreferClose",
      'spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"',
    ],
  ];
  return said.filter(([isSo]) => isSo).map(([, text]) => text);
}

function clusterIp(service: KubeObject): string {
  const [first] = listAt(service, "spec", "clusterIPs");
  return typeof first === "string" ? first : textAt(service, "spec", "clusterIP") || "<none>";
}

function externalIp(service: KubeObject): string {
  const given = listAt(service, "spec", "externalIPs").map(String);
  switch (textAt(service, "spec", "type")) {
    case "ClusterIP":
    case "NodePort":
      return given.join(",") || "<none>";
    case "LoadBalancer": {
      const balancer = balancerText(service);
      return [...(balancer === "" ? [] : [balancer]), ...given].join(",") || "<pending>";
    }
    case "ExternalName":
      return textAt(service, "spec", "externalName");
    default:
      return "<unknown>";
  }
}

function portText(port: unknown): string {
  const node = numberAt(port, "nodePort");
  return `${numberAt(port, "port")}${node > 0 ? `:${node}` : ""}/${textAt(port, "protocol")}`;
}
