/**
 * `@lotse/lotse/children`: for the `children` of handlers: manifests that are checked by their kind, and when they are ready.
 *
 * @module
 */

export { child } from "../registry/children.ts";
export type {
  AnyChild,
  Child,
  ChildMeta,
  ChildOptions,
  Children,
  ChildrenOptions,
  ChildrenState,
  DesiredChildren,
  LiveChild,
  LiveChildren,
  Manifest,
  Readiness,
  TypedManifest,
  WaitedFor,
} from "../registry/children.ts";
export { ChildrenError, type FailedChild } from "../execution/children_error.ts";
export {
  type AnyReadiness,
  hasCondition,
  hasLoadBalancer,
  isAvailable,
  isClaimBound,
  isDaemonSetReady,
  isDefinitionServed,
  isDeploymentReady,
  isJobComplete,
  isPodReady,
  isReady,
  isStatefulSetReady,
  type LiveObject,
} from "../engines/children/ready.ts";
