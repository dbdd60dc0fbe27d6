/**
 * Selectors: which kinds a handler is for (Kopf, docs/resources; scenarios A21–A50).
 *
 * All forms in which users name kinds become one shape, which is matched against the kinds that discovery found. Names are exact,
 * case-sensitive strings.
 */

import { withoutUndefined } from "./json.ts";
import type { Resource } from "./resource.ts";

/** Any kind at all, except events. */
export const EVERYTHING: unique symbol = Symbol.for("lotse.everything");

/** Tells for itself whether a kind is meant; asked for non-preferred versions too. */
export type ResourcePredicate = (resource: Resource) => boolean;

/** A kind in one argument. */
export type SelectorTerm = string | typeof EVERYTHING | ResourcePredicate;

/** A parsed selector. Of the seven ways to name a kind, exactly one is there. */
export interface Selector {
  /** "" is the core group; undefined: any. */
  readonly group?: string;
  /** Undefined: the group's preferred one; with a predicate, any. */
  readonly version?: string;
  /** Such as "Database". */
  readonly kind?: string;
  /** Such as "databases". */
  readonly plural?: string;
  /** Such as "database". */
  readonly singular?: string;
  /** A short name, such as "db". */
  readonly shortcut?: string;
  /** A group of kinds, such as "all". */
  readonly category?: string;
  /** A kind, plural, singular or short name. */
  readonly anyName?: string | typeof EVERYTHING;
  /** Decides by itself. */
  readonly predicate?: ResourcePredicate;
}

/** Selectors as objects. */
export type SelectorKeywords = Omit<Selector, "predicate">;

const NAMES = ["kind", "plural", "singular", "shortcut", "category", "anyName", "predicate"] as const;

/** Versions by Kubernetes' convention; anything else after a dot is a group. */
const VERSION = /^v[0-9]+(?:(?:alpha|beta)[0-9]+)?$/;

/**
 * Returns the selector of a kind as a user wrote it.
 *
 * Positional forms: `[predicate]`, `[EVERYTHING]`, `["name"]`, `["name.group"]`, `["name.version"]` (the core group),
 * `["name.version.group"]`, `["name.group/version"]`, `["name/version"]` (the core group), `["group/version", name]`,
 * `["v1", name]` (the core group), `["group", name]`, `[group, version, name]`. Keywords add the group, the version, or
 * one name.
 *
 * @throws {TypeError} If there is no name, more than one, an empty one, or a form that is none of these.
 */
export function parseSelector(terms: readonly SelectorTerm[], keywords: SelectorKeywords = {}): Selector {
  const selector: Selector = withoutUndefined({ ...keywords, ...parseTerms(terms, keywords) });
  const names = NAMES.filter((name) => selector[name] !== undefined);
  if (names.length === 0) {
    throw new TypeError(
      'Cannot select resources: a name is missing, such as { plural: "pods" }; EVERYTHING selects all of them',
    );
  }
  if (names.length > 1) {
    throw new TypeError(`Cannot select resources by ${names.join(" and ")}: take one name only`);
  }
  if (names.some((name) => selector[name] === "")) {
    const what = names[0] === "anyName" ? "name" : names[0];
    throw new TypeError(`Cannot select resources: the ${what} is empty, give one such as "pods"`);
  }
  return Object.freeze(selector);
}

/** Tells whether the selector means this kind. An error of a predicate is passed on. */
export function matches(selector: Selector, resource: Resource): boolean {
  if (selector.group !== undefined && selector.group !== resource.group) return false;
  if (selector.version !== undefined && selector.version !== resource.version) return false;
  if (selector.version === undefined && !resource.preferred && selector.predicate === undefined) return false;
  if (selector.kind !== undefined) return selector.kind === resource.kind;
  if (selector.plural !== undefined) return selector.plural === resource.plural;
  if (selector.singular !== undefined) return selector.singular === resource.singular;
  if (selector.shortcut !== undefined) return resource.shortcuts.includes(selector.shortcut);
  if (selector.category !== undefined) return resource.categories.includes(selector.category);
  // Handlers of everything would be woken by their own effects: each of their log lines can become an event.
  if (selector.predicate !== undefined) return !isEvents(resource) && Boolean(selector.predicate(resource));
  if (selector.anyName === EVERYTHING) return !isEvents(resource);
  return [resource.kind, resource.plural, resource.singular, ...resource.shortcuts].includes(
    selector.anyName ?? "",
  );
}

