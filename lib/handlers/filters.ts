/**
 * Whether an object is one that a handler wants to see.
 *
 * All criteria must hold; they are asked in the order of their cost, and predicates only when everything before them has
 * matched. A predicate that throws is its handler's failure, not the reconcile's: it counts as "does not match" and is reported.
 * Source: Kopf, docs/filters; scenarios A51–A74, G9.
 */

import { type FieldPath, getField } from "../model/fields.ts";
import { isEqualJson } from "../model/json.ts";
import type { KubeObject } from "../model/object.ts";

/** Matches where the key or the field is there, whatever its value. */
export const PRESENT: unique symbol = Symbol.for("lotse.PRESENT");
/** Matches where the key or the field is not there. */
export const ABSENT: unique symbol = Symbol.for("lotse.ABSENT");

/** A criterion for one label or annotation; predicates get `undefined` where it is absent. */
export type MetaFilter<Args> =
  | string
  | typeof PRESENT
  | typeof ABSENT
  | ((value: string | undefined, args: Args) => boolean);

/** A criterion for a field's value; predicates get `undefined` where it is absent. */
export type ValueFilter<Value, Args> =
  | Value
  | typeof PRESENT
  | typeof ABSENT
  | ((value: Value | undefined, args: Args) => boolean);

/** Filters by the state of an object. All must match. */
export interface FilterOptions<Args, Field, Value> {
  /** Per label: its value, PRESENT, ABSENT or a predicate. */
  readonly labels?: Readonly<Record<string, MetaFilter<Args>>>;
  /** Per annotation: its value, PRESENT, ABSENT or a predicate. */
  readonly annotations?: Readonly<Record<string, MetaFilter<Args>>>;
  /** A dotted path, or a list of keys where keys have dots in them. */
  readonly field?: Field;
  /** The field's value; of change handlers: on either side. */
  readonly value?: ValueFilter<Value, Args>;
  /** Asked last. */
  readonly when?: (args: Args) => boolean;
}

/** Filters by the change of a field. */
export interface ChangeFilterOptions<Args, Value> {
  /** The field's value before. Not together with `value`. */
  readonly old?: ValueFilter<Value, Args>;
  /** The field's value now. Not together with `value`. */
  readonly new?: ValueFilter<Value, Args>;
}

/** The filters of a handler, after its options were checked. */
export interface Filters {
  readonly labels?: Readonly<Record<string, MetaFilter<never>>>;
  readonly annotations?: Readonly<Record<string, MetaFilter<never>>>;
  readonly field?: FieldPath;
  readonly value?: unknown;
  readonly old?: unknown;
  readonly new?: unknown;
  /** Whether the field's value must differ between old and new. */
  readonly needsChange?: boolean;
  readonly when?: (args: never) => boolean;
}

/** A candidate for a match. */
export interface Candidate {
  readonly body: KubeObject;
  /** For change handlers: the essences before and after. */
  readonly change?: { readonly old: unknown; readonly new: unknown };
  /** The arguments of predicates; made only when one is asked. */
  readonly args: () => object;
}

/** A criterion that does not hold: the name of the handler's option. */
export type Mismatch = "labels" | "annotations" | "field" | "when";

/**
 * Tells whether all criteria hold, but for the criteria of changes: `matchesChange()` is asked about them.
 *
 * @throws Any error of a predicate; {TypeError} if one returns a promise.
 */
export function matches(filters: Filters, candidate: Candidate): boolean {
  return findMismatch(filters, candidate) === undefined;
}

/**
 * Returns the first criterion that does not hold; undefined if all do. Criteria of changes are left out.
 *
 * @throws Any error of a predicate; {TypeError} if one returns a promise.
 */
export function findMismatch(filters: Filters, candidate: Candidate): Mismatch | undefined {
  const { metadata } = candidate.body;
  const { labels, annotations, field } = filters;
  if (labels !== undefined && !matchesMeta(labels, metadata?.labels, candidate)) return "labels";
  if (annotations !== undefined && !matchesMeta(annotations, metadata?.annotations, candidate)) {
    return "annotations";
  }
  if (field !== undefined && !matchesField(filters, field, candidate)) return "field";
  if (filters.when !== undefined && !ask(filters.when, [candidate.args()])) return "when";
}

function matchesMeta(
  filters: NonNullable<Filters["labels"]>,
  present: Readonly<Record<string, string>> | undefined,
  candidate: Candidate,
): boolean {
  return Object.entries(filters).every(([key, filter]) => {
    const value = present !== undefined && Object.hasOwn(present, key) ? present[key] : undefined;
    return matchesValue(filter, value, candidate);
  });
}

/** The value of the handler's field, now or (for changes) on either side. */
function matchesField({ value }: Filters, field: FieldPath, candidate: Candidate): boolean {
  const values = candidate.change === undefined
    ? [getField(candidate.body, field)]
    : [getField(candidate.change.new, field), getField(candidate.change.old, field)];
  // Handlers that wait for a change want to see removals too: for them presence on either side is the default.
  return values.some((each) => matchesValue(value ?? PRESENT, each, candidate));
}

/**
 * Tells whether the handler's field has changed as its filters want it; true where they name no field.
 *
 * @throws Any error of a predicate; {TypeError} if one returns a promise.
 */
export function matchesChange(filters: Filters, candidate: Candidate): boolean {
  const { field, needsChange } = filters;
  if (field === undefined || candidate.change === undefined) return true;
  const before = getField(candidate.change.old, field);
  const after = getField(candidate.change.new, field);
  if (needsChange === true && isEqualJson(before, after)) return false;
  return (filters.old === undefined || matchesValue(filters.old, before, candidate)) &&
    (filters.new === undefined || matchesValue(filters.new, after, candidate));
}

function matchesValue(filter: unknown, value: unknown, candidate: Candidate): boolean {
  if (filter === PRESENT) return value !== undefined;
  if (filter === ABSENT) return value === undefined;
  if (typeof filter === "function") return ask(filter, [value, candidate.args()]);
  return isEqualJson(filter, value);
}

function ask(predicate: unknown, args: unknown[]): boolean {
  // The options' types have made sure that it is a predicate of these arguments.
  const answer = (predicate as (...args: unknown[]) => unknown)(...args);
  if (answer instanceof Promise) {
    answer.catch(() => {});
    throw new TypeError("Cannot use an async function as a filter: its promise would always count as true");
  }
  return Boolean(answer);
}

/** Returns a filter that matches where the given one does not. */
export function not<Rest extends readonly unknown[]>(
  filter: (...args: Rest) => boolean,
): (...args: Rest) => boolean {
  return (...args) => !filter(...args);
}

/** Returns a filter that matches where all of them do; with none given, always. */
export function all<Rest extends readonly unknown[]>(
  filters: readonly ((...args: Rest) => boolean)[],
): (...args: Rest) => boolean {
  return (...args) => filters.every((filter) => filter(...args));
}

/** Returns a filter that matches where at least one of them does; with none given, never. */
export function any<Rest extends readonly unknown[]>(
  filters: readonly ((...args: Rest) => boolean)[],
): (...args: Rest) => boolean {
  return (...args) => filters.some((filter) => filter(...args));
}

/** Returns a filter that matches where none of them does; with none given, always. */
export function none<Rest extends readonly unknown[]>(
  filters: readonly ((...args: Rest) => boolean)[],
): (...args: Rest) => boolean {
  return (...args) => !filters.some((filter) => filter(...args));
}
