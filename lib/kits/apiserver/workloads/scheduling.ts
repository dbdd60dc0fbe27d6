/**
 * Which node takes a Pod: by its name, its labels and its taints. The capacity of nodes is not counted.
 *
 * Source: Kubernetes documentation, "Assigning Pods to Nodes", "Taints and Tolerations".
 */

import type { JsonObject } from "../../../model/object.ts";
import { selects } from "../selectors/selector.ts";
import { objectAt, objectsIn } from "../values.ts";
import type { Node, PodSpec, Toleration } from "./types.ts";

/** Whether a Pod may run on a node. */
export function takes(node: Node, spec: PodSpec): boolean {
  const labels = node.metadata.labels ?? {};
  const isWanted = Object.entries(spec.nodeSelector ?? {}).every(([key, value]) => labels[key] === value);
  return isWanted && hasAffinity(node, spec.affinity) && isTolerated(node, spec.tolerations ?? []);
}

function hasAffinity(node: Node, affinity: JsonObject | undefined): boolean {
  const nodeAffinity = objectAt(affinity, "nodeAffinity");
  const required = objectAt(nodeAffinity, "requiredDuringSchedulingIgnoredDuringExecution");
  if (required === undefined) return true;
  return objectsIn(required.nodeSelectorTerms).some((term) => {
    const expressions = objectsIn(term.matchExpressions);
    const fields = objectsIn(term.matchFields);
    if (expressions.length + fields.length === 0) return false;
    const name = { "metadata.name": node.metadata.name ?? "" };
    return selects({ matchExpressions: expressions }, node.metadata.labels) &&
      selects({ matchExpressions: fields }, name);
  });
}

function isTolerated({ spec }: Node, tolerations: readonly Toleration[]): boolean {
  const cordon = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" };
  const taints = [...spec?.taints ?? [], ...(spec?.unschedulable === true ? [cordon] : [])];
  return taints.filter(({ effect }) => effect !== "PreferNoSchedule").every((taint) =>
    tolerations.some((toleration) => bears(toleration, taint))
  );
}

function bears(
  { key = "", operator = "Equal", value = "", effect = "" }: Toleration,
  taint: { readonly key: string; readonly value?: string; readonly effect: string },
): boolean {
  if (effect !== "" && effect !== taint.effect) return false;
  if (key === "") return operator === "Exists";
  return key === taint.key && (operator === "Exists" || value === (taint.value ?? ""));
}
