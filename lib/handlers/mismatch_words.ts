/**
 * Says in words why a handler was passed over, for people who did not write the operator: which label, which value, which wanted.
 *
 * The filters are asked anew on the state that is given. Values of confidential fields are left out.
 */

import { formatField, getField } from "../model/fields.ts";
import type { FieldPath } from "../model/fields.ts";
import { ABSENT, type Candidate, type Filters, findMismatch, matchesChange, PRESENT } from "./filters.ts";

/** The handler that was passed over, and the state that it was asked about. */
export interface PassedOver {
  readonly filters: Filters;
  readonly candidate: Candidate;
  /** The fields whose values must not be told. */
  readonly confidential: readonly FieldPath[];
}

/** Values longer than this are cut. */
const LONGEST = 60;

/** Returns the reason in words, such as "label `team` is absent, wanted `blue`"; undefined if no filter is against it. */
export function mismatchWords({ filters, candidate, confidential }: PassedOver): string | undefined {
  let mismatch;
  try {
    mismatch = findMismatch(filters, candidate);
    if (mismatch === undefined) {
      return matchesChange(filters, candidate)
        ? undefined
        : changeWords({ filters, candidate, confidential });
    }
  } catch (error) {
    return `its filter fails: ${error instanceof Error ? error.message : String(error)}`;
  }
  const { metadata } = candidate.body;
  switch (mismatch) {
    case "labels":
      return metaWords("label", filters.labels, { present: metadata.labels, candidate });
    case "annotations":
      return metaWords("annotation", filters.annotations, { present: metadata.annotations, candidate });
    case "field":
      return fieldWords({ filters, candidate, confidential });
    case "when":
      return "its condition (`when`) does not hold";
    default:
      return mismatch satisfies never;
  }
}

function metaWords(
  noun: string,
  filters: Filters["labels"],
  { present = {}, candidate }: {
    readonly present: Readonly<Record<string, string>> | undefined;
    readonly candidate: Candidate;
  },
): string {
  for (const [key, filter] of Object.entries(filters ?? {})) {
    const single: Filters = noun === "label"
      ? { labels: { [key]: filter } }
      : { annotations: { [key]: filter } };
    if (findMismatch(single, candidate) === undefined) continue;
    const value = Object.hasOwn(present, key) ? present[key] : undefined;
    return `${noun} \`${key}\` ${stateWords(value, filter)}`;
  }
  return `a filter on ${noun}s does not hold`;
}

function fieldWords({ filters: { field = [], value }, candidate, confidential }: PassedOver): string {
  const name = formatField(field);
  const isHidden = confidential.some((path) => isWithin(field, path) || isWithin(path, field));
  if (isHidden) return `field \`${name}\` is not as wanted (its value is confidential)`;
  const present = getField(candidate.change?.new ?? candidate.body, field);
  return `field \`${name}\` ${stateWords(present, value ?? PRESENT)}`;
}

function changeWords({ filters, candidate, confidential }: PassedOver): string {
  const { field = [] } = filters;
  const name = formatField(field);
  const { old, new: now } = candidate.change ?? {};
  const before = getField(old, field);
  const after = getField(now, field);
  if (JSON.stringify(before) === JSON.stringify(after)) return `field \`${name}\` has not changed`;
  const isHidden = confidential.some((path) => isWithin(field, path) || isWithin(path, field));
  return isHidden
    ? `field \`${name}\` has changed, but not as wanted`
    : `field \`${name}\` has changed from ${show(before)} to ${show(after)}, which is not as wanted`;
}

function stateWords(value: unknown, filter: unknown): string {
  const is = value === undefined ? "is absent" : `is ${show(value)}`;
  if (filter === PRESENT) return `${is}, wanted any value`;
  if (filter === ABSENT) return `${is}, wanted none`;
  return typeof filter === "function"
    ? `${is}, which its filter does not take`
    : `${is}, wanted ${show(filter)}`;
}

function show(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value) ?? "absent";
  return `\`${text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text}\``;
}

function isWithin(path: FieldPath, outer: FieldPath): boolean {
  return outer.length <= path.length && outer.every((key, place) => path[place] === key);
}
