/**
 * Which object is to be reconciled: named by the object itself, or by its address.
 */

import { namespacedName, type Referable } from "../../model/references.ts";
import type { Selector } from "../../model/selector.ts";
import { type ResourceLike, type ResourceType, selectorOf } from "../../registry/resource.ts";

/** Where an object is that is to be reconciled. */
export interface TargetAddress {
  /** Its kind. Default: any that is reconciled. */
  readonly kind?: ResourceType<unknown, unknown> | string;
  /** Needed for namespaced kinds. */
  readonly namespace?: string;
  /** Its name. */
  readonly name: string;
}

/** An object, or its address. */
export type TriggerTarget = Referable | TargetAddress;

/** A target, as it was read. */
export interface ReadTarget {
  readonly selector?: Selector;
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly address: { readonly namespace?: string; readonly name: string };
}

/** @throws {TypeError} If it is neither an object nor an address. */
export function readTarget(target: unknown): ReadTarget {
  if (typeof target !== "object" || target === null) {
    throw new TypeError(`Cannot reconcile ${String(target)}: name an object, or { kind, namespace, name }`);
  }
  if ("metadata" in target) {
    const { apiVersion, kind, metadata } = target as Referable; // its members are checked now
    const { name, namespace, uid } = metadata ?? {};
    if (typeof name !== "string" || name === "") {
      throw new TypeError("Cannot reconcile an object without a name: its metadata lacks it");
    }
    return { apiVersion, kind, uid, address: { namespace, name } };
  }
  const { kind, namespace, name } = target as TargetAddress;
  if (typeof name !== "string" || name === "") {
    throw new TypeError("Cannot reconcile an object without a name: name it by { kind, namespace, name }");
  }
  if (namespace !== undefined && typeof namespace !== "string") {
    throw new TypeError(`Cannot reconcile "${name}": its namespace must be a string`);
  }
  // Types do not matter here.
  const selector = kind === undefined ? undefined : selectorOf(kind as ResourceLike<never, never>);
  return { selector, address: { namespace: namespace || undefined, name } };
}

/** For log lines: "namespace/name". */
export function titleOf({ address, kind }: ReadTarget): string {
  return `${kind === undefined ? "" : `${kind} `}${namespacedName(address)}`;
}
