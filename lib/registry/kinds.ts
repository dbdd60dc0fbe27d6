/**
 * The kinds that every cluster has, as constants for handlers: to be watched, and to be made and changed by `op.api`.
 *
 * Their specs and statuses are untyped: whoever wants types declares the kind with `resource<Spec, Status>()`.
 */

import { KINDS } from "../model/kinds.ts";
import { resource, type ResourceType } from "./resource.ts";

/** Built-in kinds by name. */
export type Kinds = Readonly<
  Record<
    | "ConfigMap"
    | "CronJob"
    | "CustomResourceDefinition"
    | "DaemonSet"
    | "Deployment"
    | "Event"
    | "Ingress"
    | "Job"
    | "Lease"
    | "Namespace"
    | "PersistentVolumeClaim"
    | "Pod"
    | "ReplicaSet"
    | "Secret"
    | "Service"
    | "ServiceAccount"
    | "StatefulSet",
    ResourceType
  >
>;

/**
 * Built-in kinds.
 *
 * @example
 * ```ts
 * import { kinds, operator } from "@lotse/lotse";
 *
 * const op = operator();
 * op.on.event(kinds.Pod, ({ type, status, logger }) => logger.info("Pod", { type, phase: status.phase }));
 * ```
 */
export const kinds: Kinds = Object.freeze({
  ConfigMap: declare("ConfigMap"),
  CronJob: declare("CronJob"),
  CustomResourceDefinition: declare("CustomResourceDefinition"),
  DaemonSet: declare("DaemonSet"),
  Deployment: declare("Deployment"),
  Event: declare("Event"),
  Ingress: declare("Ingress"),
  Job: declare("Job"),
  Lease: declare("Lease"),
  Namespace: declare("Namespace"),
  PersistentVolumeClaim: declare("PersistentVolumeClaim"),
  Pod: declare("Pod"),
  ReplicaSet: declare("ReplicaSet"),
  Secret: declare("Secret"),
  Service: declare("Service"),
  ServiceAccount: declare("ServiceAccount"),
  StatefulSet: declare("StatefulSet"),
});

function declare(kind: keyof Kinds): ResourceType {
  const found = KINDS.get(kind);
  if (found === undefined) throw new TypeError(`Cannot declare "${kind}": it is no built-in kind`);
  const { group, version, plural, namespaced } = found;
  return resource({ group, version, plural, kind, namespaced });
}
