/**
 * For tests of operators: runs one against a cluster in the process, with a clock that tests wind by hand; or against a real
 * one.
 *
 * @example
 * ```ts
 * import { kinds, operator } from "@lotse/lotse";
 * import { start, testCluster } from "@lotse/lotse/testing";
 *
 * const op = operator();
 * op.on.create(kinds.ConfigMap, ({ patch }) => void (patch.meta.labels.greeted = "yes"));
 *
 * await using cluster = await testCluster();
 * await using run = await start(op, { cluster });
 * await run.api.create(kinds.ConfigMap, { metadata: { name: "one", namespace: "default" } });
 * await run.until(kinds.ConfigMap, "one", { metadata: { labels: { greeted: "yes" } } });
 * ```
 *
 * @module
 */

export { type ClusterOfTest, type TestCluster, testCluster, type TestClusterOptions } from "./cluster.ts";
export type { Cluster, ConnectedCluster, ServedCluster } from "./connection.ts";
export type { TestReplica } from "./replica.ts";
export { type RealCluster, realCluster, type RealClusterOptions } from "./real_cluster.ts";
export { type Runnable, Runner, start, type StartOptions, type UntilOptions } from "./runner.ts";
export type { Expected, ExpectedPart } from "./expectations.ts";
export type { Manifest, Manifests } from "./manifests.ts";
export type { Snapshot } from "./snapshot.ts";
export type { HandlerCall } from "../../engines/calls.ts";
export type { GlobalName } from "../../runtime/virtual/globals.ts";
export { type VirtualHost, virtualHost, type VirtualHostOptions } from "../../runtime/virtual/host.ts";
export type { VirtualClock } from "../../runtime/virtual/clock.ts";
export type { VirtualFetch, VirtualNetwork } from "../../runtime/virtual/network.ts";
export type { VirtualProcess, VirtualProgram } from "../../runtime/virtual/process.ts";
export type { LogRecord } from "../../runtime/logging.ts";
export {
  type Finding,
  simulate,
  type SimulateOptions,
  type Simulation,
  SimulationError,
  type SimulationProgress,
} from "./simulation/simulate.ts";
export {
  type Counterexample,
  type Exploration,
  ExplorationError,
  type ExplorationProgress,
  explore,
  type ExploreOptions,
} from "./exploration/explore.ts";
export type { LaboratoryOptions } from "./simulation/laboratory.ts";
export type { ObjectSource, SimulatedFaults } from "./simulation/draw.ts";
export type { Found } from "./simulation/invariants.ts";
export type { SimulatedOperator } from "./simulation/life.ts";
export type {
  Action,
  ClockStep,
  CreateStep,
  DeleteStep,
  EditStep,
  FailStep,
  GapStep,
  HarmStep,
  HoldStep,
  KillMoment,
  KillStep,
  LagStep,
  LeaseStep,
  PauseStep,
  Plan,
  PlannedObject,
  RequestFault,
  RestartStep,
  Step,
  SuspendStep,
  WatchStep,
  WriteStep,
} from "./simulation/plan.ts";
export type { Invariant, RestingWorld } from "./simulation/run_plan.ts";
