/**
 * Checks of single values that many built-in kinds have in common.
 *
 * Source: k8s.io/kubernetes, pkg/apis/apps/validation; k8s.io/apimachinery, pkg/api/validation.
 */

import type { JsonObject } from "../../../model/object.ts";
import { type Cause, invalid, notSupported } from "../causes.ts";

/** Numbers that must not be below zero. */
export function negativeCauses(spec: JsonObject, path: string, fields: readonly string[]): Cause[] {
  return fields.flatMap((field) => {
    const value = spec[field];
    if (typeof value !== "number" || value >= 0) return [];
    return [invalid(`${path}.${field}`, { value, detail: "must be greater than or equal to 0" })];
  });
}

/** A number that is not below zero, or a percentage. */
export function shareCauses(value: unknown, field: string): Cause[] {
  if (typeof value === "number") {
    return negativeCauses({ value }, "", ["value"]).map((cause) => ({ ...cause, field }));
  }
  if (typeof value !== "string" || /^[0-9]+%$/.test(value)) return [];
  const detail =
    "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', " +
    "regex used for validation is '[0-9]+%')";
  return [invalid(field, { value, detail })];
}

/** A percentage of not more than a hundred. */
export function excessCauses(value: unknown, field: string): Cause[] {
  if (typeof value !== "string" || !/^[0-9]+%$/.test(value) || parseInt(value) <= 100) return [];
  return [invalid(field, { value, detail: "must not be greater than 100%" })];
}

/** A value, if there is one, that must be one of these. */
export function choiceCauses(value: unknown, field: string, supported: readonly string[]): Cause[] {
  if (value === undefined || value === null || supported.includes(String(value))) return [];
  return [notSupported(field, { value, supported })];
}

/** A number of a port. */
export function portCauses(value: unknown, field: string): Cause[] {
  if (typeof value !== "number" || (value >= 1 && value <= 65_535)) return [];
  return [invalid(field, { value, detail: "must be between 1 and 65535, inclusive" })];
}
