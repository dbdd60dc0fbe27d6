/**
 * Finds objects of one collection by their controllers and labels, so that no controller looks through all objects for each one that it brings
 * in order: a thousand StatefulSets that roll would take minutes.
 *
 * It follows the store. Each object has terms; a term leads to the keys of all objects that have it.
 */

import type { KubeObject } from "../../../model/object.ts";
import type { Change, Collection } from "../storage/collection.ts";
import type { Stored } from "../storage/stored.ts";
import { objectAt } from "../values.ts";

/** The terms of objects that a controller has. */
export function ofController(uid: string): string {
  return `controller ${uid}`;
}

/** The terms of objects in a namespace that no controller has. */
export function ofNone(namespace = ""): string {
  return `free ${namespace}`;
}

/** The terms of objects with a label. */
export function ofLabel(namespace: string | undefined, [key, value]: readonly [string, unknown]): string {
  return `label ${namespace ?? ""} ${key}=${String(value)}`;
}

/**
 * The terms of Services by one label that they select, the one that the fewest Services have; Services that select any Pod have a
 * term without a label.
 */
export function ofSelector(namespace: string | undefined, pair?: readonly [string, unknown]): string {
  return pair === undefined
    ? `selects ${namespace ?? ""} all`
    : `selects ${namespace ?? ""} ${pair[0]}=${String(pair[1])}`;
}

/** The terms of volumes by the claim that they are for; volumes for any claim have a term without one. */
export function ofClaim(key?: { readonly namespace?: unknown; readonly name?: unknown }): string {
  return key === undefined ? "any claim" : `claim ${String(key.namespace)}/${String(key.name)}`;
}

/** The keys of the objects of one collection, by terms. */
export class Lookup {
  readonly #collection: Collection;
  readonly #keys = new Map<string, Set<string>>();
  readonly #terms = new WeakMap<Stored, readonly string[]>();

  constructor(collection: Collection) {
    this.#collection = collection;
    const { keys, get } = collection.present();
    for (const key of keys) this.#add(key, get(key));
  }

  /** Takes a change in. */
  follow({ key, previous, current }: Change): void {
    if (previous !== undefined) { for (const term of this.#termsOf(previous)) this.#drop(term, key); }
    this.#add(key, current);
  }

  /** The objects that have one of the terms, in order. */
  any(terms: readonly string[]): Stored[] {
    const keys = new Set(terms.flatMap((term) => [...this.#keys.get(term) ?? []]));
    return [...keys].sort().flatMap((key) => this.#collection.get(key) ?? []);
  }

  /** The objects that have that one of the terms which the fewest have, in order. */
  rarest(terms: readonly string[]): Stored[] {
    return this.any(this.#byRarity(terms).slice(0, 1));
  }

  #byRarity(terms: readonly string[]): string[] {
    const size = (term: string): number => this.#keys.get(term)?.size ?? 0;
    return terms.toSorted((a, b) => size(a) - size(b));
  }

  #add(key: string, stored: Stored | undefined): void {
    if (stored === undefined) return;
    for (const term of this.#termsOf(stored)) {
      const keys = this.#keys.get(term);
      if (keys === undefined) this.#keys.set(term, new Set([key]));
      else keys.add(key);
    }
  }

  #drop(term: string, key: string): void {
    const keys = this.#keys.get(term);
    keys?.delete(key);
    if (keys?.size === 0) this.#keys.delete(term);
  }

  #termsOf(stored: Stored): readonly string[] {
    let terms = this.#terms.get(stored);
    if (terms === undefined) {
      const { name } = this.#collection;
      const ofSpec = name === "services"
        ? this.#byRarity(termsOfService(stored)).slice(0, 1)
        : name === "persistentvolumes"
        ? [ofClaim(objectAt(stored.object.spec, "claimRef"))]
        : [];
      terms = [...termsOfMetadata(stored.metadata), ...ofSpec];
      this.#terms.set(stored, terms);
    }
    return terms;
  }
}

function termsOfMetadata({ namespace, labels = {}, ownerReferences = [] }: KubeObject["metadata"]): string[] {
  const controller = ownerReferences.find((owner) => owner.controller === true);
  return [
    controller === undefined ? ofNone(namespace) : ofController(controller.uid),
    ...Object.entries(labels).map((pair) => ofLabel(namespace, pair)),
  ];
}

/** NB: Services of one operator share most labels of their selectors: each of a thousand Pods would ask all of a thousand Services. */
function termsOfService(stored: Stored): string[] {
  const { metadata: { namespace }, spec } = stored.object;
  const selector = objectAt(spec, "selector");
  if (selector === undefined) return [];
  const pairs = Object.entries(selector);
  return pairs.length === 0 ? [ofSelector(namespace)] : pairs.map((pair) => ofSelector(namespace, pair));
}
