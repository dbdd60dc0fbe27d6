/**
 * Which objects a list, a watch or a deletecollection is about.
 */

import { writtenObject } from "../definitions/conversion.ts";
import type { Kind } from "../kinds.ts";
import { parseFieldSelector } from "../selectors/field_selector.ts";
import { parseLabels } from "../selectors/label_selector.ts";
import type { Entries } from "../storage/collection.ts";
import type { Stored } from "../storage/stored.ts";

export interface Scope {
  /** The beginning of the keys of such objects. */
  readonly prefix: string;
  /** The only key that there can be, if the selectors say so. */
  readonly key?: string;
  /** Absent if everything with the prefix is meant. */
  readonly matches?: (stored: Stored) => boolean;
  /** In place of `matches` where a webhook converts: asked about objects in the version that the request is about. */
  readonly matchesShown?: (shown: Stored) => boolean;
  /** Whether that looks into the object, which takes its time. */
  readonly unpacks?: boolean;
}

export interface ScopeOptions {
  readonly namespace?: string;
  readonly query: URLSearchParams;
}

/** @throws {Refusal} 400 if a selector cannot be read. */
export function scopeOf(kind: Kind, { namespace, query }: ScopeOptions): Scope {
  const labels = query.get("labelSelector") ?? "";
  const fields = query.get("fieldSelector") ?? "";
  const prefix = namespace === undefined ? "" : `${namespace}/`;
  if (labels === "" && fields === "") return { prefix };
  const byLabels = labels === "" ? undefined : parseLabels(labels);
  const selector = fields === "" ? undefined : parseFieldSelector(fields, kind.selectable, kind.keptFields);
  const matches = (stored: Stored) =>
    (byLabels === undefined || byLabels(stored.labels ?? {})) &&
    (selector === undefined || selector.matches(writtenObject(kind, stored)));
  const criteria = kind.converter === undefined ? { matches } : { matchesShown: matches };
  if (selector?.name === undefined) return { prefix, ...criteria, unpacks: selector !== undefined };
  if (!kind.namespaced) return { prefix, ...criteria, key: selector.name };
  const only = namespace ?? selector.namespace;
  return only === undefined
    ? { prefix, ...criteria, unpacks: true }
    : { prefix, ...criteria, key: `${only}/${selector.name}` };
}

/** Returns the objects in the scope, in order; where a webhook converts, the objects that may be in it. */
export function select(kind: Kind, { prefix, key, matches }: Scope, entries: Entries): Stored[] {
  if (key !== undefined) {
    const stored = entries.get(key);
    return stored !== undefined && (matches?.(stored) ?? true) ? [stored] : [];
  }
  const all = kind.collection.select(entries, prefix);
  return matches === undefined ? all : all.filter((stored) => matches(stored));
}

/** Whether an object with that key may be in the scope. */
export function isKeyInScope({ prefix, key }: Scope, candidate: string): boolean {
  return key === undefined ? candidate.startsWith(prefix) : candidate === key;
}
