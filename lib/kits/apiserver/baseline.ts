/**
 * A state that a server can go back to, or that another one begins with: the objects of all collections at one moment.
 *
 * Going back is done by new writes and removals, past admission, finalizers and rules: clients that watch see each of them, so that
 * their caches stay right. Versions go on.
 */

import type { KubeObject } from "../../model/object.ts";
import { DEFINITIONS } from "./storage/collection.ts";
import type { Stored } from "./storage/stored.ts";
import type { Store } from "./store.ts";
import { equal } from "./values.ts";

/** One object of a state. */
export interface BaselineEntry {
  readonly collection: string;
  readonly key: string;
  /** NB: not the object, which would stay in memory as a whole. */
  readonly stored: Stored;
}

/** The content of a store at one moment. */
export interface Baseline {
  readonly version: number;
  /** Definitions first, because they make the kinds of others. */
  readonly entries: readonly BaselineEntry[];
}

/** Returns the objects that a store holds now. */
export function takeBaseline(store: Store): Baseline {
  const entries: BaselineEntry[] = [];
  for (const collection of store.collections()) {
    const { keys, get } = collection.present();
    for (const key of keys) {
      const stored = get(key);
      if (stored !== undefined) entries.push({ collection: collection.name, key, stored });
    }
  }
  const isDefinition = ({ collection }: BaselineEntry) => collection === DEFINITIONS;
  const sorted = [...entries.filter(isDefinition), ...entries.filter((entry) => !isDefinition(entry))];
  return { version: store.version, entries: sorted };
}

/** Puts a store back to the objects of a baseline. */
export function returnTo(store: Store, { entries }: Baseline): void {
  const wanted = new Set(entries.map(({ collection, key }) => `${collection} ${key}`));
  // Objects of a custom kind go before the definition of their kind.
  const collections = [...store.collections()].sort((a, b) =>
    Number(a.name === DEFINITIONS) - Number(b.name === DEFINITIONS)
  );
  for (const collection of collections) {
    for (const key of [...collection.present().keys]) {
      if (!wanted.has(`${collection.name} ${key}`)) store.remove(collection, key);
    }
  }
  for (const { collection: name, key, stored } of entries) {
    const collection = store.collection(name);
    const current = collection.get(key);
    if (current === stored) continue;
    const { object } = stored;
    if (current !== undefined && equal(unversioned(current.object), unversioned(object))) continue;
    store.put(collection, key, { ...object, metadata: { ...object.metadata } });
  }
}

function unversioned(object: KubeObject): KubeObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion: undefined } };
}
