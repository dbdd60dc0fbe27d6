/**
 * What a cluster does by itself: it has namespaces, serves definitions, and removes what nobody owns any more.
 */

import type { Cluster } from "../cluster.ts";
import { Chores } from "./chores.ts";
import { DEFINITIONS, Definitions } from "./definitions.ts";
import { GarbageCollector } from "./garbage.ts";
import { Namespaces } from "./namespaces.ts";

/** Puts it in motion; from then on it follows the store. */
export function startLifecycle(cluster: Cluster): void {
  const chores = new Chores(cluster.host.clock);
  const definitions = new Definitions(cluster, chores);
  const garbage = new GarbageCollector(cluster, chores);
  const namespaces = new Namespaces(cluster, chores);
  cluster.store.onChange((change, collection) => {
    if (collection.name === DEFINITIONS) definitions.changed(change);
    if (collection.name === "namespaces" && change.current !== undefined) {
      namespaces.changed(change.current.object);
    }
    garbage.changed(change, collection);
    if (change.current !== undefined) return;
    definitions.removed(collection.name);
    const { namespace } = change.previous?.object.metadata ?? {};
    if (namespace !== undefined) namespaces.removed(namespace);
  });
  namespaces.initialize();
}
