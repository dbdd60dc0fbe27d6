/**
 * Leaving a cluster: everything that an operator has left there is found, and taken away.
 *
 * @module
 */

export type { Footprint, Uninstalled } from "./footprint.ts";
export { tracesOf } from "../../registry/traces.ts";
export { type InManifests, operatorIn, operatorInCluster } from "./manifests.ts";
export { type Cluster, openCluster } from "./open_cluster.ts";
export { titleOf, Uninstall, type UninstallOptions, type UninstallReport } from "./uninstall.ts";
