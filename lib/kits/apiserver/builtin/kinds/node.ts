/** Nodes: kubelets say all about their node when they make it. Source: k8s.io/kubernetes, pkg/registry/core/node. */

import type { KubeObject } from "../../../../model/object.ts";
import { ageOf, at, conditionOf, listAt, textAt } from "../cells.ts";
import { fillPair } from "../defaults.ts";
import type { KindModule } from "../kind_module.ts";

export const NODE: KindModule = {
  takesStatus: true,
  complete: ({ spec }) => fillPair(spec, { one: "podCIDR", all: "podCIDRs" }),
  cells: nodeCells,
};

function nodeCells(node: KubeObject, nowMs: number): unknown[] {
  const ready = conditionOf(node, "Ready");
  const status = ready === undefined ? "Unknown" : textAt(ready, "status") === "True" ? "Ready" : "NotReady";
  const cordoned = at(node, "spec", "unschedulable") === true ? ",SchedulingDisabled" : "";
  const info = (key: string): string => textAt(node, "status", "nodeInfo", key) || "<unknown>";
  const architecture = textAt(node, "status", "nodeInfo", "architecture");
  return [
    node.metadata.name,
    status + cordoned,
    rolesOf(node) || "<none>",
    ageOf(node, nowMs),
    textAt(node, "status", "nodeInfo", "kubeletVersion"),
    addressOf(node, "InternalIP"),
    addressOf(node, "ExternalIP"),
    info("osImage"),
    info("kernelVersion") + (architecture === "" ? "" : ` (${architecture})`),
    info("containerRuntimeVersion"),
  ];
}

function rolesOf(node: KubeObject): string {
  const prefix = "node-role.kubernetes.io/";
  const roles = Object.entries(node.metadata.labels ?? {}).flatMap(([key, value]) => {
    if (key.startsWith(prefix) && key.length > prefix.length) return [key.slice(prefix.length)];
    return key === "kubernetes.io/role" && value !== "" ? [value] : [];
  });
  return [...new Set(roles)].sort().join(",");
}

function addressOf(node: KubeObject, type: string): string {
  const found = listAt(node, "status", "addresses").find((address) => textAt(address, "type") === type);
  return textAt(found, "address") || "<none>";
}
