/** Nodes: kubelets say all about their node when they make it. Source: k8s.io/kubernetes, pkg/registry/core/node. */

import type { KubeObject } from "../../../../model/object.ts";
import { ageOf, at, conditionOf, listAt, textAt } from "../cells.ts";
import { fillPair } from "../defaults.ts";
import { objectsIn } from "../../values.ts";
import type { KindContext, KindModule } from "../kind_module.ts";

export const nodeModule = ({ runsPods }: KindContext): KindModule => ({
  takesStatus: true,
  // Where Pods run, each node is ready at once.
  admit: runsPods ? undefined : taintNew,
  complete: ({ spec }) => fillPair(spec, { one: "podCIDR", all: "podCIDRs" }),
  cells: nodeCells,
});

const NOT_READY = { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" };

/** Source: k8s.io/kubernetes, plugin/pkg/admission/nodetaint. */
function taintNew({ spec }: KubeObject, old: KubeObject | undefined): void {
  if (old !== undefined || spec === undefined) return;
  const taints = objectsIn(spec.taints);
  const isThere = taints.some(({ key, effect }) => key === NOT_READY.key && effect === NOT_READY.effect);
  if (!isThere) spec.taints = [...taints, NOT_READY];
}

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
