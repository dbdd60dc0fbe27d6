/**
 * Why the API server refuses an object: Kubernetes' field errors, in Kubernetes' words.
 *
 * A cause's `message` is what stands in `Status.details.causes[].message`; the one line of `Status.message` puts the
 * field in front of it. Source: k8s.io/apimachinery, pkg/util/validation/field and pkg/api/errors.
 */

import type { StatusBody } from "../../model/object.ts";

/** Kubernetes' names for what can be wrong with a field. */
export type CauseReason =
  | "FieldValueRequired"
  | "FieldValueInvalid"
  | "FieldValueTypeInvalid"
  | "FieldValueNotSupported"
  | "FieldValueDuplicate"
  | "FieldValueForbidden"
  | "FieldValueTooLong"
  | "FieldValueTooMany";

/** One thing that is wrong with an object. */
export interface Cause {
  readonly reason: CauseReason;
  /** Without the field, such as `Invalid value: 7: spec.replicas in body should be less than or equal to 5`. */
  readonly message: string;
  /** Dotted path with `[0]` and `[key]`, such as `spec.ports[0].name`. */
  readonly field: string;
}

/** Which object is refused. */
export interface InvalidOptions {
  /** "" for the core group. */
  readonly group: string;
  readonly kind: string;
  readonly name: string;
}

/** Gives the 422 answer that Kubernetes gives for these causes. */
export function invalidStatus(causes: readonly Cause[], options: InvalidOptions): StatusBody {
  const { group, kind, name } = options;
  const qualified = group === "" ? kind : `${kind}.${group}`;
  return {
    kind: "Status",
    apiVersion: "v1",
    status: "Failure",
    message: `${qualified} "${name}" is invalid: ${joinCauses(causes)}`,
    reason: "Invalid",
    details: { name, group, kind, causes: causes.map((cause) => ({ ...cause })) },
    code: 422,
  };
}

/** Gives the causes as Go's aggregated errors read: one alone, several once each in brackets. */
export function joinCauses(causes: readonly Cause[]): string {
  const lines = new Set(causes.map(({ field, message }) => `${field}: ${message}`));
  const joined = [...lines].join(", ");
  return lines.size > 1 ? `[${joined}]` : joined;
}
