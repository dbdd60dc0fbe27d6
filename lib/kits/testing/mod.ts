/**
 * For tests of operators: runs one against a cluster in the process, with a clock that tests wind by hand.
 *
 * @example
 * ```ts
 * import { operator } from "@lotse/lotse";
 * import { apiServer } from "@lotse/lotse/apiserver";
 * import { start, virtualHost } from "@lotse/lotse/testing";
 *
 * const op = operator();
 * const cluster = apiServer({ host: virtualHost() });
 * await using runner = await start(op, { cluster });
 * await runner.advance(60);
 * ```
 *
 * @module
 */

export { type Cluster, type Runnable, Runner, start, type StartOptions } from "./runner.ts";
export { createManifests } from "./manifests.ts";
export { type VirtualHost, virtualHost, type VirtualHostOptions } from "../../runtime/virtual/host.ts";
export type { VirtualClock } from "../../runtime/virtual/clock.ts";
export type { VirtualFetch, VirtualNetwork } from "../../runtime/virtual/network.ts";
export type { VirtualProcess, VirtualProgram } from "../../runtime/virtual/process.ts";
export type { LogRecord } from "../../runtime/logging.ts";
