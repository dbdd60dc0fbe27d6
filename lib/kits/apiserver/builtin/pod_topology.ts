/**
 * Where a Pod runs, told by its labels: zone and region of its node.
 *
 * Source: k8s.io/kubernetes, plugin/pkg/admission/podtopologylabels.
 */

import type { ObjectMeta } from "../../../model/object.ts";
import type { Collection } from "../storage/collection.ts";

/** The name of the collection of nodes. */
export const NODES = "nodes";
const COPIED = ["topology.kubernetes.io/region", "topology.kubernetes.io/zone"];

/** Puts the zone and the region of the node among the labels, whatever they say of them. */
export function copyTopology(metadata: ObjectMeta, node: unknown, nodes: Collection): void {
  const labels = typeof node === "string" ? nodes.get(node)?.object.metadata.labels : undefined;
  for (const label of COPIED) {
    const value = labels?.[label];
    if (value !== undefined) metadata.labels = { ...metadata.labels, [label]: value };
  }
}
