/**
 * When objects of Kubernetes' own kinds are ready, as `kubectl rollout status` and `kubectl wait` see it.
 *
 * Each returns true, or a few words that name the condition that is waited for. An object whose controller has not looked at its newest
 * spec yet is never ready. Source: Kubernetes, docs/concepts/workloads; Kubernetes,
 * `kubectl/pkg/polymorphichelpers/rollout_status.go`.
 */

import { messageOf } from "../../client/errors.ts";
import { toError } from "../../execution/errors.ts";
import { findCondition } from "../../model/conditions.ts";
import { isObject } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import type { Readiness } from "../../registry/children.ts";
import { blamedOn } from "../../runtime/call_site.ts";

/** Any object, as far as its readiness goes. */
export type LiveObject = Pick<KubeObject<object, object>, "metadata" | "spec" | "status">;

/** A readiness that looks at any object. */
export type AnyReadiness = (object: LiveObject) => true | string;

/**
 * Returns the condition that an object waits for, in the words of a readiness; undefined: it is ready.
 *
 * @throws {TypeError} If the readiness throws, or returns another value.
 */
export function waitOf(ready: Readiness, object: KubeObject): string | undefined {
  let verdict: unknown;
  try {
    verdict = ready(object as never); // the author knows the type of the kind
  } catch (error) {
    const message = `its "ready" has thrown ${toError(error).name}: ${messageOf(error)}`;
    throw blamedOn(new TypeError(message, { cause: error }));
  }
  if (verdict === true) return undefined;
  if (verdict === false || verdict === "") return "it is not ready";
  if (typeof verdict === "string") return verdict;
  if (verdict instanceof Promise) verdict.catch(() => {});
  throw blamedOn(new TypeError(`its "ready" must return true, false or a few words, at once`));
}

/** Returns a readiness: this condition is true, and is about the newest spec. */
export function hasCondition(type: string): AnyReadiness {
  return (object) => {
    const unseen = unobserved(object);
    if (unseen !== undefined) return unseen;
    const condition = findCondition(object, type);
    if (condition === undefined) return `it has no condition "${type}" yet`;
    const { status, reason, message, observedGeneration = Infinity } = condition;
    if (observedGeneration < (object.metadata.generation ?? 0)) {
      return `condition "${type}" is not up to date`;
    }
    if (status === "True") return true;
    return `condition "${type}" is ${status}${why(reason, message)}`;
  };
}

/** Whether the condition "Ready" holds. */
export const isReady: AnyReadiness = hasCondition("Ready");

/** Whether the condition "Available" holds; of a Deployment: whether enough replicas are there, old ones included. */
export const isAvailable: AnyReadiness = hasCondition("Available");

/** Whether a CustomResourceDefinition is served. */
export const isDefinitionServed: AnyReadiness = hasCondition("Established");

/** Whether a Pod is ready, or has succeeded. */
export function isPodReady(pod: LiveObject): true | string {
  return text(pod.status, "phase") === "Succeeded" || isReady(pod);
}

/** Whether a Deployment has rolled out: all replicas are new, available, and no old one is left. */
export function isDeploymentReady(object: LiveObject): true | string {
  const wanted = number(object.spec, "replicas", 1);
  const [replicas, updated] = [number(object.status, "replicas"), number(object.status, "updatedReplicas")];
  const progressing = findCondition(object, "Progressing");
  return unobserved(object) ??
    (progressing?.reason === "ProgressDeadlineExceeded"
      ? "it has exceeded its progress deadline"
      : undefined) ??
    enough("updated", updated, wanted) ??
    (replicas > updated ? `${replicas - updated} old replicas are left` : undefined) ??
    enough("available", number(object.status, "availableReplicas"), wanted) ?? true;
}

/** Whether a StatefulSet has rolled out: all replicas are ready, and new as far as its strategy lets them. */
export function isStatefulSetReady(object: LiveObject): true | string {
  const wanted = number(object.spec, "replicas", 1);
  const strategy = part(object.spec, "updateStrategy");
  const { status } = object;
  const ready = unobserved(object) ?? enough("ready", number(status, "readyReplicas"), wanted);
  if (ready !== undefined) return ready;
  if (text(strategy, "type") === "OnDelete") return true;
  const partition = number(part(strategy, "rollingUpdate"), "partition");
  if (partition > 0) {
    return enough("updated", number(status, "updatedReplicas"), Math.max(0, wanted - partition)) ?? true;
  }
  const isOld = text(status, "updateRevision") !== text(status, "currentRevision");
  return isOld ? "some replicas are of the old revision" : true;
}

/** Whether a DaemonSet has rolled out on all nodes. */
export function isDaemonSetReady(object: LiveObject): true | string {
  const { status } = object;
  const wanted = number(status, "desiredNumberScheduled");
  const isOnDelete = text(part(object.spec, "updateStrategy"), "type") === "OnDelete";
  return unobserved(object) ??
    (isObject(status) && "desiredNumberScheduled" in status ? undefined : "it is not scheduled yet") ??
    (isOnDelete ? undefined : enough("updated", number(status, "updatedNumberScheduled"), wanted)) ??
    enough("available", number(status, "numberAvailable"), wanted) ?? true;
}

/** Whether a Job has succeeded. One that has failed is never ready: see `recreateOn`. */
export function isJobComplete(object: LiveObject): true | string {
  const failed = findCondition(object, "Failed");
  if (failed?.status === "True") return `it has failed${why(failed.reason, failed.message)}`;
  if (findCondition(object, "Complete")?.status === "True") return true;
  return `${number(object.status, "succeeded")} of ${number(object.spec, "completions", 1)} have succeeded`;
}

/** Whether a PersistentVolumeClaim is bound. */
export function isClaimBound({ status }: LiveObject): true | string {
  const phase = text(status, "phase");
  return phase === "Bound" || `it is ${phase ?? "new"}`;
}

/** Whether a Service of the type LoadBalancer has an address. Services of other types are ready. */
export function hasLoadBalancer({ spec, status }: LiveObject): true | string {
  if (text(spec, "type") !== "LoadBalancer") return true;
  const ingress: unknown = part(status, "loadBalancer")?.ingress;
  return (Array.isArray(ingress) && ingress.length > 0) || "it has no address yet";
}

/** Says so if the object's controller has not looked at the newest spec. */
function unobserved({ metadata, status }: LiveObject): string | undefined {
  if (!isObject(status) || typeof status.observedGeneration !== "number") {
    // Kinds that keep no such number have to be believed; kinds that do have none before their controller's first look.
    return status === undefined || Object.keys(status).length === 0 ? "it has no status yet" : undefined;
  }
  return status.observedGeneration < (metadata.generation ?? 0)
    ? "its newest spec was not seen yet"
    : undefined;
}

function enough(what: string, count: number, wanted: number): string | undefined {
  return count < wanted ? `${count} of ${wanted} replicas are ${what}` : undefined;
}

function why(reason: string | undefined, message: string | undefined): string {
  const said = [reason, message].filter((each) => each !== undefined && each !== "").join(": ");
  return said === "" ? "" : ` (${said})`;
}

function part(value: unknown, name: string): Record<string, unknown> | undefined {
  const found = isObject(value) ? value[name] : undefined;
  return isObject(found) ? found : undefined;
}

function number(value: unknown, name: string, fallback = 0): number {
  const found = isObject(value) ? value[name] : undefined;
  return typeof found === "number" ? found : fallback;
}

function text(value: unknown, name: string): string | undefined {
  const found = isObject(value) ? value[name] : undefined;
  return typeof found === "string" ? found : undefined;
}
