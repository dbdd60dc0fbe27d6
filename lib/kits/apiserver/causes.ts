/**
 * Why the API server refuses an object: Kubernetes' field errors, in Kubernetes' words.
 *
 * A cause's `message` stands in `Status.details.causes[].message`; the one line of `Status.message` puts the
 * field in front of it. Source: k8s.io/apimachinery, pkg/util/validation/field and pkg/api/errors.
 */

import type { StatusBody } from "../../model/object.ts";
import { formatValue, quoteText } from "./formats/go_format.ts";

/** Kubernetes' names for the faults of a field. */
export type CauseReason =
  | "FieldValueRequired"
  | "FieldValueInvalid"
  | "FieldValueNotFound"
  | "FieldValueTypeInvalid"
  | "FieldValueNotSupported"
  | "FieldValueDuplicate"
  | "FieldValueForbidden"
  | "FieldValueTooLong"
  | "FieldValueTooMany"
  | "FieldManagerConflict";

/** The field of a cause that belongs to none: Go prints its nil path so, and clients see it. */
export const NO_FIELD = "<nil>";

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

/** Returns the 422 answer that Kubernetes gives for these causes. */
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

/** Returns the causes as Go's aggregated errors read: one alone, several once each in brackets. */
export function joinCauses(causes: readonly Cause[]): string {
  const lines = new Set(causes.map(({ field, message }) => `${field}: ${message}`));
  const joined = [...lines].join(", ");
  return lines.size > 1 ? `[${joined}]` : joined;
}

/** A field that must be there is not. */
export function required(field: string, detail = ""): Cause {
  return { reason: "FieldValueRequired", field, message: withDetail("Required value", detail) };
}

/** A field has a value that it must not have. */
export function invalid(field: string, { value, detail }: { value: unknown; detail: string }): Cause {
  return { reason: "FieldValueInvalid", field, message: badValue("Invalid value", { value, detail }) };
}

/** A field has a value of a wrong type. */
export function typeInvalid(field: string, { value, detail }: { value: unknown; detail: string }): Cause {
  return { reason: "FieldValueTypeInvalid", field, message: badValue("Invalid value", { value, detail }) };
}

/** A field has a value that is none of the supported ones. */
export function notSupported(
  field: string,
  { value, supported }: { value: unknown; supported: readonly string[] },
): Cause {
  const detail = supported.length === 0 ? "" : `supported values: ${supported.map(quoteText).join(", ")}`;
  return {
    reason: "FieldValueNotSupported",
    field,
    message: badValue("Unsupported value", { value, detail }),
  };
}

/** A value stands twice where it may stand once. */
export function duplicate(field: string, value: unknown): Cause {
  return {
    reason: "FieldValueDuplicate",
    field,
    message: badValue("Duplicate value", { value, detail: "" }),
  };
}

/** A field names an object that is not there. */
export function notFound(field: string, value: unknown, detail = ""): Cause {
  return { reason: "FieldValueNotFound", field, message: badValue("Not found", { value, detail }) };
}

/** A field must not be set here. */
export function forbidden(field: string, detail: string): Cause {
  return { reason: "FieldValueForbidden", field, message: withDetail("Forbidden", detail) };
}

/** A text is longer than `maximum`. */
export function tooLong(field: string, maximum: number): Cause {
  const detail = `may not be more than ${maximum} ${maximum === 1 ? "byte" : "bytes"}`;
  return { reason: "FieldValueTooLong", field, message: withDetail("Too long", detail) };
}

/** A list or map has more entries than `maximum`. */
export function tooMany(field: string, { actual, maximum }: { actual: number; maximum: number }): Cause {
  const detail = `must have at most ${maximum} ${maximum === 1 ? "item" : "items"}`;
  return { reason: "FieldValueTooMany", field, message: `Too many: ${actual}: ${detail}` };
}

function badValue(title: string, { value, detail }: { value: unknown; detail: string }): string {
  return withDetail(`${title}: ${formatValue(value)}`, detail);
}

function withDetail(text: string, detail: string): string {
  return detail === "" ? text : `${text}: ${detail}`;
}