/** Returns the kinds that the selector means: of a specific selector's matches, the ones of the core group go first, alone. */
export function select(selector: Selector, resources: Iterable<Resource>): Resource[] {
  const matching = [...resources].filter((resource) => matches(selector, resource));
  const core = matching.filter(({ group }) => group === "");
  return isSpecific(selector) && core.length > 0 ? core : matching;
}

/** Tells whether the selector can only mean one kind: it is neither a category, nor EVERYTHING, nor a predicate. */
export function isSpecific(selector: Selector): boolean {
  return selector.category === undefined && selector.predicate === undefined &&
    selector.anyName !== EVERYTHING;
}

/** Returns the selector as one readable text, such as "databases.v1.example.com"; for messages. */
export function formatSelector(selector: Selector): string {
  const { group, version, predicate, anyName } = selector;
  const name = NAMES.find((each) => selector[each] !== undefined);
  const value = predicate !== undefined
    ? `(${predicate.name || "predicate"})`
    : anyName === EVERYTHING
    ? "EVERYTHING"
    : String(name === undefined ? "" : selector[name]);
  const label = name === undefined || name === "anyName" || name === "plural" || name === "predicate"
    ? ""
    : `${name}=`;
  return label + [value, version, group].filter((part) => part !== undefined && part !== "").join(".");
}

/** Returns a text that two selectors share only if they mean the same; predicates are known by their names. */
export function selectorKey(selector: Selector): string {
  const { group = null, version = null, predicate } = selector;
  const name = NAMES.find((each) => selector[each] !== undefined) ?? "";
  const value = predicate?.name ?? (name === "" ? "" : String(selector[name]));
  return JSON.stringify([name, value, version, group]);
}

function parseTerms(terms: readonly SelectorTerm[], keywords: SelectorKeywords): Selector {
  const last = terms.at(-1);
  if (terms.length > 3) {
    throw new TypeError(
      `Cannot select resources: expected at most group, version and name, got ${terms.length} arguments`,
    );
  }
  if (terms.some((term) => typeof term === "function") && terms.length > 1) {
    throw new TypeError("Cannot select resources by a predicate and a name: take one of them");
  }
  if (last === undefined) return {};
  if (typeof last === "function") return { predicate: last };
  if (typeof last !== "string" && last !== EVERYTHING) {
    throw new TypeError(
      `Cannot select resources by ${String(last)}: expected a name, EVERYTHING or a predicate`,
    );
  }
  if (terms.length === 1) {
    return last === EVERYTHING || "anyName" in keywords ? { anyName: last } : parseName(last);
  }
  return { anyName: last, ...parseQualifiers(terms.slice(0, -1)) };
}

function parseQualifiers(terms: readonly SelectorTerm[]): Selector {
  const [first, second] = terms;
  if (typeof first !== "string" || (second !== undefined && typeof second !== "string")) {
    throw new TypeError("Cannot select resources: group and version must be strings");
  }
  if (second !== undefined) return { group: first, version: second };
  const slash = first.lastIndexOf("/");
  if (slash >= 0) return { group: first.slice(0, slash), version: first.slice(slash + 1) };
  return first === "v1" ? { group: "", version: "v1" } : { group: first };
}

function parseName(text: string): Selector {
  const slash = text.lastIndexOf("/");
  if (slash >= 0) return parseSlashed(text.slice(0, slash), text.slice(slash + 1));
  const [name, second, ...rest] = text.split(".");
  if (second === undefined) return { anyName: name };
  if (VERSION.test(second)) return { anyName: name, version: second, group: rest.join(".") };
  return { anyName: name, group: [second, ...rest].join(".") };
}

function parseSlashed(left: string, version: string): Selector {
  if (VERSION.test(left) || !VERSION.test(version)) {
    throw new TypeError(
      `Cannot select resources by "${left}/${version}": write "name.group/version", or "name/version" in the core group`,
    );
  }
  const [name, ...group] = left.split(".");
  return { anyName: name, version, group: group.join(".") };
}

function isEvents({ group, plural, kind }: Resource): boolean {
  return (group === "" || group === "events.k8s.io") && (plural === "events" || kind === "Event");
}
