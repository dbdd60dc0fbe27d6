/**
 * Leaving a cluster: everything that an operator has left there is found, and taken away.
 *
 * @module
 */

export type { Footprint, Uninstalled } from "./footprint.ts";
export { openCluster } from "./open_cluster.ts";
export { titleOf, Uninstall, type UninstallOptions, type UninstallReport } from "./uninstall.ts";
