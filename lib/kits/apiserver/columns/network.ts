/**
 * The tables of services and what stands in front of them.
 *
 * Source: k8s.io/kubernetes, pkg/printers/internalversion.
 */

import type { KubeObject } from "../../../model/object.ts";
import {
  AGE,
  ageOf,
  at,
  columnsFrom,
  type KindTable,
  labelText,
  listAt,
  NAME,
  numberAt,
  selectorText,
  textAt,
} from "./kind_table.ts";

/** By plural, and group where there is one. */
export const NETWORK: Readonly<Record<string, KindTable>> = {
  services: {
    columns: columnsFrom(NAME, "Type", "Cluster-IP", "External-IP", "Port(s)", AGE, "Selector:string:wide"),
    cells: (service, nowMs) => [
      service.metadata.name,
      textAt(service, "spec", "type"),
      clusterIp(service),
      externalIp(service),
      listAt(service, "spec", "ports").map(portText).join(",") || "<none>",
      ageOf(service, nowMs),
      labelText(at(service, "spec", "selector")),
    ],
  },
  endpoints: {
    columns: columnsFrom(NAME, "Endpoints", AGE),
    cells: (endpoints, nowMs) => [endpoints.metadata.name, endpointsText(endpoints), ageOf(endpoints, nowMs)],
  },
  "ingresses.networking.k8s.io": {
    columns: columnsFrom(NAME, "Class", "Hosts", "Address", "Ports", AGE),
    cells: (ingress, nowMs) => [
      ingress.metadata.name,
      textAt(ingress, "spec", "ingressClassName") || "<none>",
      hostsText(listAt(ingress, "spec", "rules")),
      balancerText(ingress),
      listAt(ingress, "spec", "tls").length > 0 ? "80, 443" : "80",
      ageOf(ingress, nowMs),
    ],
  },
  "networkpolicies.networking.k8s.io": {
    columns: columnsFrom(NAME, "Pod-Selector", AGE),
    cells: (policy, nowMs) => [
      policy.metadata.name,
      selectorText(at(policy, "spec", "podSelector")),
      ageOf(policy, nowMs),
    ],
  },
};

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

function balancerText(object: KubeObject): string {
  const ingress = listAt(object, "status", "loadBalancer", "ingress");
  const addresses = ingress.map((entry) => textAt(entry, "ip") || textAt(entry, "hostname")).filter(Boolean);
  return [...new Set(addresses)].sort().join(",");
}

function portText(port: unknown): string {
  const node = numberAt(port, "nodePort");
  return `${numberAt(port, "port")}${node > 0 ? `:${node}` : ""}/${textAt(port, "protocol")}`;
}

function hostsText(rules: readonly unknown[]): string {
  const hosts = rules.map((rule) => textAt(rule, "host")).filter(Boolean);
  if (hosts.length === 0) return "*";
  const shown = hosts.slice(0, 3).join(",");
  return rules.length > 3 ? `${shown} + ${rules.length - 3} more...` : shown;
}

function endpointsText(endpoints: KubeObject): string {
  const all = listAt(endpoints, "subsets").flatMap((subset) => {
    const addresses = listAt(subset, "addresses").map((address) => textAt(address, "ip"));
    const ports = listAt(subset, "ports").map((port) => numberAt(port, "port"));
    if (ports.length === 0) return addresses;
    return ports.flatMap((port) => addresses.map((ip) => `${ip.includes(":") ? `[${ip}]` : ip}:${port}`));
  });
  if (listAt(endpoints, "subsets").length === 0) return "<none>";
  const shown = all.slice(0, 3).join(",");
  return all.length > 3 ? `${shown} + ${all.length - 3} more...` : shown;
}
