/**
 * The things that a cluster does by itself: it has namespaces, serves definitions, and removes objects whose owners have gone.
 */

import type { Cluster } from "../cluster.ts";
import { createDefaultRoles, ROLES } from "./default_roles.ts";
import type { Kind } from "../kinds.ts";
import { createSystemClasses, PRIORITY_CLASSES } from "../builtin/kinds/priority_class.ts";
import { Accounts } from "./accounts.ts";
import { Aggregation, CLUSTER_ROLES } from "./aggregation.ts";
import { ApiServices } from "./api_services.ts";
import { Chores } from "../chores.ts";
import { DEFINITIONS } from "../storage/collection.ts";
import { Definitions } from "./definitions.ts";
import { GarbageCollector } from "./garbage.ts";
import { Namespaces } from "./namespaces.ts";
import { Protection } from "./protection.ts";
import { createServerService, createServiceRange } from "./service_range.ts";

/** The controllers in motion. */
export interface Lifecycle {
  /** Tells the cluster the authority of the server's certificate. PEM. */
  publishRootCa(ca: string): void;
  /** Is told the kind that a client asks for: some objects are only made then. */
  asked(kind: Kind): void;
}

/** Puts it in motion; from then on it follows the store, into which `restore` may put earlier objects. */
export function startLifecycle(cluster: Cluster, restore: () => void = () => {}): Lifecycle {
  const chores = new Chores(cluster.host.clock);
  const definitions = new Definitions(cluster, chores);
  const garbage = new GarbageCollector(cluster, chores);
  const namespaces = new Namespaces(cluster, chores);
  const aggregation = new Aggregation(cluster, chores);
  const accounts = new Accounts(cluster, chores);
  const apiServices = new ApiServices(cluster, chores);
  const protection = new Protection(cluster, chores);
  cluster.store.onChange((change, collection) => {
    if (collection.name === DEFINITIONS) definitions.changed(change);
    if (collection.name === "namespaces" && change.current !== undefined) {
      namespaces.changed(change.current.object);
    }
    if (collection.name === DEFINITIONS || ApiServices.isOf(collection.name)) apiServices.changed();
    if (collection.name === CLUSTER_ROLES) aggregation.changed();
    if (collection.name === "namespaces") accounts.changed(change.key);
    if (collection.name === "configmaps" && Accounts.isKept(change.key)) {
      accounts.changed(change.key.slice(0, change.key.indexOf("/")));
    }
    garbage.changed(change, collection);
    protection.changed(change, collection);
    if (change.current !== undefined) return;
    definitions.removed(collection.name);
    const { namespace } = change.previous?.metadata ?? {};
    if (namespace === undefined) return;
    namespaces.removed(namespace);
    accounts.changed(namespace);
  });
  restore();
  namespaces.initialize();
  accounts.initialize();
  let hasRoles = false;
  const makeRoles = () => {
    if (hasRoles) return;
    hasRoles = true;
    createDefaultRoles(cluster);
    aggregation.gather();
  };
  // Where roles do not count, the first request for them makes them: they take longer than the rest of the start.
  if (cluster.gate.rbac) makeRoles();
  createServiceRange(cluster);
  createServerService(cluster);
  return {
    publishRootCa: (ca) => accounts.publish(ca),
    asked: (kind) => {
      if (kind.group === ROLES) makeRoles();
      apiServices.asked(kind);
      if (kind.collection.name === PRIORITY_CLASSES) createSystemClasses(cluster);
    },
  };
}
