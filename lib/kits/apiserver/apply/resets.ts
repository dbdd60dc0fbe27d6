/**
 * The fields that a write of an object, or of its status, cannot change, and so does not own.
 *
 * Source: k8s.io/kubernetes, pkg/registry, `GetResetFields()` of the strategies.
 */

import type { Kind } from "../kinds.ts";
import { type FieldSet, LEAF } from "./field_set.ts";

/**
 * Built-in kinds whose metadata a write of the status does not change.
 * Source: k8s.io/kubernetes, pkg/registry, the strategies with `ResetObjectMetaForStatus()` or an ObjectMeta that is kept.
 */
export const STATUS_ALONE = [
  "APIService",
  "FlowSchema",
  "PriorityLevelConfiguration",
  "ResourceClaim",
  "ServiceCIDR",
  "ValidatingAdmissionPolicy",
  "VolumeAttachment",
];

const SPEC: FieldSet = { "f:spec": LEAF };
const METADATA_AND_SPEC: FieldSet = { ...SPEC, "f:metadata": LEAF };
const OF_KINDS: ReadonlyMap<string, FieldSet> = new Map<string, FieldSet>([
  ["Deployment", { ...SPEC, "f:metadata": { "f:labels": LEAF } }],
  ["Pod", { ...SPEC, "f:metadata": { "f:deletionTimestamp": LEAF, "f:ownerReferences": LEAF } }],
]);

/** Returns the fields that a write cannot change. */
export function ignoredBy({ kind, custom, subresources }: Kind, subresource: string | undefined): FieldSet {
  if (subresource !== "status") {
    // NB: the spec of these never changes, and so it has no owner, not even their creator.
    if (kind === "CertificateSigningRequest" && !custom) return { ...SPEC, "f:status": LEAF };
    return subresources.includes("status") ? { "f:status": LEAF } : LEAF;
  }
  if (custom || STATUS_ALONE.includes(kind)) return METADATA_AND_SPEC;
  return OF_KINDS.get(kind) ?? SPEC;
}
