/**
 * Groups below k8s.io and kubernetes.io belong to Kubernetes: definitions in them name their approval in an annotation.
 *
 * Source: k8s.io/apiextensions-apiserver, pkg/apihelpers and pkg/controller/apiapproval.
 */

import type { KubeObject } from "../../../model/object.ts";
import { type Cause, invalid, required } from "../causes.ts";
import { objectAt } from "../values.ts";

const ANNOTATION = "api-approved.kubernetes.io";
const SEE = "see https://github.com/kubernetes/enhancements/pull/1111";

interface Approval {
  /** The reason of the condition. */
  readonly state: "ApprovedAnnotation" | "UnapprovedAnnotation" | "MissingAnnotation" | "InvalidAnnotation";
  readonly message: string;
}

/** Returns the approval in the annotation; undefined for unprotected groups. */
function approvalOf(definition: KubeObject): Approval | undefined {
  if (!/(^|\.)(k8s|kubernetes)\.io$/.test(String(objectAt(definition, "spec")?.group))) return undefined;
  const value = definition.metadata?.annotations?.[ANNOTATION] ?? "";
  const start = `protected groups must have approval annotation "${ANNOTATION}"`;
  if (value === "") return { state: "MissingAnnotation", message: `${start}, ${SEE}` };
  if (value.startsWith("unapproved")) {
    return { state: "UnapprovedAnnotation", message: `not approved: ${JSON.stringify(value)}` };
  }
  if (URL.canParse(value) && new URL(value).host !== "") {
    return { state: "ApprovedAnnotation", message: `approved in ${value}` };
  }
  const detail = `${start} with either a URL or a reason starting with "unapproved", ${SEE}`;
  return { state: "InvalidAnnotation", message: detail };
}

/** Returns the faults of the annotation, unless it was so before an update. */
export function approvalCauses(definition: KubeObject, old: KubeObject | undefined): Cause[] {
  const approval = approvalOf(definition);
  if (approval === undefined || (old !== undefined && approvalOf(old)?.state === approval.state)) return [];
  const { state, message } = approval;
  const at = `metadata.annotations[${ANNOTATION}]`;
  if (state === "MissingAnnotation") return [required(at, message)];
  if (state !== "InvalidAnnotation") return [];
  return [invalid(at, { value: definition.metadata.annotations?.[ANNOTATION], detail: message })];
}

/** Returns the condition `KubernetesAPIApprovalPolicyConformant`, without its time; undefined for groups that are anybody's. */
export function approvalCondition(
  definition: KubeObject,
): Record<"status" | "reason" | "message", string> | undefined {
  const approval = approvalOf(definition);
  if (approval === undefined) return undefined;
  const { state: reason, message } = approval;
  return { status: reason === "ApprovedAnnotation" ? "True" : "False", reason, message };
}
