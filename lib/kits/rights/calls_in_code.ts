/**
 * The rights that a handler's own code shows: calls of `op.api` with a built-in kind, such as `op.api.apply(kinds.Service, …)`.
 *
 * It is read as text, so that only calls in the function itself are found: functions that it calls, and calls with kinds
 * of the author's own, show when they are recorded.
 */

import { KINDS } from "../../model/kinds.ts";
import type { Resource } from "../../model/resource.ts";

/** A right that a function's code shows. */
export interface ShownRight {
  readonly group: string;
  /** With a subresource behind a slash. */
  readonly resource: string;
  readonly verb: string;
  readonly namespaced: boolean;
}

/** The rights that a function's code shows. */
export interface ShownRights {
  readonly rights: readonly ShownRight[];
  /** Whether there are calls with kinds that do not show. */
  readonly hasMore: boolean;
}

/** The verbs that each call needs on its kind; `scale` on that part of it. */
const VERBS: Readonly<Record<string, readonly string[]>> = {
  get: ["get"],
  list: ["list"],
  watch: ["list", "watch"],
  waitFor: ["list", "watch"],
  create: ["create"],
  replace: ["update"],
  patch: ["patch"],
  apply: ["get", "create", "patch"],
  ensure: ["get", "create", "patch"],
  delete: ["delete"],
  deleteCollection: ["deletecollection"],
  scale: ["patch"],
};

/** Calls that are about parts of one kind. */
const PARTS: Readonly<Record<string, Omit<ShownRight, "group">>> = {
  logs: { resource: "pods/log", verb: "get", namespaced: true },
  evict: { resource: "pods/eviction", verb: "create", namespaced: true },
  token: { resource: "serviceaccounts/token", verb: "create", namespaced: true },
};

/** As compilers write it: the call, and the last part of a dotted name as its first argument. */
const CALL = /\bapi\s*\.\s*(\w+)\s*\(\s*(?:[\w$]+\s*\.\s*)*([\w$]*)/g;

/** Returns the rights that a function's code shows. */
export function rightsShownBy(fn: unknown): ShownRights {
  if (typeof fn !== "function") return { rights: [], hasMore: false };
  const rights: ShownRight[] = [];
  let hasMore = false;
  for (const [, call = "", argument = ""] of Function.prototype.toString.call(fn).matchAll(CALL)) {
    const part = Object.hasOwn(PARTS, call) ? PARTS[call] : undefined;
    if (part !== undefined) rights.push({ group: "", ...part });
    if (!Object.hasOwn(VERBS, call)) continue;
    const kind = builtIn(argument);
    if (kind === undefined) {
      hasMore = true;
      continue;
    }
    const { group, plural, namespaced } = kind;
    const resource = call === "scale" ? `${plural}/scale` : plural;
    for (const verb of VERBS[call] ?? []) rights.push({ group, resource, verb, namespaced });
  }
  return { rights, hasMore };
}

function builtIn(name: string): Resource | undefined {
  return [...KINDS.values()].find(({ kind }) => kind === name);
}
