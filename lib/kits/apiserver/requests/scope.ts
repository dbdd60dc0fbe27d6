/**
 * Which objects a list, a watch or a deletecollection is about.
 */

import type { KubeObject } from "../../../model/object.ts";
import type { Kind } from "../kinds.ts";
import { parseFieldSelector, type Predicate } from "../field_selector.ts";
import { parseLabels } from "../label_selector.ts";
import type { Entries } from "../storage/collection.ts";
import type { Stored } from "../storage/stored.ts";

export interface Scope {
  /** The beginning of the keys of such objects. */
  readonly prefix: string;
  /** The only key that there can be, if the selectors say so. */
  readonly key?: string;
  /** Absent if everything with the prefix is meant. */
  readonly matches?: Predicate;
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
  const selector = fields === "" ? undefined : parseFieldSelector(fields, kind.selectable);
  const matches = (object: KubeObject) =>
    (byLabels === undefined || byLabels(object.metadata.labels ?? {})) &&
    (selector === undefined || selector.matches(object));
  if (selector?.name === undefined) return { prefix, matches };
  if (!kind.namespaced) return { prefix, matches, key: selector.name };
  const only = namespace ?? selector.namespace;
  return only === undefined ? { prefix, matches } : { prefix, matches, key: `${only}/${selector.name}` };
}

/** Returns the objects in the scope, in order. */
export function select(kind: Kind, { prefix, key, matches }: Scope, entries: Entries): Stored[] {
  if (key !== undefined) {
    const stored = entries.get(key);
    return stored !== undefined && (matches?.(stored.object) ?? true) ? [stored] : [];
  }
  const all = kind.collection.select(entries, prefix);
  return matches === undefined ? all : all.filter(({ object }) => matches(object));
}

/** Whether an object with that key is in the scope. */
export function isInScope({ prefix, key, matches }: Scope, candidate: string, object: KubeObject): boolean {
  if (key !== undefined ? candidate !== key : !candidate.startsWith(prefix)) return false;
  return matches?.(object) ?? true;
}
