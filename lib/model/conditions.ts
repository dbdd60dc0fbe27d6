/**
 * Conditions in an object's status, as Kubernetes' own kinds keep them: one entry per type.
 *
 * The functions change a body in place, and may run again on a newer one: entries of other types are never touched, so that
 * several writers of one object do not lose each other's. Source: Kubernetes API conventions, "Typical status properties";
 * Kubernetes API reference, meta/v1 Condition.
 */

import { isObject } from "./json.ts";
import type { KubeObject } from "./object.ts";

/** One condition. Source: Kubernetes API reference, meta/v1 Condition. */
export interface Condition {
  /** Such as "Ready". */
  readonly type: string;
  /** Whether it holds. */
  readonly status: "True" | "False" | "Unknown";
  /** Why, for programs: one CamelCase word. */
  readonly reason: string;
  /** For readers. */
  readonly message: string;
  /** When the status changed last: RFC 3339. */
  readonly lastTransitionTime: string;
  /** The generation of the object that was looked at. */
  readonly observedGeneration?: number;
}

/** Returns the condition of this type; undefined if there is none. A value that is no list of conditions counts as none. */
export function findCondition(body: { readonly status?: unknown }, type: string): Condition | undefined {
  // Strangers' objects: an entry is a condition if it has the type; the rest is read as the convention has it.
  return entriesOf(body).find((entry) => isOfType(entry, type)) as Condition | undefined;
}

/** Sets a condition. The time of the last transition moves only if the status changes; an equal condition stays untouched. */
export function setCondition(body: KubeObject, wanted: Condition): void {
  const entries = entriesOf(body);
  const before = findCondition(body, wanted.type);
  const isSame = before?.status === wanted.status;
  const lastTransitionTime = isSame && before.lastTransitionTime
    ? before.lastTransitionTime
    : wanted.lastTransitionTime;
  const condition = { ...wanted, lastTransitionTime };
  if (condition.observedGeneration === undefined) delete condition.observedGeneration;
  const status = isObject(body.status) ? body.status : body.status = {};
  status.conditions = before === undefined
    ? [...entries, condition]
    : entries.map((entry) => isOfType(entry, wanted.type) ? condition : entry);
}

/** Removes the condition of this type, if there is one. */
export function removeCondition(body: KubeObject, type: string): void {
  if (!isObject(body.status) || findCondition(body, type) === undefined) return;
  body.status.conditions = entriesOf(body).filter((entry) => !isOfType(entry, type));
}

function entriesOf({ status }: { readonly status?: unknown }): readonly unknown[] {
  const entries = isObject(status) ? status.conditions : undefined;
  return Array.isArray(entries) ? entries : [];
}

function isOfType(entry: unknown, type: string): boolean {
  return isObject(entry) && entry.type === type;
}
