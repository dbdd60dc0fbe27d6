/**
 * Why a namespace that is being deleted is still there, in the words of its status.
 *
 * Source: k8s.io/kubernetes, pkg/controller/namespace/deletion/status_condition_utils.go.
 */

import type { JsonObject, KubeObject } from "../../../model/object.ts";
import type { Kind } from "../kinds.ts";
import { objectsIn } from "../values.ts";

/** The objects of one kind that are left. */
export interface Rest {
  readonly kind: Kind;
  readonly objects: readonly KubeObject[];
}

/** All that is left of a namespace. */
export interface Remaining {
  readonly left: readonly Rest[];
  /** Other objects are not deleted before these have gone. NB: then the real server does not tell how many are left. */
  readonly waits: boolean;
}

/** Returns the conditions of a namespace; the time of a transition stays unless the status changes. */
export function endingConditions(
  namespace: KubeObject,
  { left, waits }: Remaining,
  time: string,
): JsonObject[] {
  const known = objectsIn(namespace.status?.conditions);
  const resources = left.map(({ kind, objects }) =>
    `${nameOf(kind)} has ${objects.length} resource instances`
  );
  const finalizers = new Map<string, number>();
  for (const { metadata } of left.flatMap(({ objects }) => objects)) {
    for (const finalizer of metadata.finalizers ?? []) {
      finalizers.set(finalizer, (finalizers.get(finalizer) ?? 0) + 1);
    }
  }
  const counts = [...finalizers].sort().map(([key, count]) => `${key} in ${count} resource instances`);
  const conditions: readonly (readonly [type: string, status: boolean, reason: string, message: string])[] = [
    [
      "NamespaceDeletionDiscoveryFailure",
      false,
      "ResourcesDiscovered",
      "All resources successfully discovered",
    ],
    [
      "NamespaceDeletionGroupVersionParsingFailure",
      false,
      "ParsedGroupVersions",
      "All legacy kube types successfully parsed",
    ],
    [
      "NamespaceDeletionContentFailure",
      false,
      "ContentDeleted",
      "All content successfully deleted, may be waiting on finalization",
    ],
    waits ? ["NamespaceContentRemaining", false, "ContentRemoved", "All content successfully removed"] : [
      "NamespaceContentRemaining",
      true,
      "SomeResourcesRemain",
      `Some resources are remaining: ${resources.join(", ")}`,
    ],
    waits || counts.length === 0
      ? [
        "NamespaceFinalizersRemaining",
        false,
        "ContentHasNoFinalizers",
        "All content-preserving finalizers finished",
      ]
      : [
        "NamespaceFinalizersRemaining",
        true,
        "SomeFinalizersRemain",
        `Some content in the namespace has finalizers remaining: ${counts.join(", ")}`,
      ],
  ];
  return conditions.map(([type, holds, reason, message]) => {
    const status = holds ? "True" : "False";
    const before = known.find((condition) => condition.type === type);
    const lastTransitionTime = before?.status === status ? before.lastTransitionTime : time;
    return { type, status, lastTransitionTime, reason, message };
  });
}

function nameOf({ group, plural }: Kind): string {
  return `${plural}.${group}`;
}
